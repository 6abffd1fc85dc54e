"""Figures of a run: every metric by setting, subset, parser and aggregation, with n and interval.

Both aggregations are made, because the literature uses both: `micro`, the study's, right words
over all words; `macro`, the CALAMITA harness's, each rebus's share rounded to 4 decimals, then the
mean over rebuses.

A failed or unasked request is not the model's: while one is missing, a figure counts it as not
right, is marked partial, and carries the bounds it can still take.
"""

from __future__ import annotations

import math
import operator
from array import array
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import lru_cache, partial
from itertools import chain, product
from typing import Any, Final, Literal

from apieval.analysis import by_subset
from apieval.analysis.at_once import at_once
from apieval.analysis.statistics import Interval, bootstrap, wilson
from apieval.rebus.metrics import METRICS, OF_REBUSES, total
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import PARSERS
from apieval.schema import ItemScore, Rebus, Setting, Tally

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

    def figures(self) -> dict[str, Any]:
        """Return `figures[setting][subset][parser][metric][aggregation]`."""
        tree: dict[str, Any] = {}
        golds = {name: [*map(PARSERS[name].gold, self._rebuses)] for name in self._parsers}
        subsets = by_subset.places(self._rebuses)
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
    ) -> dict[str, dict[str, Any]]:
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


def _figures(name: str, mine: Mapping[str, _Items], samples: int) -> dict[str, dict[str, Any]]:
    """Return by parser both aggregations of one metric over the rebuses of one subset.

    All parsers' intervals come from the same draws, and the first one's depend on no other.
    """
    found: dict[str, dict[str, Any]] = {}
    drawn: list[Interval] = []
    if not (name in OF_REBUSES and samples == 1):
        rows = zip(*(items for items, _ in mine.values()), strict=True)
        drawn = bootstrap([tuple(chain(*row)) for row in rows], lead=4)
    for at, (parser, (items, lost)) in enumerate(mine.items()):
        if not items:
            nothing = {"value": None, "low": None, "high": None, "n": 0}
            found[parser] = {each: dict(nothing) for each in AGGREGATIONS}
            continue
        both = (
            drawn[2 * at : 2 * at + 2]
            or [wilson(sum(right for right, *_ in items), len(items))] * 2
        )
        found[parser] = {
            each: _aggregated(items, 2 * n, both[n], lost[n]) for n, each in enumerate(AGGREGATIONS)
        }
    return found


@lru_cache(maxsize=1 << 16)
def _item(rights: tuple[int, ...], of: int) -> tuple[_Item, int]:
    """Return one rebus over its samples, and how many are missing; of these nothing is right."""
    there = [right for right in rights if right != _NONE]
    shares = math.fsum(Tally(right, of).share for right in there)
    return (sum(there), len(rights) * of, shares, len(rights)), len(rights) - len(there)


def _aggregated(items: Sequence[_Item], at: int, interval: Interval, lost: int) -> dict[str, Any]:
    """Return one figure: its value, its interval, its n, and its bounds where answers are missing.

    `at` is where an item has what is right, and behind it of how many.
    """
    n = sum(int(item[at + 1]) for item in items)
    value = math.fsum(item[at] for item in items) / n
    figure: dict[str, Any] = {"value": value, "low": interval[0], "high": interval[1], "n": n}
    if lost:
        answered = n - lost
        figure |= {
            "at_least": value,
            "at_most": value + lost / n,
            "answered": value * n / answered if answered else None,
        }
    return figure
