"""The rules of the game: what makes a row a correct rebus, each with its name, level and text.

A row that breaks a rule is used all the same (the challenge's own file has such rows); it is
counted, so that a fault of the data is not taken for one of the model. This module looks at one row;
`check_file` at all of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Final, Literal, NamedTuple

from apieval.patterns import regex
from apieval.rebus.characters import bare, composed
from apieval.rebus.equality import NUMBER, WORD
from apieval.records import Rebus, RowId
from apieval.wording import counted

Level = Literal["error", "warning"]
LEVELS: Final[tuple[Level, ...]] = ("error", "warning")


class Rule(NamedTuple):
    """How grave it is to break a rule, and what is wrong then."""

    level: Level
    says: str


RULES: Final[Mapping[str, Rule]] = {
    "cells": Rule("error", "a cell that must not be empty is, or cannot be used"),
    "ids": Rule("error", "an id is missing or appears twice"),
    "clues": Rule("error", "there is not one clue for each hidden word"),
    "fills": Rule("error", "the hidden words do not fill the first pass"),
    "letters": Rule("error", "the first pass does not spell the solution"),
    "key": Rule("error", "the key is not the solution's"),
    "hints": Rule("error", "the hints are not the hidden words' lengths"),
    "settings": Rule("error", "the two rebuses differ in more than hints"),
    "solution_words": Rule("error", "the solution words are not the solution's"),
    "characters": Rule("error", "characters that no right answer has, or control characters"),
    "blanks": Rule("error", "blanks at an end of what an answer must be equal to"),
    "leak": Rule("error", "a clue holds its own hidden word"),
    "same_rebus": Rule("error", "the same rebus appears in another row"),
    "seen_rebus": Rule("error", "the training file has the same first pass"),
    "subset_words": Rule("error", "the training file's words say another subset"),
    "punctuation": Rule("warning", "the solution and its key hold punctuation"),
    "apostrophes": Rule("warning", "an apostrophe that is not the plain one"),
    "characters_in_rebus": Rule("warning", "odd characters in the question"),
    "odd_blanks": Rule("warning", "two blanks together, or blanks at an end of the question"),
    "possible_leak": Rule("warning", "the hidden word appears inside a longer word of its clue"),
    "same_first_pass": Rule("warning", "the same first pass appears in another row"),
    "same_solution": Rule("warning", "the same solution appears in another row"),
    "seen_solution": Rule("warning", "the training file has the same solution"),
    "subset_unknown": Rule("warning", "a subset that is none of the challenge's"),
    "subset_order": Rule("warning", "the subsets are not in the challenge's order"),
    "formula": Rule("warning", "a cell that a spreadsheet would run"),
}


class Finding(NamedTuple):
    """A rule that a row breaks: the row's id, the line it begins in, and what exactly is wrong."""

    row: RowId
    line: int
    rule: str
    text: str

    @property
    def level(self) -> Level:
        """Say how grave it is."""
        return RULES[self.rule].level


CLUE: Final = regex(r"\[[^\]]*\]")
_HINT: Final = regex(r" \((\d+)\)\]$")
_KEY_PART: Final = regex(r"\w+|[^\w\s]")
_MARK: Final = regex(r"[^\w\s]")

Broken = tuple[str, str]
"""A rule's name, and what exactly is wrong."""


def letters(text: str) -> str:
    """Return a text's letters and digits alone, accents and case taken off."""
    text = text.casefold()
    joined = text.replace(" ", "")
    if joined.isascii() and joined.isalnum():  # most phrases are done with
        return joined
    return "".join(filter(str.isalnum, bare(text)))


def key_of(solution: str) -> str:
    """Return the solution key: word lengths separated by blanks, punctuation in its place."""
    parts: list[str] = _KEY_PART.findall(composed(solution))
    return " ".join(str(len(part)) if part[0].isalnum() else part for part in parts)


def clues_of(rebus: str) -> list[str]:
    """Return the clues of a verbalized rebus, brackets included."""
    # up to the last bracket: a line of opening ones behind it would take quadratic time
    return CLUE.findall(rebus, 0, rebus.rfind("]") + 1)


def taken_apart(rebus: str) -> tuple[list[str], list[str]]:
    """Return the clues of a verbalized rebus, and the letters before each and after the last."""
    end = rebus.rfind("]") + 1  # as in `clues_of`
    *before, last = CLUE.split(rebus[:end])
    return clues_of(rebus), [*before, last + rebus[end:]]


