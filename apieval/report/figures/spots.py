"""Figures as they are drawn: a value, its interval, and whether it can still change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from apieval.report.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.transforms import Transform

_SURE: Final = "-"
_BOUNDS: Final = (0, (1, 1))


class Spot(NamedTuple):
    """A figure to be drawn, in percent or points; not `sure` are the bounds of a partial run's."""

    value: float
    low: float
    high: float
    n: int
    sure: bool = True


def spot(figure: Mapping[str, Any] | None) -> Spot | None:
    """Return a share as a spot, None where nothing was measured.

    Where answers are missing it is the share of those there are, within what it can still become.
    """
    if not figure or figure["value"] is None:
        return None
    value, low, high, sure = figure["value"], figure["low"], figure["high"], True
    if "at_least" in figure:
        value = figure.get("answered", value)
        low, high, sure = figure["at_least"], figure["at_most"], False
    if value is None:
        return None
    low, high = (value if each is None else each for each in (low, high))
    return Spot(100 * value, 100 * low, 100 * high, figure.get("n", 0), sure)


def at(tree: Any, *path: str) -> Any:  # noqa: ANN401 # any JSON
    """Return what stands in a tree at a path, None where it has no such branch."""
    for name in path:
        if not isinstance(tree, Mapping):
            return None
        tree = tree.get(name)
    return tree


def percent(of: Spot | None) -> str:
    """Return a share in words."""
    return "unknown" if of is None else f"{of.value:.1f} %"


def top(spots: Sequence[Spot | None]) -> float:
    """Return where an axis of shares ends, that begins at 0."""
    highest = max((each.high for each in spots if each), default=0.0)
    steps = (1, 2, 5, 10, 20, 30, 40, 50, 60, 80)
    return next((float(step) for step in steps if highest <= 0.97 * step), 100.0)


def mark(
    axes: Axes,
    look: style.Look,
    label: str,
    places: Sequence[float],
    spots: Sequence[Spot | None],
    *,
    upright: bool,
    joined: bool = False,
) -> None:
    """Draw a series at its places: markers, their intervals, and a line from one to the next.

    `upright` has the values on the vertical axis, else they lie on the horizontal one.
    """
    there = [(place, each) for place, each in zip(places, spots, strict=True) if each]
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


def mark_alone(axes: Axes, look: style.Look, x: float, y: float, where: Transform) -> None:
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
