"""The rules of the game: what makes a row a correct rebus.

A row that breaks a rule is used all the same (the challenge's own file has such rows); it is
counted, so that nobody takes a fault of the data for one of the model.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from apieval.schema import Rebus

CLUE: Final = re.compile(r"\[[^\]]*\]")
SPELLS: Final = "the first pass does not spell the solution"
_HINT: Final = re.compile(r" \((\d+)\)\]$")
_KEY_PART: Final = re.compile(r"\w+|[^\w\s]")


def letters(text: str) -> str:
    """Return a text's letters and digits alone, accents and case taken off."""
    plain = unicodedata.normalize("NFD", text.casefold())
    return "".join(filter(str.isalnum, plain))


def key_of(solution: str) -> str:
    """Return the solution key: word lengths separated by blanks, punctuation in its place."""
    parts: list[str] = _KEY_PART.findall(unicodedata.normalize("NFC", solution))
    return " ".join(str(len(part)) if part[0].isalnum() else part for part in parts)


def broken_rules(rebus: Rebus) -> list[str]:
    """Return the rules a row breaks, each in a few words; none for a correct rebus.

    A row of the study's layout has no rebus: of it the solution alone can be checked.
    """
    spells = letters(rebus.first_pass) == letters(rebus.solution)
    if not rebus.verbalized_rebus:
        return [] if spells else [SPELLS]
    checks = {
        "the hidden words do not fill the first pass": _fills(rebus),
        SPELLS: spells,
        "the key is not the solution's": rebus.solution_key == key_of(rebus.solution),
        "the hints are not the hidden words' lengths": _hints(rebus),
    }
    return [rule for rule, kept in checks.items() if not kept]


def _fills(rebus: Rebus) -> bool:
    words = iter(rebus.word_guesses)
    filled = CLUE.sub(lambda _: next(words, ""), rebus.verbalized_rebus)
    return next(words, None) is None and filled.split() == rebus.first_pass.split()


def _hints(rebus: Rebus) -> bool:
    clues = CLUE.findall(rebus.verbalized_rebus_with_length_hints)
    hints = [found[1] if (found := _HINT.search(clue)) else None for clue in clues]
    return hints == [str(len(word)) for word in rebus.word_guesses]
