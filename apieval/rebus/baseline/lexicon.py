"""The clue dictionary the baseline solves with: read from a CSV file, looked up, indexed.

This module owns the file's format, what makes two clues the same, and which answers a clue has.
It owns no solving (which candidate fits a rebus is the solver's business) and no judgement of
words beside clues, which is the vocabulary's.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Final

from apieval.errors import DataError
from apieval.rebus.baseline.vocabulary import Vocabulary
from apieval.rebus.baseline.words import Word, fold, starting

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLE: Final = Path(__file__).parents[1] / "sample" / "lexicon.csv"
"""The package's own dictionary, written for its sample rebuses."""

CLUE_HEADERS: Final = frozenset(
    {"clue", "clues", "definition", "definizione", "definizioni", "domanda", "indizio", "question"}
)
ANSWER_HEADERS: Final = frozenset(
    {"answer", "answers", "parola", "risposta", "risposte", "solution", "soluzione", "word"}
)

PLAIN_APOSTROPHE: Final = dict.fromkeys(map(ord, "’‘ʼ´`′＇"), "'")
FINAL_PUNCTUATION: Final = ".,;:!?…"
WORD: Final = re.compile(r"[^\W\d_]+(?:[-'. ]+[^\W\d_]+)*")
"""What can stand in a rebus: letters, with blanks, hyphens, dots or apostrophes between them."""


def clue_key(clue: str) -> str:
    """Return what equal clues have in common, whatever their case, blanks and apostrophes."""
    clue = unicodedata.normalize("NFC", clue).translate(PLAIN_APOSTROPHE).casefold()
    return "".join(clue.split()).rstrip(FINAL_PUNCTUATION)


@dataclass(frozen=True)
class Lexicon:
    """Clues and their answers; make one with `Lexicon.load`.

    `digest` is the SHA-256 of the file's bytes in hexadecimal. `skipped` counts the pairs passed
    over because their answer is no word (`R2D2`, an empty cell) or their clue is empty.
    """

    entries: dict[str, tuple[Word, ...]]
    digest: str
    skipped: int = 0

    @classmethod
    def load(cls, path: Path | None = None) -> Lexicon:
        """Read a two-column CSV file of clues and answers, UTF-8, with or without a header.

        None stands for the package's own. A header may name the columns in either order and
        further columns beside them, which are left alone.

        Raises:
            DataError: naming file, line and remedy, when the file is missing, not UTF-8, empty,
                or no such table.
        """
        path = path or SAMPLE
        try:
            data = path.read_bytes()
        except OSError as error:
            message = f"lexicon {str(path)!r} cannot be read ({error.strerror}): check --lexicon"
            raise DataError(message) from error
        found: dict[str, dict[Word, None]] = defaultdict(dict)
        skipped = 0
        for clue, answer in _pairs(path, _text(path, data)):
            key, word = clue_key(clue), _word(answer)
            if key and word:
                found[key][word] = None
            else:
                skipped += 1
        if not found:
            raise DataError(f"lexicon {str(path)!r} holds no clue with an answer: add `clue,word`")
        entries = {key: tuple(words) for key, words in found.items()}
        return cls(entries, hashlib.sha256(data).hexdigest(), skipped)

    def candidates(self, clue: str) -> tuple[str, ...]:
        """Return the clue's answers in file order, none twice; nothing for an unknown clue."""
        return tuple(word.text for word in self.words(clue))

    def words(self, clue: str) -> tuple[Word, ...]:
        """Return the clue's answers with their letters, in file order."""
        return self.entries.get(clue_key(clue), ())

    @cached_property
    def by_letters(self) -> dict[str, Word]:
        """Return every answer by its letters; of several spellings the file's first."""
        answers: dict[str, Word] = {}
        for words in self.entries.values():
            for word in words:
                answers.setdefault(word.letters, word)
        return answers

    @cached_property
    def by_length(self) -> dict[int, tuple[Word, ...]]:
        """Return the answers of each number of letters, in file order."""
        lengths: dict[int, list[Word]] = defaultdict(list)
        for word in self.by_letters.values():
            lengths[len(word.letters)].append(word)
        return {length: tuple(words) for length, words in lengths.items()}

    def starting(self, prefix: str, length: int) -> Iterator[Word]:
        """Yield the answers of a length whose letters start so, in alphabetical order."""
        for letters in starting(self._sorted.get(length, ()), prefix):
            yield self.by_letters[letters]

    @cached_property
    def _sorted(self) -> dict[int, list[str]]:
        return {
            length: sorted(word.letters for word in words)
            for length, words in self.by_length.items()
        }

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Return the words a solution may be made of: function words and the file's answers."""
        return Vocabulary.of(self.by_letters.values())


def _word(answer: str) -> Word | None:
    """Return the answer as a word, or None where it cannot stand in a rebus.

    Crossword lists are often all capitals, which in a rebus would read as letter groups.
    """
    text = " ".join(unicodedata.normalize("NFC", answer).translate(PLAIN_APOSTROPHE).split())
    if not WORD.fullmatch(text):
        return None
    text = text.lower() if text.isupper() else text
    return Word(text, fold(text))


def _text(path: Path, data: bytes) -> str:
    """Decode the file; a byte-order mark is dropped."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _bad(path, data.count(b"\n", 0, error.start) + 1, "it is not UTF-8") from error
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        raise _bad(path, line, "it holds a NUL character, so it is no text file")
    return text


def _pairs(path: Path, text: str) -> Iterator[tuple[str, str]]:
    """Yield clue and answer of every row; blank lines are none."""
    columns: tuple[int, int] | None = None
    width = 2
    for line, row in _rows(path, text):
        if columns is None:
            columns = _header(row)
            if columns is not None:
                width = len(row)
                continue
            columns = (0, 1)
        if len(row) != width:
            what = f"it has {len(row)} cells, not {width}"
            raise _bad(path, line, f"{what} (a comma inside a clue needs quotes around the clue)")
        yield row[columns[0]], row[columns[1]]


def _rows(path: Path, text: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows with the line each starts on."""
    reader = csv.reader(StringIO(text, newline=""), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise _bad(path, line, f"it is no CSV row ({error})") from error
        if row is None:
            return
        if any(map(str.strip, row)):
            yield line, row


def _header(row: list[str]) -> tuple[int, int] | None:
    """Return the places of clue and answer if the row is a header."""
    cells = [cell.strip().casefold() for cell in row]
    clues = [place for place, cell in enumerate(cells) if cell in CLUE_HEADERS]
    answers = [place for place, cell in enumerate(cells) if cell in ANSWER_HEADERS]
    return (clues[0], answers[0]) if clues and answers else None


def _bad(path: Path, line: int, what: str) -> DataError:
    return DataError(
        f"lexicon {str(path)!r}, line {line}: {what}; "
        "write one `clue,answer` pair a line, as UTF-8 CSV"
    )
