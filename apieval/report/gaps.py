"""How much better a model is on one subset than on another, in 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.analysis.comparison_sentences import points
from apieval.rebus.metrics import HEADLINE
from apieval.report.terminal import FIGURE, visible
from apieval.results.figures import BothGaps, Gap, interval_of
from apieval.results.summary import Gaps

_PARSERS: Final = ("official", "tolerant")


def render(found: Gaps) -> Iterator[RenderableType]:
    """Yield a table for each setting and pair of subsets."""
    for setting, pairs in found.items():
        for pair, parsers in pairs.items():
            yield _table(f"{setting}: {visible(pair)}, percentage points, micro", parsers)


def _table(title: str, parsers: Mapping[str, Mapping[str, BothGaps]]) -> Table:
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    shown = [name for name in _PARSERS if name in parsers]
    whole = not any("at_least" in both["micro"] for both in parsers[shown[0]].values())
    for name in shown:
        table.add_column(name, justify="right", no_wrap=True)
        table.add_column("95 %" if whole else "bounds", justify="right", no_wrap=True)
    for metric in parsers[shown[0]]:
        cells = [cell for name in shown for cell in _cells(parsers[name][metric]["micro"])]
        style = "bold" if metric == HEADLINE else None
        table.add_row(metric.removesuffix("_accuracy"), *cells, style=style)
    return table


def _cells(gap: Gap) -> tuple[str, str]:
    """Return a gap and its interval; where answers are missing, what it can still become."""
    if "at_least" in gap:
        return "-", f"{points(gap['at_least'])} to {points(gap['at_most'])}"
    if (found := interval_of(gap)) is None:
        return "-", "-"
    value, low, high = map(points, found)
    return value, f"{low} {high}"