def broken_rules(rebus: Rebus) -> list[str]:
    """Return the rules of the game a row breaks, each in a few words; none for a correct rebus.

    A row of the study's layout has no rebus: of it the solution alone can be checked.
    """
    broken = _of_the_game(rebus) if rebus.verbalized_rebus else _letters(rebus)
    return [RULES[name].says for name, _ in broken]


def breaks(rebus: Rebus, *, asks: bool = True) -> Iterator[Broken]:
    """Yield every rule that one row by itself breaks, quirks included.

    `asks` is false for the study's layout, which has neither rebus nor key.
    """
    if asks:
        yield from chain(_clues(rebus), _of_the_game(rebus), _settings(rebus))
    else:
        yield from _letters(rebus)
    yield from _solution_words(rebus)


def _of_the_game(rebus: Rebus) -> Iterator[Broken]:
    return chain(_fills(rebus), _letters(rebus), _key(rebus), _hints(rebus))


def _clues(rebus: Rebus) -> Iterator[Broken]:
    for text in (rebus.verbalized_rebus, rebus.verbalized_rebus_with_length_hints):
        found = len(clues_of(text))
        if found != len(rebus.word_guesses):
            words = counted(len(rebus.word_guesses), "hidden word")
            yield "clues", f"{counted(found, 'clue')} for {words} in {text!r}"
            return


def _fills(rebus: Rebus) -> Iterator[Broken]:
    words = iter(rebus.word_guesses)
    filled = _replaced(rebus.verbalized_rebus, lambda _: next(words, ""))
    left = " and more words" if next(words, None) is not None else ""
    if left or filled.split() != rebus.first_pass.split():
        given = " ".join(filled.split())
        yield "fills", f"the words give {given!r}{left}, the first pass is {rebus.first_pass!r}"


def _letters(rebus: Rebus) -> Iterator[Broken]:
    first, last = letters(rebus.first_pass), letters(rebus.solution)
    if first != last:
        yield "letters", f"the first pass spells {first!r}, the solution {last!r}"


def _key(rebus: Rebus) -> Iterator[Broken]:
    right = key_of(rebus.solution)
    if rebus.solution_key != right:
        yield "key", f"the key is {rebus.solution_key!r}, that of {rebus.solution!r} is {right!r}"


def _hints(rebus: Rebus) -> Iterator[Broken]:
    clues = clues_of(rebus.verbalized_rebus_with_length_hints)
    hints = [found[1] if (found := _HINT.search(clue)) else None for clue in clues]
    lengths = [str(len(composed(word))) for word in rebus.word_guesses]
    if hints != lengths:
        shown = " ".join(hint or "none" for hint in hints)
        yield "hints", f"the hints are {shown or 'none'}, the words have {' '.join(lengths)}"


def _settings(rebus: Rebus) -> Iterator[Broken]:
    hinted = rebus.verbalized_rebus_with_length_hints
    without = _replaced(hinted, lambda clue: _HINT.sub("]", clue[0]))
    if without.split() != rebus.verbalized_rebus.split():
        yield "settings", f"{rebus.verbalized_rebus!r} is not {hinted!r} without its hints"


def _solution_words(rebus: Rebus) -> Iterator[Broken]:
    """Yield what is wrong with the solution's words, and the quirk of its punctuation."""
    solution = composed(rebus.solution).casefold()
    words = [composed(word).casefold() for word in rebus.solution_words]
    at_blanks = solution.split()
    at_marks: list[str] = WORD.findall(solution)
    along = words == at_marks
    if not along and words not in (at_blanks, [word for word in at_blanks if WORD.search(word)]):
        given = ";".join(rebus.solution_words)
        yield "solution_words", f"the solution is {rebus.solution!r}, its words are {given!r}"
    elif marks := "".join(dict.fromkeys(_MARK.findall(solution))):
        yield "punctuation", f"{rebus.solution!r} holds {marks}{_how_split(rebus, along=along)}"


def _how_split(rebus: Rebus, *, along: bool) -> str:
    if along:
        return "; solution_words are split there, as the key is"
    numbers, words = len(NUMBER.findall(rebus.solution_key)), len(rebus.solution_words)
    if numbers == words:
        return "; solution_words keep it in their words"
    return (
        f"; solution_words are split at blanks alone, {words:,} for {counted(numbers, 'number')} of "
        "the key: an answer along the key is misaligned from there on"
    )


def _replaced(rebus: str, by: Callable[[re.Match[str]], str]) -> str:
    """Return a verbalized rebus with other texts in place of its clues."""
    end = rebus.rfind("]") + 1  # as in `clues_of`
    return CLUE.sub(by, rebus[:end]) + rebus[end:]
