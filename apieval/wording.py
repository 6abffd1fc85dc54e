"""Counts in a sentence (`1 request`, `2,000 requests`), and how an extra is installed."""

from __future__ import annotations


def counted(count: int, one: str, more: str | None = None) -> str:
    """Return a count with its noun; `more` where that is not `one` with an s."""
    return f"{count:,} {one if count == 1 else more or one + 's'}"


def install(extra: str) -> str:
    """Return the command that installs an extra of this package, which is on no index."""
    return f"`pip install '.[{extra}]'` in the checkout"
