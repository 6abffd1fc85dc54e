"""The study's layout of parsed answers: `idx` and the four parts, words joined by `;`.

Text is written exactly, so that it reads back as it was. A spreadsheet computes cells that begin
like a formula; `safe` writes an apostrophe before them, and then they read back otherwise.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apieval.rebus.columns import GOLD
from apieval.schema import Prediction, RowId

HEADER: Final = ("", "idx", *GOLD)
"""The first column, without a name, is the line's number, as in the study's own files."""
FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")
_QUOTED: Final = frozenset(',"\r\n')


def header() -> str:
    """Return the line of the columns' names."""
    return ",".join(HEADER)


def row(number: int, row_id: RowId, parts: Prediction, *, safe: bool = False) -> str:
    """Return one answer's line, without its end."""
    cells = map(_safe, _cells(row_id, parts)) if safe else _cells(row_id, parts)
    return ",".join(map(_quoted, [str(number), *cells]))


def formulas(row_id: RowId, parts: Prediction) -> int:
    """Return how many cells of an answer a spreadsheet would take for a formula."""
    return sum(cell.startswith(FORMULA) for cell in _cells(row_id, parts))


def _cells(row_id: RowId, parts: Prediction) -> Iterator[str]:
    yield str(row_id)
    yield ";".join(parts.word_guesses)
    yield parts.first_pass
    yield ";".join(parts.solution_words)
    yield parts.solution


def _safe(cell: str) -> str:
    return f"'{cell}" if cell.startswith(FORMULA) else cell


def _quoted(cell: str) -> str:
    # csv.writer of Python 3.12 and before leaves a carriage return bare where lines end in \n
    return '"' + cell.replace('"', '""') + '"' if _QUOTED.intersection(cell) else cell
