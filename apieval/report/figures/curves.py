"""Shares over steps or groups: a line a series, each named at its end.

Of several runs each setting has a panel, below each other; of one run both settings share one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from apieval.report.figures import canvas, points, style
from apieval.report.figures.points import Point
from apieval.report.figures.runs import DESCRIBED, Drawn, Shown

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Sheet

_APART: Final = 0.5
"""Series stand side by side on so much of the way from one group to the next, at most."""
_STEP: Final = 0.1
_EDGE: Final = 0.42
"""How much room there is before the first group and behind the last, in groups."""
_LEADER: Final = 14.0
"""How far behind the panel's edge names begin, in points."""
_LINE: Final = 1.45
"""From one name to the next, in text sizes."""
_WIDE: Final = 3.6
"""About how many inches a panel is wide."""
_TITLE: Final = 0.27
_TICKS: Final = 0.33
_LABEL: Final = 0.25
"""Inches of what stands above and below panels."""


class Curve(NamedTuple):
    """One series: its name, its look, and a share for each group, None where there is none."""

    label: str
    name: str
    look: style.Look
    points: Sequence[Point | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """What one panel shows; `groups` are their names in words, `ticks` as they are drawn."""

    title: str
    curves: Sequence[Curve]
    groups: list[str] = field(default_factory=list)
    ticks: list[str] = field(default_factory=list)


def panels(shown: Shown, shares: Callable[[Drawn, str], Sequence[Point | None]]) -> list[Panel]:
    """Return the panels there is something for, of the shares of each run in each setting."""
    found = [
        (setting, run, each)
        for setting in shown.settings
        for run in shown.runs
        if any(each := shares(run, setting))
    ]
    if shown.alone:
        both = [Curve(at, at, style.SETTINGS[at], each) for at, _, each in found]
        return [Panel(title="", curves=both)] if both else []
    return [
        Panel(
            title=setting,
            curves=[Curve(r.label, r.name, r.look, each) for at, r, each in found if at == setting],
        )
        for setting in dict.fromkeys(setting for setting, *_ in found)
    ]


def described(drawn: Sequence[Panel], shown: Shown) -> Iterator[str]:
    """Yield what is seen on each panel of each series, in words."""
    for panel in drawn:
        for curve in panel.curves[:DESCRIBED]:
            pairs = zip(panel.groups, curve.points, strict=True)
            said = ", ".join(f"{group} {points.percent(each)}" for group, each in pairs if each)
            yield f"{', '.join(filter(None, (curve.name, panel.title)))}: {said}."
    yield from shown.rest()


def sheet(drawn: Sequence[Panel], label: str) -> Sheet:
    """Return the panels drawn below each other; `label` says what the groups are."""
    most = max(len(panel.curves) for panel in drawn)
    tall = max(style.PANEL, most * style.SMALL * _LINE / 72)
    around = _TICKS + _TITLE * bool(drawn[0].title)
    made = canvas.sheet(len(drawn) * (tall + around) + _LABEL * bool(label) + 0.1)
    rows = made.subplots(len(drawn), 1, squeeze=False)[:, 0]
    height = points.top(
        [each for panel in drawn for curve in panel.curves for each in curve.points]
    )
    for axes, panel in zip(rows, drawn, strict=True):
        _draw(axes, panel.curves, height=height)
        axes.set_title(panel.title)
        axes.set_xticks(range(len(panel.ticks)), panel.ticks)
        axes.set_ylabel("accuracy (%)")
    rows[-1].set_xlabel(label)
    if most > 1 or drawn[0].title:
        for axes, panel in zip(rows, drawn, strict=True):
            _name(axes, panel.curves, tall=tall)  # not every run is on every panel
    return made


def _draw(axes: Axes, curves: Sequence[Curve], *, height: float) -> None:
    """Draw series on a panel, on which shares go from 0 to `height` percent."""
    groups = len(curves[0].points)
    for aside, curve in zip(_asides(len(curves)), curves, strict=True):
        places = [group + aside for group in range(groups)]
        points.draw(axes, curve.look, curve.label, places, curve.points, upright=True, joined=True)
    axes.set_xlim(-_EDGE, groups - 1 + _EDGE)
    axes.set_ylim(0, height)
    axes.locator_params(axis="y", nbins=5)
    axes.yaxis.grid(visible=True)
    axes.tick_params(axis="x", length=0)


def _asides(series: int) -> list[float]:
    step = min(_STEP, _APART / series)
    return [(number - (series - 1) / 2) * step for number in range(series)]


class _End(NamedTuple):
    curve: Curve
    place: float
    value: float


def _name(axes: Axes, curves: Sequence[Curve], *, tall: float) -> None:
    """Write the series' names behind their ends, with their markers.

    The panel is so many inches tall. Names that would stand on each other move apart.
    """
    ends = sorted(_ends(curves), key=lambda end: end.value)
    if not ends:
        return
    low, high = axes.get_ylim()
    least = style.SMALL * _LINE / 72 / tall * (high - low)
    levels = spread([end.value for end in ends], least, low, high)
    begin, edge = axes.get_xlim()
    at, text_at = (1 + behind / 72 / _WIDE for behind in (_LEADER, _LEADER + 7))
    where = axes.get_yaxis_transform()  # along the panel's width, and values
    for (curve, place, value), level in zip(ends, levels, strict=True):
        leader = [(place - begin) / (edge - begin), at], [value, level]
        axes.plot(*leader, transform=where, color=style.GREY, lw=0.5, clip_on=False, zorder=1)
        points.draw_marker(axes, curve.look, at, level, where)
        axes.text(
            text_at, level, curve.label, transform=where, fontsize=style.SMALL, va="center_baseline"
        )


def _ends(curves: Sequence[Curve]) -> list[_End]:
    """Return the last point of each series that has any."""
    found = []
    for aside, curve in zip(_asides(len(curves)), curves, strict=True):
        there = [(group, each) for group, each in enumerate(curve.points) if each]
        if there:
            group, last = there[-1]
            found.append(_End(curve, group + aside, last.value))
    return found


def spread(levels: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return rising levels moved so far that they are `least` apart, and within bounds if they can.

    Those that clash move up and down alike, as a block.
    """
    blocks: list[tuple[float, int]] = []  # where its members want its foot, summed; how many
    for level in levels:
        wanted, count = level, 1
        while blocks and _foot(blocks[-1]) + blocks[-1][1] * least > wanted / count:
            before, below = blocks.pop()
            wanted, count = before + wanted - count * below * least, below + count
        blocks.append((wanted, count))
    placed = [_foot(block) + at * least for block in blocks for at in range(block[1])]
    return _kept(placed, least, low, high)


def _kept(levels: Sequence[float], least: float, low: float, high: float) -> list[float]:
    """Return levels pushed within bounds, from the top downwards, then from the bottom upwards."""
    kept: list[float] = []
    for level in reversed(levels):
        kept.append(min(level, kept[-1] - least if kept else high))
    kept.reverse()
    for at, level in enumerate(kept):
        kept[at] = max(level, kept[at - 1] + least if at else low)
    return kept


def _foot(block: tuple[float, int]) -> float:
    return block[0] / block[1]
