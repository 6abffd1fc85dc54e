"""Characters: those that mean the same to a reader, and those that have no place in a rebus.

Unicode's canonical ordering takes quadratic time on a long run of combining marks, and a model can
write one. Here runs are taken a few at a time, which is the same for any text that people write.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from apieval.patterns import regex

APOSTROPHES: Final = regex("[\u2019\u2018\u201b\u02bc\u02b9\u2032\u00b4\uff07\ua78c\u055a]")
"""What stands for an apostrophe: quotation marks, modifier letters, primes, an acute accent."""
_UNSURE: Final = regex("[\u02b0-\U0010ffff]")
"""Characters that composing may change; below U+02B0 all are letters or signs that stay as they are."""
_RUN: Final = regex("[\x00-\x7f]?[^\x00-\x7f]{1,64}")


def surely_composed(text: str) -> bool:
    """Return whether a text has no character that composing may change; a quick look."""
    return text.isascii() or not _UNSURE.search(text)


def composed(text: str) -> str:
    """Return a text in composed form (NFC), in linear time."""
    if surely_composed(text):
        return text
    return _RUN.sub(lambda found: unicodedata.normalize("NFC", found[0]), text)


def bare(text: str) -> str:
    """Return a text without its accents, in linear time."""
    return text if text.isascii() else _RUN.sub(_without_marks, text)


def _without_marks(found: re.Match[str]) -> str:
    apart = unicodedata.normalize("NFD", found[0])
    return "".join(char for char in apart if not unicodedata.combining(char))


def straight(text: str) -> str:
    """Return a text with one kind of apostrophe."""
    return text if text.isascii() else APOSTROPHES.sub("'", text)


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
