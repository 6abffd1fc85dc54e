"""Cells that no spreadsheet computes, and back: an apostrophe before whatever could be a formula.

A spreadsheet takes a cell for a formula by its first character, and where the decimal sign is a comma,
as in Italy, it divides a CSV file at semicolons, which stand between the words of a list. So the
beginning of a cell is guarded, and what follows a separator, a quote or a line break. Where apostrophes
stand there already, one more is put before: taken off again, every text is what it was.
"""

from __future__ import annotations

import re
from typing import Final

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
