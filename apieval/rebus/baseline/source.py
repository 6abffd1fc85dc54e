"""The text of a file that a user gives the baseline, and the hash that stands for it.

This module owns what makes a file unreadable whatever its columns: missing, no file, far too big,
not UTF-8, not text. It owns no columns.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from apieval.errors import DataError

if TYPE_CHECKING:
    from pathlib import Path

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


def read(path: Path, what: str, option: str, remedy: str) -> Source:
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
