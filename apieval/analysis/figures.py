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
from collections.abc import Mapping, Sequence
from itertools import chain, product
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
_Items = tuple[list[_Item], list[int]]
"""Rebuses, and how much of them has no answer: words (or rebuses), and samples."""
Cell = tuple[Setting, str, str]
"""Setting, subset, parser."""


Tallies = dict[RowId, list[dict[str, Tally]]]
"""The tallies of one setting, subset and parser: by rebus, those of its samples together."""


class Collector:
    """Take in scores one at a time, and make figures of them at the end."""

    def __init__(
        self,
        rebuses: Sequence[Rebus],
        settings: Sequence[Setting],
        samples: int = 1,
        parsers: Sequence[str] = tuple(PARSERS),
    ) -> None:
        """Expect an answer to every rebus in every setting, `samples` times, by every parser."""
        self._rebuses = rebuses
        self._parsers = parsers
        self._samples = samples
        subsets = (ALL, *dict.fromkeys(r.subset for r in rebuses if r.subset is not None))
        self._cells: dict[Cell, Tallies] = {
            cell: {} for cell in product(settings, subsets, parsers)
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
        golds = {name: [*map(PARSERS[name].gold, self._rebuses)] for name in self._parsers}
        for (setting, subset), name in product(self._views(), METRICS):
            mine = {
                parser: self._items(name, (setting, subset, parser), rows)
                for parser, rows in golds.items()
            }
            cells = tree.setdefault(setting, {}).setdefault(subset, {})
            for parser, figure in _figures(name, mine, self._samples).items():
                cells.setdefault(parser, {})[name] = figure
        return tree

    def _views(self) -> list[tuple[Setting, str]]:
        return list(dict.fromkeys((setting, subset) for setting, subset, _ in self._cells))

    def _items(self, name: str, cell: Cell, golds: Sequence[Rebus]) -> _Items:
        """Return the rebuses of one cell, as one metric counts them."""
        items: list[_Item] = []
        lost = [0, 0]
        tallies, subset = self._cells[cell], cell[1]
        for gold in golds:
            if subset in (ALL, gold.subset):
                mine = [sample[name] for sample in tallies.get(gold.id, ())]
                missing = self._samples - len(mine)
                total = _total(name, gold)
                lost[0] += missing * total
                lost[1] += missing
                items.append(_item(mine, missing, total))
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
            each: _aggregated([item[2 * n : 2 * n + 2] for item in items], both[n], lost[n])
            for n, each in enumerate(AGGREGATIONS)
        }
    return found


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
