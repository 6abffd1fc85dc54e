"""Figures that hold two figures of a run against each other: settings, subsets, parsers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from apieval.rebus.parsers import official
from apieval.report.figures import grid, points, runs, style
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.points import Point
from apieval.report.figures.runs import Drawn, Shown
from apieval.report.figures.style import Look
from apieval.results.figures import Found

_BOTH: Final = 2
_SUBSET: Final = 12
"""How many letters of a pair of subsets a legend has room for, thrice."""


def settings(shown: Shown) -> Iterator[Sketch]:
    """Yield regular against hints, where any run has both."""

    def figure(run: Drawn, setting: str, name: str) -> Point | None:
        return points.point(run.micro(setting, name))

    made = grid.of_metrics(shown, style.SETTINGS, figure, "accuracy (%)", joined=True)
    if len(shown.settings) == _BOTH and made.every:
        yield Sketch(
            name="hints",
            title="Regular against hints",
            caption=shown.caption(
                "Accuracy without and with the hidden words' lengths. Official parser, micro, "
                f"with {shown.sure}."
            ),
            alt=" ".join(("Accuracy.", *grid.described(made, shown, points.percent))),
            sheet=grid.sheet(made),
        )


def gaps(shown: Shown) -> Iterator[Sketch]:
    """Yield how much better each run is on the first subset than on the others."""
    kinds = _kinds(shown)

    def figure(run: Drawn, kind: str, name: str) -> Point | None:
        setting, pair = kinds[kind]
        metrics = run.gaps(setting).get(pair, {}).get(official.NAME, {})
        return points.point(metrics[name]["micro"] if name in metrics else None)

    pairs = list(dict.fromkeys(pair for _, pair in kinds.values()))
    looks = {
        kind: _look(pairs.index(pair), setting)
        for kind, (setting, pair) in kinds.items()
        if pair in pairs[: len(style.PAIRS)]
    }
    made = grid.of_metrics(shown, looks, figure, "difference (percentage points)", signed=True)
    if made.every:
        more = len(pairs) - len(style.PAIRS)
        yield Sketch(
            name="gaps",
            title="Gaps between subsets",
            caption=shown.caption(
                f"Accuracy on the first subset minus that on the other, with {shown.sure}. "
                "Official parser, micro.",
                f"{more} more pairs of subsets are not drawn." if more > 0 else "",
            ),
            alt=" ".join(("Gaps in percentage points.", *grid.described(made, shown, difference))),
            sheet=grid.sheet(made),
        )


def _kinds(shown: Shown) -> dict[str, tuple[str, str]]:
    """Return the pairs of subsets any run has, in each setting, by what a legend calls them."""
    found = {}
    for run in shown.runs:
        for setting in shown.settings:
            for pair in run.gaps(setting):
                name = runs.drawable(pair.replace(" - ", " − "), _SUBSET)
                found[f"{name}, {setting}"] = setting, pair
    return found


def _look(pair: int, setting: str) -> Look:
    colour, marker = style.PAIRS[pair]
    return Look(colour, marker, filled=style.SETTINGS[setting].filled)


def format_loss(shown: Shown) -> Iterator[Sketch]:
    """Yield how much more is right for the tolerant parser than for the official one."""

    def figure(run: Drawn, setting: str, name: str) -> Point | None:
        if (loss := run.loss(setting, name)) is None:
            return None
        value, low, high = loss["difference"], loss["low"], loss["high"]
        found: Found = {"value": value, "low": low, "high": high, "n": loss["n"]}
        return points.point(found)

    looks: Mapping[str, Look] = {each: style.SETTINGS[each] for each in shown.settings}
    label = "tolerant minus official (percentage points)"
    made = grid.of_metrics(shown, looks, figure, label, signed=True)
    if made.every:
        yield Sketch(
            name="format-loss",
            title="Format loss",
            caption=shown.caption(
                "Accuracy by the tolerant parser minus that by the official one, micro, with "
                "95 % intervals."
            ),
            alt=" ".join(
                ("Format loss in percentage points.", *grid.described(made, shown, difference))
            ),
            sheet=grid.sheet(made),
        )


def difference(of: Point | None) -> str:
    """Return a difference in words."""
    return "unknown" if of is None else f"{of.value:+.1f}"
