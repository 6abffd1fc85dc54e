"""Tables of rebuses as they were printed: first passes with `-` between their elements, solutions.

Eureka5's columns: PRIMALET, FRASE and, where the table has them, TIPO (empty for a regular rebus)
and ANNO, the year.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from apieval.patterns import regex
from apieval.rebus.cells import Columns, Tally, odd, tidied
from apieval.rebus.training import same_first_pass

NEEDED: Final = ("PRIMALET", "FRASE")
OPTIONAL: Final = ("TIPO", "ANNO")
ESCAPE: Final = "\\"
"""What stands before a quote inside a cell of Eureka5's table."""
_DIGITS: Final = 16
"""Hexadecimal digits of an id: of a million rebuses two share one in a case out of 40 million."""
_ELEMENT: Final = regex(r"'?[^\W_]+(?:'[^\W_]+)*'?")
_YEAR: Final = regex(r"\s*([0-9]{4})(?:\.0+)?\s*")


@dataclass(frozen=True, slots=True)
class Printed:
    """A rebus: the line it stands in, its first pass with one blank between elements, its solution.

    `year` is None where it is not known.
    """

    line: int
    first_pass: str
    solution: str
    year: int | None

    @property
    def id(self) -> str:
        """Return a name that the same rebus has in every table, whatever row it stands in."""
        same = f"{same_first_pass(self.first_pass)}\n{self.solution.casefold()}"
        # a letter first: a spreadsheet takes 12e4567 for a number
        return "r" + hashlib.sha256(same.encode()).hexdigest()[:_DIGITS]

    @property
    def words(self) -> tuple[str, ...]:
        """Return the hidden words, in order."""
        return tuple(filter(hidden, self.first_pass.split(" ")))


def hidden(element: str) -> bool:
    """Say whether an element is a word, lower-case or camel-case (`Rita`); letters are upper-case."""
    return any(map(str.islower, element))


def table_of(path: Path, *, dated: bool) -> Columns:
    """Return a table of rebuses, not yet read; `dated` says that it must have the year."""
    return Columns(path, (*NEEDED, "ANNO") if dated else NEEDED, OPTIONAL)


def read(table: Columns, dropped: Tally) -> Iterator[Printed]:
    """Yield the rebuses that are whole and regular; the others are counted.

    Raises:
        DataError: for what cannot be read, and for a column that is missing.
    """
    for line, cells in table.read(escape=ESCAPE):
        printed, solution = (tidied(cells[name]) for name in NEEDED)
        elements = [each for part in printed.split("-") for each in part.split(" ") if each]
        if fault := _fault(cells["TIPO"].strip(), printed, solution, elements):
            dropped.add(fault[0], line, fault[1])
        else:
            yield Printed(line, " ".join(elements), solution, _year(cells["ANNO"]))


def _fault(
    kind: str, printed: str, solution: str, elements: Sequence[str]
) -> tuple[str, str] | None:
    """Return why a row is no rebus that can be used, and what exactly is wrong."""
    if not (elements and solution):
        return "empty", printed or solution
    if kind:
        return "kind", kind
    if strange := odd(printed, gold=True) or odd(solution, gold=True):
        return "characters", strange
    if wrong := [each for each in elements if not _ELEMENT.fullmatch(each)]:
        return "elements", wrong[0]
    return None


def _year(cell: str) -> int | None:
    found = _YEAR.fullmatch(cell)
    return int(found[1]) if found else None
