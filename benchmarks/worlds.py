"""Made-up models on made-up rebuses, whose true figures are known: what intervals are tried on.

A rebus has 1 to 6 hidden words, in the shares of the challenge's own; how easy it is differs from
rebus to rebus, so that its words stand and fall together, and the more words the harder. Numbers
alone, no texts: what is tried is the arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

SIZES: Final = np.array([1, 2, 3, 4, 5, 6])
SHARES: Final = np.array([0.01, 0.29, 0.45, 0.18, 0.05, 0.02])
_EACH_MORE: Final = 0.04
"""Every word more makes the words of a rebus harder by so much."""
_WHOLE: Final = 400_000
"""Rebuses that stand for all of them, where a true figure has no formula: right to three digits."""

Counts = Any
"""Numpy's array of counts."""


@dataclass(frozen=True)
class Words:
    """Hidden words: `ease` is how many are right of a rebus of three, `alike` how much they agree.

    `alike` is the correlation of two words of one rebus.
    """

    ease: float = 0.55
    alike: float = 0.25

    def draw(self, n: int, chance: np.random.Generator) -> tuple[Counts, Counts]:
        """Return for each of `n` rebuses how many words are right, and how many there are."""
        sizes = chance.choice(SIZES, size=n, p=SHARES)
        return self.rights(sizes, self.eases(sizes, chance), chance), sizes

    def eases(self, sizes: Counts, chance: np.random.Generator) -> Counts:
        """Return how easy each rebus's words are."""
        means, spread = self._means(sizes), 1 / self.alike - 1
        return chance.beta(means * spread, (1 - means) * spread)

    def rights(self, sizes: Counts, eases: Counts, chance: np.random.Generator) -> Counts:
        """Return how many words are right."""
        return chance.binomial(sizes, eases)

    def _means(self, sizes: Counts) -> Counts:
        return np.clip(self.ease - _EACH_MORE * (sizes - 3), 0.02, 0.98)

    @property
    def micro(self) -> float:
        """Return the true share of right words."""
        return float((SHARES * SIZES * self._means(SIZES)).sum() / (SHARES * SIZES).sum())

    @property
    def macro(self) -> float:
        """Return the true mean of the rebuses' shares."""
        return float((SHARES * self._means(SIZES)).sum())


@dataclass(frozen=True)
class Pair:
    """Two models on the same rebuses, the second one better; what one finds easy so does the other."""

    first: Words = Words()
    gain: float = 0.05

    def draw(self, n: int, chance: np.random.Generator) -> tuple[Counts, Counts, Counts]:
        """Return how many words each has right of `n` rebuses, and how many there are."""
        sizes = chance.choice(SIZES, size=n, p=SHARES)
        eases = self.first.eases(sizes, chance)
        better = np.minimum(eases * (1 + self.gain), 1)
        rights = [self.first.rights(sizes, each, chance) for each in (eases, better)]
        return rights[0], rights[1], sizes

    @cached_property
    def difference(self) -> float:
        """Return the true difference of the shares of right words."""
        chance = np.random.default_rng(1)
        sizes = chance.choice(SIZES, size=_WHOLE, p=SHARES)
        eases = self.first.eases(sizes, chance)
        better = np.minimum(eases * (1 + self.gain), 1)
        return float((sizes * (better - eases)).sum() / sizes.sum())


@dataclass(frozen=True)
class Spellings:
    """Solutions of 8 to 30 letters: some without a fault, the others with a share of wrong letters."""

    faultless: float = 0.3
    faults: float = 0.25

    def draw(self, n: int, chance: np.random.Generator) -> tuple[Counts, Counts]:
        """Return for each of `n` solutions how many letters are wrong, and how many there are."""
        letters = chance.integers(8, 31, size=n)
        shares = chance.beta(self.faults * 3, (1 - self.faults) * 3, size=n)
        shares[chance.random(n) < self.faultless] = 0
        return chance.binomial(letters, shares), letters

    @property
    def rate(self) -> float:
        """Return the true share of wrong letters."""
        return (1 - self.faultless) * self.faults


@dataclass(frozen=True)
class Lengths:
    """Words of 2 to 8 letters, the long ones harder, the words of one rebus alike."""

    slope: float = 0.05

    def draw(self, n: int, chance: np.random.Generator) -> tuple[Counts, Counts, Counts]:
        """Return the lengths of the words of `n` rebuses, which are right, and whose they are."""
        sizes = chance.choice(SIZES, size=n, p=SHARES)
        rebuses = np.repeat(np.arange(n), sizes)
        lengths = chance.integers(2, 9, size=len(rebuses))
        eases = Words().eases(sizes, chance)[rebuses]
        shares = np.clip(eases - self.slope * (lengths - 5), 0, 1)
        return lengths, (chance.random(len(rebuses)) < shares).astype(int), rebuses

    @cached_property
    def rho(self) -> float:
        """Return the true rank correlation of length and right."""
        from apieval.analysis.dependence import spearman  # noqa: PLC0415

        found = spearman(*self.draw(_WHOLE, np.random.default_rng(2))).rho
        assert found is not None  # noqa: S101
        return found
