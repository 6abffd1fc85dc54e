"""Cells of tables that others made, as they can stand in a data file; and which columns are whose."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Final

from apieval.errors import DataError, did_you_mean
from apieval.rebus import odd_characters, tables
from apieval.rebus.characters import composed, straight
from apieval.rebus.tables import Row

FORMULA: Final = ("=", "+", "-", "@")
"""With what a cell begins that a spreadsheet would run."""
_BLANKS: Final = re.compile("[ \t\r\n\u00a0\u2000-\u200a\u202f\u205f\u3000]+")


class Columns:
    """The columns that are taken from a table, and what is told of its rows on the way."""

    def __init__(self, path: Path, needed: Sequence[str], optional: Sequence[str] = ()) -> None:
        self.path = path
        self.rows = 0
        self.formulas = 0
        self._needed = needed
        self._names = (*needed, *optional)

    def read(self, *, escape: str | None = None) -> Iterator[tuple[int, dict[str, str]]]:
        """Yield the line of each row and its cells, by the names they were asked for.

        A column that is not there gives empty cells. Case does not count in its name.

        Raises:
            DataError: for what cannot be read, a needed column that is missing, a NUL.
        """
        known: frozenset[str] = frozenset()
        places: dict[str, str] = {}
        for row in tables.read(self.path, escape=escape):
            self.rows += 1
            if row.cells.keys() != known:
                known = frozenset(row.cells)
                places = self._places(row)
            cells = {
                name: row.cells[places[name]] if name in places else "" for name in self._names
            }
            self._look(row, cells.values())
            yield row.line, cells
        if not self.rows:
            raise DataError(f"{self.path}: no rows below the header.")

    def _places(self, row: Row) -> dict[str, str]:
        """Return which column of a row is which of ours."""
        alike = {name.strip().casefold(): name for name in row.cells}
        for name in self._needed:
            if name.casefold() not in alike:
                raise DataError(
                    f"{self.path}, line {row.line}: missing column {name!r}"
                    f"{did_you_mean(name, row.cells)}; it needs {', '.join(self._needed)}."
                )
        return {n: alike[n.casefold()] for n in self._names if n.casefold() in alike}

    def _look(self, row: Row, cells: Collection[str]) -> None:
        self.formulas += any(cell.startswith(FORMULA) for cell in cells)
        if any("\0" in cell for cell in cells):
            raise DataError(
                f"{self.path}, line {row.line}: it holds a NUL character, so it is no table of text; "
                "save the table as UTF-8 CSV."
            )


def tidied(cell: str) -> str:
    """Return a cell as a data file has it: composed, plain apostrophes, single blanks, none at ends."""
    return _BLANKS.sub(" ", straight(composed(cell))).strip(" ")


def odd(cell: str, *, gold: bool) -> str:
    """Return what of a tidied cell cannot stand in a data file, empty where all can.

    What is gold must be equal to an answer, so it can hold no odd character at all.
    """
    for kind, text in odd_characters.oddities(cell, latin=gold):
        if gold or kind == odd_characters.CONTROL:
            return text
    return ""
