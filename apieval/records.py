"""The records that travel through apieval, from the data file to the score.

    Rebus -> Request -> Reply -> Response -> Prediction -> ItemScore

Every stage is a function from one record to the next. Records are frozen; they know nothing of
files, networks or each other's origin. Texts in them are well-formed Unicode: `well_formed`
mends what a hostile server or file may hold, at the place where it enters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any, Final, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

Setting = Literal["regular", "hints"]
SETTINGS: Final[tuple[Setting, ...]] = ("regular", "hints")

Given = Literal["definitions", "first-pass"]
GIVENS: Final[tuple[Given, ...]] = ("definitions", "first-pass")
"""How far an answer may be begun for the model, with the right steps."""

Prefill = Literal["assistant", "continue", "prefix"]
"""How an API takes an answer that is begun: as the last message, which is the assistant's; with
vLLM's words for going on with it, too; marked as a prefix, as Mistral wants it."""

RowId = int | str
"""A row's number in the data file, counted from 0, or the text of its `id` column."""


def row_order(row: RowId) -> int:
    """Return what rows are sorted by that stand in the data file's order, or once stood as they came.

    Numbers go by number; ids that are texts say nothing of their order and stay where they are.
    """
    return row if isinstance(row, int) else 0


class Outcome(StrEnum):
    """What became of a request; only `FAILED` is not the model's doing."""

    OK = "ok"
    TRUNCATED = "truncated"
    EMPTY = "empty"
    REFUSED = "refused"
    FAILED = "failed"


class Record(BaseModel):
    """Stand at the root of the records: frozen, no unknown field.

    Validators are built when the first record is checked, which `--help` never does; nor may an
    import, so that defaults here and in `sections` are constructed unchecked.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Message(Record):
    """One chat message; `prefix` marks an answer that the model goes on with."""

    role: str
    content: str
    prefix: bool | None = None

    def wire(self) -> dict[str, Any]:
        """Return the message as it goes over the wire."""
        return self.model_dump(exclude_none=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rebus:
    """One row of a data file; `subset` is None where the file has no subsets.

    A plain dataclass, since a run holds all of its rows: a pydantic record takes a kilobyte more.
    """

    id: RowId
    subset: str | None = None
    verbalized_rebus: str
    verbalized_rebus_with_length_hints: str
    solution_key: str
    word_guesses: tuple[str, ...]
    first_pass: str
    solution_words: tuple[str, ...]
    solution: str

    def __hash__(self) -> int:
        """Return the hash of the id, which equal rows share: each is looked up with every answer."""
        return hash(self.id)


class Request(Record):
    """One question to one model: the messages, and the identity its answer is cached under.

    `identity` is the canonical JSON of everything that can change the answer, `key` its hash.
    """

    id: RowId
    setting: Setting
    sample: int
    messages: tuple[Message, ...]
    identity: str
    key: str

    @property
    def characters(self) -> int:
        """Return how long the messages are together."""
        return sum(len(message.content) for message in self.messages)


_Count = Annotated[int, Field(ge=0, le=2**53)]
"""One that a float holds exactly, as sums and the page's script need it."""
_Amount = Annotated[float, Field(ge=0, le=1e300)]
"""No NaN or Infinity, nor what sums would make one of."""


