"""`run.json`: what a run is and how it ended."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired

from pydantic import Field, with_config
from typing_extensions import TypedDict  # pydantic takes typing's from 3.12 on

from apieval.records import Prefill, RowId, Setting
from apieval.results.checking import STRICT, Amount
from apieval.results.summary import (
    MOST_SAMPLES,
    AnswersFile,
    Coverage,
    Data,
    Outcomes,
    Served,
    UsageTotals,
)


class HeaderData(Data):
    """The data file as it was when the run began."""

    path: str
    rule_breakers: NotRequired[dict[str, list[RowId]]]


class Example(TypedDict):
    """A solved rebus that a prompt shows."""

    id: RowId
    subset: NotRequired[str | None]
    verbalized_rebus: str
    verbalized_rebus_with_length_hints: str
    solution_key: str
    word_guesses: list[str]
    first_pass: str
    solution_words: list[str]
    solution: str


class PromptText(TypedDict):
    """What a prompt is made from: nothing but its name for the challenge's own."""

    name: str
    examples: NotRequired[list[Example]]
    template: NotRequired[str]


class Identity(TypedDict):
    """What answers depend on besides the messages."""

    body: NotRequired[dict[str, Any] | None]


class HeaderSpec(TypedDict):
    """What of a specification `RunSpec` does not check."""

    identity: Identity
    limit: NotRequired[Annotated[int, Field(ge=1)] | None]
    samples: NotRequired[Annotated[int, Field(ge=1, le=MOST_SAMPLES)]]


class Command(TypedDict):
    """A command that sent requests of a run."""

    began: NotRequired[str | None]
    took_s: NotRequired[Amount | None]


class SpentJson(TypedDict):
    """What a run has cost in all."""

    known_usd: Amount
    at_most_usd: Amount
    lost: int
    unknown: int


@with_config(STRICT)
class Header(TypedDict):
    """`run.json`; what a run knows only at its end is None before."""

    format: Literal[1]
    status: Literal["running", "done", "partial", "stopped", "interrupted"]
    message: str | None
    model: str
    spec: HeaderSpec
    data: HeaderData
    prompts: dict[str, str]
    prompt: PromptText
    prefill: Prefill | None
    versions: dict[str, str]
    git: dict[str, Any] | None
    machine: dict[str, Any]
    dropped: list[str]
    preset: str | None
    price: dict[str, Amount | str | None] | None
    system_prompt: str | None
    coverage: Coverage | None
    outcomes: dict[Setting, Outcomes]
    usage: UsageTotals | None
    served: Served | None
    responses: AnswersFile | None
    spent_usd: Amount | None
    spent: SpentJson | None
    began: str | None
    ended: str | None
    took_s: Amount | None
    commands: NotRequired[list[Command]]
    via: NotRequired[str | None]


LATER: Final[Mapping[str, object]] = {
    "message": None,
    "prompt": {"name": "official"},
    "prefill": None,
    "versions": {},
    "git": None,
    "machine": {},
    "dropped": [],
    "preset": None,
    "price": None,
    "system_prompt": None,
    "coverage": None,
    "outcomes": {},
    "usage": None,
    "served": None,
    "responses": None,
    "spent_usd": None,
    "spent": None,
    "began": None,
    "ended": None,
    "took_s": None,
}
EVERY: Final = (
    "format",
    "status",
    "message",
    "model",
    "spec",
    "data",
    "prompts",
    *(each for each in LATER if each != "message"),
)
"""The keys of every header of this version, in their order."""
