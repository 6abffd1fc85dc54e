"""What `run.json` and `summary.json` look like, key by key: whoever reads one asks here first.

A file that is not as it should be is refused with the key's path and the remedy, before anything is
made of it. What a later version adds is passed over; what an older one lacked may be absent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from apieval.errors import StoreError
from apieval.records import Given, Prefill, Setting

_MOST_SHOWN: Final = 3
_MOST_SAMPLES: Final = 1_000
"""Beyond these nothing is counted: a figure takes room for each."""
_Count = Annotated[int, Field(ge=0, le=2**53)]
_Share = Annotated[float, Field(ge=0, le=1)]
_Points = Annotated[float, Field(ge=-1, le=1)]
_Amount = Annotated[float, Field(ge=0, le=1e300)]
_Number = Annotated[float, Field(ge=-1e300, le=1e300)]


class _Shape(BaseModel):
    model_config = ConfigDict(strict=True, extra="allow", defer_build=True)


class _Bounded(_Shape):
    """Something that may have bounds in place of an interval: all keys of them, or none."""

    bounds: ClassVar[tuple[str, ...]] = ("at_least", "at_most")

    @model_validator(mode="before")
    @classmethod
    def _whole(cls, value: object) -> object:
        if isinstance(value, Mapping):
            there = [name in value for name in cls.bounds]
            if any(there) and not all(there):
                raise ValueError(f"not all of {', '.join(cls.bounds)}")
        return value


class Figure(_Bounded):
    """A share with its interval, or with the bounds it can still take."""

    bounds: ClassVar = ("at_least", "at_most", "answered")
    value: _Share | None
    low: _Share | None
    high: _Share | None
    n: _Count
    at_least: _Share = 0.0
    at_most: _Share = 0.0
    answered: _Share | None = None


class _Both(_Shape):
    micro: Figure
    macro: Figure


class _Gap(_Bounded):
    value: _Points | None
    low: _Points | None
    high: _Points | None
    at_least: _Points = 0.0
    at_most: _Points = 0.0


class _BothGaps(_Shape):
    micro: _Gap
    macro: _Gap


class _Found(_Shape):
    """A share, a mean or a ratio; of a ratio nothing says that it is below 1."""

    value: _Number | None
    low: _Number | None
    high: _Number | None
    n: _Count


class _Cer(_Shape):
    all: _Found
    wrong: _Found
    letters: _Found


class _Diagnosis(_Shape):
    n: _Count
    broke_first: dict[str, _Found]
    word_accuracy: dict[str, _Found]
    words_wrong: dict[str, dict[str, _Found]]
    of_own_guesses: _Found
    letters_kept: _Found
    key_obeyed: _Found
    right_despite_wrong_steps: _Found
    wrong_despite_right_first_pass: _Found
    cer: _Cer
    near_miss: dict[str, _Found]
    copied_example: _Found
    loop: _Found
    other_language: dict[str, _Found]


class _Data(_Shape):
    name: str
    digest: str
    n: _Count
    source: str = ""
    revision: str | None = None
    licence: str = ""
    attribution: str = ""


class _PromptName(_Shape):
    name: str | None
    official: bool | None


class _Sum(_Shape):
    sum: _Amount | None
    known_for: _Count


class _Usage(_Shape):
    answers: _Count
    from_cache: _Count = 0
    without_solution: _Count = 0
    prompt_tokens: _Sum
    completion_tokens: _Sum
    reasoning_tokens: _Sum
    cached_tokens: _Sum
    cost_usd: _Sum


class _Outcomes(_Shape):
    ok: _Count
    truncated: _Count
    empty: _Count
    refused: _Count
    failed: _Count
    not_asked: _Count


class _File(_Shape):
    file: str
    lines: _Count
    digest: str


class _Coverage(_Shape):
    rebuses: _Count
    complete: _Count
    clues: _Count
    known: _Count
    found: _Count


class _Finding(_Shape):
    kind: str
    level: Literal["warning", "note"]
    text: str


class _Audit(_Shape):
    findings: list[_Finding]


_Served = dict[Literal["served_model", "system_fingerprint"], dict[str, _Count]]


class Summary(_Shape):
    """`summary.json`."""

    format: Literal[1]
    model: str
    data: _Data
    settings: Annotated[list[Setting], Field(min_length=1, max_length=2)]
    samples: Annotated[int, Field(ge=1, le=10 * _MOST_SAMPLES)] = 1
    prompt: _PromptName = _PromptName.model_construct(name=None, official=None)
    given: Given | None = None
    partial: bool
    outcomes: dict[Setting, _Outcomes]
    usage: _Usage | None = None
    served: _Served | None = None
    responses: _File | None = None
    coverage: _Coverage | None = None
    findings: list[_Finding] = []
    signatures: dict[Setting, dict[str, str]]
    along_key: dict[str, _Count] = {}
    figures: dict[Setting, dict[str, dict[str, dict[str, _Both]]]]
    gaps: dict[Setting, dict[str, dict[str, dict[str, _BothGaps]]]] = {}
    format_loss: dict[Setting, dict[str, Any]] | None = None
    diagnosis: dict[Setting, dict[str, _Diagnosis]] | None = None
    dependence: dict[Setting, dict[str, Any]] | None = None
    over_samples: dict[Setting, dict[str, Any]] | None = None
    audit: _Audit | None = None

    @model_validator(mode="after")
    def _alike(self) -> Summary:
        """Refuse settings that some part of the summary has and another has not."""
        if len(set(self.settings)) < len(self.settings):
            raise ValueError("settings: one stands twice")
        for name in ("outcomes", "signatures", "figures"):
            if set(getattr(self, name)) != set(self.settings):
                raise ValueError(f"{name} and settings are not of the same settings")
        return self


class _HeaderData(_Data):
    path: str
    rule_breakers: dict[str, list[int | str]] = {}


class _Prompt(_Shape):
    name: str
    examples: list[dict[str, Any]] = []
    template: str = ""


class _Identity(_Shape):
    body: dict[str, Any] | None = None


class _Spec(_Shape):
    """What of a specification `RunSpec` does not check."""

    identity: _Identity
    limit: Annotated[_Count, Field(ge=1)] | None = None
    samples: Annotated[int, Field(ge=1, le=_MOST_SAMPLES)] = 1


class _Spent(_Shape):
    known_usd: _Amount
    at_most_usd: _Amount
    lost: int
    unknown: int


class Header(_Shape):
    """`run.json`; what a run knows at its end may be absent before."""

    format: Literal[1]
    status: Literal["running", "done", "partial", "stopped", "interrupted"]
    message: str | None = None
    model: str
    spec: _Spec
    data: _HeaderData
    prompts: dict[str, str]
    prompt: _Prompt = _Prompt.model_construct(name="official")
    prefill: Prefill | None = None
    versions: dict[str, str] = {}
    git: dict[str, Any] | None = None
    machine: dict[str, Any] = {}
    dropped: list[str] = []
    preset: str | None = None
    price: dict[str, _Amount | str | None] | None = None
    system_prompt: str | None = None
    coverage: _Coverage | None = None
    outcomes: dict[Setting, _Outcomes] = {}
    usage: _Usage | None = None
    served: _Served | None = None
    responses: _File | None = None
    spent_usd: _Amount | None = None
    spent: _Spent | None = None
    began: str | None = None
    ended: str | None = None
    took_s: _Amount | None = None


def refuse_other(shape: type[BaseModel], value: object, path: object, remedy: str) -> None:
    """Refuse a file's content that has not the shape of one.

    Raises:
        StoreError: naming the file, the first keys that are wrong, what is wrong, and the remedy.
    """
    if found := faults(shape, value):
        more = f", and {len(found) - _MOST_SHOWN:,} more" if found[_MOST_SHOWN:] else ""
        said = "; ".join(found[:_MOST_SHOWN])
        raise StoreError(f"{path}: {said}{more}; {remedy}")


def faults(shape: type[BaseModel], value: object) -> list[str]:
    """Return what is wrong with a file's content, a key each: `figures.hints.all: missing`."""
    try:
        shape.model_validate(value)
    except ValidationError as error:
        told = error.errors(include_url=False, include_context=False, include_input=False)
        return list(dict.fromkeys(_told(each["loc"], each["type"], each["msg"]) for each in told))
    except RecursionError:
        return ["nested too deeply"]
    return []


def _told(place: tuple[int | str, ...], kind: str, message: str) -> str:
    where = "".join(f"[{each}]" if isinstance(each, int) else f".{each}" for each in place)
    said = "missing" if kind == "missing" else message.removeprefix("Value error, ")
    return f"{where.removeprefix('.')}: {said[:1].lower()}{said[1:]}" if where else said
