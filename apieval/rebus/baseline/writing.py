"""The answer as the prompts' template asks for it.

This module owns the template's lines, the cutting of the first reading into the solution's words,
their accents, and the blanks around the key's punctuation. It chooses no word.

The letters are cut by the key. Where they do not add up to it, they are cut where known words
end near the key's lengths; where that finds no cut either, by the key as far as they go: what is left
over belongs to the last word, and a word for which no letter is left has no line. An empty key
is one word.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final

from apieval.rebus.baseline.search import segment
from apieval.rebus.baseline.words import APOSTROPHES, TRUNCATED, fold

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apieval.rebus.baseline.puzzle import Element, Key
    from apieval.rebus.baseline.vocabulary import Vocabulary
    from apieval.rebus.baseline.words import Word

BINDING: Final = APOSTROPHES | frozenset("-–/")
"""Marks with no blank on either side; every other mark follows its word without one.

An apostrophe has one behind it where it ends a word (`TRUNCATED`).
"""
OPENING: Final = frozenset("([{«“")
BEFORE_IS: Final = frozenset(("c", "ch", "chi", "che", "com", "cos", "dov", "non", "qual"))
"""Words after which the letter e is `è` (is) rather than `e` (and)."""
QUOTE: Final = '"'


def write(
    elements: Sequence[Element], words: Sequence[Word], key: Key, vocabulary: Vocabulary
) -> str:
    """Write the answer in the prompts' template."""
    letters = "".join(word.letters for word in words)
    lengths, pieces = cut(letters, key.lengths, vocabulary)
    lines = map(_line, elements, words)
    return "\n".join(
        (
            "Procediamo alla risoluzione del rebus passo per passo:",
            *lines,
            f"Prima lettura: {' '.join(word.text for word in words)}",
            "Ora componiamo la soluzione seguendo la chiave risolutiva:",
            *(f"{length} = {piece}" for length, piece in zip(lengths, pieces, strict=False)),
            f"Soluzione: {join(pieces, key.marks)}",
        )
    )


def _line(element: Element, word: Word) -> str:
    if element.is_clue:
        return f"- [{element.text}] = {word.text}"
    spaced = " ".join(filter(str.isalpha, element.text))
    return f"- {spaced} = {spaced}"


def cut(
    letters: str, lengths: tuple[int, ...], vocabulary: Vocabulary
) -> tuple[tuple[int, ...], list[str]]:
    """Cut the letters into words, and spell known words with their accents."""
    if not lengths:
        lengths = (len(letters),)
    ends = [*accumulate(lengths)][:-1]
    pieces = [letters[start:end] for start, end in pairwise([0, *ends, len(letters)])]
    if sum(lengths) != len(letters):
        pieces = segment(letters, lengths, vocabulary) or pieces
    spelt = [vocabulary.spell(piece) for piece in pieces if piece]
    for before, place in zip(pieces, range(1, len(spelt)), strict=False):
        if spelt[place] == "e" and before in BEFORE_IS:
            spelt[place] = "è"
    if spelt:
        first = spelt[0].capitalize()
        # Some letters have no capital of one letter (ß), and a solution must keep its letters.
        spelt[0] = first if fold(first) == fold(spelt[0]) else spelt[0]
    return lengths, spelt


def join(words: Sequence[str], marks: Sequence[str]) -> str:
    """Put the key's punctuation back between the solution's words, each mark with its blanks."""
    text, last, glued, quoted = "", "", True, False
    for word, before in zip(words, marks, strict=False):
        for mark in before:
            opens = mark in OPENING or (mark == QUOTE and not quoted)
            quoted ^= mark == QUOTE
            text += f" {mark}" if opens and not glued else mark
            ends_word = mark in APOSTROPHES and fold(last) in TRUNCATED
            glued = opens or (mark in BINDING and not ends_word)
        text += word if glued or not text else f" {word}"
        last, glued = word, False
    return text + "".join(marks[len(words) :])
