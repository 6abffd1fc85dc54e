"""When two texts are equal under the `tolerant` parser: two declared levels, never mixed.

`strict` ignores Unicode forms, case, blanks and the kind of apostrophe; `lenient` also accents, and
apostrophes written for them (`perche'`). Solution words are compared along the key, one for each of
its numbers. The `official` parser's equality is that of `str.lower()`, in `metrics`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, NamedTuple

from apieval.patterns import regex
from apieval.rebus.characters import bare, composed, straight
from apieval.rebus.metrics import Parts
from apieval.records import Rebus

_BESIDE: Final = regex(r" +(?=')|(?<=[b-df-hj-np-tv-z]') ", re.IGNORECASE)
"""Blanks beside an apostrophe that joins: one behind a vowel (`un po' di`) parts two words."""
_FOR_AN_ACCENT: Final = regex(r"(?<=[aeiou])'++(?!\w)", re.IGNORECASE)

Spelling = Callable[[str], str]
"""Return the form of a text that all texts equal to it share, but for case."""


def strict(text: str) -> str:
    """Return a text in composed form, with single blanks and one kind of apostrophe."""
    if not text.isascii():
        text = straight(composed(text))
    elif text.isalnum():
        return text
    text = " ".join(text.split())
    return _BESIDE.sub("", text) if "'" in text else text


def lenient(text: str) -> str:
    """Return a text as `strict` does, without accents and apostrophes that stand for them."""
    text = strict(text)
    if not text.isascii():
        text = " ".join(bare(text).split())
    return _BESIDE.sub("", _FOR_AN_ACCENT.sub("", text)) if "'" in text else text


LEVELS: Final[Mapping[str, Spelling]] = {"strict": strict, "lenient": lenient}


class Spelled(NamedTuple):
    """The parts of a prediction or of a gold row, in a level's spelling."""

    word_guesses: tuple[str, ...]
    first_pass: str
    solution_words: tuple[str, ...]
    solution: str


def as_it_is(parts: Parts) -> Spelled:
    """Return the parts of a prediction or of a gold row as they are written."""
    return Spelled(parts.word_guesses, parts.first_pass, parts.solution_words, parts.solution)


def spelled(spelling: Spelling, parts: Parts) -> Spelled:
    """Return the parts of a prediction or of a gold row in a level's spelling."""
    return Spelled(
        tuple(map(spelling, parts.word_guesses)),
        spelling(parts.first_pass),
        tuple(map(spelling, parts.solution_words)),
        spelling(parts.solution),
    )


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
