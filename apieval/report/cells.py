"""Cells of the report's tables (figures with intervals, differences, counts), and its labels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, cast

from apieval.analysis.comparison_sentences import points
from apieval.records import Outcome, Setting
from apieval.report.outline import WHOLE, Bar, Cell, Group, Row
from apieval.report.terminal import number
from apieval.results.comparison import MetricDifference
from apieval.results.figures import Estimate, Figure, Gap, MetricLoss, interval_of
from apieval.results.summary import Summary

NONE: Final = "-"
BOUNDS: Final = "(bounds)"
"""Behind what stands in place of a figure while answers are missing; an interval never looks so."""
_INTERVALS: Final = "95 % intervals"
_MISSING: Final = "bounds, since answers are missing"
_MEANT: Final = (
    "Bounds: what the figure is with every missing answer wrong, and right; no intervals. Of answered: over "
    "the answers there are."
)
MISSING: Final = "not known"
_MILLION: Final = 1_000_000
_SMALL: Final = 0.01
_SHORT_S: Final = 10


def figure(found: Estimate, *, strong: bool = False, bar: bool = False) -> Cell:
    """Return a figure and its interval; where answers are missing, what it can still become."""
    if "at_least" in found:
        partial = cast("Figure", found)
        ends = f"{number(partial['at_least'])} to {number(partial['at_most'])}"
        return Cell(f"{ends} {BOUNDS}", f"{number(partial['answered'])} of answered", bounds=True)
    there = interval_of(found)
    drawn = Bar(there[1], there[0], there[2]) if bar and there else None
    return Cell(number(found["value"]), between(found["low"], found["high"]), strong, drawn)


def how_sure(partial: Iterable[bool]) -> str:
    """Return what stands beside the figures of some runs or settings: intervals, bounds, or both."""
    kinds = set(partial)
    if kinds == {True}:
        return _MISSING
    return f"{_INTERVALS}, or {_MISSING}" if True in kinds else _INTERVALS


def is_partial(summary: Summary, setting: Setting) -> bool:
    """Say whether answers are missing in a setting, so that its figures are bounds."""
    counts = summary["outcomes"][setting]
    return bool(counts["failed"] + counts["not_asked"])


def meaning(table: Sequence[Row | Group]) -> str:
    """Return what bounds are, where a table has some."""
    cells = (cell for row in table if isinstance(row, Row) for cell in row.cells)
    return _MEANT if any(cell.bounds for cell in cells) else ""


def between(low: float | None, high: float | None) -> str:
    """Return an interval of shares; empty where there is none."""
    return "" if low is None or high is None else f"{number(low)}\u2013{number(high)}"


def difference(found: MetricDifference | MetricLoss, *, shown: bool = False) -> Cell:
    """Return a difference in points, with its interval; one that is shown stands out."""
    return _points(found["difference"], found["low"], found["high"], shown=shown)


def gap(found: Gap) -> Cell:
    """Return a gap as a difference; where answers are missing, what it can still become."""
    if "at_least" in found:
        ends = f"{points(found['at_least'])} to {points(found['at_most'])}"
        return Cell(f"{ends} {BOUNDS}", bounds=True)
    return _points(found["value"], found["low"], found["high"])


def _points(
    value: float | None, low: float | None, high: float | None, *, shown: bool = False
) -> Cell:
    if value is None:
        return Cell(NONE)
    detail = "" if low is None or high is None else f"{points(low)} to {points(high)}"
    return Cell(points(value), detail, shown)


def share(found: Estimate) -> Cell:
    """Return a share of answers, with a bar."""
    value = found["value"]
    return figure(found, bar=value is not None and value <= WHOLE[1])


def count(n: int | None) -> Cell:
    """Return a count."""
    return Cell(NONE if n is None else f"{n:,}")


def shorter(n: float) -> str:
    """Return a large number in few digits: 2.8 M, 812,345."""
    return f"{n / _MILLION:,.2f} M" if n >= _MILLION else f"{n:,.0f}"


def dollars(cost: float | None) -> str:
    """Return a cost in dollars; unknown is not zero, and what is paid is not nothing."""
    if cost is None:
        return MISSING
    return f"{cost:.4f} USD" if 0 < cost < _SMALL else f"{cost:,.2f} USD"


def seconds(value: float | None) -> str:
    """Return a time in seconds, minutes or hours."""
    if value is None:
        return MISSING
    if value < _SHORT_S:
        return f"{value:.2f} s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    if hours:
        return f"{hours:,} h {minutes} min"
    return f"{minutes} min {rest} s" if minutes else f"{value:.1f} s"


PARSERS: Final[Mapping[str, str]] = {
    "official": "official",
    "tolerant": "tolerant",
    "tolerant-lenient": "tolerant, lenient",
}
SETTINGS: Final[Mapping[str, str]] = {"regular": "regular", "hints": "hints"}
EXPLAINED: Final[Mapping[str, str]] = {
    "regular": "without length hints",
    "hints": "every clue ends with the length of its word",
}
OUTCOMES: Final[Mapping[str, str]] = {
    **{each.value: each.value for each in Outcome},
    "not_asked": "not requested",
}


def setting(name: str) -> str:
    """Return a setting's name with what it means."""
    return f"{name}: {EXPLAINED[name]}" if name in EXPLAINED else name
