"""The step of each answer's first error: a bar a run and setting, of a part for each step."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from apieval.report.figures import canvas, points, style
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.runs import DESCRIBED, Drawn, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LEAST: Final = 5.0
"""A part of fewer percent has no room for its number."""
_THICK: Final = 0.82
_BETWEEN: Final = 0.5
"""Rows between two runs' bars."""
_WHOLE: Final = 100
_LEGEND: Final[Mapping[str, Any]] = {"handlelength": 0.8, "handleheight": 0.8, "columnspacing": 0.9}
"""So that all steps stand in one line."""


class Bar(NamedTuple):
    """The answers of one run in one setting, at a place; `shares` by step are in percent."""

    run: Drawn
    setting: str
    place: float
    shares: Mapping[str, float]
    n: int


def sketches(shown: Shown) -> Iterator[Sketch]:
    """Yield the bars, if there is a diagnosis of any answer."""
    bars = _bars(shown)
    if not bars:
        return
    sheet = canvas.sheet((bars[-1].place + 1) * style.ROW + 0.75)
    axes = sheet.subplots()
    for step, colour in style.STEPS.items():
        _part(axes, bars, step, colour)
    _frame(axes, bars)
    handles, names = axes.get_legend_handles_labels()
    sheet.legend(handles, names, loc="outside upper left", ncols=len(names), **_LEGEND)
    yield Sketch(
        name="broke-first",
        title="First error",
        caption=shown.caption(
            "Share of all answers by the step of their first error. Solved answers have none; those "
            "whose only error is of format are right for the tolerant parser."
        ),
        alt=" ".join(("First error.", *_described(bars, shown))),
        sheet=sheet,
    )


def _bars(shown: Shown) -> list[Bar]:
    bars, place = [], 0.0
    for run in shown.runs:
        for setting in shown.settings:
            found = run.first_errors(setting)
            there = {step: points.point(found.get(step)) for step in style.STEPS}
            shares = {step: each.value for step, each in there.items() if each}
            if shares:
                n = max(each.n for each in there.values() if each)
                bars.append(Bar(run, setting, place, shares, n))
                place += 1
        place += _BETWEEN if bars and bars[-1].run is run else 0
    return bars


def _part(axes: Axes, bars: Sequence[Bar], step: str, colour: str) -> None:
    """Draw one step's part of every bar, behind those of the steps before it."""
    before = list(style.STEPS)[: list(style.STEPS).index(step)]
    begins = [sum(bar.shares.get(each, 0.0) for each in before) for bar in bars]
    widths = [bar.shares.get(step, 0.0) for bar in bars]
    drawn = axes.barh(
        [bar.place for bar in bars],
        widths,
        left=begins,
        height=_THICK,
        color=colour,
        edgecolor=style.PAPER,
        linewidth=0.6,
        label=step.replace("_", " "),
    )
    axes.bar_label(
        drawn,
        [f"{width:.0f}" if width >= _LEAST else "" for width in widths],
        label_type="center",
        color=style.ON_DARK if colour == style.BLUE else style.ON_LIGHT,
        fontsize=style.SMALL,
    )


def _frame(axes: Axes, bars: Sequence[Bar]) -> None:
    """Write names before the bars, settings behind them."""
    axes.set_xlim(0, _WHOLE)
    axes.set_ylim(bars[-1].place + 0.5, -0.5)
    runs = {bar.run.label: [b.place for b in bars if b.run is bar.run] for bar in bars}
    axes.set_yticks([sum(places) / len(places) for places in runs.values()], list(runs))
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("answers (%)")
    for bar in bars:
        said = f"{bar.setting}, n = {bar.n:,}"
        axes.text(_WHOLE + 1, bar.place, said, fontsize=style.SMALL, va="center_baseline")


def _described(bars: Sequence[Bar], shown: Shown) -> Iterator[str]:
    for bar in bars:
        if bar.run in shown.runs[:DESCRIBED]:
            parts = sorted(bar.shares.items(), key=lambda part: -part[1])
            said = ", ".join(f"{step.replace('_', ' ')} {share:.1f} %" for step, share in parts)
            yield f"{bar.run.name}, {bar.setting}: {said}."
    yield from shown.rest()
