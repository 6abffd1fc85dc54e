"""95 % intervals: Wilson for proportions of rebuses, seeded bootstrap over rebuses for the rest.

Sources: E. B. Wilson, JASA 22 (1927), for the score interval; B. Efron, Annals of Statistics 7
(1979), for the bootstrap, here of whole rebuses, since the words of one rebus are not independent.
Percentile interval, fixed seed: equal scores give equal intervals. `clustered` is the interval of a
share of words without resampling.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, lru_cache
from itertools import groupby
from statistics import NormalDist
from typing import Any, Final

CONFIDENCE: Final = 0.95
TRIALS: Final = 10_000
SEED: Final = 20_241_104
KEPT: Final = 128
"""So many intervals are kept; a scoring draws some hundred."""
Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

Interval = tuple[float, float]


def wilson(right: float, n: float) -> Interval:
    """Return the Wilson score interval of `right` successes in `n` trials, from 1."""
    share, square = right / n, Z * Z / n
    centre = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / n + square / (4 * n))
    # the bounds of 0 and of all right are exact, but for rounding
    return max(0.0, centre - half) if right else 0.0, min(1.0, centre + half) if right < n else 1.0


def bootstrap(items: Sequence[tuple[float, ...]], lead: int | None = None) -> list[Interval]:
    """Return percentile intervals of ratios of sums over resampled items, all from the same draws.

    An item is a rebus, as numerators and denominators in turn: (right words, words, share, 1) gives
    the interval of sum(right words) / sum(words) and that of sum(share) / sum(1). Items with equal
    values are drawn together (a multinomial over the distinct ones), which is the same bootstrap
    at a fraction of the work. Where every item has the same ratio there is nothing to resample
    and the interval would be a point: Wilson's for that many items stands in. No item, no interval.

    Only the first `lead` values are drawn by, where it is given: what is drawn of items that are
    alike in these is then dealt out among those that differ in the rest. So the first intervals do
    not depend on the rest, and many ratios that nearly agree cost little more than one.
    """
    distinct = tuple(sorted(Counter(items).items()))
    if not distinct:
        return []
    ratios = [
        {values[at] / values[at + 1] for values, _ in distinct} for at in range(0, len(items[0]), 2)
    ]
    moving = any(len(each) > 1 for each in ratios)
    drawn = resampled(distinct, len(items), lead) if moving else None
    return [
        drawn[at] if drawn and len(each) > 1 else wilson(each.pop() * len(items), len(items))
        for at, each in enumerate(ratios)
    ]


@lru_cache(maxsize=KEPT)
def resampled(
    distinct: tuple[tuple[tuple[float, ...], int], ...], n: int, lead: int | None = None
) -> Sequence[Interval]:
    """Return percentile intervals of ratios of sums over `n` items drawn from distinct ones.

    Each comes with how often it stands among the items; a value and `lead` are as in `bootstrap`.
    Equal items have equal intervals: the only subset's are those of all.
    """
    sums = _drawn(distinct, n, lead)
    return _percentiles(sums[::2] / sums[1::2])


def resampled_sums(
    distinct: Sequence[tuple[tuple[float, ...], int]], n: int, figure: Callable[[Any], Any]
) -> Interval:
    """Return the percentile interval of any figure that is made of sums over the drawn items.

    `figure` is given a row of sums for each draw, and returns a figure for each.
    """
    [interval] = _percentiles(figure(_drawn(distinct, n).T)[None])
    return interval


def _drawn(
    distinct: Sequence[tuple[tuple[float, ...], int]], n: int, lead: int | None = None
) -> Any:  # noqa: ANN401 # numpy's, imported late
    """Return the sums of each value over `n` items drawn from distinct ones, a column a trial."""
    # numpy takes 0.1 s to import: only what scores pays for it
    import numpy as np  # noqa: PLC0415

    groups = [list(each) for _, each in groupby(distinct, lambda item: item[0][:lead])]
    counts = [np.array([count for _, count in group], dtype=np.float64) for group in groups]
    sizes = np.array([each.sum() for each in counts])
    rng = np.random.default_rng(SEED)
    drawn = rng.multinomial(n, sizes / sizes.sum(), size=TRIALS)

    sums = _summed(drawn, [group[0][0][:lead] for group in groups])
    if lead is not None and lead < len(distinct[0][0]):
        dealt = [
            rng.multinomial(drawn[:, at], each / each.sum())
            if len(each) > 1
            else drawn[:, at : at + 1]
            for at, each in enumerate(counts)
        ]
        rest = _summed(np.concatenate(dealt, axis=1), [values[lead:] for values, _ in distinct])
        sums = np.concatenate([sums, rest])
    return sums


def _percentiles(figures: Any) -> list[Interval]:  # noqa: ANN401 # numpy's, imported late
    """Return the percentile interval of each row of drawn figures."""
    import numpy as np  # noqa: PLC0415

    tail = (1 - CONFIDENCE) / 2
    bounds = np.quantile(figures, [tail, 1 - tail], axis=1)
    return [(float(low), float(high)) for low, high in bounds.T]


def _summed(draws: Any, values: Sequence[tuple[float, ...]]) -> Any:  # noqa: ANN401 # numpy's, imported late
    """Return the sums of each value over each trial's draws, one after the other: a row a value.

    Values that agree in every item are summed once: parsers count the same words.
    """
    import numpy as np  # noqa: PLC0415

    by_item = np.ascontiguousarray(draws.T, dtype=np.float64)
    columns = list(zip(*values, strict=True))
    sums = {column: np.zeros(by_item.shape[1]) for column in columns}
    product = np.empty(by_item.shape[1])
    for column, so_far in sums.items():
        # not `@`: BLAS would wake a thread a core, for less work than waking them
        for times, value in zip(by_item, column, strict=True):
            if value:
                np.add(so_far, np.multiply(times, value, out=product), out=so_far)
    return np.array([sums[column] for column in columns])


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
