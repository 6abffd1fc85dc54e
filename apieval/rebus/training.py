"""What a model may have seen: the words, first passes and solutions of a training file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from apieval.errors import DataError, did_you_mean
from apieval.rebus import tables
from apieval.rebus.characters import composed
from apieval.rebus.rules import letters
from apieval.records import Rebus
from apieval.signature import digest_file

NEEDED: Final = ("word_guesses", "first_pass", "solution")


@dataclass(slots=True)
class Training:
    """Rows that were seen, in what can be asked of them; `name` and `digest` are the file's."""

    name: str
    digest: str | None = None
    rows: int = 0
    _written: set[str] = field(default_factory=set)
    _folded: set[str] = field(default_factory=set)
    _first_passes: set[str] = field(default_factory=set)
    _solutions: set[str] = field(default_factory=set)

    def add(self, words: Iterable[str], first_pass: str, solution: str) -> None:
        """Take in a row."""
        self.rows += 1
        for word in map(composed, words):
            self._written.add(word)
            self._folded.add(word.casefold())
        self._first_passes.add(same_first_pass(first_pass))
        self._solutions.add(letters(solution))

    def add_word(self, word: str) -> None:
        """Take in a word by itself, of which no rebus is known."""
        self.rows += 1
        self._written.add(composed(word))
        self._folded.add(composed(word).casefold())

    def unseen(self, words: Sequence[str]) -> list[str]:
        """Return the words that were never seen, in whatever case."""
        return [word for word in words if composed(word).casefold() not in self._folded]

    def saw_as_written(self, words: Sequence[str]) -> bool:
        """Say whether every word was seen just so."""
        return all(composed(word) in self._written for word in words)

    def saw_first_pass(self, rebus: Rebus) -> bool:
        """Say whether the rebus itself was seen, whatever its clues."""
        return same_first_pass(rebus.first_pass) in self._first_passes

    def saw_solution(self, rebus: Rebus) -> bool:
        """Say whether the solution was seen, accents, case and punctuation aside."""
        return letters(rebus.solution) in self._solutions


def same_first_pass(first_pass: str) -> str:
    """Return a text that two first passes share if they are the same but for case and blanks."""
    return " ".join(composed(first_pass).casefold().split())


def read(path: Path) -> Training:
    """Read a training file; of its columns the words, the first pass and the solution are needed.

    A file that ends in .txt is a list of words, one a line.

    Raises:
        DataError: for what cannot be read, and for a column that is missing.
    """
    training = Training(path.name)
    if path.suffix.lower() == ".txt":
        _read_words(path, training)
    else:
        _read_rows(path, training)
    training.digest = digest_file(path)
    return training


def _read_words(path: Path, training: Training) -> None:
    for word in filter(None, map(str.strip, tables.lines(path))):
        training.add_word(word)
    if not training.rows:
        raise DataError(f"{path}: no words; write one a line.")


def _read_rows(path: Path, training: Training) -> None:
    for row in tables.read(path):
        for name in NEEDED:
            if name not in row.cells:
                raise DataError(
                    f"{path}, line {row.line}: missing column {name!r}"
                    f"{did_you_mean(name, row.cells)}; a training file needs {', '.join(NEEDED)}."
                )
        cells = [row.cells[name] for name in NEEDED]
        training.add(filter(None, cells[0].split(";")), *cells[1:])
    if not training.rows:
        raise DataError(f"{path}: no rows below the header.")
