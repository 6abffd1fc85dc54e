"""A row's solution words, one for each number of its solution key.

A data file may split the solution at blanks alone (`L'anice;stellato`) while the key, and so every
model that follows it, splits it at the apostrophe too (`1 ' 5 8`).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from apieval.patterns import regex
from apieval.rebus.characters import composed
from apieval.schema import Rebus

WORD: Final = regex(r"\w+")
NUMBER: Final = regex("[0-9]+")
_PLAIN: Final = regex("[0-9 ]*")


def along_key(gold: Rebus) -> Rebus:
    """Return a row with one solution word a number of the key; itself where it is so already.

    A row whose solution does not fit its key stays as it is.
    """
    if _PLAIN.fullmatch(gold.solution_key):
        return gold
    words = tuple(WORD.findall(composed(gold.solution)))
    lengths = [int(number) for number in NUMBER.findall(gold.solution_key)]
    if words == gold.solution_words or [*map(len, words)] != lengths:
        return gold
    return replace(gold, solution_words=words)
