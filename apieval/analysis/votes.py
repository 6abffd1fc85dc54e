"""What several answers to one question would have given, had fewer been asked: pass@k and maj@k.

Both are exact expectations over all ways to draw k of the K answers there are, without putting
any back. pass@k, that one of k is right: the unbiased estimator of M. Chen et al., Evaluating Large
Language Models Trained on Code (2021), arXiv 2107.03374. maj@k, that the text most of k agree on is
right (X. Wang et al., Self-Consistency, ICLR 2023): where several texts have most votes, one of
them is taken by lot, so that each counts its share. What holds no solution votes for none.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from math import comb
from typing import Final, NamedTuple

MOST: Final = 16
"""Up to so many answers every k is told; beyond, these and all of them together."""


class Votes(NamedTuple):
    """The answers to one question: how many are right, agree on each wrong text, and say nothing."""

    right: int
    wrong: tuple[int, ...]
    none: int

    @property
    def answers(self) -> int:
        """Return how many there are."""
        return self.right + sum(self.wrong) + self.none


def draws(answers: int) -> list[int]:
    """Return the k that are told of so many answers."""
    return [*range(1, min(answers, MOST) + 1), *([answers] if answers > MOST else ())]


def pass_at(k: int, right: int, answers: int) -> float:
    """Return the chance that one of k answers is right, of those drawn from all."""
    return float(1 - Fraction(comb(answers - right, k), comb(answers, k)))


@cache
def majority(votes: Votes) -> tuple[float, ...]:
    """Return for each k of `draws` the chance that the text with most of k votes is right."""
    answers = votes.answers
    ways = _ways(votes, min(answers, MOST))
    shares = [float(ways[k] / comb(answers, k)) for k in range(1, len(ways))]
    return (*shares, *([_of_all(votes)] if answers > MOST else ()))


def _of_all(votes: Votes) -> float:
    most = max((votes.right, *votes.wrong))
    return 1 / (1 + votes.wrong.count(most)) if votes.right == most > 0 else 0.0


def _ways(votes: Votes, most: int) -> list[Fraction]:
    """Return for each k up to `most` in how many draws of k the right text wins, ties by share.

    It wins with `mine` votes where no wrong text has more, and shares with those that have as many.
    """
    won = [Fraction(0)] * (most + 1)
    for mine in range(1, min(votes.right, most) + 1):
        spread = _Spread(most - mine)
        spread.silent(votes.none)
        for size, count in Counter(votes.wrong).items():
            for _ in range(count):
                spread.add(size, mine)
        for (drawn, tied), ways in spread.ways.items():
            won[mine + drawn] += Fraction(comb(votes.right, mine) * ways, 1 + tied)
    return won


class _Spread:
    """In how many ways so many answers are drawn from some texts, so many of which tie for most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.ways: Mapping[tuple[int, int], int] = {(0, 0): 1}

    def silent(self, count: int) -> None:
        """Take in answers that vote for no text."""
        self._take([(drawn, 0, comb(count, drawn)) for drawn in range(count + 1)])

    def add(self, size: int, most: int) -> None:
        """Take in a text of so many answers, of which no more than `most` may be drawn."""
        upto = range(min(size, most) + 1)
        self._take([(drawn, int(drawn == most), comb(size, drawn)) for drawn in upto])

    def _take(self, choices: Sequence[tuple[int, int, int]]) -> None:
        ways: dict[tuple[int, int], int] = {}
        for (before, ties), so_far in self.ways.items():
            for drawn, tied, count in choices:
                if before + drawn <= self._most:
                    place = before + drawn, ties + tied
                    ways[place] = ways.get(place, 0) + so_far * count
        self.ways = ways
