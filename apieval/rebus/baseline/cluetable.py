"""The rows of a clue dictionary's file: a clue and an answer each, with or without a header.

This module owns the table's form: its header, its width, and what is said of a row that does not
fit. It owns neither clues nor words, which are the lexicon's.
"""

from __future__ import annotations

import csv
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from apieval.rebus.baseline.source import Source

REMEDY: Final = "write one `clue,answer` pair a line, as UTF-8 CSV"
CLUE_HEADERS: Final = frozenset(
    {"clue", "clues", "definition", "definizione", "definizioni", "domanda", "indizio", "question"}
)
ANSWER_HEADERS: Final = frozenset(
    {"answer", "answers", "parola", "risposta", "risposte", "solution", "soluzione", "word"}
)
PAIR: Final = 2


def pairs(read: Source) -> Iterator[tuple[str, str]]:
    """Yield clue and answer of every row; blank lines are none.

    Raises:
        DataError: naming file, line and remedy, for a row that does not fit.
    """
    rows = _rows(read)
    first = next(rows, None)
    if first is None:
        return
    columns = _header(read, *first)
    width = len(first[1])
    if columns is None:
        columns, width, rows = (0, 1), PAIR, chain([first], rows)
    clue, answer = columns
    for line, row in rows:
        if len(row) != width:
            raise read.bad(line, _miscounted(row, width))
        yield row[clue], row[answer]


def _rows(read: Source) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with the line each starts on."""
    reader = csv.reader(StringIO(read.text, newline=""), strict=True)
    line = 1
    try:
        for row in reader:
            if any(map(str.strip, row)):
                yield line, row
            line = reader.line_num + 1
    except csv.Error as error:
        raise read.bad(line, f"it is no CSV row ({error})") from error


def _header(read: Source, line: int, row: Sequence[str]) -> tuple[int, int] | None:
    """Return the places of clue and answer if the row is a header; half a header is refused."""
    cells = [cell.strip().casefold() for cell in row]
    clues = [place for place, cell in enumerate(cells) if cell in CLUE_HEADERS]
    answers = [place for place, cell in enumerate(cells) if cell in ANSWER_HEADERS]
    if clues and answers:
        return clues[0], answers[0]
    if clues or answers:
        lacks = "answers (call it `answer`)" if clues else "clues (call it `clue`)"
        raise read.bad(line, f"it is a header ({', '.join(cells)}) without a column of {lacks}")
    return None


def _miscounted(row: Sequence[str], width: int) -> str:
    """Say how a row has the wrong number of cells, and why that may be."""
    what = f"it has {len(row)} cell{'' if len(row) == 1 else 's'}, not {width}"
    other = next((each for each in ";\t|" if each in row[0]), None)
    if len(row) == 1 and other:
        return f"{what} (the cells seem to be separated by {other!r}: save it with commas)"
    return f"{what} (a comma inside a clue needs quotes around the clue)"
