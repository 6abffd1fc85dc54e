"""A table of clues and answers, as crosswords have them: the clues that can stand for a word.

A clue must not give its word away: one that holds it by itself is never used (`leaks` says what is
sure), one that holds it inside a longer word only where the word has no other.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from apieval.rebus.cells import UNUSED, Columns, Tally, odd, tidied
from apieval.rebus.leaks import leaks
from apieval.results.data import ClueTable
from apieval.signature import digest_file

NEEDED: Final = ("Clue", "Answer")
_LENGTH: Final = re.compile(r"\(\d+\)$")


class Choice(NamedTuple):
    """The clues that may be drawn for a word, in order of their characters.

    None are left where all give the word away; `possible_leaks` says that all hold it inside a
    longer word.
    """

    clues: tuple[str, ...]
    possible_leaks: bool


class Clues:
    """The clues of all tables by their answers; accents count, case does not."""

    def __init__(self) -> None:
        self._clues: dict[str, set[str]] = {}
        self._choices: dict[str, Choice] = {}

    @property
    def answers(self) -> int:
        """Return how many different answers there are."""
        return len(self._clues)

    def read(self, path: Path) -> ClueTable:
        """Take in a table, and return what it is and which of its rows cannot be used.

        Raises:
            DataError: for what cannot be read, and for a column that is missing.
        """
        table, unused = Columns(path, NEEDED), Tally(UNUSED)
        for line, cells in table.read():
            clue, answer = tidied(cells["Clue"]), key(tidied(cells["Answer"]))
            if reason := _fault(clue, answer) or self._add(clue, answer):
                unused.add(reason, line, clue)
        return {
            "name": path.name,
            "digest": digest_file(path),
            "rows": table.rows,
            "used": table.rows - unused.rows,
            "unused": unused.as_json(),
            "formulas": table.formulas,
        }

    def _add(self, clue: str, answer: str) -> str:
        clues = self._clues.setdefault(answer, set())
        before = len(clues)
        clues.add(clue)
        return "double" if len(clues) == before else ""

    def of(self, word: str) -> Choice | None:
        """Return what may be drawn for a word, None where it has no clue at all."""
        answer = key(word)
        if answer not in self._choices and answer in self._clues:
            self._choices[answer] = _choice(self._clues[answer], answer)
        return self._choices.get(answer)


def key(word: str) -> str:
    """Return what a hidden word and the answer of a clue have in common."""
    return word.casefold()


def _fault(clue: str, answer: str) -> str:
    """Return why a pair cannot be used, empty where it can."""
    if not (clue and answer):
        return "empty"
    if odd(clue, gold=False) or odd(answer, gold=False):
        return "characters"
    if "[" in clue or "]" in clue:
        return "brackets"
    return "length" if _LENGTH.search(clue) else ""


def _choice(clues: Iterable[str], word: str) -> Choice:
    safe, possible = [], []
    for clue in sorted(clues):
        found = [sure for sure, _ in leaks([clue], [word])]
        if not found:
            safe.append(clue)
        elif not any(found):
            possible.append(clue)
    return Choice(tuple(safe or possible), bool(possible and not safe))
