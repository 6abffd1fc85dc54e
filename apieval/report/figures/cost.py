"""What accuracy costs, of the runs whose price is known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from apieval.rebus.metrics import HEADLINE
from apieval.report.figures import canvas, points, style
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.runs import Drawn, Shown
from apieval.results.figures import known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT: Final = 3.0
_PANEL: Final = (4.6 * 72, 2.4 * 72)
"""About how wide and high the panel is, in points."""
_LETTER: Final = 4.7
"""About how wide a letter of a name is, in points."""
_CLEAR: Final = 9.0
"""From a point to the middle of a name above or below it, in points."""
_RINGS: Final = 5
_LEADER: Final[Mapping[str, Any]] = {
    "arrowstyle": "-",
    "color": style.GREY,
    "linewidth": 0.5,
    "shrinkA": 1,
    "shrinkB": 3,
}


class Offer(NamedTuple):
    """What a run's answers in one setting cost, in dollars a thousand, and what is solved for it."""

    run: Drawn
    setting: str
    dollars: float
    point: points.Point


def sketches(shown: Shown) -> Iterator[Sketch]:
    """Yield cost against accuracy, where the cost of two runs is known."""
    offers = [each for run in shown.runs for each in _offers(run, shown.settings)]
    if len({offer.run.label for offer in offers}) < 2:  # noqa: PLR2004 # one alone is no comparison
        return
    sheet = canvas.sheet(_HEIGHT)
    axes = sheet.subplots()
    for offer in offers:
        _point(axes, offer)
    axes.set_ylim(0, points.top([offer.point for offer in offers]))
    axes.locator_params(axis="y", nbins=5, integer=True)
    points.amount_axis(axes, [offer.dollars for offer in offers], 1)
    axes.set_xlabel("cost of 1,000 answers (USD)")
    axes.set_ylabel("solution accuracy (%)")
    axes.grid(visible=True)
    _name(axes, offers)
    without = [run.name for run in shown.runs if run not in [offer.run for offer in offers]]
    note = f"Not drawn, since their cost is unknown: {', '.join(without)}." if without else ""
    yield Sketch(
        name="cost",
        title="Cost against accuracy",
        caption=shown.caption(
            "Mean cost of 1,000 answers, as far as it is known, and accuracy of solutions with "
            f"{shown.sure}; official parser. Open markers: regular; full ones: hints.",
            note,
        ),
        alt=" ".join(("Cost of 1,000 answers, and accuracy of solutions.", *_offered(offers))),
        sheet=sheet,
    )


def _offers(run: Drawn, settings: Sequence[str]) -> Iterator[Offer]:
    for setting in settings:
        spread, point = run.spread(setting, "cost_usd"), points.point(run.micro(setting, HEADLINE))
        if point and spread:
            yield Offer(run, setting, 1000 * known(spread["mean"]), point)


def _point(axes: Axes, offer: Offer) -> None:
    point, look = offer.point, offer.run.look
    mine = look._replace(filled=style.SETTINGS[offer.setting].filled)
    label = f"{offer.run.label}, {offer.setting}"
    points.draw(axes, mine, label, [offer.dollars], [point], upright=True)


class _Box(NamedTuple):
    """A name's place on the panel, in points."""

    left: float
    right: float
    middle: float

    def on(self, other: _Box) -> bool:
        """Say whether two names stand on each other."""
        beside = self.right < other.left or other.right < self.left
        return not beside and abs(self.middle - other.middle) < style.SMALL * 1.3


def _name(axes: Axes, offers: Sequence[Offer]) -> None:
    """Write each run's name beside its dearest point, where no other name or point is."""
    marks = [_place(axes, offer) for offer in offers]
    taken = [_Box(x - 4, x + 4, y) for x, y in marks]
    last = {offer.run.label: at for at, offer in enumerate(offers)}
    for label, at in sorted(last.items(), key=lambda each: marks[each[1]]):
        place = next(each for each in _free(label, *marks[at], taken))
        taken.append(place)
        axes.annotate(
            label,
            (offers[at].dollars, offers[at].point.value),
            (place.left - marks[at][0], place.middle - marks[at][1]),
            textcoords="offset points",
            fontsize=style.SMALL,
            va="center",
            arrowprops={**_LEADER, "relpos": (place.left < marks[at][0], 0.5)},
        )


def _place(axes: Axes, offer: Offer) -> tuple[float, float]:
    """Return about where a point is on the panel, in points."""
    share = axes.transData.transform((offer.dollars, offer.point.value))
    x, y = axes.transAxes.inverted().transform(share)
    return float(x) * _PANEL[0], float(y) * _PANEL[1]


def _free(label: str, x: float, y: float, taken: Sequence[_Box]) -> Iterator[_Box]:
    """Yield places for a name that are free, the nearest first, and at last one that is not."""
    wide = _LETTER * len(label)
    for ring in range(1, _RINGS + 1):
        for up in (ring, -ring):
            for left in (x + _CLEAR, x - _CLEAR - wide):
                box = _Box(left, left + wide, y + up * _CLEAR)
                inside = box.left > 0 and box.right < _PANEL[0] + _CLEAR and box.middle > 0
                if inside and not any(box.on(other) for other in taken):
                    yield box
    yield _Box(x + _CLEAR, x + _CLEAR + wide, y + _CLEAR)


def _offered(offers: Sequence[Offer]) -> Iterator[str]:
    for offer in offers:
        said = f"{offer.dollars:,.2f} USD, {points.percent(offer.point)}"
        yield f"{offer.run.name}, {offer.setting}: {said}."
