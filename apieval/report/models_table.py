"""The table of several models: micro figures of the official parser.

Next to a figure stands a mark, below it half of its 95 % interval. The highest of each metric is
marked, and what is not significantly lower; a partial run is not compared, a dictionary's solver not
with models.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from apieval.analysis.ranks import Place, places, ranked
from apieval.rebus.dataset import called
from apieval.rebus.metrics import HEADLINE, shown_in
from apieval.records import Setting
from apieval.report.cells import is_partial
from apieval.report.terminal import FIGURE, label, number, visible
from apieval.results.figures import Figure, interval_of
from apieval.results.summary import Summary

_PART: Final = re.compile(r"[^-/_: ]*[-/_: ]*")


def folded(name: str, width: int) -> list[str]:
    """Return a name, made visible, in lines of at most so many cells of a terminal.

    It is broken behind a blank, a slash, a hyphen and the like, and within a part only where the
    part is longer than a line.
    """
    lines = [""]
    for part in _pieces(visible(name), width):
        if cell_len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _pieces(name: str, width: int) -> Iterator[str]:
    for part in _PART.findall(name):
        yield from chop_cells(part, width) if cell_len(part.rstrip()) > width else [part]


@dataclass(frozen=True, slots=True)
class Folded:
    """A name that is folded to whatever room a table gives it."""

    name: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Say that one line is best, and few cells do."""
        del console
        return Measurement(1, cell_len(visible(self.name))).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the lines."""
        del console
        yield Text("\n".join(folded(self.name, options.max_width)))


WIDTH: Final = 80
_FRAME: Final = 3
"""What each column takes beside its content: a blank on both sides, and a line."""
_MOST_LINES: Final = 4
"""A name of more lines above a column stands before a row instead."""
_MARKS: Final = {Place.HIGHEST: "*", Place.NOT_TOLD_APART: "~", Place.LOWER: "", Place.NONE: ""}
_PARTIAL: Final = "?"
_HALF: Final = "± half of the 95 % interval"
_LEGEND: Final = "* highest, ~ its 95 % interval overlaps that of the highest, ± half of one"
_FINER: Final = "`apieval compare` shows smaller differences: it compares runs rebus by rebus"
_REFERENCE: Final = "the dictionary's solver is a reference: it is held against no model"


def render(summaries: Sequence[Summary]) -> Iterator[RenderableType]:
    """Yield a table a setting, and what its marks mean; models are columns where they fit, else rows."""
    data = dict.fromkeys(called(str(each["data"]["name"])) for each in summaries)
    yield Text(visible(f"\nside by side on {', '.join(data)}, micro"), style="bold")
    settings, marked = summaries[0]["settings"], set[Place]()
    for setting in settings:
        columns = _columns(summaries, setting)
        marked.update(place for column in columns for place, _ in column)
        yield _table(summaries, setting, columns)
    yield Text(_LEGEND if Place.HIGHEST in marked else _HALF, style="dim")
    if Place.NOT_TOLD_APART in marked:
        yield Text(_FINER, style="dim")
    if len(_ranked(summaries)) < len(summaries):
        yield Text(_REFERENCE, style="dim")
    if any(is_partial(each, setting) for each in summaries for setting in settings):
        said = f"{_PARTIAL} PARTIAL: over the existing answers; cannot be the highest"
        yield Text(said, style="bold yellow")


Cell = tuple[Place, Text]


def _columns(summaries: Sequence[Summary], setting: Setting) -> list[list[Cell]]:
    """Return by metric the cells of all models, each with where it stands."""
    whole = [not is_partial(each, setting) for each in summaries]
    ranked = _ranked(summaries)
    held = [is_whole and at in ranked for at, is_whole in enumerate(whole)]
    found = []
    for metric in shown_in(setting, summaries[0]["given"]):
        micro = [each["figures"][setting]["all"]["official"][metric]["micro"] for each in summaries]
        stand = places(
            [each if is_held else None for each, is_held in zip(micro, held, strict=True)]
        )
        made = zip(stand, micro, whole, strict=True)
        found.append(
            [(place, _cell(place, each, whole=is_whole)) for place, each, is_whole in made]
        )
    return found


def _ranked(summaries: Sequence[Summary]) -> set[int]:
    """Return which runs have a rank: models, and a dictionary's solver among its like alone."""
    return set(map(int, ranked({str(at): each for at, each in enumerate(summaries)})))


def _cell(place: Place, micro: Figure, *, whole: bool) -> Text:
    """Return a figure, its mark and how sure it is; of a partial run only its bounds are sure."""
    if not whole:
        return Text(number(micro.get("answered")) + _PARTIAL)
    style = "bold" if place is Place.HIGHEST else ""
    cell = Text.assemble((number(micro["value"]) + _MARKS[place], style))
    if (found := interval_of(micro)) is not None:
        half = number((found[2] - found[1]) / 2).removeprefix("0")
        cell.append(f"\n±{half}", style="dim")
    return cell


def _table(
    summaries: Sequence[Summary], setting: Setting, columns: Sequence[Sequence[Cell]]
) -> Table:
    metrics = shown_in(setting, summaries[0]["given"])
    table = Table(title=Text(setting), title_justify="left", title_style="bold")
    room = (WIDTH - 1 - _FRAME - max(map(cell_len, metrics))) // len(summaries) - _FRAME
    names = [label(each) for each in summaries]
    # there may be a mark behind a figure
    if room > FIGURE and all(len(folded(name, room)) <= _MOST_LINES for name in names):
        _fill_with_models_as_columns(table, names, metrics, columns, room)
    else:
        _fill_with_models_as_rows(table, names, metrics, columns)
    return table


def _fill_with_models_as_columns(
    table: Table,
    names: Sequence[str],
    metrics: Sequence[str],
    columns: Sequence[Sequence[Cell]],
    room: int,
) -> None:
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in names:
        table.add_column(Folded(name), min_width=FIGURE + 1, max_width=room)
    for metric, cells in zip(metrics, columns, strict=True):
        style = "bold" if metric == HEADLINE else ""
        table.add_row(Text(metric, style=style), *(cell for _, cell in cells))


def _fill_with_models_as_rows(
    table: Table, names: Sequence[str], metrics: Sequence[str], columns: Sequence[Sequence[Cell]]
) -> None:
    table.add_column("model", min_width=FIGURE)
    for metric in metrics:
        words = metric.removesuffix("_accuracy").replace("_", "\n")
        table.add_column(words, overflow="fold", min_width=FIGURE + 1)
    for name, cells in zip(names, zip(*columns, strict=True), strict=True):
        table.add_row(Folded(name), *(cell for _, cell in cells))
