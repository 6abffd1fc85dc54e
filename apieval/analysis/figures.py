"""Figures of a run: every metric by setting, subset, parser and aggregation, with n and interval.

Both aggregations are computed, because the literature uses both: `micro`, the study's, right words
over all words; `macro`, the CALAMITA harness's, each rebus's share rounded to 4 decimals, then the
mean over rebuses. A gap is the first subset's figure minus another's.

A failed or missing answer is not the model's: while there is one, a figure counts it as not right,
is marked partial, and has bounds. numpy's draws and sums run on all cores.
"""

from __future__ import annotations

import math
import operator
import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache, partial
from itertools import chain, product
from typing import Final, Literal, TypeVar

from apieval.analysis.intervals import Interval, bootstrap, wilson
from apieval.rebus.columns import ALL
from apieval.rebus.metrics import METRICS, OF_REBUSES, total
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import PARSERS
from apieval.records import ItemScore, Rebus, Setting, Tally
from apieval.results.figures import Both, BothGaps, Figure, Gap, interval_of
from apieval.results.summary import Figures, Gaps

MOST: Final = 8
"""More threads than these would only wait for the interpreter."""

_T = TypeVar("_T")


@cache
def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def at_once(calls: Iterable[Callable[[], _T]]) -> list[_T]:
    """Return what calls that do not know each other return, in their order.

    Each must draw from a generator of its own, so that the order they end in moves nothing.
    """
    listed = list(calls)
    if cores() == 1 or len(listed) == 1:
        return [call() for call in listed]
    with ThreadPoolExecutor(min(MOST, cores(), len(listed) or 1)) as pool:
        return [each.result() for each in [pool.submit(call) for call in listed]]


def places(rebuses: Sequence[Rebus]) -> dict[str, list[int]]:
    """Return the places of each subset's rebuses, all of them first, then in the data's order."""
    names = (ALL, *dict.fromkeys(r.subset for r in rebuses if r.subset is not None))
    return {
        name: [n for n, rebus in enumerate(rebuses) if name in (ALL, rebus.subset)]
        for name in names
    }


Aggregation = Literal["micro", "macro"]
AGGREGATIONS: Final[tuple[Aggregation, ...]] = ("micro", "macro")
_Item = tuple[float, int, float, int]
"""One rebus over its samples: right words, words, shares, samples."""
_Items = tuple[list[_Item], list[int]]
"""Rebuses, and how much of them has no answer: words (or rebuses), and samples."""
Rights = Mapping[str, "array[int]"]
"""By metric, how many are right of each rebus; where there is no answer, `_NONE`."""
_NONE: Final = -1


class Collector:
    """Take in scores one at a time, and make figures of them at the end.

    A run may have a hundred thousand of them: of each, six numbers are kept.
    """

    def __init__(
        self,
        rebuses: Sequence[Rebus],
        settings: Sequence[Setting],
        samples: int = 1,
        parsers: Sequence[str] = tuple(PARSERS),
        told: Container[str] = (),
    ) -> None:
        """Expect an answer to every rebus in every setting, `samples` times, by every parser.

        What models were told is not measured: the figures of these metrics are those of nothing.
        """
        self._told = told
        self._rebuses = rebuses
        self._settings, self._parsers, self._samples = settings, parsers, samples
        self._places = {rebus.id: place for place, rebus in enumerate(rebuses)}
        self._rights: dict[tuple[Setting, str], list[Rights]] = {
            cell: [_nothing_yet(len(rebuses)) for _ in range(samples)]
            for cell in product(settings, parsers)
        }
        self.outcomes: defaultdict[Setting, Counter[str]] = defaultdict(Counter)
        self.seen: Counter[str] = Counter()

    def add(self, score: ItemScore) -> None:
        """Take in the score of one answer by one parser."""
        if score.tallies is not None:
            place = self._places[score.id]
            rights = self._rights[score.setting, score.parser][score.sample]
            for name, tally in score.tallies.items():
                rights[name][place] = tally.right
        if score.parser == official.NAME:  # every answer has one score of this parser
            self.outcomes[score.setting][score.outcome.value] += 1
        elif score.parser == tolerant.NAME:
            self.seen.update(dict.fromkeys(score.seen, 1))

    def figures(self) -> Figures:
        """Return `figures[setting][subset][parser][metric][aggregation]`."""
        tree: Figures = {}
        golds = {name: [*map(PARSERS[name].gold, self._rebuses)] for name in self._parsers}
        subsets = places(self._rebuses)
        cells = list(product(self._settings, subsets, METRICS))
        made = at_once(
            partial(self._cell, setting, subsets[subset], name, golds)
            for setting, subset, name in cells
        )
        for (setting, subset, name), by_parser in zip(cells, made, strict=True):
            branch = tree.setdefault(setting, {}).setdefault(subset, {})
            for parser, figure in by_parser.items():
                branch.setdefault(parser, {})[name] = figure
        return tree

    def _cell(
        self, setting: Setting, places: Sequence[int], name: str, golds: Mapping[str, list[Rebus]]
    ) -> dict[str, Both]:
        """Return one metric of a setting over some rebuses, by parser."""
        measured = [] if name in self._told else places  # what was told is the figure of nothing
        mine = {
            parser: _items(name, measured, rows, self._rights[setting, parser])
            for parser, rows in golds.items()
        }
        return _figures(name, mine, self._samples)


