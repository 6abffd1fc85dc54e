"""The Italian word list a user gives the baseline with `--words`: its words, and how common each is.

This module owns the file's format. It owns no judgement of words, which is the vocabulary's. The
list is never taken from what happens to be installed: a score must not depend on that unseen.
"""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from apieval.errors import DataError
from apieval.rebus.baseline import source

if TYPE_CHECKING:
    from collections.abc import Iterator

    from apieval.rebus.baseline.source import Source

REMEDY: Final = "write one word a line, or a word and its frequency, as UTF-8 text"
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
        read = source.read(path, "word list", "--words", REMEDY)
        found: dict[str, float] = {}
        skipped, total = 0, 0.0
        for word, frequency in _rows(read):
            total += frequency
            if word.isalpha():
                found[word] = found.get(word, 0.0) + frequency
            else:
                skipped += 1
        if not found:
            raise DataError(f"word list {str(path)!r} holds no word: {REMEDY}")
        shares = {word: frequency / total if total else 0.0 for word, frequency in found.items()}
        return cls(shares, read.digest, skipped)


def _rows(read: Source) -> Iterator[tuple[str, float]]:
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
