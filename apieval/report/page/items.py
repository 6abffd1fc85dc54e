"""What the rebus view shows, gathered before it is written: questions, gold steps, answers.

An item is one question: a row of a data file, in a setting; with several samples, one item each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from apieval.report.page.cuts import FULL, Cut, Room, cut
from apieval.schema import SETTINGS, Prediction, Rebus, RowId, Setting, row_order

UNKNOWN_ORDER: Final = 1 << 60
"""Behind all rows of a data file: an answer to a row that nobody has the file of."""
PART: Final = 1_000
"""Characters of a word, first pass or solution that are shown; the longest right one has 60."""
WORDS: Final = 40
"""Hidden words or solution words of an answer that are shown; no rebus has a third of it."""


class Words(NamedTuple):
    """Words as far as they are shown, and how many more there are."""

    shown: tuple[str | Cut, ...]
    more: int


class Parts(NamedTuple):
    """What was read in an answer, as far as it is shown: a part may be as long as the answer."""

    word_guesses: Words
    first_pass: str | Cut
    solution_words: Words
    solution: str | Cut


def shown(read: Prediction) -> Parts:
    """Return the parts of a prediction as far as they are shown."""
    return Parts(
        _words(read.word_guesses),
        _short(read.first_pass),
        _words(read.solution_words),
        _short(read.solution),
    )


def _words(words: Sequence[str]) -> Words:
    return Words(tuple(map(_short, words[:WORDS])), max(0, len(words) - WORDS))


def _short(text: str) -> str | Cut:
    return text if len(text) <= PART else cut(text, PART)


@dataclass(frozen=True, slots=True)
class Read:
    """What a parser read in an answer, and what of it is right.

    `marks` has for word guesses and solution words, by the name of the part, a digit for each gold
    word: 2 equal, 1 of its length, 0 neither; for first pass and solution 2 or 0. A part that
    nothing can be said of is not in it.
    """

    parts: Parts
    marks: Mapping[str, str]
    counts: Mapping[str, tuple[int, int]]


@dataclass(slots=True)
class Answer:
    """One model's answer to one item; texts come to it as they are read, if there are any.

    `tolerant` is None where that parser read the same and found the same right.
    """

    outcome: str
    broke_first: str | None
    solved: bool | None
    official: Read
    tolerant: Read | None = None
    tolerant_solved: bool | None = None
    seen_through: Sequence[str] = ()
    why: Mapping[str, str] = field(default_factory=dict)
    diagnosis: Mapping[str, Any] = field(default_factory=dict)
    took: Mapping[str, Any] = field(default_factory=dict)
    text: Cut | None = None
    reasoning: Cut | None = None


class Key(NamedTuple):
    """What tells an item apart: the hash of its data file, its row, setting and sample."""

    digest: str
    id: RowId
    setting: Setting
    sample: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredRun:
    """One run's answers; `texts` says where whole texts are, None where there are none."""

    name: str
    texts: str | None
    given: str | None
    answers: Mapping[Key, Answer]


@dataclass(frozen=True, slots=True)
class Gold:
    """A row as the data file has it, and the solution words that the tolerant parser compares."""

    rebus: Rebus
    along_key: tuple[str, ...]
    order: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Items:
    """Everything the view shows: runs, what is known of the rows, and what could not be had.

    `doubts` have a remedy, and are for whoever makes the report; `remarks` are for its readers.
    `data` has the names of data files by their hashes, `room` is what the texts were cut to.
    """

    runs: Sequence[AnsweredRun]
    golds: Mapping[tuple[str, RowId], Gold]
    data: Mapping[str, str]
    doubts: Sequence[str] = ()
    remarks: Sequence[str] = ()
    room: Room = FULL

    def ordered(self) -> list[Key]:
        """Return every item that a run has an answer to, in the order of the data files."""
        longest_first = sorted(self.runs, key=lambda run: -len(run.answers))
        keys = list(dict.fromkeys(key for run in longest_first for key in run.answers))
        stands: dict[tuple[str, RowId], int] = {}
        for key in keys:
            stands.setdefault((key.digest, key.id), len(stands))
        return sorted(keys, key=lambda key: self._place(key, stands[key.digest, key.id]))

    def _place(self, key: Key, stands: int) -> tuple[int, ...]:
        """Return what items are put in order by: rows that nobody has the file of come last.

        Those go by number, else as they stand in the scores of the run that has most of them.
        """
        gold = self.golds.get((key.digest, key.id))
        return (
            list(self.data).index(key.digest),
            gold.order if gold else UNKNOWN_ORDER,
            row_order(key.id),
            stands,
            SETTINGS.index(key.setting),
            key.sample,
        )
