"""What a data file is like: the statistics of the study's table, and what a run of it asks.

The figures are those of Sarti et al. 2024, "Non Verbis, Sed Rebus", table 1, as their published
script counts them: words as they are written, lengths in characters, word lengths over the
different words, standard deviations of the population (divided by n, not n - 1). Solutions are
split at punctuation, which is no word; a first pass and a solution have their blanks counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from apieval.rebus.along_key import NUMBER, WORD
from apieval.rebus.asked import Asked, Tokens
from apieval.rebus.characters import composed
from apieval.rebus.columns import ALL
from apieval.rebus.spread import Spread
from apieval.rebus.training import Training
from apieval.schema import SETTINGS, Rebus

KEYS_SHOWN: Final = 10


@dataclass(slots=True)
class _Words:
    """The words of one part of all rebuses, and how long that part is."""

    words: Counter[str] = field(default_factory=Counter)
    per_example: Spread = field(default_factory=Spread)
    length: Spread = field(default_factory=Spread)

    def add(self, words: Sequence[str], text: str) -> None:
        self.words.update(words)
        self.per_example.add(len(words))
        self.length.add(len(text))

    def as_json(self) -> dict[str, Any]:
        every = Spread()
        for word, times in self.words.items():
            every.add(len(word), times)
        return {
            "words": self.words.total(),
            "unique_words": len(self.words),
            "unique_words_case_aside": len({word.casefold() for word in self.words}),
            "words_per_example": self.per_example.as_json(),
            "word_length": Spread.of(map(len, self.words)).as_json(),
            "word_length_of_every_word": every.as_json(),
            "length": self.length.as_json(),
        }

    def lengths(self) -> dict[str, int]:
        """Return how many words there are of each length."""
        counts: Counter[int] = Counter()
        for word, times in self.words.items():
            counts[len(word)] += times
        return _histogram(counts)


@dataclass(slots=True)
class _Seen:
    """How much of some rebuses a training file has."""

    rows: int = 0
    with_unseen: int = 0
    words: int = 0
    unseen: Counter[str] = field(default_factory=Counter)
    same_first_pass: int = 0
    same_solution: int = 0

    def add(self, rebus: Rebus, training: Training) -> None:
        unseen = training.unseen(rebus.word_guesses)
        self.rows += 1
        self.with_unseen += bool(unseen)
        self.words += len(rebus.word_guesses)
        self.unseen.update(composed(word).casefold() for word in unseen)
        self.same_first_pass += training.saw_first_pass(rebus)
        self.same_solution += training.saw_solution(rebus)

    def as_json(self, *, whole: bool) -> dict[str, Any]:
        """Return the counts and shares; only a training file, `whole`, says what is a double."""
        found: dict[str, Any] = {
            "rows": self.rows,
            "rows_with_unseen_words": self.with_unseen,
            "share_of_rows": _share(self.with_unseen, self.rows),
            "words": self.words,
            "unseen_words": self.unseen.total(),
            "share_of_words": _share(self.unseen.total(), self.words),
            "unique_unseen_words": len(self.unseen),
        }
        if whole:
            found["same_first_pass"] = self.same_first_pass
            found["same_solution"] = self.same_solution
        return found


@dataclass(slots=True)
class Described:
    """Some rebuses together: all of a file, or those of a subset."""

    first_pass: _Words = field(default_factory=_Words)
    solution: _Words = field(default_factory=_Words)
    numbers: Counter[int] = field(default_factory=Counter)
    lengths: Counter[int] = field(default_factory=Counter)
    keys: Counter[str] = field(default_factory=Counter)
    asked: dict[str, Asked] = field(default_factory=lambda: {each: Asked() for each in SETTINGS})
    seen: _Seen = field(default_factory=_Seen)

    def add(self, rebus: Rebus, training: Training | None, tokens: Mapping[str, Tokens]) -> None:
        """Take in a rebus; `tokens`, by setting, are of its prompt and right answer."""
        self.first_pass.add(rebus.word_guesses, rebus.first_pass)
        self.solution.add(WORD.findall(composed(rebus.solution)), rebus.solution)
        if training:
            self.seen.add(rebus, training)
        if not rebus.verbalized_rebus:
            return
        lengths = [int(number[:9]) for number in NUMBER.findall(rebus.solution_key)]
        self.numbers[len(lengths)] += 1
        self.lengths.update(lengths)
        self.keys[rebus.solution_key] += 1
        for setting in SETTINGS:
            self.asked[setting].add(rebus, setting, tokens.get(setting))

    def as_json(self, training: Training | None) -> dict[str, Any]:
        """Return every figure of these rebuses."""
        asks = bool(self.keys)
        return {
            "examples": self.first_pass.per_example.n,
            "first_pass": self.first_pass.as_json(),
            "solution": self.solution.as_json(),
            "word_lengths": self.first_pass.lengths(),
            "solution_word_lengths": self.solution.lengths(),
            "keys": self._keys() if asks else None,
            "prompts": {s: each.as_json() for s, each in self.asked.items()} if asks else None,
            "unseen": self.seen.as_json(whole=training.digest is not None) if training else None,
        }

    def _keys(self) -> dict[str, Any]:
        often = sorted(self.keys.items(), key=lambda item: (-item[1], item[0]))[:KEYS_SHOWN]
        return {
            "numbers_per_key": _histogram(self.numbers),
            "numbers": _histogram(self.lengths),
            "different": len(self.keys),
            "most_frequent": [{"key": key, "rows": rows} for key, rows in often],
        }


def describe(
    rebuses: Iterable[tuple[Rebus, Mapping[str, Tokens]]], training: Training | None = None
) -> dict[str, dict[str, Any]]:
    """Return the figures of all rebuses and of each subset, in the order they appear.

    What was seen is what `training` has; None where that is unknown.
    """
    parts = {ALL: Described()}
    for rebus, tokens in rebuses:
        parts[ALL].add(rebus, training, tokens)
        if rebus.subset is not None:
            parts.setdefault(rebus.subset, Described()).add(rebus, training, tokens)
    return {name: part.as_json(training) for name, part in parts.items()}


def _histogram(counts: Mapping[int, int]) -> dict[str, int]:
    return {str(number): counts[number] for number in sorted(counts)}


def _share(some: int, of: int) -> float | None:
    return some / of if of else None
