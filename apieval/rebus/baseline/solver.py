"""Solves a rebus by dictionary, and answers a prompt with it.

Pure: it sees a rebus, its solution key and a lexicon, never a gold field. This module owns the
baseline's name and version, the limits of what it takes, and which words a clue offers to the
search. It owns no reading of notations (`puzzle`), no search (`search`) and no template
(`writing`).

The hidden words are chosen jointly, for three things in this order: the letters must add up to
the key's lengths, the words they are cut into should be known or at least look Italian, and among
equals the dictionary's order counts. Where that cannot be had:

- a clue the dictionary does not know, or knows only with words of another length than its hint,
  may be any dictionary word of the length wanted (where there is no hint: of any length that
  leaves the sum right), those first that continue a known word;
- if no choice gives the key's sum, every clue that no hint confirms may be any word too, its own
  candidates first; if that fails, the sum nearest to the key's is taken, of two the smaller.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from apieval.rebus.baseline.puzzle import Element, Key, parse_key, parse_rebus
from apieval.rebus.baseline.search import Option, Search, Slot, reachable
from apieval.rebus.baseline.words import Word, fold
from apieval.rebus.baseline.writing import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apieval.rebus.baseline.lexicon import Lexicon

MODEL: Final = "apieval-baseline"
VERSION: Final = "2"
"""Bumped whenever an answer may change: the server's fingerprint carries it."""

MAX_CHARACTERS: Final = 5_000
"""Longest rebus and key in characters; the longest published ones have some 300."""
MAX_CLUES: Final = 200

RANK_COST: Final = 0.05
"""What each place down the dictionary's order costs; a known word earns 1 a letter."""
DEAREST_RANK: Final = 0.5
"""What that comes to at most: of hundreds of answers none is out of the question."""

REBUS: Final = "Rebus:"
KEY: Final = "Chiave di lettura:"
GIVEN: Final = re.compile(r"- \[[^\[\]]*\] = (\S.*)")
"""A hidden word that stands behind the question: a step of the answer that is given."""


def answer(prompt: str, lexicon: Lexicon) -> str:
    """Solve the last rebus of a prompt; where its answer is begun there, with the words given.

    Raises:
        ValueError: where the prompt has no rebus or no key, or `solve` refuses the rebus.
    """
    rebus = key = None
    given: list[str] = []
    for line in prompt.split("\n"):
        if line.startswith(REBUS):
            rebus, given = line.removeprefix(REBUS), []
        elif line.startswith(KEY):
            key = line.removeprefix(KEY)
        elif found := GIVEN.fullmatch(line):
            given.append(found[1])
    if rebus is None or key is None:
        raise ValueError(f"the prompt has no line {REBUS if rebus is None else KEY!r}")
    return solve(rebus, key, lexicon, given)


def solve(rebus: str, solution_key: str, lexicon: Lexicon, given: Sequence[str] = ()) -> str:
    """Solve a rebus and return the answer in the prompts' template.

    `given` are hidden words that the solver is told, one for each clue; any other number of them
    tells it nothing.

    Clues are looked up, not understood. Where the lexicon is the dictionary the rebuses' clues
    come from, the right words are among the candidates and choosing is all that is left: such a
    score is a best case for looking up, not a result that a model without the dictionary
    can be ranked against. With any other lexicon every missing clue costs.

    Raises:
        ValueError: for a rebus without letters and clues, or beyond `MAX_CHARACTERS` (which holds
            for the key too) or `MAX_CLUES`. Any other text gets an answer.
    """
    if max(len(rebus), len(solution_key)) > MAX_CHARACTERS:
        raise ValueError(f"rebus or key is longer than {MAX_CHARACTERS} characters")
    elements = parse_rebus(rebus)
    if not elements:
        raise ValueError("the rebus has neither letters nor clues")
    if sum(element.is_clue for element in elements) > MAX_CLUES:
        raise ValueError(f"the rebus has more than {MAX_CLUES} clues")
    key = parse_key(solution_key)
    words = _told(elements, given) or choose(elements, key, lexicon)
    return write(elements, words, key, lexicon.vocabulary)


def _told(elements: Sequence[Element], given: Sequence[str]) -> list[Word]:
    """Return the words of all elements where every clue's word is given, none otherwise."""
    if not given or len(given) != sum(element.is_clue for element in elements):
        return []
    words = iter(given)
    texts = [next(words) if element.is_clue else element.text for element in elements]
    return [Word(text, fold(text)) for text in texts]


def choose(elements: Sequence[Element], key: Key, lexicon: Lexicon) -> list[Word]:
    """Choose a word for every element, letter groups standing for themselves."""
    slots = [_slot(element, lexicon) for element in elements]
    reach = reachable(slots)
    if not reach[0] >> key.total & 1:
        loose = [_slot(element, lexicon, loose=True) for element in elements]
        if reachable(loose)[0] >> key.total & 1:
            slots, reach = loose, reachable(loose)
    return Search(slots, reach, key, lexicon).best()


def _slot(element: Element, lexicon: Lexicon, *, loose: bool = False) -> Slot:
    """Return what an element may be; `loose` opens a clue whose candidates no hint confirms."""
    if not element.is_clue:
        return Slot((Option(Word(element.text, fold(element.text)), 0.0),))
    words = lexicon.words(element.text)
    fitting = [word for word in words if len(word.letters) == element.length]
    if not fitting and element.length in lexicon.by_length:
        return Slot((), (element.length,))
    options = tuple(
        Option(word, min(RANK_COST * rank, DEAREST_RANK))
        for rank, word in enumerate(fitting or words)
    )
    return Slot(options, tuple(lexicon.by_length) if not words or (loose and not fitting) else ())
