"""Why a printed rebus is not verbalized, or a clue not used: names, words, counts and first places."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

DROPPED: Final[Mapping[str, str]] = {
    "empty": "it has no first pass or no solution",
    "kind": "TIPO is not empty, so it is no regular rebus",
    "characters": "control characters, or characters that no right answer has",
    "elements": "an element that is neither letters nor a word",
    "few_words": "fewer hidden words than asked for",
    "letters": "the first pass does not spell the solution",
    "no_clue": "a hidden word has no clue",
    "leaks": "a hidden word stands in every clue it has",
    "double": "the same first pass and solution stand in another row",
    "rules": "it breaks another rule of the game",
    "seen": "the training file has the same first pass",
    "same_rebus": "another rebus asks the same: letters, clues and key",
}
"""Of a rebus, in the order they are looked for: the first that holds counts."""
UNUSED: Final[Mapping[str, str]] = {
    "empty": "it has no clue or no answer",
    "characters": "control characters",
    "brackets": "square brackets, which would end the clue",
    "length": "a number in brackets at its end, which would be read as the length",
    "double": "the same clue and answer stand in another row",
}
"""Of a clue, likewise."""
MOST_PLACES: Final = 3


class Tally:
    """How many rows each reason took, and where the first of them stand."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self._says = reasons
        self._rows: Counter[str] = Counter()
        self._first: dict[str, list[dict[str, Any]]] = {name: [] for name in reasons}

    def add(self, reason: str, line: int, text: str = "") -> None:
        """Count a row, named by its line and what exactly is wrong."""
        self._rows[reason] += 1
        if len(self._first[reason]) < MOST_PLACES:
            self._first[reason].append({"line": line, "text": text[:200]})

    @property
    def rows(self) -> int:
        """Return how many rows there are in all."""
        return self._rows.total()

    def as_json(self) -> dict[str, Any]:
        """Return every reason with its rows, those of none included."""
        return {
            name: {"says": says, "rows": self._rows[name], "first": self._first[name]}
            for name, says in self._says.items()
        }
