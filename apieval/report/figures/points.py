"""Figures as they are drawn: a value, its interval, and whether it can still change."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from apieval.report.figures import style
from apieval.results.figures import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

_SURE: Final = "-"
_BOUNDS: Final = (0, (1, 1))
_APART: Final = 8
"""Of amounts that differ by this factor, the smaller ones would lie on one point."""
_ROOM: Final = 1.25
_TICKS: Final = 7
_FEW: Final = 3
"""How many ticks find room on a panel, and on one of several."""


class Point(NamedTuple):
    """A figure to be drawn, in percent or points; not `sure` are the bounds of a partial run's."""

    value: float
    low: float
    high: float
    n: int
    sure: bool = True


def point(figure: Estimate | None) -> Point | None:
    """Return a share as a point, None where nothing was measured.

    Where answers are missing it is the share of those there are, within what it can still become.
    """
    if not figure or figure["value"] is None:
        return None
    of: Mapping[str, Any] = figure  # of what kind of figure is the same here
    value, low, high = of["value"], of["low"], of["high"]
    if "at_least" in of:
        value, low, high = of.get("answered", value), of["at_least"], of["at_most"]
    if value is None:
        return None
    low, high = (value if each is None else each for each in (low, high))
    return Point(100 * value, 100 * low, 100 * high, of.get("n", 0), "at_least" not in of)


def percent(of: Point | None) -> str:
    """Return a share in words."""
    return "unknown" if of is None else f"{of.value:.1f} %"


def top(points: Sequence[Point | None]) -> float:
    """Return where an axis of shares ends, that begins at 0."""
    highest = max((each.high for each in points if each), default=0.0)
    steps = (1, 2, 5, 10, 20, 30, 40, 50, 60, 80)
    return next((float(step) for step in steps if highest <= 0.97 * step), 100.0)


def draw(
    axes: Axes,
    look: style.Look,
    label: str,
    places: Sequence[float],
    points: Sequence[Point | None],
    *,
    upright: bool,
    joined: bool = False,
) -> None:
    """Draw a series at its places: markers, their intervals, and a line from one to the next.

    `upright` has the values on the vertical axis, else they lie on the horizontal one.
    """
    there = [(place, each) for place, each in zip(places, points, strict=True) if each]
    if not there:
        return  # a line of nothing has no place, and would take some of the sheet
    for sure, dash in ((True, _SURE), (False, _BOUNDS)):
        some = [(place, each) for place, each in there if each.sure is sure]
        if some:
            span = axes.vlines if upright else axes.hlines
            ends = [each.low for _, each in some], [each.high for _, each in some]
            drawn = span([place for place, _ in some], *ends, colors=look.colour, linewidth=1.1)
            drawn.set(linestyle=dash, clip_on=False)
    along, values = [place for place, _ in there], [each.value for _, each in there]
    axes.plot(
        *((along, values) if upright else (values, along)),
        color=look.colour,
        marker=look.marker,
        markerfacecolor=look.colour if look.filled else style.PAPER,
        linestyle=look.line if joined else "none",
        label=label,
        clip_on=False,  # a marker at 0 is a whole one
        zorder=3,
    )


def draw_marker(axes: Axes, look: style.Look, x: float, y: float, where: Transform) -> None:
    """Draw a series' marker by itself, at a place outside of what is measured."""
    axes.plot(
        [x],
        [y],
        transform=where,
        color=look.colour,
        marker=look.marker,
        markerfacecolor=look.colour if look.filled else style.PAPER,
        clip_on=False,
    )


def amount_axis(axes: Axes, amounts: Sequence[float], panels: int) -> None:
    """Set the horizontal axis for amounts, which are never below 0; what is 0 keeps it linear.

    There are so many panels beside each other.
    """
    low, high = min(amounts), max(amounts)
    if low <= 0 or high / low < _APART:
        axes.set_xlim(0, high * 1.1 or 1)
        axes.locator_params(axis="x", nbins=_room(panels) - 1)
        return
    axes.set_xscale("log")
    axes.set_xlim(low / _ROOM, high * _ROOM)
    ticks = _ticks(low / _ROOM, high * _ROOM, _room(panels))
    axes.set_xticks(ticks, [_short(each) for each in ticks])
    axes.set_xticks([], minor=True)


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers within bounds: 1, 2 and 5 of each power of ten, or fewer of them."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    within: list[float] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        round_ones = [digit * 10.0**power for power in powers for digit in digits]
        within = [each for each in round_ones if low <= each <= high]
        if len(within) <= most:
            break
    return within[:: math.ceil(len(within) / most)]


def _room(panels: int) -> int:
    return _TICKS if panels == 1 else _FEW


def _short(amount: float) -> str:
    thousand = 1000
    return f"{amount / thousand:,g}k" if amount >= thousand else f"{amount:g}"
