"""What accuracy depends on: shares over groups of words or rebuses, and how many each group has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final, NamedTuple

from apieval.report.figures import curves, points
from apieval.report.figures.canvas import Sketch
from apieval.report.figures.points import Point
from apieval.report.figures.runs import Drawn, Shown
from apieval.results.figures import Group


class Kind(NamedTuple):
    """One figure: its name, its title, of what the shares are, and what is grouped by what."""

    name: str
    title: str
    what: str
    metric: str
    on: str
    groups: str


KINDS: Final = (
    Kind(
        "word-length",
        "Accuracy by word length",
        "Accuracy of hidden words",
        "word_guess_accuracy",
        "word_length",
        "letters of the hidden word",
    ),
    Kind(
        "hidden-words",
        "Accuracy by number of hidden words",
        "Accuracy of solutions",
        "solution_match",
        "hidden_words",
        "hidden words of the rebus",
    ),
    Kind(
        "solution-length",
        "Accuracy by solution length",
        "Accuracy of solutions",
        "solution_match",
        "solution_length",
        "letters of the solution",
    ),
    Kind(
        "frequency",
        "Accuracy by word frequency",
        "Accuracy of hidden words",
        "word_guess_accuracy",
        "frequency",
        "frequency in Italian, on the Zipf scale",
    ),
)


def sketches(shown: Shown) -> Iterator[Sketch]:
    """Yield a figure for each thing accuracy may depend on, where any run has it."""
    for kind in KINDS:
        panels = curves.panels(shown, partial(_shares, kind))
        if not panels:
            continue
        for panel in panels:
            settings = [panel.title] if panel.title else shown.settings
            panel.ticks.extend(_ticks(shown, kind, settings))
            panel.groups.extend(tick.partition("\n")[0] for tick in panel.ticks)
        yield Sketch(
            name=kind.name,
            title=kind.title,
            caption=shown.caption(
                f"{kind.what}, by {kind.groups}. Official parser, micro, with 95 % intervals; below "
                "each group stands n."
            ),
            alt=" ".join((f"{kind.title}.", *curves.described(panels, shown))),
            sheet=curves.sheet(panels, kind.groups),
        )


def _groups(kind: Kind, run: Drawn, setting: str) -> Sequence[Group]:
    return run.groups(setting, kind.metric, kind.on)


def _shares(kind: Kind, run: Drawn, setting: str) -> list[Point | None]:
    return [points.point(group) for group in _groups(kind, run, setting)]


def _ticks(shown: Shown, kind: Kind, settings: Sequence[str]) -> list[str]:
    """Return the groups' names, and how many each has: at most, where runs lack answers."""
    every = [_groups(kind, run, setting) for run in shown.runs for setting in settings]
    whole = kind.on != "frequency"
    ticks = []
    for alike in zip(*filter(None, every), strict=True):
        counts = {group["n"] for group in alike}
        most = f"{max(counts):,}"
        ticks.append(f"{_range(alike[0], whole=whole)}\n{most if len(counts) == 1 else '≤' + most}")
    return ticks


def _range(group: Group, *, whole: bool) -> str:
    begin, end = group["from"], group["below"]
    if end is None:
        return f"{begin}+"
    if not whole:
        return f"{begin}–{end}" if begin else "unknown"
    return str(begin) if end == begin + 1 else f"{begin}–{end - 1}"
