"""The words of a solution: which are known, how they are spelt, what known and others are worth.

This module owns the judgement of single words. It owns no clues, which are the lexicon's, and no
choice between words, which is the search's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cached_property, lru_cache
from itertools import chain
from math import log2, log10
from typing import TYPE_CHECKING, Final

from apieval.rebus.baseline.words import (
    ACCENTED,
    ACCENTED_ENDING,
    ACCENTED_WORDS,
    FUNCTION_WORDS,
    Word,
    fold,
    starting,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

KIN: Final = 0.6
"""What a letter is worth in a word that is known but for its ending; a known word's is worth 1."""
LOOKS: Final = 0.25
"""What a bit of likeness is worth, a letter: an Italian-looking stranger stays behind its kin."""
PROMISE: Final = 0.6
"""What a letter is worth in a word not yet complete that may become a known one."""
WEIGHT: Final = 0.2
WEIGHT_TWO: Final = 8.0
"""How often each letter counts as seen before any word is: after one letter, after two."""
COMMON: Final = 0.35
"""What a word ten times as common as another is worth more."""
AVERAGE: Final = 1e-6
"""The share of all text at which a word of a frequency list is worth its letters alone."""
RAREST: Final = 1e-8
CACHED: Final = 20_000
LONGEST: Final = 40
"""Letters of a word that are looked at; no Italian word has more, hostile text may."""

VOWELS: Final = frozenset("aeiou")
STEM: Final = 3
"""Letters a word must keep without its ending to be told apart from others."""
ALPHABET: Final = 22
"""Letters that may follow a letter: the Italian alphabet's 21, and a word's end."""


class Vocabulary:
    """Known words by their letters, and how much like them any other letters look.

    `bonus` is what a word is worth beyond its letters because it is common, below 0 if it is rare.
    """

    def __init__(self, spelling: dict[str, str], bonus: dict[str, float]) -> None:
        self.spelling = spelling
        self._bonus = bonus
        lengths: dict[int, list[str]] = defaultdict(list)
        for letters in spelling:
            lengths[len(letters)].append(letters)
        self._sorted = {length: sorted(words) for length, words in lengths.items()}
        self._cached_bits = lru_cache(CACHED)(self._bits)
        self._cached_worth = lru_cache(CACHED)(self._worth)
        self._cached_promise = lru_cache(CACHED)(self._promise)

    @classmethod
    def of(cls, answers: Iterable[Word], shares: Mapping[str, float] | None = None) -> Vocabulary:
        """Make one of the function words, a word list's shares of all text and a dictionary.

        Of several spellings of the same letters the commonest counts, where none is known to be,
        the first. A dictionary's answer that the list lacks counts as rare.
        """
        spelling, bonus = _listed(shares or {})
        rare = _bonus(RAREST) if any(bonus.values()) else 0.0
        small = FUNCTION_WORDS.split()
        for rank, text in enumerate(small):
            bonus.setdefault(fold(text), 1 - rank / len(small))
            spelling.setdefault(fold(text), text)
        for word in answers:
            if word.text.isalpha() and word.letters not in spelling:
                spelling[word.letters] = word.text.lower()
                bonus.setdefault(word.letters, rare)
        for text in ACCENTED_WORDS.split():
            spelling.setdefault(fold(text), text)
        return cls(spelling, bonus)

    def index(self) -> None:
        """Make all that is else made when first needed."""
        _ = self._stems, self._counts

    def worth(self, letters: str) -> float:
        """Return how good a solution word is: its letters if known, less for a likely stranger."""
        return self._cached_worth(letters[:LONGEST])

    def promise(self, prefix: str, length: int) -> float:
        """Return what the beginning of a solution word of that length lets hope for."""
        return self._cached_promise(prefix[:LONGEST], length)

    def _worth(self, letters: str) -> float:
        if letters in self.spelling:
            return len(letters) + self._bonus.get(letters, 0.0)
        if self.kin(letters):
            return KIN * len(letters)
        return len(letters) * LOOKS * self.likeness(letters)

    def _promise(self, prefix: str, length: int) -> float:
        if next(self.starting(prefix, length), None):
            return PROMISE * len(prefix)
        return len(prefix) * LOOKS * self.likeness(prefix, whole=False)

    def starting(self, prefix: str, length: int) -> Iterator[str]:
        """Yield the known words of a length that start with the prefix, in alphabetical order."""
        return starting(self._sorted.get(length, ()), prefix)

    def spell(self, letters: str) -> str:
        """Return a solution word with the accents that its letters do not show."""
        if letters in self.spelling:
            return self.spelling[letters]
        if ACCENTED_ENDING.search(letters):
            return letters[:-1] + ACCENTED[letters[-1]]
        return letters

    def kin(self, letters: str) -> bool:
        """Tell whether a known word has these letters but for its last vowel (amor, amori)."""
        return letters in self._stems or (letters[-1] in VOWELS and letters[:-1] in self._stems)

    def likeness(self, letters: str, *, whole: bool = True) -> float:
        """Return how Italian letters look, in bits per letter above chance; 0 is chance.

        `whole` tells that a word ends with the last letter.
        """
        text = f"^^{letters}$" if whole else f"^^{letters}"
        bits = [self._cached_bits(text[at : at + 3]) for at in range(len(text) - 2)]
        return sum(bits) / max(len(bits), 1)

    def _bits(self, three: str) -> float:
        """Return the odds of a third letter after two, the two's evidence backed by one's."""
        counts = self._counts
        one = (counts[three[1:]] + WEIGHT) / (counts[three[1]] + WEIGHT * ALPHABET)
        two = (counts[three] + WEIGHT_TWO * one) / (counts[three[:2]] + WEIGHT_TWO)
        return log2(two * ALPHABET)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(
            word[:-1] for word in self.spelling if len(word) > STEM and word[-1] in VOWELS
        )

    @cached_property
    def _counts(self) -> Counter[str]:
        """Count the runs of one, two and three letters in all words."""
        texts = [f"^^{letters}$" for letters in self.spelling]
        runs = ([text[at : at + 3] for at in range(len(text) - 2)] for text in texts)
        counts = Counter(chain.from_iterable(runs))
        for three, count in [*counts.items()]:
            counts[three[1:]] += count
            counts[three[1]] += count
        counts["^^"] = len(texts)
        counts["^"] *= 2  # before a word stand two
        return counts


def _listed(shares: Mapping[str, float]) -> tuple[dict[str, str], dict[str, float]]:
    """Return the commonest spelling of a word list's words by their letters, and their bonuses."""
    best: dict[str, tuple[float, str]] = {}
    for text, share in shares.items():
        letters = text if text.isascii() else fold(text)
        if letters and (letters not in best or share > best[letters][0]):
            best[letters] = share, text
    bonus = {letters: _bonus(share) if share else 0.0 for letters, (share, _) in best.items()}
    return {letters: text for letters, (_, text) in best.items()}, bonus


def _bonus(share: float) -> float:
    return COMMON * log10(max(share, RAREST) / AVERAGE)
