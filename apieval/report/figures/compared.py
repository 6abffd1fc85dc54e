"""Figures that hold two figures of a run against each other: settings, subsets, parsers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from apieval.rebus.columns import ALL
from apieval.rebus.parsers import official
from apieval.report.figures import grid, names, spots, style
from apieval.report.figures.runs import Drawn, Shown
from apieval.report.figures.sketch import Sketch
from apieval.report.figures.spots import Spot
from apieval.report.figures.style import Look

_BOTH: Final = 2
_SUBSET: Final = 12
"""How many letters of a pair of subsets a legend has room for, thrice."""


def settings(shown: Shown) -> Iterator[Sketch]:
    """Yield regular against hints, where any run has both."""

    def figure(run: Drawn, setting: str, name: str) -> Spot | None:
        tree = spots.at(run.summary, "figures", setting, ALL, official.NAME, name)
        return spots.spot(spots.at(tree, "micro"))

    made = grid.of_metrics(shown, style.SETTINGS, figure, "right, %", joined=True)
    if len(shown.settings) == _BOTH and made.every:
        yield Sketch(
            name="hints",
            title="Regular against hints",
            caption=shown.caption(
                "What is right without and with the hidden words' lengths. Official parser, micro, "
                f"with {shown.sure}."
            ),
            alt=" ".join(("What is right.", *grid.told(made, shown, spots.percent))),
            sheet=grid.sheet(made),
        )


def gaps(shown: Shown) -> Iterator[Sketch]:
    """Yield how much better each run is on the first subset than on the others."""
    kinds = _kinds(shown)

    def figure(run: Drawn, kind: str, name: str) -> Spot | None:
        setting, pair = kinds[kind]
        tree = spots.at(run.summary, "gaps", setting, pair, official.NAME, name)
        return spots.spot(spots.at(tree, "micro"))

    pairs = list(dict.fromkeys(pair for _, pair in kinds.values()))
    looks = {
        kind: _look(pairs.index(pair), setting)
        for kind, (setting, pair) in kinds.items()
        if pair in pairs[: len(style.PAIRS)]
    }
    made = grid.of_metrics(shown, looks, figure, "difference, percentage points", signed=True)
    if made.every:
        more = len(pairs) - len(style.PAIRS)
        yield Sketch(
            name="gaps",
            title="Gaps between subsets",
            caption=shown.caption(
                f"How much better the first subset is solved than the other, with {shown.sure}. "
                "Official parser, micro.",
                f"{more} pairs of subsets more are not drawn." if more > 0 else "",
            ),
            alt=" ".join(("Gaps in points.", *grid.told(made, shown, points))),
            sheet=grid.sheet(made),
        )


def _kinds(shown: Shown) -> dict[str, tuple[str, str]]:
    """Return the pairs of subsets any run has, in each setting, by what a legend calls them."""
    found = {}
    for run in shown.runs:
        for setting in shown.settings:
            for pair in spots.at(run.summary, "gaps", setting) or ():
                name = names.drawable(pair.replace(" - ", " − "), _SUBSET)
                found[f"{name}, {setting}"] = setting, pair
    return found


def _look(pair: int, setting: str) -> Look:
    colour, marker = style.PAIRS[pair]
    return Look(colour, marker, filled=style.SETTINGS[setting].filled)


def format_loss(shown: Shown) -> Iterator[Sketch]:
    """Yield how much more is right for the tolerant parser than for the official one."""

    def figure(run: Drawn, setting: str, name: str) -> Spot | None:
        found = spots.at(run.summary, "format_loss", setting, ALL, "metrics", name)
        return spots.spot({**found, "value": found["difference"]}) if found else None

    looks: Mapping[str, Look] = {each: style.SETTINGS[each] for each in shown.settings}
    label = "tolerant minus official, percentage points"
    made = grid.of_metrics(shown, looks, figure, label, signed=True)
    if made.every:
        yield Sketch(
            name="format-loss",
            title="What the form of the answers costs",
            caption=shown.caption(
                "How much more the tolerant parser finds right than the official one, micro, with "
                "95 % intervals."
            ),
            alt=" ".join(("Format loss in points.", *grid.told(made, shown, points))),
            sheet=grid.sheet(made),
        )


def points(of: Spot | None) -> str:
    """Return a difference in words."""
    return "unknown" if of is None else f"{of.value:+.1f}"
