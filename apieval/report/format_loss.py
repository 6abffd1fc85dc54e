"""What `--details` shows of format loss: the parsers side by side, and what made the difference."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.rebus.metrics import HEADLINE, shown_in
from apieval.records import Setting
from apieval.report.terminal import FIGURE, number
from apieval.results.figures import MetricLoss, SettingLoss
from apieval.wording import counted

_PARSERS: Final = {"official": "official", "tolerant": "strict", "tolerant-lenient": "lenient"}
_STEPS: Final = {"tolerant": "strict", "tolerant-lenient": "lenient"}
_SIGNS: Final = {"more": "+", "fewer": "-"}


def render(part: Mapping[Setting, Mapping[str, SettingLoss]] | None) -> Iterator[RenderableType]:
    """Yield a table a setting, and below it the kinds of form behind each difference."""
    if part is None:
        yield Text("\nformat loss: not known of parts that were parsed elsewhere", style="dim")
        return
    for setting, subsets in part.items():
        measured = subsets["all"]["metrics"]  # without what a model was given
        metrics = {name: measured[name] for name in shown_in(setting) if name in measured}
        yield Text()
        yield _table(setting, metrics)
        causes = [line for name, each in metrics.items() for line in _causes(name, each)]
        if causes:
            yield Text("what made it (an answer may have several kinds)", style="dim")
        yield from map(Text, causes)


def along_key(rows: Mapping[str, int]) -> Iterator[RenderableType]:
    """Yield a note where some parser compares other solution words than the data has."""
    if most := max(rows.values(), default=0):
        yield Text(along_key_said(most), style="dim")


def along_key_said(rows: int) -> str:
    """Return what is to be known of figures of solution words, where so many rows have others."""
    return (
        "The tolerant parser takes solution words from the key; in "
        f"{counted(rows, 'row')} they differ from the official parser's. Its n of words may differ, "
        "and a difference due to this alone is not format loss."
    )


def _table(setting: Setting, metrics: Mapping[str, MetricLoss]) -> Table:
    title = Text(f"format loss, {setting}, micro")
    table = Table(title=title, title_justify="left", title_style="bold")
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in (*_PARSERS.values(), "loss", "95 %"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, each in metrics.items():
        figures = [number(each["values"][parser]) for parser in _PARSERS]
        low, high = each["low"], each["high"]
        interval = "-" if low is None else f"{number(low)} to {number(high)}"
        style = "bold" if name == HEADLINE else None
        table.add_row(_short(name), *figures, number(each["difference"]), interval, style=style)
    return table


def _short(name: str) -> str:
    return name.removesuffix("_accuracy")


def _causes(name: str, figures: MetricLoss) -> Iterator[str]:
    for shown_as, changes in zip(
        _STEPS.values(), (figures["tolerant"], figures["tolerant-lenient"]), strict=True
    ):
        for sign, count in zip(_SIGNS.values(), (changes["more"], changes["fewer"]), strict=True):
            if count["answers"]:
                kinds = ", ".join(f"{kind} {n:,}" for kind, n in count["kinds"].items())
                answers = counted(count["answers"], "answer")
                yield f"{_short(name)}, {shown_as}: {sign}{count['words']:,} in {answers}: {kinds}"
