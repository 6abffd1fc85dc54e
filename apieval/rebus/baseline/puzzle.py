"""What a rebus asks: its letter groups and clues, and its solution key.

This module owns the reading of both notations. Any text can be read; what is in neither falls
away. It owns no limits and no solving.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from apieval.rebus.baseline.words import fold

CLUE: Final = re.compile(r"\[([^\[\]]*)\]")
HINT: Final = re.compile(r"\s*\((\d{1,3})\)\s*$", re.ASCII)
KEY_PART: Final = re.compile(r"[0-9]+|[^\w\s]")


@dataclass(frozen=True)
class Element:
    """One element of a rebus: letters as they stand, or a clue with the length it hints at."""

    text: str
    is_clue: bool
    length: int | None = None


@dataclass(frozen=True)
class Key:
    """A solution key: its lengths, and the punctuation before each of them and at the end."""

    lengths: tuple[int, ...]
    marks: tuple[str, ...]

    @property
    def total(self) -> int:
        """Return the number of letters the solution has."""
        return sum(self.lengths)


def parse_rebus(rebus: str) -> list[Element]:
    """Split a rebus into letter groups and clues; stray brackets and letterless bits fall away."""
    elements = []
    for place, text in enumerate(CLUE.split(rebus)):
        if place % 2:
            hint = HINT.search(text)
            length = int(hint[1]) if hint else None
            elements.append(
                Element(" ".join(HINT.sub("", text).split()), is_clue=True, length=length)
            )
        elif fold(text):
            letters = " ".join(text.replace("[", " ").replace("]", " ").split())
            elements.append(Element(letters, is_clue=False))
    return elements


def parse_key(solution_key: str) -> Key:
    """Read a solution key; what is neither a length nor punctuation counts as nothing."""
    lengths: list[int] = []
    marks = [""]
    for part in KEY_PART.findall(solution_key):
        if not part.isdecimal():
            marks[-1] += part
        elif length := int(part[:9]):
            lengths.append(length)
            marks.append("")
    return Key(tuple(lengths), tuple(marks))
