"""The clue dictionary the baseline solves with: read from a CSV file, looked up, indexed, measured.

This module owns what makes two clues the same, which answers a clue has, and how many clues of some
rebuses it knows. It owns no solving and no judgement of words beside clues.
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from apieval.errors import DataError
from apieval.rebus.baseline import dictionary_files
from apieval.rebus.baseline.dictionary_files import WordList
from apieval.rebus.baseline.vocabulary import Vocabulary
from apieval.rebus.baseline.words import Word, fold, starting

if TYPE_CHECKING:
    from collections.abc import Iterator
from typing import TYPE_CHECKING

from apieval.rebus.baseline.puzzle import parse_rebus
from apieval.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from apieval.records import Rebus


SAMPLE: Final = Path(__file__).parents[1] / "sample" / "lexicon.csv"
"""The package's own dictionary, written for its sample rebuses."""

SHOWN: Final = 8
"""Digits of a hash that a fingerprint shows."""
APOSTROPHES: Final = "’‘ʼ´`′＇"
"""What stands for a plain one."""
FINAL_PUNCTUATION: Final = ".,;:!?…"
WORD: Final = re.compile(r"[^\W\d_]+(?:[-'. ]+[^\W\d_]+)*")
"""What can stand in a rebus: letters, with blanks, hyphens, dots or apostrophes between them."""


def clue_key(clue: str) -> str:
    """Return what equal clues have in common, whatever their case, blanks and apostrophes."""
    return _plain_key(_plain(clue))


def _plain(text: str) -> str:
    """Return a text in composed form and with one kind of apostrophe."""
    text = unicodedata.normalize("NFC", text)
    for apostrophe in APOSTROPHES:
        text = text.replace(apostrophe, "'")
    return text


def _plain_key(clue: str) -> str:
    return "".join(clue.casefold().split()).rstrip(FINAL_PUNCTUATION)


@dataclass(frozen=True)
class Lexicon:
    """Clues and their answers; make one with `Lexicon.load`.

    `digest` is the SHA-256 of the file's bytes in hexadecimal. `skipped` counts the pairs passed
    over because their answer is no word (`R2D2`, a formula, an empty cell) or their clue is empty,
    `twice` those that had been read before. `known` is the Italian word list, if there is one.
    """

    entries: dict[str, tuple[Word, ...]]
    digest: str
    skipped: int = 0
    twice: int = 0
    known: WordList | None = None

    @classmethod
    def load(cls, path: Path | None = None, words: Path | None = None) -> Lexicon:
        """Read a two-column CSV file of clues and answers, UTF-8, with or without a header.

        None stands for the package's own. A header may name the columns in either order and
        further columns beside them, which are left alone. `words` is an Italian word list.

        Raises:
            DataError: naming file, line and remedy, when a file is missing, not UTF-8, empty, far
                too big, or no such table.
        """
        path = path or SAMPLE
        known = WordList.load(words) if words else None
        read = dictionary_files.read_source(
            path, "lexicon", "--lexicon", dictionary_files.PAIRS_REMEDY
        )
        found: dict[str, list[Word]] = defaultdict(list)
        kept: dict[str, Word | None] = {}
        pairs = skipped = 0
        plain = replace(read, text=_plain(read.text))  # all at once, which costs a tenth
        for clue, answer in dictionary_files.pairs(plain):
            key = _plain_key(clue)
            if answer not in kept:
                kept[answer] = _word(answer)
            word = kept[answer]
            if key and word:
                found[key].append(word)
                pairs += 1
            else:
                skipped += 1
        if not found:
            raise DataError(f"lexicon {str(path)!r} holds no clue with an answer: add `clue,word`")
        entries = {key: tuple(dict.fromkeys(found[key])) for key in found}
        twice = pairs - sum(map(len, entries.values()))
        return cls(entries, read.digest, skipped, twice, known)

    @property
    def identity(self) -> str:
        """Return what all answers depend on but for the solver: the hashes of what was read."""
        return f"{self.digest}+{self.known.digest}" if self.known else self.digest

    @property
    def fingerprint(self) -> str:
        """Return the identity's short form."""
        return "-".join(part[:SHOWN] for part in self.identity.split("+"))

    def index(self) -> None:
        """Make what the first answers would else make, each in its own thread."""
        _ = self.by_length, self._sorted
        self.vocabulary.index()

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
        return Vocabulary.of(self.by_letters.values(), self.known.shares if self.known else {})


def _word(answer: str) -> Word | None:
    """Return the answer as a word, or None where it cannot stand in a rebus.

    Crossword lists are often all capitals, which in a rebus would read as letter groups.
    """
    text = " ".join(answer.split())
    if not WORD.fullmatch(text):
        return None
    text = text.lower() if text.isupper() else text
    return Word(text, fold(text))


def coverage(lexicon: Lexicon, rebuses: Iterable[Rebus]) -> dict[str, int]:
    """Count clues, those with an answer (`known`), and those with the right one (`found`).

    `complete` counts the rebuses, of so many, whose every hidden word is among the answers.
    """
    total = {"rebuses": 0, "complete": 0, "clues": 0, "known": 0, "found": 0}
    for rebus in rebuses:
        clues = [each.text for each in parse_rebus(rebus.verbalized_rebus) if each.is_clue]
        answers = [{word.letters for word in lexicon.words(clue)} for clue in clues]
        gold = map(fold, rebus.word_guesses)
        right = sum(word in offered for word, offered in zip(gold, answers, strict=False))
        total["rebuses"] += 1
        total["complete"] += right == len(clues)
        total["clues"] += len(clues)
        total["known"] += sum(map(bool, answers))
        total["found"] += right
    return total


def told(lexicon: Lexicon, covers: dict[str, int]) -> str:
    """Return that in a sentence, with what of the dictionary's file was passed over."""
    aside = f"; {counted(lexicon.skipped, 'pair')} without clue or word" if lexicon.skipped else ""
    twice = f"; {counted(lexicon.twice, 'pair')} more than once" if lexicon.twice else ""
    return (
        f"the dictionary has answers to {covers['known']:,} of {counted(covers['clues'], 'clue')}, "
        f"the right one among them for {covers['found']:,}, for all clues of {covers['complete']:,} "
        f"of {counted(covers['rebuses'], 'rebus', 'rebuses')}{aside}{twice}"
    )
