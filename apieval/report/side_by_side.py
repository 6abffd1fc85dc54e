"""The table that shows several models side by side: micro figures of the official parser."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.rebus.metrics import HEADLINE, shown_in
from apieval.report.terminal import FIGURE, label, number, visible
from apieval.schema import Setting

Summary = Mapping[str, Any]

WIDTH: Final = 80
_FRAME: Final = 3
"""What each column takes beside its content: a blank on both sides, and a line."""


def render(summaries: Sequence[Summary]) -> Iterator[RenderableType]:
    """Yield a table a setting; models are columns where they fit, else rows.

    Where answers are missing, a figure is over the answers there are and marked by a `*`.
    """
    yield Text("\nside by side, micro", style="bold")
    partial = False
    for setting in summaries[0]["settings"]:
        partial |= any(_missing(each, setting) for each in summaries)
        yield _table(summaries, setting)
    if partial:
        yield Text("* PARTIAL: over the answers there are", style="bold yellow")


def spreads(found: Sequence[Mapping[str, Any]]) -> Iterator[RenderableType]:
    """Yield how far the figures of each model lie apart by prompt, a line a setting and metric."""
    for each in found:
        prompts = len(each["prompts"])
        yield Text(
            visible(f"\n{each['model']}, {each['setting']}: what {prompts} prompts make of it"),
            style="bold",
        )
        yield _spread_table(each)


def _spread_table(found: Mapping[str, Any]) -> Table:
    table = Table()
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in ("least", "most", "mean", "sd"):
        table.add_column(name, justify="right", no_wrap=True)
    for metric in shown_in(found["setting"]):
        spread = found["metrics"][metric] or {}
        figures = [number(spread.get(name)) for name in ("least", "most", "mean", "sd")]
        table.add_row(metric, *figures, style="bold" if metric == HEADLINE else None)
    return table


def _table(summaries: Sequence[Summary], setting: Setting) -> Table:
    metrics = shown_in(setting, summaries[0]["given"])
    table = Table(title=Text(setting), title_justify="left", title_style="bold")
    room = (WIDTH - 1 - _FRAME - max(map(cell_len, metrics))) // len(summaries) - _FRAME
    if room > FIGURE:  # there may be a mark behind it
        _fill_with_models_as_columns(table, summaries, setting, metrics, room)
    else:
        _fill_with_models_as_rows(table, summaries, setting, metrics)
    return table


def _fill_with_models_as_columns(
    table: Table, summaries: Sequence[Summary], setting: str, metrics: Sequence[str], room: int
) -> None:
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for each in summaries:
        table.add_column(
            Text(visible(label(each))),
            justify="right",
            overflow="fold",
            min_width=FIGURE + 1,
            max_width=room,
        )
    rows = zip(metrics, *(_figures(each, setting, metrics) for each in summaries), strict=True)
    for metric, *figures in rows:
        table.add_row(metric, *figures, style="bold" if metric == HEADLINE else None)


def _fill_with_models_as_rows(
    table: Table, summaries: Sequence[Summary], setting: str, metrics: Sequence[str]
) -> None:
    table.add_column("model", overflow="fold", min_width=FIGURE)
    for metric in metrics:
        words = metric.removesuffix("_accuracy").replace("_", "\n")
        table.add_column(words, justify="right", overflow="fold", min_width=FIGURE + 1)
    for each in summaries:
        table.add_row(Text(visible(label(each))), *_figures(each, setting, metrics))


def _missing(summary: Summary, setting: str) -> bool:
    counts = summary["outcomes"][setting]
    return bool(counts["failed"] + counts["not_asked"])


def _figures(summary: Summary, setting: str, metrics: Sequence[str]) -> list[str]:
    figures = summary["figures"][setting]["all"]["official"]
    if not _missing(summary, setting):
        return [number(figures[name]["micro"]["value"]) for name in metrics]
    return [f"{number(figures[name]['micro']['answered'])}*" for name in metrics]
