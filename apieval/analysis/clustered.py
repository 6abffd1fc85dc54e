"""95 % interval of a share of words that stand in rebuses, without resampling.

The words of one rebus stand and fall together, so that they say less than as many words of
different rebuses. The interval is Wilson's for the effective number of words: the number of
independent words whose share would be as uncertain as this one, by the spread of the rebuses (the
linearized variance of a ratio), less what the spread of few rebuses leaves open (Student's t).

Sources: E. L. Korn and B. I. Graubard, Survey Methodology 24 (1998) 193, for the effective number
and its correction; C. Franco, R. J. A. Little, T. A. Louis and E. V. Slud, Journal of Survey
Statistics and Methodology 7 (2019) 334, for Wilson's interval with it; M. Abramowitz and I. A.
Stegun, Handbook of Mathematical Functions (1964), 26.7, for the quantiles of t.

Figures over a whole subset have a bootstrap (`statistics`). Where there are many small groups of
rebuses this one takes a thousandth of the time, and holds its promise with fewer of them
(benchmarks/RESULTS.md).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Final

from apieval.analysis.statistics import CONFIDENCE, Interval, Z, wilson

_MANY: Final = 200
"""Beyond so many degrees of freedom the expansion is right to nine digits."""
_PRECISION: Final = 60


def clustered(items: Sequence[tuple[float, float]]) -> Interval:
    """Return the interval of sum(right) / sum(total), an item (right, total) a rebus, from 1 item.

    Where every rebus has the same share there is no spread to see: each counts once. A rebus that
    counts once each makes this Wilson's interval itself.
    """
    right, total = (math.fsum(each) for each in zip(*items, strict=True))
    share, rebuses = right / total, len(items)
    squares = math.fsum((mine - share * of) ** 2 for mine, of in items)
    if total == rebuses and squares:
        return wilson(right, rebuses)
    if rebuses == 1 or squares <= 1e-12 * total:  # nothing but rounding
        return wilson(share * rebuses, rebuses)
    variance = squares * rebuses / (rebuses - 1) / total**2
    # never more than there are words: a spread below chance is chance itself
    words = min(share * (1 - share) / variance, total) * (Z / student(rebuses - 1)) ** 2
    return wilson(share * words, words)


@cache
def student(freedom: int) -> float:
    """Return the two-sided 95 % quantile of Student's t."""
    if freedom > _MANY:
        return _expanded(freedom)
    low, high = 0.0, math.pi / 2  # t / sqrt(freedom) as an angle
    for _ in range(_PRECISION):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < CONFIDENCE else (low, middle)
    return math.sqrt(freedom) * math.tan(high)


def _within(angle: float, freedom: int) -> float:
    """Return the chance of a t whose angle is less, either way: 26.7.3 and 26.7.4."""
    cosine, odd = math.cos(angle), freedom % 2
    term, total = (cosine if odd else 1.0), 0.0
    for power in range(2 + odd, freedom + 1, 2):
        total += term
        term *= (power - 1) / power * cosine * cosine
    tail = math.sin(angle) * total
    return 2 / math.pi * (angle + tail) if odd else tail


def _expanded(freedom: int) -> float:
    """Return the quantile by its expansion around the normal one, 26.7.5."""
    z, v = Z, freedom
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / v + second / v**2 + third / v**3
