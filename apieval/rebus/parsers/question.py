"""What a parser may know of the rebus that an answer is to: what a solver was shown, never gold.

A first pass is compared in the rebus's own spacing: `C L U` is `CLU` where the rebus has it so.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Final

from apieval.patterns import regex
from apieval.rebus import prompts
from apieval.rebus.characters import bare, composed, straight
from apieval.rebus.equality import NUMBER
from apieval.rebus.rules import CLUE
from apieval.records import Rebus

_CLUE: Final = regex(r"\[[^\[\]]*+\]")
"""As `verify.CLUE`, but linear on a line of open brackets."""
_HINT: Final = regex(r"\([0-9]{1,3}\)\]?$")
_NO_LETTER: Final = regex(r"[\W_]+")
_EXAMPLE: Final = regex(r"^Rebus: (.*\[.*)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Question:
    """The clues as shown and `folded`, the letters before each and after the last, and the key."""

    shown: tuple[str, ...]
    clues: tuple[str, ...]
    letters: tuple[str, ...]
    key: str
    lengths: tuple[int, ...]


def question(rebus: Rebus) -> Question:
    """Return what the solver of a rebus was shown."""
    shown = straight(composed(rebus.verbalized_rebus))
    clues = CLUE.findall(shown)
    return Question(
        shown=tuple(clue[1:-1] for clue in clues),
        clues=tuple(map(folded, clues)),
        letters=tuple(" ".join(part.split()) for part in CLUE.split(shown)),
        key=rebus.solution_key,
        lengths=tuple(int(number[:9]) for number in NUMBER.findall(rebus.solution_key)),
    )


def clues_of(text: str) -> tuple[str, ...]:
    """Return the clues that stand in a text, folded."""
    return tuple(map(folded, _CLUE.findall(text)))


def folded(clue: str) -> str:
    """Return a clue's letters and digits alone, without accents, case and the hint at its end."""
    return _NO_LETTER.sub("", _HINT.sub("", bare(clue.strip()))).lower()


@cache
def example_clues() -> frozenset[str]:
    """Return the clues of the examples that every prompt shows."""
    return frozenset(
        clue for shown in _EXAMPLE.findall(prompts.template("regular")) for clue in clues_of(shown)
    )


_SHORT: Final = regex(r"(?<![\w.])(?:[^\W\d_]{1,3}\.)+[^\W\d_]{1,3}\Z")
"""An abbreviation but for its last stop, which is its own: `E.T.`, `q.b.`, `S.p.A.`."""
_LONGEST: Final = 40


def own_stop(text: str, at: int) -> bool:
    """Return whether a full stop stands here, and ends an abbreviation."""
    if text[at : at + 1] != ".":
        return False
    return _SHORT.search(text, max(0, at - _LONGEST), at) is not None


def respaced(text: str, question: Question) -> str | None:
    """Return a first pass with its letters spaced as in the rebus; None where they do not fit.

    It fits where the rebus's letters stand in their places, in any spacing and case, and one word
    in the place of each clue. The words themselves are as they are.
    """
    tokens = text.split()
    parts: list[str] = []
    at = 0
    for place, letters in enumerate(question.letters):
        if place:
            if at == len(tokens) or not _word(tokens[at]):
                return None
            parts.append(tokens[at])
            at += 1
        wanted, found = letters.replace(" ", "").lower(), ""
        while len(found) < len(wanted) and at < len(tokens):
            found += tokens[at].lower()
            at += 1
        if found != wanted:
            return None
        if letters:
            parts.append(letters)
    return " ".join(parts) if at == len(tokens) else None


def _word(token: str) -> bool:
    if not token[0].isalnum():
        return False
    return token[-1].isalnum() or token[-1] == "'" or own_stop(token, len(token) - 1)
