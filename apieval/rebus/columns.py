"""What the columns of a data file say of its rows: ids, subsets, cells that cannot be used.

Two layouts are known: the challenge's seven columns, and the study's
`idx,word_guesses,first_pass,solution_words,solution`, which has no rebus to ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Final

from apieval.errors import DataError, did_you_mean
from apieval.rebus.tables import Row
from apieval.records import Rebus, RowId

ALL: Final = "all"
"""The name of all subsets together, which no subset of a file can have."""
QUESTION: Final = ("verbalized_rebus", "verbalized_rebus_with_length_hints", "solution_key")
GOLD: Final = ("word_guesses", "first_pass", "solution_words", "solution")
LISTS: Final = ("word_guesses", "solution_words")
CHALLENGE_SUBSETS: Final = (("id", 2000), ("ood", 999), ("new", 168))
"""The challenge's test file: how many rows of each subset, in the file's order."""
_ENDS: Final = tuple(accumulate(count for _, count in CHALLENGE_SUBSETS))
_ROW_NUMBER: Final = re.compile("[0-9]{1,18}")


@dataclass(frozen=True, slots=True)
class Layout:
    """All columns of a file, and how many rows it has."""

    columns: frozenset[str]
    rows: int

    @property
    def asks(self) -> bool:
        """Say whether the rows have a rebus to ask; those of the study's layout have none."""
        return not self.columns.isdisjoint(QUESTION)

    def id_of(self, row: Row, number: int) -> RowId:
        """Return a row's id: that of its column, else its number, counted from 0."""
        if "id" in self.columns:
            return row.cells.get("id", "").strip()
        if "idx" in self.columns and not self.asks:
            text = row.cells.get("idx", "").strip()
            # the study's idx is the row's number
            return int(text) if _ROW_NUMBER.fullmatch(text) else text
        return number

    def subset_of(self, row: Row, number: int) -> str | None:
        """Return a row's subset; the challenge's test file is known by its number of rows."""
        if "subset" in self.columns:
            return row.cells.get("subset", "").strip()
        if self.rows == _ENDS[-1]:
            names = (name for name, _ in CHALLENGE_SUBSETS)
            return next(name for name, end in zip(names, _ENDS, strict=True) if number < end)
        return None

    def faults(self, row: Row) -> Iterator[str]:
        """Yield each cell of a row that cannot be used, and why."""
        for name in (*QUESTION, *GOLD, "subset"):
            if name not in self.columns:
                continue
            cell = row.cells.get(name, "")
            if not cell.strip():
                yield f"column {name!r}: empty"
            elif name in LISTS and "" in cell.split(";"):
                yield f"column {name!r}: an empty word next to a ';'"
            elif name == "subset" and cell.strip() == ALL:
                yield f"column {name!r}: {ALL!r} means every row; name it anew"


def layout_of(path: Path, rows: Iterable[Row], *, gold_only: bool) -> Layout:
    """Return what a file's rows, all of them, say of its columns.

    `gold_only` also accepts the study's layout.

    Raises:
        DataError: for no rows, and for a column that is missing.
    """
    columns: set[str] = set()
    count = 0
    for row in rows:
        count += 1
        columns.update(row.cells)
    if not count:
        raise DataError(f"{path}: no rows below the header.")
    _check(path, columns, gold_only=gold_only)
    return Layout(frozenset(columns), count)


def _check(path: Path, columns: set[str], *, gold_only: bool) -> None:
    needed = GOLD if gold_only and not columns.intersection(QUESTION) else (*QUESTION, *GOLD)
    alike = sorted(n for n in columns if n != "id" and n.strip().lower() == "id")
    if alike and "id" not in columns:
        raise DataError(f"{path}: the column {alike[0]!r} must be named 'id' to name the rows.")
    missing = [name for name in needed if name not in columns]
    if not missing:
        return
    near = "".join(did_you_mean(name, columns - {*QUESTION, *GOLD}) for name in missing[:1])
    study = columns.issuperset(GOLD) and not columns.intersection(QUESTION)
    why = (
        "this is the study's layout, which has no rebus to ask and serves for scoring only"
        if study
        else f"the {'four' if needed == GOLD else 'seven'} columns are {', '.join(needed)}"
    )
    raise DataError(f"{path}: missing column {', '.join(map(repr, missing))}{near}; {why}.")


class Clashes:
    """The ids that were seen, and the line of each."""

    def __init__(self) -> None:
        self._lines: dict[str, int] = {}

    def fault(self, given: RowId, line: int) -> str | None:
        """Return what is wrong with the next row's id."""
        if given == "":
            return "column 'id': empty"
        first = self._lines.setdefault(str(given), line)
        return None if first == line else f"column 'id': {given!r} already appears in line {first}"


def rebus_of(row: Row, given: RowId, subset: str | None) -> Rebus:
    """Return a row as a rebus; what the file has no column for is empty."""
    cells = {name: row.cells.get(name, "") for name in (*QUESTION, "first_pass", "solution")}
    return Rebus(
        id=given,
        subset=subset,
        word_guesses=tuple(row.cells.get("word_guesses", "").split(";")),
        solution_words=tuple(row.cells.get("solution_words", "").split(";")),
        **cells,
    )