def _nothing_yet(rebuses: int) -> Rights:
    return {name: array("i", [_NONE]) * rebuses for name in METRICS}


def _items(
    name: str, places: Sequence[int], golds: Sequence[Rebus], samples: Sequence[Rights]
) -> _Items:
    """Return some rebuses, by their places, as one metric counts them."""
    totals = [total(name, golds[place]) for place in places]
    rights = zip(*([each[name][place] for place in places] for each in samples), strict=True)
    found = [_item(each, of) for each, of in zip(rights, totals, strict=True)]
    missing = [lacks for _, lacks in found]
    lost = [sum(map(operator.mul, missing, totals)), sum(missing)]
    return [item for item, _ in found], lost


def _figures(name: str, mine: Mapping[str, _Items], samples: int) -> dict[str, Both]:
    """Return by parser both aggregations of one metric over the rebuses of one subset.

    All parsers' intervals come from the same draws, and the first one's depend on no other.
    """
    found: dict[str, Both] = {}
    drawn: list[Interval] = []
    if not (name in OF_REBUSES and samples == 1):
        rows = zip(*(items for items, _ in mine.values()), strict=True)
        drawn = bootstrap([tuple(chain(*row)) for row in rows], lead=4)
    for at, (parser, (items, lost)) in enumerate(mine.items()):
        if not items:
            nothing: Figure = {"value": None, "low": None, "high": None, "n": 0}
            found[parser] = {"micro": nothing.copy(), "macro": nothing.copy()}
            continue
        both = (
            drawn[2 * at : 2 * at + 2]
            or [wilson(sum(right for right, *_ in items), len(items))] * 2
        )
        found[parser] = {
            "micro": _aggregated(items, 0, both[0], lost[0]),
            "macro": _aggregated(items, 2, both[1], lost[1]),
        }
    return found


@lru_cache(maxsize=1 << 16)
def _item(rights: tuple[int, ...], of: int) -> tuple[_Item, int]:
    """Return one rebus over its samples, and how many are missing; of these nothing is right."""
    there = [right for right in rights if right != _NONE]
    shares = math.fsum(Tally(right, of).share for right in there)
    return (sum(there), len(rights) * of, shares, len(rights)), len(rights) - len(there)


def _aggregated(items: Sequence[_Item], at: int, interval: Interval, lost: int) -> Figure:
    """Return one figure: its value, its interval, its n, and its bounds where answers are missing.

    `at` is where an item has what is right, and behind it of how many.
    """
    n = sum(int(item[at + 1]) for item in items)
    value = math.fsum(item[at] for item in items) / n
    figure: Figure = {"value": value, "low": interval[0], "high": interval[1], "n": n}
    if lost:
        answered = n - lost
        figure["at_least"] = value
        figure["at_most"] = value + lost / n
        figure["answered"] = value * n / answered if answered else None
    return figure


GAP_PARSERS: Final = (official.NAME, tolerant.NAME)


def apart(one: float, bounds: Interval, other: float, others: Interval) -> Interval:
    """Return the interval of `one - other`, two independent figures with their own intervals."""
    low = math.hypot(one - bounds[0], others[1] - other)
    high = math.hypot(bounds[1] - one, other - others[0])
    return max(-1.0, one - other - low), min(1.0, one - other + high)


def gaps(figures: Figures) -> Gaps:
    """Return `[setting][first - other][parser][metric][aggregation]` of a summary's figures.

    Where answers are missing a gap is that of the answers there are, without an interval, and has
    the bounds it can still take.
    """
    found: Gaps = {}
    for setting, by_subset in figures.items():
        first, *others = [name for name in by_subset if name != ALL] or [ALL]
        found[setting] = {
            f"{first} - {other}": _by_parser(by_subset[first], by_subset[other]) for other in others
        }
    return found


def _by_parser(
    one: Mapping[str, Mapping[str, Both]], other: Mapping[str, Mapping[str, Both]]
) -> dict[str, dict[str, BothGaps]]:
    return {
        parser: {
            name: {
                "micro": _gap(both["micro"], other[parser][name]["micro"]),
                "macro": _gap(both["macro"], other[parser][name]["macro"]),
            }
            for name, both in one[parser].items()
        }
        for parser in GAP_PARSERS
        if parser in one
    }


def _gap(one: Figure, other: Figure) -> Gap:
    a, b = interval_of(one), interval_of(other)
    if a is None or b is None:
        return {"value": None, "low": None, "high": None}
    if "at_least" in one or "at_least" in other:
        there, others = one.get("answered", a[0]), other.get("answered", b[0])
        return {
            "value": None if there is None or others is None else there - others,
            "low": None,  # the figures' intervals count what is missing as wrong
            "high": None,
            "at_least": one.get("at_least", a[0]) - other.get("at_most", b[0]),
            "at_most": one.get("at_most", a[0]) - other.get("at_least", b[0]),
        }
    low, high = apart(a[0], a[1:], b[0], b[1:])
    return {"value": a[0] - b[0], "low": low, "high": high}
