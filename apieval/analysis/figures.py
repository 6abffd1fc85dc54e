"""Figures of a run: every metric by setting, subset, parser and aggregation, with n and interval.

Both aggregations are made, because the literature uses both: `micro`, the study's, right words
over all words; `macro`, the CALAMITA harness's, each rebus's share rounded to 4 decimals, then the
mean over rebuses.

A failed or unasked request is not the model's: while one is missing, a figure counts it as not
right, is marked partial, and carries the bounds it can still take.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from functools import cache
from itertools import chain, product
from typing import Any, Final, Literal

from apieval.analysis.statistics import Interval, bootstrap, wilson
from apieval.rebus.dataset import ALL
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.rebus.parsers import official
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

    def add(self, score: ItemScore) -> None:
        """Take in the score of one answer by one parser."""
        if score.tallies is not None:
            place = self._places[score.id]
            rights = self._rights[score.setting, score.parser][score.sample]
            for name, tally in score.tallies.items():
                rights[name][place] = tally.right
        if score.parser == official.NAME:  # every answer has one score of this parser
            self.outcomes[score.setting][score.outcome.value] += 1

    def figures(self) -> dict[str, Any]:
        """Return `figures[setting][subset][parser][metric][aggregation]`."""
        tree: dict[str, Any] = {}
        golds = {name: [*map(PARSERS[name].gold, self._rebuses)] for name in self._parsers}
        for setting, (subset, places), name in product(
            self._settings, self._subsets().items(), METRICS
        ):
            if name in self._told:
                places = []  # noqa: PLW2901 # the figure of nothing
            mine = {
                parser: _items(name, places, rows, self._rights[setting, parser])
                for parser, rows in golds.items()
            }
            cells = tree.setdefault(setting, {}).setdefault(subset, {})
            for parser, figure in _figures(name, mine, self._samples).items():
                cells.setdefault(parser, {})[name] = figure
        return tree

    def _subsets(self) -> dict[str, list[int]]:
        """Return the places of each subset's rebuses, all of them first."""
        names = (ALL, *dict.fromkeys(r.subset for r in self._rebuses if r.subset is not None))
        return {
            name: [n for n, r in enumerate(self._rebuses) if name in (ALL, r.subset)]
            for name in names
        }


def _nothing_yet(rebuses: int) -> Rights:
    return {name: array("i", [_NONE]) * rebuses for name in METRICS}


def _items(
    name: str, places: Sequence[int], golds: Sequence[Rebus], samples: Sequence[Rights]
) -> _Items:
    """Return some rebuses, by their places, as one metric counts them."""
    kept = [each[name] for each in samples]
    items: list[_Item] = []
    lost = [0, 0]
    for place in places:
        total = _total(name, golds[place])
        rights = [right for each in kept if (right := each[place]) != _NONE]
        missing = len(kept) - len(rights)
        lost[0] += missing * total
        lost[1] += missing
        items.append(_item(rights, missing, total))
    return items, lost


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


def _total(name: str, gold: Rebus) -> int:
    if name in OF_REBUSES:
        return 1
    return len(gold.word_guesses if name.startswith("word_guess") else gold.solution_words)


def _item(rights: Sequence[int], missing: int, total: int) -> _Item:
    """Return one rebus over its samples; of a missing one nothing is right."""
    shares = math.fsum(_share(right, total) for right in rights)
    return sum(rights), (len(rights) + missing) * total, shares, len(rights) + missing


@cache
def _share(right: int, total: int) -> float:
    return Tally(right, total).share


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
