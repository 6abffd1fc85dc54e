"""Full stops that belong to a word: those of an abbreviation."""

from __future__ import annotations

from typing import Final

from apieval.patterns import regex

_SHORT: Final = regex(r"(?<![\w.])(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}\Z")
"""An abbreviation but for its last stop, which is its own: `E.T.`, `q.b.`, `S.p.A.`."""
_LONGEST: Final = 40


def own_stop(text: str, at: int) -> bool:
    """Return whether a full stop stands here, and ends an abbreviation."""
    if text[at : at + 1] != ".":
        return False
    return _SHORT.search(text, max(0, at - _LONGEST), at) is not None
