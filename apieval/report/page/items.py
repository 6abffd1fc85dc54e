"""What the rebus view shows, gathered before it is packed: questions, gold steps, answers, texts.

An item is one question: a row of a data file, in a setting; with several samples, one item each.
Texts are cut to what a page has room for, and their lengths kept.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from apieval.records import SETTINGS, Prediction, Rebus, RowId, Setting, row_order
from apieval.results.folder import AnswerDiagnosis

UNKNOWN_ORDER: Final = 1 << 60
"""Behind all rows of a data file: an answer to a row that nobody has the file of."""
PART: Final = 1_000
"""Characters of a word, first pass or solution that are shown; the longest right one has 60."""
WORDS: Final = 40
"""Hidden words or solution words of an answer that are shown; no rebus has a third of it."""
HELD: Final = 60_000_000
"""Characters of texts that are held in all: more cannot fit into a page, however well packed."""


class Room(NamedTuple):
    """How many characters are shown of one answer and of one reasoning."""

    answer: int
    reasoning: int


ROOMS: Final = (
    Room(20_000, 20_000),
    Room(12_000, 6_000),
    Room(6_000, 2_000),
    Room(3_000, 800),
    Room(1_500, 300),
    Room(600, 0),
    Room(0, 0),
)
"""From much to nothing; the reasoning gives way first."""
FULL: Final = ROOMS[0]


class Cut(NamedTuple):
    """A text as far as it is shown: its beginning, its end where the middle is left out, its length."""

    head: str
    tail: str
    length: int

    @property
    def shown(self) -> int:
        """Return how many characters are shown."""
        return len(self.head) + len(self.tail)

    def to(self, most: int) -> Cut:
        """Return at most so many characters, two thirds of them of the beginning.

        The solution stands at the end of an answer, so that a long one is cut in the middle.
        """
        if self.shown <= most:
            return self
        end, last = self.tail or self.head, most // 3
        return Cut(self.head[: most - last], end[len(end) - last :], self.length)

    @property
    def packed(self) -> str | list[Any]:
        """Return the text as a page holds it, or where some is left out beginning, end and length."""
        return self.head if self.shown == self.length else [self.head, self.tail, self.length]


def cut(text: str, most: int) -> Cut:
    """Return at most so many characters of a text."""
    return Cut(text, "", len(text)).to(most)


def shown(read: Prediction) -> dict[str, Any]:
    """Return the parts of a prediction as a page holds them: one may be as long as the answer.

    Of words there are those that are shown, and how many more there are.
    """

    def short(text: str) -> str | list[Any]:
        return text if len(text) <= PART else cut(text, PART).packed

    def several(words: Sequence[str]) -> tuple[list[Any], int]:
        return [short(word) for word in words[:WORDS]], max(0, len(words) - WORDS)

    return {
        "word_guesses": several(read.word_guesses),
        "first_pass": short(read.first_pass),
        "solution_words": several(read.solution_words),
        "solution": short(read.solution),
    }


@dataclass(frozen=True, slots=True)
class Read:
    """What a parser read in an answer (as `shown` returns it), and what of it is right.

    `marks` has for word guesses and solution words, by the name of the part, a digit for each gold
    word: 2 equal, 1 of its length, 0 neither; for first pass and solution 2 or 0. A part that
    nothing can be said of is not in it.
    """

    parts: Mapping[str, Any]
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
    diagnosis: AnswerDiagnosis = field(default_factory=AnswerDiagnosis)
    took: Mapping[str, object] = field(default_factory=dict)
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
        """Return every item that a run has an answer to, in the order of the data files.

        Rows that nobody has the file of come last: by number, else as they stand in the scores of
        the run that has most of them.
        """
        longest_first = sorted(self.runs, key=lambda run: -len(run.answers))
        keys = list(dict.fromkeys(key for run in longest_first for key in run.answers))
        files = list(self.data)
        stands: dict[tuple[str, RowId], int] = {}
        for key in keys:
            stands.setdefault((key.digest, key.id), len(stands))

        def place(key: Key) -> tuple[int, ...]:
            row = key.digest, key.id
            order = gold.order if (gold := self.golds.get(row)) else UNKNOWN_ORDER
            setting = SETTINGS.index(key.setting)
            return (
                files.index(key.digest),
                order,
                row_order(key.id),
                stands[row],
                setting,
                key.sample,
            )

        return sorted(keys, key=place)


class Held:
    """Give answers their texts, and cut them all to the next room where they get too many."""

    def __init__(self, most: int = HELD) -> None:
        """Begin with the largest room, for at most so many characters in all."""
        self._most, self._held = most, 0
        self._rooms = iter(ROOMS)
        self.room = next(self._rooms)
        self._answers: list[Answer] = []

    def add(self, answer: Answer, text: str, reasoning: str | None) -> None:
        """Give an answer its texts."""
        answer.text = Cut(text, "", len(text))
        answer.reasoning = Cut(reasoning, "", len(reasoning)) if reasoning else None
        self._answers.append(answer)
        self._held += self._cut(answer)
        while self._held > self._most:
            self.room = next(self._rooms)
            self._held = sum(map(self._cut, self._answers))

    def _cut(self, answer: Answer) -> int:
        """Cut an answer's texts to the room, and return how much of them is left."""
        answer.text = answer.text and answer.text.to(self.room.answer)
        answer.reasoning = answer.reasoning and answer.reasoning.to(self.room.reasoning)
        return sum(each.shown for each in (answer.text, answer.reasoning) if each)
