"""Characters that have no place in an Italian rebus, or that look like others.

A gold cell with one of them is equal to no answer that a model would give: the official equality
is that of `str.lower()`, and knows no form of an accent, no kind of blank and no invisible mark.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from apieval.rebus.characters import APOSTROPHES, composed

CONTROL: Final = "control"
APOSTROPHE: Final = "apostrophe"
ODD: Final = "odd"
_MISREAD: Final = re.compile("[ÂÃ][\u0080-\u00bf\u0152-\u2122]")
"""UTF-8 that was read as Windows-1252: `Ã¨` for è."""
_ODD: Final = frozenset({"Cf", "Cn", "Co", "Cs", "Me", "Mn", "Zs"})
"""Invisible, unassigned, private, half a pair; marks apart from their letter; other blanks."""
_SHOWN: Final = 5


class Oddity(NamedTuple):
    """What a cell holds: of which kind, and what exactly."""

    kind: str
    text: str


def oddities(cell: str, *, latin: bool) -> Iterator[Oddity]:
    """Yield what is odd in a cell, one of a kind; `latin` also finds letters of other scripts."""
    if cell.isascii() and cell.isprintable():
        return
    found: dict[str, list[str]] = {}
    for character in dict.fromkeys(cell):
        if (kind := _kind(character, latin=latin)) is not None:
            found.setdefault(kind, []).append(_named(character))
    if misread := _MISREAD.search(cell):
        found.setdefault(ODD, []).append(f"{misread[0]!r}, which was UTF-8 before it was misread")
    for kind, each in found.items():
        more = f" and {len(each) - _SHOWN} more" if len(each) > _SHOWN else ""
        yield Oddity(kind, ", ".join(each[:_SHOWN]) + more)


def _kind(character: str, *, latin: bool) -> str | None:
    """Return what kind of oddity a character is, None for a plain one."""
    if character.isascii():
        return None if character.isprintable() else CONTROL
    if APOSTROPHES.match(character):
        return APOSTROPHE
    category = unicodedata.category(character)
    if category in {"Cc", "Zl", "Zp"} or character == "\ufffd":
        return CONTROL
    if category in _ODD or composed(character) != character:
        return ODD
    foreign = character.isalpha() and not unicodedata.name(character, "").startswith("LATIN ")
    return ODD if latin and foreign else None


def _named(character: str) -> str:
    name = unicodedata.name(character, "")
    return f"U+{ord(character):04X}" + (f" ({name.lower()})" if name else "")
