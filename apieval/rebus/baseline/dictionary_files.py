"""The files that a user gives the baseline: a table of clues and answers, and a list of words.

A file that is missing, far too big, not UTF-8 or not text is refused whatever its columns.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from apieval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path
import csv
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

import math
import unicodedata
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


MOST_BYTES: Final = 256 * 1024 * 1024
"""A dictionary of 125,000 pairs has some 6 MB; what is far beyond is another kind of file."""
CONTROL: Final = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Source:
    """A file that was read: what it is called in messages, its text, the SHA-256 of its bytes."""

    what: str
    path: Path
    remedy: str
    text: str
    digest: str

    def bad(self, line: int, what: str) -> DataError:
        """Return the error that names file, line and remedy."""
        return DataError(f"{self.what} {str(self.path)!r}, line {line}: {what}; {self.remedy}")


def read_source(path: Path, what: str, option: str, remedy: str) -> Source:
    """Read a file whole; a byte-order mark is dropped.

    Raises:
        DataError: naming the file, the line where there is one, and the remedy.
    """
    try:
        size = path.stat().st_size
        if size > MOST_BYTES:
            big = f"{what} {str(path)!r} is {size / 1e9:.1f} GB, which no {what} is"
            raise DataError(f"{big} ({MOST_BYTES >> 20} MB at most): check {option}")
        data = path.read_bytes()
    except OSError as error:
        reason = error.strerror or error
        message = f"{what} {str(path)!r} cannot be read ({reason}): check {option}"
        raise DataError(message) from error
    found = Source(what, path, remedy, "", hashlib.sha256(data).hexdigest())
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise found.bad(data.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error
    if control := CONTROL.search(text):
        line = text.count("\n", 0, control.start()) + 1
        name = f"the control character U+{ord(control[0]):04X}"
        raise found.bad(line, f"it holds {name}, so it is no plain text")
    return Source(what, path, remedy, text, found.digest)


PAIRS_REMEDY: Final = "write one `clue,answer` pair a line, as UTF-8 CSV"
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


WORDS_REMEDY: Final = "write one word a line, or a word and its frequency, as UTF-8 text"
SEPARATORS: Final = "\t;,"
"""What may stand between the columns; where the first line has none of these, blanks do."""
MOST_COLUMNS: Final = 2


@dataclass(frozen=True)
class WordList:
    """Words as they are written, and their shares of all text, 0 where the file says none.

    `digest` is the SHA-256 of the file's bytes in hexadecimal; `skipped` counts the lines passed
    over because they hold no word of letters alone (`l'`, `2024`).
    """

    shares: dict[str, float]
    digest: str
    skipped: int = 0

    @classmethod
    def load(cls, path: Path) -> WordList:
        """Read a list of words, one a line, or of words and frequencies; a header is passed over.

        Frequencies are counts or shares, in any unit: what is kept is each one's part of their sum.

        Raises:
            DataError: naming file, line and remedy, when the file is missing, not UTF-8, far too
                big, holds no word, or is no such list.
        """
        source = read_source(path, "word list", "--words", WORDS_REMEDY)
        found: dict[str, float] = {}
        skipped, total = 0, 0.0
        for word, frequency in _frequencies(source):
            total += frequency
            if word.isalpha():
                found[word] = found.get(word, 0.0) + frequency
            else:
                skipped += 1
        if not found:
            raise DataError(f"word list {str(path)!r} holds no word: {WORDS_REMEDY}")
        shares = {word: frequency / total if total else 0.0 for word, frequency in found.items()}
        return cls(shares, source.digest, skipped)


def _frequencies(read: Source) -> Iterator[tuple[str, float]]:
    """Yield the word of every line and its frequency, 0 without one; blank lines are none."""
    width, separator = 0, None
    text = unicodedata.normalize("NFC", read.text).lower()
    for line, row in enumerate(text.split("\n"), start=1):
        if not row.strip():
            continue
        if not width:
            separator = next((each for each in SEPARATORS if each in row), None)
        cells = row.split(separator)
        if not width:
            width = len(cells)
            if not 1 <= width <= MOST_COLUMNS:
                raise read.bad(line, f"it has {width} columns, not one or two")
            if width == MOST_COLUMNS and not _is_number(cells[1]):
                continue
        if len(cells) != width:
            raise read.bad(line, f"it has {len(cells)} columns, the first line {width}")
        yield cells[0].strip(), (_frequency(read, line, cells[1]) if width == MOST_COLUMNS else 0.0)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _frequency(read: Source, line: int, cell: str) -> float:
    number = float(cell) if _is_number(cell) else -1.0
    if not 0 <= number < math.inf:
        raise read.bad(line, f"its frequency {cell!r} is no number of 0 or more")
    return number
