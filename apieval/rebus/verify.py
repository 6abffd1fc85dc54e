"""The rules of the game: what makes a row a correct rebus.

A row that breaks a rule is used all the same (the challenge's own file has such rows); it is
counted, so that nobody takes a fault of the data for one of the model. This module looks at one
row; what needs several of them stands in `checking`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Final

from apieval.patterns import regex
from apieval.rebus.along_key import NUMBER, WORD
from apieval.rebus.characters import bare, composed
from apieval.rebus.rules import RULES
from apieval.schema import Rebus
from apieval.wording import counted

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
