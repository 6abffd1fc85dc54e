"""Counts in a sentence (`1 request`), errors in words, and how an extra is installed."""

from __future__ import annotations

import errno
import re
from typing import Final

_IN_WORDS: Final = {
    errno.ECONNREFUSED: "the connection was refused",
    errno.ECONNRESET: "the other side closed the connection",
    errno.ECONNABORTED: "the connection was broken off",
    errno.EPIPE: "the other side closed the connection",
    errno.ETIMEDOUT: "the connection timed out",
    errno.EHOSTUNREACH: "the host cannot be reached",
    errno.ENETUNREACH: "the network cannot be reached",
}


def counted(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun; `more` where that is not `one` with an s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def install(extra: str) -> str:
    """Return the command that installs an extra of this package, which is on no index."""
    return f"`pip install '.[{extra}]'` in the checkout"


def in_words(error: BaseException) -> str:
    """Return what an error says without the numbers of the system; its kind where it says nothing."""
    number = getattr(error, "errno", None)
    if number in _IN_WORDS:
        return _IN_WORDS[number]
    return re.sub(r"(?i)\[(?:Errno|WinError) -?[0-9]+\] ", "", str(error)) or type(error).__name__
