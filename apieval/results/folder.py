r"""A folder of results: each of its files read once, and checked before anything is made of it.

One that is not as it should be is a `StoreError` with file, key and remedy; any other error behind
it is a fault of ours. Lines end in `\n` and are split at `\n` alone.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from functools import cached_property
from math import isfinite
from pathlib import Path
from typing import Any, Final, NotRequired, cast

from pydantic import ValidationError, with_config
from typing_extensions import TypedDict  # pydantic takes typing's from 3.12 on

from apieval.errors import StoreError
from apieval.files import is_folder, is_there, ordinary
from apieval.records import Outcome, Prediction, Response, RowId, RunSpec, Setting
from apieval.results import header as headers
from apieval.results import summary as summaries
from apieval.results.answers import (
    RESPONSES,
    Place,
    answers_file,
    no_answer,
    read_line,
    standing,
)
from apieval.results.checking import (
    STRICT,
    Amount,
    Count,
    check,
    checker,
    faults,
    read_object,
    refusal,
    told,
    unreadable,
)
from apieval.results.header import Header
from apieval.results.summary import AnswersFile, Summary
from apieval.signature import finite

HEADER: Final = "run.json"
SUMMARY: Final = "summary.json"
SCORES: Final = "scores.jsonl"
FILES: Final = (HEADER, RESPONSES, SUMMARY, SCORES)
MEND: Final = "mend it, or run the model anew under another --name."
ANEW: Final = "write it anew with `apieval score`."
_PARSER: Final = re.compile(rb'"parser": "([^"]*)"')
_NEAR_BEGIN: Final = 400
"""Within so many bytes a line says whose score it is: one of another parser need not be read."""


class AnswerDiagnosis(TypedDict, total=False):
    """What one answer shows besides its metrics."""

    broke_first: str
    wrong_words: list[Count]
    of_own_guesses: bool | None
    letters_kept: bool | None
    cer: Amount | None
    key_obeyed: bool | None
    right_despite_wrong_steps: bool | None
    wrong_despite_right_first_pass: bool | None
    near_miss: Count | None
    copied_example: bool | None
    loop: bool | None
    other_language: str | None


@with_config(STRICT)
class ScorePlace(TypedDict):
    """What tells a score apart."""

    id: RowId
    setting: Setting
    sample: Count
    parser: str


@with_config(STRICT)
class ScoreLine(ScorePlace):
    """A line of `scores.jsonl`; beside these each metric has its share, as `counts` gives it."""

    subset: str | None
    outcome: Outcome
    word_guesses: list[str]
    first_pass: str
    solution_words: list[str]
    solution: str
    counts: dict[str, tuple[Count, Count]] | None
    status: NotRequired[dict[str, str]]
    why: NotRequired[dict[str, str]]
    seen_through: NotRequired[list[str]]
    seen: NotRequired[dict[str, Count]]
    diagnosis: NotRequired[AnswerDiagnosis]


class RunFolder:
    """A run's folder, or what `apieval score --out` wrote.

    Whatever is asked of it raises StoreError where a file is not there, cannot be read or is not as
    it should be.
    """

    def __init__(self, path: Path) -> None:
        """Read nothing yet."""
        self.path = path
        self._answers_file: AnswersFile | None = None

    def has(self, name: str) -> bool:
        """Say whether there is a file of that name."""
        return is_there(self.path / name)

    @property
    def is_any(self) -> bool:
        """Whether it holds anything of a run's."""
        return any(map(self.has, FILES))

    @cached_property
    def stored_header(self) -> Mapping[str, Any]:
        """What `run.json` holds and nothing else, for whoever compares it key by key."""
        path = self.path / HEADER
        value = read_object(path, MEND)
        if value is None:
            raise StoreError(
                f"{self.path}: no run: there is no {HEADER}; name the folder of one run."
            )
        found = faults(Header, {**headers.LATER, **value})
        check(path, found or faults(RunSpec, value["spec"], "spec"), MEND)
        return value

    @cached_property
    def header(self) -> Header:
        """What `run.json` says, with all of its keys."""
        return cast("Header", {**headers.LATER, **self.stored_header})

    @cached_property
    def spec(self) -> RunSpec:
        """The specification in the header."""
        return RunSpec.model_validate(self.header["spec"])

    @cached_property
    def stored_summary(self) -> Mapping[str, Any]:
        """What `summary.json` holds and nothing else, for whoever compares it key by key."""
        if not is_folder(self.path):
            what = "a file, no folder" if is_there(self.path) else "there is no such folder"
            raise StoreError(
                f"{self.path}: {what}; name run folders, or those that `apieval score --out` wrote."
            )
        path = self.path / SUMMARY
        value = read_object(path, ANEW)
        if value is None:
            raise self._absent(SUMMARY)
        check(path, faults(summaries.WHOLE, {**summaries.LATER, **value}), ANEW)
        return value

    @cached_property
    def summary(self) -> Summary:
        """What `summary.json` says, with all of its keys."""
        return cast("Summary", {**summaries.LATER, **self.stored_summary})

    @property
    def lacking(self) -> list[str]:
        """The keys of the summary that the version which scored the run did not know."""
        return [name for name in summaries.LATER if name not in self.stored_summary]

    @property
    def answers_file(self) -> AnswersFile:
        """What tells the file of answers from any other."""
        if self._answers_file is None:
            self._answers_file = answers_file(self.path / RESPONSES)
        return self._answers_file

    def responses(self, place: Place | None = None) -> Iterator[Response]:
        """Yield the answers one at a time, of several to one question the one that stands.

        The last one stands, but no failure takes the place of an answer. They come in the order of
        what `place` says of their questions, else as they stand.
        """
        path = self.path / RESPONSES
        try:
            with ordinary(path).open("rb") as file:
                begins, self._answers_file = standing(path, file, place)
                for begin in begins:
                    file.seek(begin)
                    if (response := read_line(file.readline())) is None:
                        file.seek(0)
                        raise no_answer(path, 1 + file.read(begin).count(b"\n"))
                    yield response
        except OSError as error:
            raise unreadable(path, error) from None

    def scores(self, parsers: Collection[str] | None = None) -> Iterator[ScoreLine]:
        """Yield the lines of `scores.jsonl`; with `parsers` theirs alone."""
        path, validate = self.path / SCORES, checker(ScoreLine).validate_json
        for number, line in enumerate(self._score_lines(), 1):
            if parsers is not None and line.endswith(b"}\n"):
                named = _PARSER.search(line, 0, _NEAR_BEGIN)
                if named and named[1].decode(errors="replace") not in parsers:
                    continue
            try:
                found: ScoreLine = validate(line)
            except ValidationError as error:
                raise refusal(path, told(error), ANEW, f", line {number}") from None
            check(path, _uncounted(found), ANEW, f", line {number}")
            if parsers is None or found["parser"] in parsers:
                yield found

    def _score_lines(self) -> Iterator[bytes]:
        path = self.path / SCORES
        try:
            with ordinary(path).open("rb") as file:
                yield from file
        except FileNotFoundError:
            raise self._absent(SCORES) from None
        except OSError as error:
            raise unreadable(path, error) from None

    def _absent(self, name: str) -> StoreError:
        how = "name a run folder, or what `apieval score ANSWERS --out` wrote"
        if self.has(HEADER):
            how = f"`apieval score {self.path}` writes it"
        return StoreError(f"{self.path / name}: there is no such file; {how}.")


def place_of(line: str) -> ScorePlace | None:
    """Return whose score a line is, None where it is none."""
    try:
        value = json.loads(line, parse_constant=finite, parse_float=finite)
        found: ScorePlace = checker(ScorePlace).validate_python(value)
    except (ValueError, RecursionError):  # a ValidationError is a ValueError
        return None
    return found


def prediction_of(line: ScoreLine) -> Prediction:
    """Return what the parser read."""
    return Prediction(
        word_guesses=tuple(line["word_guesses"]),
        first_pass=line["first_pass"],
        solution_words=tuple(line["solution_words"]),
        solution=line["solution"],
    )


def _uncounted(line: ScoreLine) -> list[str]:
    """Return what of a line's counts cannot be."""
    counts, outcome = line["counts"], line["outcome"]
    if (counts is None) is not (outcome is Outcome.FAILED):
        return [
            f"counts: {'null' if counts is None else 'some'} of an answer that is {outcome.value}"
        ]
    for name, (right, total) in (counts or {}).items():
        if not right <= total or not total:
            return [f"counts.{name}: {right} right of {total}"]
        share = line.get(name)
        if share is not None and not (isinstance(share, int | float) and isfinite(share)):
            return [f"{name}: no number"]
    return []
