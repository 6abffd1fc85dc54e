"""From definitions to the solution: the accuracy at each step."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apieval.report.figures import curves, points, runs
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.curves import Panel
from apieval.report.figures.points import Point
from apieval.report.figures.runs import Drawn, Shown


def sketches(shown: Shown) -> Iterator[Sketch]:
    """Yield the funnel: a panel a setting; of one run one panel with both."""
    panels = curves.panels(shown, _steps)
    if not panels:
        return
    for panel in panels:
        panel.groups.extend(runs.STEPS.values())
        panel.ticks.extend(name.replace(" ", "\n") for name in panel.groups)
    yield Sketch(
        name="funnel",
        title="From definitions to the solution",
        caption=shown.caption(
            "Accuracy at each step: hidden words, first passes, words of the solution, and "
            f"solutions; n = {_n(panels)}. Official parser, micro, with {shown.sure}."
        ),
        alt=" ".join(("Accuracy at each step.", *curves.described(panels, shown))),
        sheet=curves.sheet(panels, ""),
    )


def _steps(run: Drawn, setting: str) -> list[Point | None]:
    return [points.point(run.micro(setting, step)) for step in runs.STEPS]


def _n(panels: Sequence[Panel]) -> str:
    """Say of how many the shares are: words and rebuses differ, and runs may."""
    every = [each.n for panel in panels for curve in panel.curves for each in curve.points if each]
    low, high = min(every), max(every)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"
