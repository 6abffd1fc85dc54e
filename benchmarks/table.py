"""Markdown of what was measured: absolute numbers, ratios, and the targets beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from benchmarks.scenarios import Figures, Scenario

COLUMNS: Final = {
    "first_s": "start to first request, s",
    "span_s": "span, s",
    "ideal": "span / ideal",
    "wall_s": "whole process, s",
    "cpu_ms": "CPU ms / request",
    "cpu_net_ms": "without start",
    "peak_mb": "peak MB",
}
RATIOS: Final = ("first_s", "span_s", "wall_s", "cpu_ms", "cpu_net_ms", "peak_mb")


@dataclass(frozen=True, slots=True)
class Target:
    """One promise of DESIGN section 9, and what was measured."""

    what: str
    measured: float
    bound: float
    unit: str
    at_least: bool = False

    @property
    def met(self) -> bool:
        """Say whether the promise is kept."""
        return self.measured >= self.bound if self.at_least else self.measured <= self.bound

    def as_json(self) -> dict[str, Any]:
        """Return the target with its verdict."""
        return {**asdict(self), "met": self.met}


def grid(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table, first column to the left."""
    lines = [list(header), *map(list, rows)]
    widths = [max(len(line[column]) for line in lines) for column in range(len(header))]
    for number, line in enumerate(lines):
        cells = [cell.rjust(width) for cell, width in zip(line, widths, strict=True)]
        yield f"| {' | '.join([line[0].ljust(widths[0]), *cells[1:]])} |"
        if number == 0:
            rules = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
            yield f"| {' | '.join(rules)} |"


def scenario(which: Scenario, measured: Mapping[str, Figures]) -> Iterator[str]:
    """Yield a scenario: absolute numbers, then the first one's ratio to each of the others."""
    yield f"\n## {which.name}, {which.requests:,} requests (ideal span {which.ideal_s:.2f} s)\n"
    full = {
        who: {**figures, "ideal": figures["span_s"] / which.ideal_s}
        for who, figures in measured.items()
    }
    rows = [[who, *(f"{line[name]:.2f}" for name in COLUMNS)] for who, line in full.items()]
    yield from grid(["", *COLUMNS.values()], rows)
    (_, mine), *others = measured.items()
    yield ""
    ratios = [
        [f"apieval / {who}", *(f"x {mine[name] / line[name]:.2f}" for name in RATIOS)]
        for who, line in others
    ]
    yield from grid(["ratio", *(COLUMNS[name] for name in RATIOS)], ratios)
    yield f"\nThe server's own CPU: {mine['server_cpu_ms']:.3f} ms a request."


def numbers(title: str, values: Mapping[str, float]) -> Iterator[str]:
    """Yield a table of single numbers."""
    yield f"\n## {title}\n"
    yield from grid(["what", "measured"], [[what, f"{n:.2f}"] for what, n in values.items()])


def targets(reached: Sequence[Target]) -> Iterator[str]:
    """Yield the targets, each with its verdict."""
    yield "\n## Targets (DESIGN section 9)\n"
    rows = [
        [
            each.what,
            f"{each.measured:.2f} {each.unit}".rstrip(),
            f"{'>=' if each.at_least else '<='} {each.bound:g} {each.unit}".rstrip(),
            "met" if each.met else "NOT MET",
        ]
        for each in reached
    ]
    yield from grid(["what", "measured", "target", ""], rows)
