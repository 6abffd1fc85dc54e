"""The study's layout of parsed answers: `idx` and the four parts, words joined by `;`.

Written exactly it is the study's own, and a spreadsheet computes cells that begin like a formula.
Written safely it does not; the column of ids has another name then, and `apieval score` reads the
same text out of both (see `rebus.cells`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apieval.rebus.cells import ID, guarded, is_open
from apieval.rebus.columns import GOLD
from apieval.records import Prediction, RowId

_QUOTED: Final = frozenset(',"\r\n')


def header(*, exact: bool = False) -> str:
    """Return the line of the columns' names.

    The first column, without a name, is the line's number, as in the study's own files.
    """
    return ",".join(("", "idx" if exact else ID, *GOLD))


def row(number: int, row_id: RowId, parts: Prediction, *, exact: bool = False) -> str:
    """Return one answer's line, without its end."""
    cells = _cells(row_id, parts)
    return ",".join(map(quoted, [str(number), *(cells if exact else map(guarded, cells))]))


def formulas(row_id: RowId, parts: Prediction) -> int:
    """Return in how many cells of an answer a spreadsheet would compute something."""
    return sum(map(is_open, _cells(row_id, parts)))


def _cells(row_id: RowId, parts: Prediction) -> Iterator[str]:
    yield str(row_id)
    yield ";".join(parts.word_guesses)
    yield parts.first_pass
    yield ";".join(parts.solution_words)
    yield parts.solution


def quoted(cell: str) -> str:
    """Return a cell as it stands in a line of CSV."""
    # csv.writer of Python 3.12 and before leaves a carriage return bare where lines end in \n
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.intersection(cell) else cell