class Usage(Record):
    """Tokens of one answer as the server counted them; None is unknown, never zero."""

    prompt_tokens: _Count | None = None
    completion_tokens: _Count | None = None
    total_tokens: _Count | None = None
    reasoning_tokens: _Count | None = None
    cached_tokens: _Count | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What a server says remains, of a limit it may name, until it is reset in so many seconds."""

    remaining: float
    reset_s: float
    limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RateHints:
    """What a server says remains of requests and of tokens; for the limiter, and in no file."""

    requests: Room | None = None
    tokens: Room | None = None


class Reply(Record):
    """What one successful attempt brought back, before anybody judged it.

    `repaired` names what had to be mended to read it.
    `holds_key` says that the server wrote the key it was sent into its reply. `via` names the gateway or
    the provider that the reply came through, as far as it shows.
    """

    text: str
    reasoning: str | None = None
    finish_reason: str | None = None
    served_model: str | None = None
    system_fingerprint: str | None = None
    usage: Usage = Usage.model_construct()
    hints: RateHints | None = None
    repaired: tuple[str, ...] = ()
    category: str | None = None
    holds_key: bool = False
    via: str | None = None


HOLDS_KEY: Final = "holds_key"
"""The field of a line whose answer holds the key that was sent with the request; others lack it."""


class Response(Record):
    """One line of `responses.jsonl`: the end of one request, good or bad.

    Unknown fields of a line written by a later version are kept.
    """

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    id: RowId
    setting: Setting
    sample: _Count
    key: str
    text: str
    reasoning: str | None
    finish_reason: str | None
    outcome: Outcome
    served_model: str | None
    system_fingerprint: str | None
    usage: Usage
    cost_usd: _Amount | None
    latency_s: _Amount | None
    attempts: _Count
    error: str | None
    created: str
    cached: bool


class Prediction(Record):
    """What a parser read in an answer; a part that is not there is the empty text."""

    word_guesses: tuple[str, ...]
    first_pass: str
    solution_words: tuple[str, ...]
    solution: str


class Status(StrEnum):
    """What became of one part of an answer on reading."""

    FOUND = "found"
    MISSING = "missing"
    AMBIGUOUS = "ambiguous"
    CUT = "cut"


class Reading(NamedTuple):
    """What a parser read, and what it can say of it.

    `status` is by part of the prediction, `why` of the parts that are not found, `seen_through` the
    kinds of decoration that the parts were read through, `seen_in` the same by part, `seen` how many
    answers and lines with a solution the text holds, other rebuses' too. A parser that judges
    nothing has none of them.
    """

    prediction: Prediction
    status: Mapping[str, Status] = {}
    why: Mapping[str, str] = {}
    seen_through: tuple[str, ...] = ()
    seen: Mapping[str, int] = {}
    seen_in: Mapping[str, frozenset[str]] = {}


class Tally(NamedTuple):
    """Right ones among all: words of a rebus, or 1 for a whole first pass or solution.

    A tuple, since a run has one for every metric of every answer.
    """

    right: int
    total: int

    @property
    def share(self) -> float:
        """Return the share of right ones, rounded to 4 decimals as the CALAMITA harness does."""
        return round(self.right / self.total, 4)


class ItemScore(NamedTuple):
    """One answer held against its gold row, by one parser.

    `tallies` is None for a failed request: it has no score, which is not a score of 0. The last
    five are the parser's `Reading`. A tuple, since every answer has three.
    """

    id: RowId
    setting: Setting
    sample: int
    subset: str | None
    parser: str
    outcome: Outcome
    prediction: Prediction
    tallies: Mapping[str, Tally] | None
    status: Mapping[str, Status] = {}
    why: Mapping[str, str] = {}
    seen_through: tuple[str, ...] = ()
    seen: Mapping[str, int] = {}
    seen_in: Mapping[str, frozenset[str]] = {}


class RunSpec(Record):
    """What a run is: everything that makes its answers, and its folder, that run's own.

    The data file goes by its name; its content's hash stands in the header beside the
    specification, so that a changed file under the same name is noticed, not taken for another.
    `seeds` is how each sample's seed is made of the one in `identity`, where there are several samples
    and a seed: version 0.1 sent one and the same.
    """

    model: str
    provider: str
    identity: dict[str, Any]
    data: str
    settings: tuple[Setting, ...]
    subsets: tuple[str, ...] | None = None
    limit: int | None = None
    samples: int = Field(default=1, ge=1)
    prompts: dict[str, str]
    given: Given | None = None
    seeds: Literal["seed + sample"] | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the specification as it is kept and hashed; what is not given is not in it."""
        made = self.model_dump(mode="json")
        absent = [name for name in ("given", "seeds") if made[name] is None]
        return {name: value for name, value in made.items() if name not in absent}


def well_formed(text: str) -> str:
    """Return the text with lone surrogates replaced by U+FFFD, so that it can be written as UTF-8.

    JSON may carry half of a surrogate pair (a server that cuts an emoji in two); such a text
    cannot be encoded, and every reader of the results would stumble over it.
    """
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
