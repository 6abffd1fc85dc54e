"""Figures of a run: every metric by setting, subset, parser and aggregation, with n and interval.

Both aggregations are made, because the literature uses both: `micro`, the study's, right words
over all words; `macro`, the CALAMITA harness's, each rebus's share rounded to 4 decimals, then the
mean over rebuses.

A failed or unasked request is not the model's: while one is missing, a figure counts it as not
right, is marked partial, and carries the bounds it can still take.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import product
from typing import Any, Final, Literal

from apieval.analysis.statistics import Interval, bootstrap, wilson
from apieval.rebus.dataset import ALL
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.rebus.parsers import official
from apieval.rebus.scoring import PARSERS
from apieval.schema import ItemScore, Rebus, RowId, Setting, Tally

Aggregation = Literal["micro", "macro"]
AGGREGATIONS: Final[tuple[Aggregation, ...]] = ("micro", "macro")
_Item = tuple[float, int, float, int]
Cell = tuple[Setting, str, str]
"""Setting, subset, parser."""


Tallies = dict[RowId, list[dict[str, Tally]]]
"""The tallies of one setting, subset and parser: by rebus, those of its samples together."""


class Collector:
    """Take in scores one at a time, and make figures of them at the end."""

    def __init__(
        self, rebuses: Sequence[Rebus], settings: Sequence[Setting], samples: int = 1
    ) -> None:
        """Expect an answer to every rebus in every setting, `samples` times."""
        self._rebuses = rebuses
        self._samples = samples
        subsets = (ALL, *dict.fromkeys(r.subset for r in rebuses if r.subset is not None))
        self._cells: dict[Cell, Tallies] = {
            cell: {} for cell in product(settings, subsets, PARSERS)
        }
        self.outcomes: defaultdict[Setting, Counter[str]] = defaultdict(Counter)

    def add(self, score: ItemScore) -> None:
        """Take in the score of one answer by one parser."""
        for subset in (ALL, score.subset):
            if subset is not None and score.tallies is not None:
                cell = self._cells[score.setting, subset, score.parser]
                cell.setdefault(score.id, []).append(score.tallies)
        if score.parser == official.NAME:  # every answer has one score of this parser
            self.outcomes[score.setting][score.outcome.value] += 1

    def figures(self) -> dict[str, Any]:
        """Return `figures[setting][subset][parser][metric][aggregation]`."""
        tree: dict[str, Any] = {}
        for (setting, subset, parser), tallies in self._cells.items():
            golds = [r for r in self._rebuses if subset in (ALL, r.subset)]
            cell = {name: _figure(name, golds, tallies, self._samples) for name in METRICS}
            tree.setdefault(setting, {}).setdefault(subset, {})[parser] = cell
        return tree


def _figure(name: str, golds: Sequence[Rebus], tallies: Tallies, samples: int) -> dict[str, Any]:
    """Return both aggregations of one metric over the rebuses of one subset."""
    items: list[_Item] = []
    lost = [0, 0]
    for gold in golds:
        mine = [sample[name] for sample in tallies.get(gold.id, ())]
        missing = samples - len(mine)
        total = _total(name, gold)
        lost[0] += missing * total
        lost[1] += missing
        items.append(_item(mine, missing, total))
    if not items:
        return {each: {"value": None, "low": None, "high": None, "n": 0} for each in AGGREGATIONS}
    if name in OF_REBUSES and samples == 1:
        both = [wilson(sum(right for right, *_ in items), len(items))] * 2
    else:
        both = bootstrap(items)
    return {
        each: _aggregated([item[2 * at : 2 * at + 2] for item in items], both[at], lost[at])
        for at, each in enumerate(AGGREGATIONS)
    }


def _total(name: str, gold: Rebus) -> int:
    if name in OF_REBUSES:
        return 1
    return len(gold.word_guesses if name.startswith("word_guess") else gold.solution_words)


def _item(tallies: Sequence[Tally], missing: int, total: int) -> _Item:
    """Return one rebus over its samples: right words, words, shares, samples; none missing is right."""
    if len(tallies) == 1 and not missing:
        return tallies[0].right, total, tallies[0].share, 1
    return (
        sum(tally.right for tally in tallies),
        (len(tallies) + missing) * total,
        math.fsum(tally.share for tally in tallies),
        len(tallies) + missing,
    )


def _aggregated(
    items: Sequence[tuple[float, ...]], interval: Interval, lost: int
) -> dict[str, Any]:
    """Return one figure: its value, its interval, its n, and its bounds where answers are missing."""
    n = sum(int(second) for _, second in items)
    value = math.fsum(first for first, _ in items) / n
    figure: dict[str, Any] = {"value": value, "low": interval[0], "high": interval[1], "n": n}
    if lost:
        answered = n - lost
        figure |= {
            "at_least": value,
            "at_most": value + lost / n,
            "answered": value * n / answered if answered else None,
        }
    return figure
