"""What several answers to the same rebus show, in 80 columns: one table of solutions a setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.rebus.metrics import METRICS
from apieval.records import Setting
from apieval.report.terminal import FIGURE, number
from apieval.results.figures import Estimate, OverSamples
from apieval.wording import counted

_PARSER: Final = "official"


def render(
    found: Mapping[Setting, Mapping[str, Mapping[str, OverSamples]]] | None,
) -> Iterator[RenderableType]:
    """Yield a table for each setting, and what stands aside; nothing where there is one sample."""
    for setting, parsers in (found or {}).items():
        metrics = parsers[_PARSER]
        yield _table(setting, metrics)
        yield Text(_aside(metrics["solution_match"]), style="dim")


def _table(setting: str, metrics: Mapping[str, OverSamples]) -> Table:
    first = metrics["solution_match"]
    measured = [name for name in METRICS if name in metrics]  # no step that was given
    title = (
        f"{setting}: {first['samples']} samples of {counted(first['rebuses'], 'rebus', 'rebuses')}"
    )
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column("official parser", overflow="fold", min_width=FIGURE)
    for name in measured:
        table.add_column(METRICS[name].part.replace("_", " "), justify="right", no_wrap=True)
        table.add_column("95 %", justify="right", no_wrap=True)
    rows = [_rows(metrics[name]) for name in measured]
    for shown in rows[0]:
        if shown.endswith("@1"):
            table.add_section()
        table.add_row(shown, *_cells(each[shown] for each in rows))
    return table


def _rows(found: OverSamples) -> dict[str, Estimate]:
    """Return what is shown of one metric, by the names it goes by."""
    return {
        "mean of the samples": found["mean"],
        "both right and wrong": found["flip_rate"],
        "two answers disagree": found["disagreement"],
        "variance of rebuses": found["between_items"],
        "variance within one": found["within_items"],
        **{f"pass@{k}": each for k, each in found["pass_at"].items()},
        **{f"maj@{k}": each for k, each in found["maj_at"].items()},
    }


def _cells(figures: Iterable[Estimate]) -> Iterator[str]:
    for figure in figures:
        yield number(figure["value"])
        low, high = figure["low"], figure["high"]
        # a variance may be below 0, and its sign is no dash
        yield "-" if low is None else f"{number(low)}{'-' if low >= 0 else ' '}{number(high)}"


def _aside(found: OverSamples) -> str:
    spread = found["between_samples"]
    said = f"solution_match by sample: {', '.join(number(each) for each in found['by_sample'])}"
    if spread["value"] is not None:
        said += f"; their variance {spread['value']:.2g}, by chance {spread['expected']:.2g}"
    if found["incomplete"]:
        left = counted(found["incomplete"], "rebus", "rebuses")
        said += f"; {left} without all answers left out"
    return said
