"""A name in as many lines as it takes, broken where its parts end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rich.cells import cell_len, chop_cells
from rich.console import Console, ConsoleOptions, RenderResult
from rich.measure import Measurement
from rich.text import Text

from apieval.report.terminal import visible

_PART: Final = re.compile(r"[^-/_: ]*[-/_: ]*")


def folded(name: str, width: int) -> list[str]:
    """Return a name, made visible, in lines of at most so many cells of a terminal.

    It is broken behind a blank, a slash, a hyphen and the like, and within a part only where the
    part is longer than a line.
    """
    lines = [""]
    for part in _pieces(visible(name), width):
        if cell_len(lines[-1] + part.rstrip()) > width:
            lines.append("")
        lines[-1] += part
    return [line.rstrip() for line in lines]


def _pieces(name: str, width: int) -> Iterator[str]:
    for part in _PART.findall(name):
        yield from chop_cells(part, width) if cell_len(part.rstrip()) > width else [part]


@dataclass(frozen=True, slots=True)
class Folded:
    """A name that is folded to whatever room a table gives it."""

    name: str

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Say that one line is best, and few cells do."""
        del console
        return Measurement(1, cell_len(visible(self.name))).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """Give the lines."""
        del console
        yield Text("\n".join(folded(self.name, options.max_width)))
