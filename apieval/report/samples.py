"""What several answers to the same rebus show, in 80 columns: one table of solutions a setting."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.report.terminal import FIGURE, number
from apieval.wording import counted

_NAMES: Final = {
    "mean": "mean of the samples",
    "flip_rate": "both right and wrong",
    "disagreement": "two answers disagree",
    "between_items": "variance of rebuses",
    "within_items": "variance within one",
}
_PARSER: Final = "official"
_METRICS: Final = {"first_pass_accuracy": "first pass", "solution_match": "solution"}


def render(found: Mapping[str, Any] | None) -> Iterator[RenderableType]:
    """Yield a table for each setting, and what stands aside; nothing where there is one sample."""
    for setting, parsers in (found or {}).items():
        metrics = parsers[_PARSER]
        yield _table(setting, metrics)
        yield Text(_aside(metrics["solution_match"]), style="dim")


def _table(setting: str, metrics: Mapping[str, Any]) -> Table:
    first = metrics["solution_match"]
    measured = [name for name in _METRICS if name in metrics]  # no step that was given
    title = (
        f"{setting}: {first['samples']} samples of {counted(first['rebuses'], 'rebus', 'rebuses')}"
    )
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column("official parser", overflow="fold", min_width=FIGURE)
    for name in measured:
        table.add_column(_METRICS[name], justify="right", no_wrap=True)
        table.add_column("95 %", justify="right", no_wrap=True)
    for name, shown in _NAMES.items():
        table.add_row(shown, *_cells(metrics[each][name] for each in measured))
    for what, shown in (("pass_at", "pass@"), ("maj_at", "maj@")):
        table.add_section()
        for k in first[what]:
            table.add_row(f"{shown}{k}", *_cells(metrics[each][what][k] for each in measured))
    return table


def _cells(figures: Iterator[Mapping[str, Any]]) -> Iterator[str]:
    for figure in figures:
        yield number(figure["value"])
        low, high = figure["low"], figure["high"]
        # a variance may be below 0, and its sign is no dash
        yield "-" if low is None else f"{number(low)}{'-' if low >= 0 else ' '}{number(high)}"


def _aside(found: Mapping[str, Any]) -> str:
    spread = found["between_samples"]
    said = f"solution_match by sample: {', '.join(map(number, found['by_sample']))}"
    if spread["value"] is not None:
        said += f"; their variance {spread['value']:.2g}, by chance {spread['expected']:.2g}"
    if found["incomplete"]:
        left = counted(found["incomplete"], "rebus", "rebuses")
        said += f"; {left} without all answers left out"
    return said
