"""Rows of runs beside panels of metrics: a marker and an interval a series. Of one run metrics are rows.

A figure of many runs stays legible so, since each has a row of its own and its name at its left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from apieval.report.figures import canvas, points, style
from apieval.report.figures.points import Point
from apieval.report.figures.runs import DESCRIBED, Drawn, Shown

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

_APART: Final = 0.3
"""From one series to the next within a row, in rows of two."""
_AROUND: Final = 0.85
"""Inches of titles, ticks and labels above and below the rows."""
_TICKS: Final = 6
_FEW: Final = 3
"""How many steps from tick to tick there is room for, on one panel and on one of several."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """What is drawn: `found[series][row][panel]`; with `joined` a line goes from series to series.

    `signed` figures go to both sides of 0, shares from 0 to the right.
    """

    panels: Sequence[str]
    rows: Sequence[str]
    looks: Mapping[str, style.Look]
    found: Mapping[str, Sequence[Sequence[Point | None]]]
    label: str
    joined: bool = False
    signed: bool = False

    @property
    def every(self) -> list[Point]:
        """Return all there is to draw."""
        return [each for rows in self.found.values() for row in rows for each in row if each]


def of_metrics(
    shown: Shown,
    looks: Mapping[str, style.Look],
    figure: Callable[[Drawn, str, str], Point | None],
    label: str,
    *,
    joined: bool = False,
    signed: bool = False,
) -> Grid:
    """Return the grid of the metrics' figures, by run, series and metric; without what none has."""
    chosen = shown.metrics
    found = {
        series: [[figure(run, series, name) for name in chosen] for run in shown.runs]
        for series in looks
    }
    there = [
        at for at in range(len(chosen)) if any(row[at] for rows in found.values() for row in rows)
    ]
    return Grid(
        panels=[list(chosen.values())[at] for at in there],
        rows=[run.label for run in shown.runs],
        looks=looks,
        found={
            series: [[row[at] for at in there] for row in rows] for series, rows in found.items()
        },
        label=label,
        joined=joined,
        signed=signed,
    )


def described(grid: Grid, shown: Shown, said: Callable[[Point | None], str]) -> Iterator[str]:
    """Yield what is seen of each run, in words."""
    for at, run in enumerate(shown.runs[:DESCRIBED]):
        parts = [
            f"{panel} {name} {said(found[at][number])}"
            for number, panel in enumerate(grid.panels)
            for name, found in grid.found.items()
        ]
        yield f"{run.name}: {', '.join(parts)}."
    yield from shown.rest()


def sheet(grid: Grid) -> Sheet:
    """Return the drawn grid."""
    grid = _turned(grid) if len(grid.rows) == 1 else grid
    series = len(grid.looks)
    made = canvas.sheet(len(grid.rows) * style.ROW * max(1.0, 0.55 * series) + _AROUND)
    axes = made.subplots(1, len(grid.panels), sharex=grid.signed, sharey=True, squeeze=False)[0]
    for at, (panel, title) in enumerate(zip(axes, grid.panels, strict=True)):
        _panel(panel, grid, at)
        panel.set_title(title)
    axes[0].set_yticks(range(len(grid.rows)), list(grid.rows))
    axes[0].set_ylim(len(grid.rows) - 0.5, -0.5)
    separate(axes, len(grid.rows))
    made.supxlabel(grid.label, fontsize=style.SMALL)
    if series > 1:
        found = legend(axes)
        handles = {name: found[name] for name in grid.looks if name in found}
        ncols = min(len(handles), 4)
        made.legend(handles.values(), handles.keys(), loc="outside upper right", ncols=ncols)
    return made


def legend(panels: Sequence[Axes]) -> Mapping[str, Artist]:
    """Return what a legend shows by its name: the series any panel has."""
    found: dict[str, Artist] = {}
    for axes in panels:
        handles, names = axes.get_legend_handles_labels()
        found |= dict(zip(names, handles, strict=True))
    return found


def separate(panels: Sequence[Axes], rows: int) -> None:
    """Draw a fine line from row to row."""
    for axes in panels:
        for row in range(1, rows):
            axes.axhline(row - 0.5, color=style.GRID, linewidth=0.6, zorder=0)


def _turned(grid: Grid) -> Grid:
    """Return the grid of one run: a panel, and a row for what were panels."""
    found = {name: [[each] for each in row] for name, [row] in grid.found.items()}
    return replace(grid, panels=[""], rows=grid.panels, found=found)


def _panel(axes: Axes, grid: Grid, panel: int) -> None:
    series = len(grid.looks)
    apart = _APART * min(1.0, 4 / (series + 1))
    asides = [(at - (series - 1) / 2) * apart for at in range(series)]
    columns = [[row[panel] for row in rows] for rows in grid.found.values()]
    if grid.joined and series > 1:
        _join(axes, columns[0], columns[-1], (asides[0], asides[-1]))
    for aside, column, (name, look) in zip(asides, columns, grid.looks.items(), strict=True):
        places = [at + aside for at in range(len(column))]
        points.draw(axes, look, name, places, column, upright=False)
    if grid.signed:
        axes.axvline(0, color=style.SOFT, linewidth=0.8, zorder=1)
        axes.margins(x=0.08)
    else:
        axes.set_xlim(0, points.top([each for column in columns for each in column]))
    axes.xaxis.grid(visible=True)
    axes.tick_params(axis="y", length=0)
    axes.locator_params(axis="x", nbins=_TICKS if len(grid.panels) == 1 else _FEW)


def _join(
    axes: Axes,
    first: Sequence[Point | None],
    last: Sequence[Point | None],
    asides: tuple[float, float],
) -> None:
    """Draw a thin line from the first series' marker to the last one's in every row."""
    for at, (begin, end) in enumerate(zip(first, last, strict=True)):
        if begin and end:
            axes.plot(
                [begin.value, end.value],
                [at + asides[0], at + asides[1]],
                color=style.GREY,
                linewidth=0.8,
                zorder=2,
            )
