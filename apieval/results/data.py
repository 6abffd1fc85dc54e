"""What `apieval data verify`, `stats` and `verbalize` print with `--json`."""

from __future__ import annotations

from typing import NotRequired, TypedDict

from apieval.records import RowId, Setting


class DataTable(TypedDict):
    """A table that was read; a training file that is none of the user's has no digest."""

    name: str
    digest: str | None
    rows: int


class DataDocument(TypedDict):
    """What every document begins with."""

    format: int
    data: DataTable
    against: DataTable | None


class RuleCount(TypedDict):
    """A rule, and how often it is broken."""

    level: str
    says: str
    findings: int


class ListedFinding(TypedDict):
    """Where a rule is broken, and how."""

    row: RowId
    line: int
    rule: str
    level: str
    text: str


class Violations(TypedDict):
    """What of a data file breaks a rule."""

    errors: int
    warnings: int
    rows_with_errors: int
    rows_with_warnings: int
    rules: dict[str, RuleCount]
    findings: list[ListedFinding]
    not_listed: int


class DataCheck(DataDocument, Violations):
    """The document of `data verify`."""


class Spread(TypedDict):
    """How numbers are spread; None of none."""

    n: int
    mean: float | None
    sd: float | None
    min: int | None
    max: int | None


class Words(TypedDict):
    """The words of one part of all rebuses."""

    words: int
    unique_words: int
    unique_words_case_aside: int
    words_per_example: Spread
    word_length: Spread
    word_length_of_every_word: Spread
    length: Spread


class KeyRows(TypedDict):
    """A solution key, and how many rows have it."""

    key: str
    rows: int


class Keys(TypedDict):
    """The solution keys of some rebuses."""

    numbers_per_key: dict[str, int]
    numbers: dict[str, int]
    different: int
    most_frequent: list[KeyRows]


class PromptTokens(TypedDict):
    """The tokens of prompts and right answers, and what has no room."""

    prompt: Spread
    right_answer: Spread
    together: Spread
    room: int
    rows_without_room: int
    ids: list[RowId]


class PromptLengths(TypedDict):
    """How long prompts are; tokens are None without a tokenizer."""

    characters: Spread
    tokens: PromptTokens | None


class Unseen(TypedDict):
    """How much of some rebuses a training file has; what is a double only one can say."""

    rows: int
    rows_with_unseen_words: int
    share_of_rows: float | None
    words: int
    unseen_words: int
    share_of_words: float | None
    unique_unseen_words: int
    same_first_pass: NotRequired[int]
    same_solution: NotRequired[int]


class SubsetStats(TypedDict):
    """Every figure of some rebuses."""

    examples: int
    first_pass: Words
    solution: Words
    word_lengths: dict[str, int]
    solution_word_lengths: dict[str, int]
    keys: Keys | None
    prompts: dict[Setting, PromptLengths] | None
    unseen: Unseen | None


class DataStats(DataDocument):
    """The document of `data stats`."""

    left_out: int
    unseen_in: str | None
    tokenizer: str | None
    subsets: dict[str, SubsetStats]


class Place(TypedDict):
    """A row by its line, and what exactly is wrong."""

    line: int
    text: str


class Reason(TypedDict):
    """Why rows were dropped: how many, and the first of them."""

    says: str
    rows: int
    first: list[Place]


class InputTable(TypedDict):
    """A table of rebuses or clues."""

    name: str
    digest: str
    rows: int
    formulas: int


class ClueTable(InputTable):
    """A table of clues, and what of it cannot be used."""

    used: int
    unused: dict[str, Reason]


class WrittenTable(TypedDict):
    """The data file that was made."""

    path: str
    digest: str
    rows: int


class Wished(TypedDict):
    """What was wanted."""

    least_words: int
    seed: int
    new_since: int | None


class Verbalized(TypedDict):
    """The document of `data verbalize`."""

    format: int
    out: WrittenTable
    subsets: dict[str, int]
    rebuses: InputTable
    clues: list[ClueTable]
    answers: int
    against: DataTable | None
    wish: Wished
    dropped: dict[str, Reason]
    possible_leaks: int
    undated: int
    lacking: dict[str, int]
    formulas: int
