"""What answers took: how seconds and tokens are spread over them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from apieval.report.figures import canvas, grid, points, style
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.runs import DESCRIBED, Shown
from apieval.results.figures import known

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MEASURES: Final[Mapping[str, tuple[str, str]]] = {
    "latency_s": ("time", "seconds"),
    "completion_tokens": ("length", "tokens"),
    "reasoning_tokens": ("reasoning", "tokens"),
}
_APART: Final = 0.36
_AROUND: Final = 0.85


class _Box(NamedTuple):
    """How one measure is spread over the answers of a run in a setting, drawn at a place."""

    setting: str
    place: float
    quantiles: Mapping[str, float]


def sketches(shown: Shown) -> Iterator[Sketch]:
    """Yield how seconds and tokens are spread, where any run's are known."""
    found = {name: boxes for name in MEASURES if (boxes := _boxes(shown, name))}
    if not found:
        return
    row = style.ROW * max(1.0, 0.7 * len(shown.settings))
    sheet = canvas.sheet(len(shown.runs) * row + _AROUND)
    panels = sheet.subplots(1, len(found), sharey=True, squeeze=False)[0]
    for axes, (name, boxes) in zip(panels, found.items(), strict=True):
        _panel(axes, boxes)
        points.amount_axis(axes, [v for box in boxes for v in box.quantiles.values()], len(found))
        title, unit = MEASURES[name]
        axes.set_title(title)
        axes.set_xlabel(unit)
    panels[0].set_yticks(range(len(shown.runs)), [run.label for run in shown.runs])
    panels[0].set_ylim(len(shown.runs) - 0.5, -0.5)
    grid.separate(panels, len(shown.runs))
    if len(shown.settings) > 1:
        series = grid.legend(panels)
        sheet.legend(series.values(), series.keys(), loc="outside upper right", ncols=len(series))
    yield Sketch(
        name="spending",
        title="Time and tokens per answer",
        caption=shown.caption(
            "Median, the middle half (thick) and the middle 90 % (thin) of the answers. Times are of "
            "answers that did not come from the cache."
        ),
        alt=" ".join(("Time and tokens per answer.", *_described(shown))),
        sheet=sheet,
    )


def _boxes(shown: Shown, name: str) -> list[_Box]:
    boxes = []
    for at, run in enumerate(shown.runs):
        for number, setting in enumerate(shown.settings):
            if spread := run.spread(setting, name):
                aside = (number - (len(shown.settings) - 1) / 2) * _APART
                quantiles = {share: known(of) for share, of in spread["quantiles"].items()}
                boxes.append(_Box(setting, at + aside, quantiles))
    return boxes


def _panel(axes: Axes, boxes: Sequence[_Box]) -> None:
    for setting in dict.fromkeys(box.setting for box in boxes):
        mine = [box for box in boxes if box.setting == setting]
        look, places = style.SETTINGS[setting], [box.place for box in mine]
        for low, high, width in (("0.05", "0.95", 1.0), ("0.25", "0.75", 3.0)):
            begins, ends = ([box.quantiles[each] for box in mine] for each in (low, high))
            axes.hlines(places, begins, ends, colors=look.colour, linewidth=width)
        axes.plot(
            [box.quantiles["0.5"] for box in mine],
            places,
            color=look.colour,
            marker=look.marker,
            markerfacecolor=look.colour if look.filled else style.PAPER,
            linestyle="none",
            label=setting,
            zorder=3,
        )
    axes.xaxis.grid(visible=True)
    axes.tick_params(axis="y", length=0)


def _described(shown: Shown) -> Iterator[str]:
    for run in shown.runs[:DESCRIBED]:
        for setting in shown.settings:
            parts = [
                f"{title} {_number(known(spread['quantiles']['0.5']))} {unit} (95 % below "
                f"{_number(known(spread['quantiles']['0.95']))})"
                for name, (title, unit) in MEASURES.items()
                if (spread := run.spread(setting, name))
            ]
            if parts:
                yield f"{run.name}, {setting}, median: {', '.join(parts)}."
    yield from shown.rest()


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"  # noqa: PLR2004 # digits that count
