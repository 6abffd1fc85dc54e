"""Two models on the same rebuses: paired tests, intervals, and the minimum detectable effect.

Sources: Q. McNemar, Psychometrika 12 (1947), here with exact binomial probabilities; R. A. Fisher,
The Design of Experiments (1935), for the sign-flip test; R. G. Newcombe, Statistics in Medicine 17
(1998) 2635, method 10, for the interval of a difference of paired proportions; S. Holm,
Scandinavian Journal of Statistics 6 (1979); R. J. Connor, Biometrics 43 (1987), for the smallest
difference; of ratios the paired bootstrap. Every test is two-sided; a p is never 0. All of it is of
whole rebuses, since the words and the samples of one rebus are not independent.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from statistics import NormalDist
from typing import Any, Final

from apieval.analysis.intervals import SEED, TRIALS, Interval, Z, resampled, resampled_sums, wilson

ALPHA: Final = 0.05
POWER: Final = 0.8
Z_POWER: Final = NormalDist().inv_cdf(POWER)
MOST_EXACT: Final = 20_000
"""Up to so many words of difference the sign-flip test is exact: 0.1 s, and 0.3 MB."""
_LEAST_P: Final = sys.float_info.min
FEWEST: Final = 6
"""Of fewer rebuses no test is below 5 %: 2 / 2 ** 5 is .0625."""
MOST_DIFFERING: Final = 60
"""Up to so many rebuses that differ, on average, the power is that of the exact test."""
_PRECISION: Final = 24
"""Halvings that find a root in [0, 1] to seven digits."""


def mcnemar(only_a: int, only_b: int) -> float:
    """Return the exact p that `only_a` and `only_b` rebuses differ by chance alone.

    Of the rebuses that one model alone has right, each is as likely either's.
    """
    differing, fewer = only_a + only_b, min(only_a, only_b)
    ways, tail = 1, 0
    for number in range(fewer + 1):
        tail += ways
        ways = ways * (differing - number) // (number + 1)
    return _p(2 * tail, 1 << differing)


def sign_flip(differences: Sequence[int]) -> tuple[float, bool]:
    """Return the p of a sum of differences, a rebus each, and whether it is exact.

    Were the models alike, each rebus's difference would be as likely the other way round: p is the
    share of all such swaps whose sum is as far from 0. Swaps of the same size are counted
    together, so that the whole distribution takes milliseconds; beyond `MOST_EXACT` it is sampled.
    """
    sizes = sorted(Counter(abs(each) for each in differences if each).items())
    reach = sum(size * count for size, count in sizes)
    seen = abs(sum(differences))
    if not seen:
        return 1.0, True
    if reach > MOST_EXACT:
        return _sampled(sizes, seen), False
    return _exact(sizes, reach, seen), True


def _exact(sizes: Sequence[tuple[int, int]], reach: int, seen: int) -> float:
    import numpy as np  # noqa: PLC0415 # as in intervals

    # of `reach` words some fall to one model: their number's distribution, 0 to `reach`
    shares = np.ones(1)
    for size, count in sizes:
        spread = np.zeros(size * count + 1)
        spread[::size] = _coin_tosses(count)
        # every term is positive, so that even the smallest p keeps its digits
        shares = np.convolve(shares, spread)
    # as far as seen, at either end: a sum of 2 * fallen - reach
    tail = float(shares[: (reach - seen) // 2 + 1].sum())
    return min(1.0, max(2 * tail, _LEAST_P))


def _coin_tosses(count: int) -> list[float]:
    ways, all_of_them, shares = 1, 1 << count, []
    for number in range(count + 1):
        shares.append(ways / all_of_them)
        ways = ways * (count - number) // (number + 1)
    return shares


def _sampled(sizes: Sequence[tuple[int, int]], seen: int) -> float:
    import numpy as np  # noqa: PLC0415 # as in intervals

    chance = np.random.default_rng(SEED)
    sums = sum(size * (2 * chance.binomial(n, 0.5, TRIALS) - n) for size, n in sizes)
    return (int(np.count_nonzero(np.abs(sums) >= seen)) + 1) / (TRIALS + 1)


def _p(part: int, whole: int) -> float:
    return min(1.0, max(part / whole, _LEAST_P)) if part < whole else 1.0


def newcombe(both: int, only_a: int, only_b: int, neither: int) -> Interval:
    """Return the 95 % interval of B's share less A's, of the same rebuses, from 1.

    Newcombe's method 10: the two Wilson intervals put together, less what the models have in
    common, by a correlation that is corrected for continuity.
    """
    n = both + only_a + only_b + neither
    right_a, right_b = both + only_a, both + only_b
    a, b = right_a / n, right_b / n
    (low_a, high_a), (low_b, high_b) = wilson(right_a, n), wilson(right_b, n)
    common = _correlation(both, only_a, only_b, neither)

    def apart(one: float, other: float) -> float:
        return math.sqrt(max(0.0, one * one - 2 * common * one * other + other * other))

    low = b - a - apart(b - low_b, high_a - a)
    return max(-1.0, low), min(1.0, b - a + apart(high_b - b, a - low_a))


def _correlation(both: int, only_a: int, only_b: int, neither: int) -> float:
    margins = (both + only_a) * (only_b + neither) * (both + only_b) * (only_a + neither)
    if not margins:
        return 0.0
    together = both * neither - only_a * only_b
    if together > 0:
        n = both + only_a + only_b + neither
        return max(together - n / 2, 0.0) / math.sqrt(margins)
    return together / math.sqrt(margins)


Pair = tuple[float, float]
"""What B has more than A of one rebus, and of how many."""


def bootstrap(items: Sequence[tuple[float, ...]]) -> list[Interval]:
    """Return percentile intervals of differences over resampled rebuses, all from the same draws.

    An item is a rebus, as differences and totals in turn; a draw takes it for both models. Where
    every rebus has the same difference there is nothing to resample: Wilson's interval for that
    many rebuses stands in, and where that difference is 0, the most that it lets differ either way.
    """
    distinct = sorted(Counter(items).items())
    turned = sorted((_turned(values), count) for values, count in distinct)
    if turned > distinct:  # equal draws whichever model is named first
        return [(-high, -low) for low, high in _intervals(turned, len(items))]
    return _intervals(distinct, len(items))


def _turned(values: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(each if at % 2 else -each for at, each in enumerate(values))


def _intervals(distinct: Sequence[tuple[tuple[float, ...], int]], n: int) -> list[Interval]:
    ratios = [{v[at] / v[at + 1] for v, _ in distinct} for at in range(0, len(distinct[0][0]), 2)]
    drawn = resampled(tuple(distinct), n) if any(len(each) > 1 for each in ratios) else None
    return [
        drawn[at] if drawn and len(each) > 1 else _of_one(each.pop(), n)
        for at, each in enumerate(ratios)
    ]


def _of_one(difference: float, n: int) -> Interval:
    low, high = wilson(abs(difference) * n, n)
    if not difference:
        return -high, high
    return (low, high) if difference > 0 else (-high, -low)


def holm(ps: Sequence[float]) -> list[float]:
    """Return p-values adjusted for their number, in their order: step-down, never falling."""
    adjusted, worst = [0.0] * len(ps), 0.0
    for rank, at in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        worst = max(worst, min(1.0, (len(ps) - rank) * ps[at]))
        adjusted[at] = worst
    return adjusted


def smallest_share(n: int, differing: int) -> tuple[float, float] | None:
    """Return the smallest difference of paired proportions `n` rebuses show, and at which discordance.

    At a power of 80 % and 5 % two-sided, for one exact test. The discordance is the share of rebuses
    that one model alone has right: that seen, or as much as the difference itself needs. Where few
    rebuses differ the power is that of the exact test itself, else Connor's with a correction for
    continuity, which is right within .02 there. None where `n` shows none at all.
    """

    def short_of(difference: float) -> bool:
        discordance = max(differing / n, difference)
        if n * discordance <= MOST_DIFFERING:
            return power(n, discordance, difference) < POWER
        spread = math.sqrt(discordance - difference * difference)
        root = math.sqrt(n)
        return difference * root - 1 / root < Z * math.sqrt(discordance) + Z_POWER * spread

    if n < FEWEST or short_of(1.0):
        return None
    found = _first(lambda difference: not short_of(difference))
    return found, max(differing / n, found)


def power(n: int, discordance: float, difference: float) -> float:
    """Return how often the exact McNemar test of `n` rebuses shows a difference of shares there is.

    So many of them differ on average as `MOST_DIFFERING` at the most.
    """
    import numpy as np  # noqa: PLC0415 # as in intervals

    differing, favoured, ways = _rejected()
    share = (discordance + difference) / (2 * discordance)
    there = np.array([_log_chance(each, n, discordance) for each in range(MOST_DIFFERING * 2)])
    each = ways + favoured * _log(share) + (differing - favoured) * _log(1 - share)
    return float(np.exp(there[differing] + each).sum())


@cache
def _rejected() -> tuple[Any, Any, Any]:
    """Return all that the test rejects: so many differ, one model has so many of them, in so many ways.

    Of the ways it is the logarithm.
    """
    import numpy as np  # noqa: PLC0415 # as in intervals

    found = [
        (differing, one, _log_ways(one, differing))
        for differing in range(MOST_DIFFERING * 2)
        for one in range(differing + 1)
        if mcnemar(one, differing - one) < ALPHA
    ]
    differing, favoured, ways = zip(*found, strict=True)
    return np.array(differing), np.array(favoured), np.array(ways)


def _log_chance(some: int, n: int, share: float) -> float:
    """Return the logarithm of the chance that `some` of `n` are of a kind that has this share."""
    if some > n:
        return -math.inf
    return _log_ways(some, n) + some * _log(share) + (n - some) * _log(1 - share)


def _log_ways(some: int, n: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(some + 1) - math.lgamma(n - some + 1)


def _log(share: float) -> float:
    return math.log(max(share, _LEAST_P))


def _first(holds: Callable[[float], bool]) -> float:
    """Return where in [0, 1] something begins to hold, that holds from there on."""
    low, high = 0.0, 1.0
    for _ in range(_PRECISION):
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def smallest_ratio(items: Sequence[Pair]) -> float | None:
    """Return about the smallest difference of ratios these rebuses show, by the spread seen in them.

    At a power of 80 % and 5 % two-sided, for one test, whose own spread has the difference in it.
    That is an approximation: from 30 rebuses on its power is right within .06 or so, of fewer it
    may be anywhere. None where no rebus differs, or all alike, and of too few to show any.
    """
    if len(items) < FEWEST or len({seen / of for seen, of in items}) == 1:
        return None
    n, total = len(items), math.fsum(each for _, each in items)
    difference = math.fsum(each for each, _ in items) / total
    squares = math.fsum((seen - difference * of) ** 2 for seen, of in items)

    def shows(ratio: float) -> bool:
        apart = ratio * total
        return apart >= Z * math.sqrt(squares + apart * apart / n) + Z_POWER * math.sqrt(squares)

    return _first(shows) if shows(1.0) else None


def apart(items: Sequence[tuple[int, int, int, int]]) -> Interval:
    """Return the 95 % interval of the second ratio of sums less the first, over resampled rebuses.

    An item is a rebus, from 1: what is right of how many, by the first and by the second. Where
    both count as many of every rebus, it is what `paired.bootstrap` gives.
    """
    if all(of == of_second for _, of, _, of_second in items):
        return bootstrap([(second - first, of) for first, of, second, _ in items])[0]
    distinct = sorted(Counter(items).items())
    if len(distinct) == 1:
        first, of, second, of_second = items[0]
        # every rebus alike: as unsure as one difference of so many rebuses
        return bootstrap([(second / of_second - first / of, 1.0)] * len(items))[0]

    def difference(sums: Any) -> Any:  # noqa: ANN401 # numpy's
        return sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1]

    return resampled_sums(distinct, len(items), difference)
