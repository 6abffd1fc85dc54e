"""Characters that mean the same to a reader: composed and decomposed, straight and curly.

Unicode's canonical ordering takes quadratic time on a long run of combining marks, and a model can
write one. Here runs are taken a few at a time, which is the same for any text that people write.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

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
