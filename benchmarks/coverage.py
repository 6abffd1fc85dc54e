"""How often the 95 % intervals hold the truth: `python -m benchmarks.coverage`.

Nominal is 95 %. Of proportions the coverage is exact, a sum over all that can come out; of the rest
it is simulated on made-up models (`worlds`), with the program's own intervals. Some minutes.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

import numpy as np

from apieval.analysis import intervals as statistics
from apieval.analysis import paired_tests
from apieval.analysis.dependence import LEAST, spearman
from apieval.analysis.figures import apart
from apieval.analysis.intervals import TRIALS, Interval, bootstrap, clustered, wilson
from benchmarks import table
from benchmarks.worlds import Lengths, Pair, Spellings, Words

SEED: Final = 1_945
REPEATS: Final = 2_000
"""A coverage of 95 % is then known to within 1 %, two standard errors."""
MANY: Final = 200
FEWER: Final = 2_000
"""From so many rebuses on the bootstrap draws as often, not 10,000 times: it takes a fifth, and moves
a coverage by a tenth of a percent."""
FEW: Final = (8, 20, 50, 200, 1_000)
PROPORTIONS: Final = (0.01, 0.05, 0.11, 0.3, 0.5)
RARE: Final = 1e-9
"""So rare that it counts for nothing."""

Row = tuple[str, str, float]
"""What interval of what, of how many rebuses, and its coverage."""
Chance = np.random.Generator
_NOTHING: Final[Interval] = (math.nan, math.nan)
"""Holds no truth."""


def main() -> None:
    """Measure, and print Markdown."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage")
    parser.add_argument("--repeats", type=int, default=REPEATS, metavar="N")
    repeats = parser.parse_args().repeats
    print(
        f"Coverage of 95 % intervals, %, by the number of rebuses; {repeats:,} simulations of each."
    )
    for rows in (
        _proportions(),
        _gaps(repeats),
        (row for n in FEW for each in OF_ONE for row in each(n, repeats)),
    ):
        print()
        for line in _table(rows):
            print(line, flush=True)


def _table(rows: Iterable[Row]) -> Iterator[str]:
    """Yield Markdown: a line for each interval, a column for each number of rebuses."""
    columns: dict[str, None] = {}
    lines: dict[str, dict[str, str]] = {}
    for name, rebuses, share in rows:
        columns[rebuses] = None
        lines.setdefault(name, {})[rebuses] = f"{100 * share:.1f}"
    cells = ([name, *(each.get(n, "") for n in columns)] for name, each in lines.items())
    yield from table.grid(["", *columns], cells)


def _proportions() -> Iterator[Row]:
    # of one share the coverage jumps with n: the mean is what a reader of many figures meets
    steps = np.linspace(0.02, 0.98, 193)
    for n in (20, 50, 200, 2_000):
        low, high = np.array(_wilsons(n)).T
        for p in PROPORTIONS:
            yield f"Wilson, {p:.0%} right", f"{n:,}", _exactly(n, p, (low <= p) & (p <= high))
        each = [_exactly(n, p, (low <= p) & (p <= high)) for p in steps]
        yield "Wilson, mean of 2% to 98%", f"{n:,}", float(np.mean(each))


def _exactly(n: int, p: float, held: Any) -> float:  # noqa: ANN401 # numpy's
    return float(_binomial(n, p) @ held)


@cache
def _wilsons(n: int) -> list[Interval]:
    return [wilson(right, n) for right in range(n + 1)]


def _binomial(n: int, p: float) -> Any:  # noqa: ANN401 # numpy's
    right = np.arange(n + 1)
    ways = [math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) for k in right]
    return np.exp(np.array(ways) + right * math.log(p) + (n - right) * math.log1p(-p))


def _gaps(repeats: int) -> Iterator[Row]:
    for m, n in ((40, 12), (2_000, 168), (1_000, 1_000)):
        for a, b in ((0.5, 0.3), (0.11, 0.1)):
            name = f"gap of proportions, {a:.0%} and {b:.0%}"
            yield name, f"{m:,} and {n:,}", _gap_of_proportions(m, n, a, b)
        yield from _gaps_of_words(m, n, repeats)


def _gap_of_proportions(m: int, n: int, a: float, b: float) -> float:
    share, ones, others = 0.0, _binomial(m, a), _binomial(n, b)
    for right in np.flatnonzero(ones > RARE):
        for right_too in np.flatnonzero(others > RARE):
            gap = apart(right / m, _wilsons(m)[right], right_too / n, _wilsons(n)[right_too])
            share += float(ones[right] * others[right_too]) * _holds(gap, a - b)
    return share


