"""How far the figures of each model lie apart by prompt, a table a setting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.rebus.metrics import HEADLINE, shown_in
from apieval.report.terminal import FIGURE, number, visible
from apieval.results.comparison import PromptSpread


def render(found: Sequence[PromptSpread]) -> Iterator[RenderableType]:
    """Yield how far the figures of each model lie apart by prompt, a line a setting and metric."""
    for each in found:
        prompts = len(each["prompts"])
        yield Text(
            visible(f"\n{each['model']}, {each['setting']}: what {prompts} prompts make of it"),
            style="bold",
        )
        yield _spread_table(each)


def _spread_table(found: PromptSpread) -> Table:
    table = Table()
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in ("least", "most", "mean", "sd"):
        table.add_column(name, justify="right", no_wrap=True)
    for metric in shown_in(found["setting"]):
        of = found["metrics"][metric]
        values = (of["least"], of["most"], of["mean"], of["sd"]) if of else (None,) * 4
        figures = map(number, values)
        table.add_row(metric, *figures, style="bold" if metric == HEADLINE else None)
    return table
