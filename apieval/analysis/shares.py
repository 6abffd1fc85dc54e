"""Shares of answers, counted by rebus, and ratios of sums: each with n and a 95 % interval.

With one answer a rebus a share is a proportion of rebuses and has Wilson's interval; with several
samples they are drawn by whole rebuses, since the answers to one stand and fall together.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Any, Final

from apieval.analysis.statistics import bootstrap, wilson

CLASSES: Final = 3
"""Into how many classes a standard deviation is cut; see `ratio`."""
_SAME: Final = 1e-12
NOTHING: Final = {"value": None, "low": None, "high": None, "n": 0}


class Counts:
    """How many answers to each rebus have a property, by the property's name."""

    def __init__(self, rebuses: int) -> None:
        """Begin with none, for so many rebuses."""
        self._counts: defaultdict[str, array[int]] = defaultdict(lambda: array("H", [0]) * rebuses)
        self._none = array("H", [0]) * rebuses

    def add(self, name: str, place: int) -> None:
        """Count one answer to the rebus at a place."""
        self._counts[name][place] += 1

    def sum(self, name: str, chosen: Sequence[bool]) -> int:
        """Return how many answers to the chosen rebuses have a property."""
        return sum(self._of(name, chosen))

    def share(self, name: str, of: str, chosen: Sequence[bool]) -> dict[str, Any]:
        """Return the share of those with a property, which all have the property `of`, among these."""
        rights, totals = list(self._of(name, chosen)), list(self._of(of, chosen))
        n = sum(totals)
        if not n:
            return dict(NOTHING)
        right = sum(rights)
        if max(totals) == 1:
            low, high = wilson(right, n)
        else:
            pairs = zip(rights, totals, strict=True)
            [(low, high)] = bootstrap([(float(r), float(t)) for r, t in pairs if t])
        return {"value": right / n, "low": low, "high": high, "n": n}

    def _of(self, name: str, chosen: Sequence[bool]) -> Iterable[int]:
        return compress(self._counts.get(name, self._none), chosen)


def ratio(pairs: Sequence[tuple[float, float]]) -> dict[str, Any]:
    """Return a ratio of sums over rebuses, with its interval by a bootstrap over them.

    A pair is one rebus; `n` is how many there are. Hundreds of distinct pairs take long to draw; so
    those whose residuals (what moves the ratio) fall into one class, a third of a standard
    deviation wide, are drawn as one, at their mean. That leaves out less than 1 % of the variance.
    Where all have the same ratio Wilson's interval stands in, if it is one of a proportion at all.
    """
    if not pairs:
        return dict(NOTHING)
    value = math.fsum(a for a, _ in pairs) / math.fsum(b for _, b in pairs)
    figure = {"value": value, "low": None, "high": None, "n": len(pairs)}
    items = _in_classes(pairs, value)
    if items or value <= 1:
        bounds = bootstrap(items)[0] if items else wilson(value * len(pairs), len(pairs))
        figure |= dict(zip(("low", "high"), bounds, strict=True))
    return figure


def _in_classes(pairs: Sequence[tuple[float, float]], value: float) -> list[tuple[float, float]]:
    """Return pairs at the means of their classes; none where all have the same ratio."""
    residuals = [a - value * b for a, b in pairs]
    width = math.sqrt(math.fsum(each * each for each in residuals) / len(pairs)) / CLASSES
    if width < _SAME:
        return []
    classes: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for pair, residual in zip(pairs, residuals, strict=True):
        classes[round(residual / width)].append(pair)
    items: list[tuple[float, float]] = []
    for alike in classes.values():
        above, below = (math.fsum(each) / len(alike) for each in zip(*alike, strict=True))
        items += [(above, below)] * len(alike)
    return items