def _paired_proportions(n: int, repeats: int) -> Iterator[Row]:
    both, only_a, only_b = 0.08, 0.03, 0.06
    cells = (both, only_a, only_b, 1 - both - only_a - only_b)
    drawn = _chance(n).multinomial(n, cells, size=10 * repeats).tolist()
    held = [_holds(paired_tests.newcombe(*each), only_b - only_a) for each in drawn]
    yield "compare: proportions, 11% and 14%", f"{n:,}", float(np.mean(held))


def _words(n: int, repeats: int) -> Iterator[Row]:
    for world in (Words(), Words(0.12, 0.1)):

        def intervals(
            chance: Chance, world: Words = world
        ) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
            rights, sizes = world.draw(n, chance)
            micro, macro = _both(rights, sizes)
            each = clustered(list(zip(rights.tolist(), sizes.tolist(), strict=True)))
            return (micro, macro, each), (world.micro, world.macro, world.micro)

        kinds = ("bootstrap, micro", "bootstrap, macro", "groups")
        for kind, share in zip(kinds, _covered(intervals, n, repeats), strict=True):
            yield f"words, {world.micro:.0%} right: {kind}", f"{n:,}", share


def _both(rights: Any, sizes: Any) -> list[Interval]:  # noqa: ANN401 # numpy's
    """Return the intervals of both aggregations, from items as `figures` makes them."""
    items = [
        (float(right), float(size), round(right / size, 4), 1.0)
        for right, size in zip(rights.tolist(), sizes.tolist(), strict=True)
    ]
    return bootstrap(items, lead=4)


def _letters(n: int, repeats: int) -> Iterator[Row]:
    world = Spellings()

    def intervals(chance: Chance) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
        wrong, letters = (each.tolist() for each in world.draw(n, chance))
        return tuple(bootstrap(list(zip(wrong, letters, strict=True)))), (world.rate,)

    fewer = repeats if n < MANY else repeats // 4  # hundreds of different solutions take longer
    [share] = _covered(intervals, n, fewer)
    yield "letters (CER): bootstrap", f"{n:,}", share


def _paired_words(n: int, repeats: int) -> Iterator[Row]:
    world = Pair()

    def intervals(chance: Chance) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
        a, b, sizes = world.draw(n, chance)
        items = list(zip((b - a).tolist(), sizes.tolist(), strict=True))
        return tuple(paired_tests.bootstrap(items)), (world.difference,)

    [share] = _covered(intervals, n, repeats)
    yield "compare: words, bootstrap", f"{n:,}", share


def _gaps_of_words(m: int, n: int, repeats: int) -> Iterator[Row]:
    one, other = Words(0.57), Words(0.53)

    def intervals(chance: Chance) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
        found = []
        for rebuses, world in ((m, one), (n, other)):
            rights, totals = world.draw(rebuses, chance)
            shares = float(rights.sum() / totals.sum()), float((rights / totals).mean())
            found.append(list(zip(shares, _both(rights, totals), strict=True)))
        gaps = tuple(apart(*a, *b) for a, b in zip(*found, strict=True))
        return gaps, (one.micro - other.micro, one.macro - other.macro)

    shares = _covered(intervals, m + n, repeats // 2)
    for kind, share in zip(("micro", "macro"), shares, strict=True):
        yield f"gap of words, {kind}", f"{m:,} and {n:,}", share


def _correlations(n: int, repeats: int) -> Iterator[Row]:
    if n < LEAST:  # there is no interval
        return
    for world in (Lengths(0.0), Lengths()):

        def intervals(
            chance: Chance, world: Lengths = world
        ) -> tuple[tuple[Interval, ...], tuple[float, ...]]:
            _, low, high = spearman(*world.draw(n, chance))
            held = _NOTHING if low is None or high is None else (low, high)
            return (held,), (world.rho if world.slope else 0.0,)

        [share] = _covered(intervals, n, repeats)
        yield f"Spearman, rho {abs(world.rho):.1f}", f"{n:,}", share


def _covered(
    intervals: Callable[[Chance], tuple[Sequence[Interval], Sequence[float]]],
    n: int,
    repeats: int,
) -> list[float]:
    """Return how often each of several intervals of `n` rebuses holds its truth."""
    chance = _chance(n)
    setattr(statistics, "TRIALS", TRIALS if n < MANY else FEWER)  # noqa: B010 # it is final but here
    held = [
        [_holds(interval, truth) for interval, truth in zip(*intervals(chance), strict=True)]
        for _ in range(repeats)
    ]
    return [float(np.mean(each)) for each in zip(*held, strict=True)]


def _holds(interval: Interval, truth: float) -> bool:
    return interval[0] <= truth <= interval[1]


def _chance(number: int) -> Chance:
    return np.random.default_rng((SEED, number))


OF_ONE: Final = (_words, _letters, _paired_words, _paired_proportions, _correlations)
"""What is tried on one number of rebuses after the other."""


if __name__ == "__main__":
    main()
