"""Cells of tables: read from others' files, guarded against spreadsheets, counted where unusable."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from apieval.errors import DataError, did_you_mean
from apieval.rebus import characters, tables
from apieval.rebus.characters import composed, straight
from apieval.rebus.tables import Row
from apieval.results.data import Place, Reason

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
    for kind, text in characters.oddities(cell, latin=gold):
        if gold or kind == characters.CONTROL:
            return text
    return ""


ID: Final = "safe_idx"
"""The column of ids in a file of such cells, instead of `idx`: it marks the file, and whoever does
not know of the apostrophes stumbles over it rather than taking them for text."""
_BEGINS: Final = r"""(^|[;,"\t\r\n])"""
_FORMULA: Final = r"(?=[=+\-@\t\r])"
_OPEN: Final = re.compile(f"{_BEGINS}('*){_FORMULA}")
_GUARDED: Final = re.compile(f"{_BEGINS}'('*){_FORMULA}")


def guarded(cell: str) -> str:
    """Return a cell with an apostrophe before whatever a spreadsheet would compute."""
    return _OPEN.sub(r"\1'\2", cell)


def unguarded(cell: str) -> str:
    """Return a cell as it was; the inverse of `guarded`."""
    return _GUARDED.sub(r"\1\2", cell)


def is_open(cell: str) -> bool:
    """Say whether a spreadsheet would compute something of a cell, which `guarded` prevents."""
    return _OPEN.search(cell) is not None


DROPPED: Final[Mapping[str, str]] = {
    "empty": "it has no first pass or no solution",
    "kind": "TIPO is not empty, so it is no regular rebus",
    "characters": "control characters, or characters that no right answer has",
    "elements": "an element that is neither letters nor a word",
    "few_words": "fewer hidden words than required",
    "letters": "the first pass does not spell the solution",
    "no_clue": "a hidden word has no clue",
    "leaks": "a hidden word appears in all of its clues",
    "double": "the same first pass and solution appear in another row",
    "rules": "it breaks another rule of the game",
    "seen": "the training file has the same first pass",
    "same_rebus": "another rebus has the same question: letters, clues and key",
}
"""Of a rebus, in the order they are looked for: the first that holds counts."""
UNUSED: Final[Mapping[str, str]] = {
    "empty": "it has no clue or no answer",
    "characters": "control characters",
    "brackets": "square brackets, which would end the clue",
    "length": "a number in brackets at its end, which would be read as the length",
    "double": "the same clue and answer appear in another row",
}
"""Of a clue, likewise."""
MOST_PLACES: Final = 3


class Tally:
    """How many rows each reason took, and where the first of them stand."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._says = reasons
        self._rows: Counter[str] = Counter()
        self._first: dict[str, list[Place]] = {name: [] for name in reasons}

    def add(self, reason: str, line: int, text: str = "") -> None:
        """Count a row, named by its line and what exactly is wrong."""
        self._rows[reason] += 1
        if len(self._first[reason]) < MOST_PLACES:
            self._first[reason].append({"line": line, "text": text[:200]})

    @property
    def rows(self) -> int:
        """Return how many rows there are in all."""
        return self._rows.total()

    def as_json(self) -> dict[str, Reason]:
        """Return every reason with its rows, those of none included."""
        return {
            name: {"says": says, "rows": self._rows[name], "first": self._first[name]}
            for name, says in self._says.items()
        }
