"""The clue dictionary the baseline solves with: read from a CSV file, looked up, indexed.

This module owns the file's format, what makes two clues the same, and which words are known.
It owns no solving: which candidate fits a rebus is the solver's business.
"""

from __future__ import annotations

import csv
import hashlib
import re
import unicodedata
from bisect import bisect_left
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cached_property, lru_cache
from io import StringIO
from math import log2
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from apieval.errors import DataError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SAMPLE: Final = Path(__file__).parents[1] / "sample" / "lexicon.csv"
"""The package's own dictionary, written for its sample rebuses."""

CLUE_HEADERS: Final = frozenset(
    {"clue", "clues", "definition", "definizione", "definizioni", "domanda", "indizio", "question"}
)
ANSWER_HEADERS: Final = frozenset(
    {"answer", "answers", "parola", "risposta", "risposte", "solution", "soluzione", "word"}
)

APOSTROPHES: Final = dict.fromkeys(map(ord, "’‘ʼ´`′＇"), "'")
FINAL_PUNCTUATION: Final = ".,;:!?…"
WORD: Final = re.compile(r"[^\W\d_]+(?:[-'. ]+[^\W\d_]+)*")
"""What can stand in a rebus: letters, with blanks, hyphens, dots or apostrophes between them."""

FUNCTION_WORDS: Final = (
    "di e a la il in per che le un del i una con da al della dei nel alla gli non si è lo dal"
    " nella sul su dalla delle ai sulla o se come uno tra fra ed od ad allo agli alle dello degli"
    " dallo dai dagli dalle nello nei negli nelle ne sullo sui sugli sulle col coi chi cui né ma"
    " anche dove quando quanto quale quali perché poi già più meno ora mai sempre ancora così solo"
    " qui qua là ogni altro altra altri altre tutto tutta tutti tutte molto molta molti molte poco"
    " poca pochi poche troppo tanto tanti tante nulla niente bene male ben mal bel bella belle"
    " bello gran grande grandi buon buono buona io tu noi voi lui lei essi mi ti ci vi mio mia"
    " miei mie tuo tua tuoi tue suo sua suoi sue loro nostro nostra vostro vostra questo questa"
    " questi queste quel quello quella quei quelle quegli ho ha hai hanno aver avere abbiamo sono"
    " sei siamo era erano sia fu esser essere stato stata fa far fare fanno va van vai andar"
    " andare vanno dà dar dare sta star stare può deve vuol vuole dir dire due tre dieci cento"
    " mille prima dopo senza verso sotto sopra contro dentro fuori città"
)
"""Small words of Italian, the commonest first."""
ACCENTED_WORDS: Final = (
    "bontà carità civiltà difficoltà età facoltà libertà novità pietà povertà qualità quantità"
    " realtà società umiltà verità volontà lunedì martedì mercoledì giovedì venerdì così"
    " perciò però purché affinché poiché finché benché ciò cioè falò tè caffè bignè canapè"
    " lacchè sofà baccalà felicità virtù gioventù tribù"
)
ACCENTED_ENDING: Final = re.compile(
    r"..(?:[ai]l|ant?|ar|dent|ern|als|ers|ess|os|i[cdv]|[ao]c)ita$|..[rc]ieta$|..[^aeiou]u$"
)
"""Endings of words that nearly always have an accent on their last letter."""
ACCENTED: Final = {"a": "à", "u": "ù"}
ELIDED_WORDS: Final = "l d un all dell dall nell sull"
RARELY_ELIDED_WORDS: Final = (
    "c m t s v n po coll quell bell sant gl dov com cos quand senz tutt quest grand mezz anch nient"
)
ELIDED: Final = {
    **dict.fromkeys(ELIDED_WORDS.split(), 2.0),
    **dict.fromkeys(RARELY_ELIDED_WORDS.split(), 1.0),
}
"""Words that stand before an apostrophe, without the vowel they lost, and how common they are."""

KIN: Final = 0.6
"""What a letter is worth in a word that is known but for its ending; a known word's is worth 1."""
LOOKS: Final = 0.25
"""What a bit of likeness is worth, a letter: an Italian-looking stranger stays behind its kin."""
PROMISE: Final = 0.6
"""What a letter is worth in a word not yet complete that may become a known one."""
WEIGHT: Final = 0.2
WEIGHT_TWO: Final = 8.0
"""How often each letter counts as seen before any word is: after one letter, after two."""
CACHED: Final = 20_000
LONGEST: Final = 40
"""Letters of a word that are looked at; no Italian word has more, hostile text may."""

VOWELS: Final = frozenset("aeiou")
STEM: Final = 3
"""Letters a word must keep without its ending to be told apart from others."""
ALPHABET: Final = 22
"""Letters that may follow a letter: the Italian alphabet's 21, and a word's end."""


def fold(text: str) -> str:
    """Return a text's letters alone, lower case and without accents: what a rebus is spelt with."""
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text if text.isalpha() else "".join(filter(str.isalpha, text))


def clue_key(clue: str) -> str:
    """Return what equal clues have in common, whatever their case, blanks and apostrophes."""
    clue = unicodedata.normalize("NFC", clue).translate(APOSTROPHES).casefold()
    return "".join(clue.split()).rstrip(FINAL_PUNCTUATION)


class Word(NamedTuple):
    """A dictionary word as it is written, and its letters."""

    text: str
    letters: str


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
        spelling: dict[str, str] = {}
        bonus: dict[str, float] = {}
        small = FUNCTION_WORDS.split()
        for rank, text in enumerate(small):
            bonus.setdefault(fold(text), 1 - rank / len(small))
            spelling.setdefault(fold(text), text)
        for letters, word in self.by_letters.items():
            if word.text.isalpha():
                spelling.setdefault(letters, word.text.lower())
        for text in ACCENTED_WORDS.split():
            spelling.setdefault(fold(text), text)
        return Vocabulary(spelling, bonus)


class Vocabulary:
    """Known words by their letters, and how much like them any other letters look.

    `bonus` is what a word is worth beyond its letters because it is common, 1 at most.
    """

    def __init__(self, spelling: dict[str, str], bonus: dict[str, float]) -> None:
        self.spelling = spelling
        self._bonus = bonus
        lengths: dict[int, list[str]] = defaultdict(list)
        for letters in spelling:
            lengths[len(letters)].append(letters)
        self._sorted = {length: sorted(words) for length, words in lengths.items()}
        self._cached_bits = lru_cache(CACHED)(self._bits)
        self._cached_worth = lru_cache(CACHED)(self._worth)
        self._cached_promise = lru_cache(CACHED)(self._promise)

    def worth(self, letters: str) -> float:
        """Return how good a solution word is: its letters if known, less for a likely stranger."""
        return self._cached_worth(letters[:LONGEST])

    def promise(self, prefix: str, length: int) -> float:
        """Return what the beginning of a solution word of that length lets hope for."""
        return self._cached_promise(prefix[:LONGEST], length)

    def _worth(self, letters: str) -> float:
        if letters in self.spelling:
            return len(letters) + self._bonus.get(letters, 0.0)
        if self.kin(letters):
            return KIN * len(letters)
        return len(letters) * LOOKS * self.likeness(letters)

    def _promise(self, prefix: str, length: int) -> float:
        if next(self.starting(prefix, length), None):
            return PROMISE * len(prefix)
        return len(prefix) * LOOKS * self.likeness(prefix, whole=False)

    def starting(self, prefix: str, length: int) -> Iterator[str]:
        """Yield the known words of a length that start with the prefix, in alphabetical order."""
        return starting(self._sorted.get(length, ()), prefix)

    def spell(self, letters: str) -> str:
        """Return a solution word with the accents that its letters do not show."""
        if letters in self.spelling:
            return self.spelling[letters]
        if ACCENTED_ENDING.search(letters):
            return letters[:-1] + ACCENTED[letters[-1]]
        return letters

    def kin(self, letters: str) -> bool:
        """Tell whether a known word has these letters but for its last vowel (amor, amori)."""
        return letters in self._stems or (letters[-1] in VOWELS and letters[:-1] in self._stems)

    def likeness(self, letters: str, *, whole: bool = True) -> float:
        """Return how Italian letters look, in bits per letter above chance; 0 is chance.

        `whole` tells that a word ends with the last letter.
        """
        text = f"^^{letters}$" if whole else f"^^{letters}"
        bits = [self._cached_bits(text[at : at + 3]) for at in range(len(text) - 2)]
        return sum(bits) / max(len(bits), 1)

    def _bits(self, three: str) -> float:
        """Return the odds of a third letter after two, the two's evidence backed by one's."""
        counts = self._counts
        one = (counts[three[1:]] + WEIGHT) / (counts[three[1]] + WEIGHT * ALPHABET)
        two = (counts[three] + WEIGHT_TWO * one) / (counts[three[:2]] + WEIGHT_TWO)
        return log2(two * ALPHABET)

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(
            word[:-1] for word in self.spelling if len(word) > STEM and word[-1] in VOWELS
        )

    @cached_property
    def _counts(self) -> Counter[str]:
        """Count the runs of one, two and three letters in all words."""
        texts = [f"^^{letters}$" for letters in self.spelling]
        return Counter(
            text[at : at + size]
            for text in texts
            for size in (1, 2, 3)
            for at in range(len(text) - size + 1)
        )


def starting(words: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield those of the sorted words that start with the prefix."""
    for position in range(bisect_left(words, prefix), len(words)):
        if not words[position].startswith(prefix):
            return
        yield words[position]


def _word(answer: str) -> Word | None:
    """Return the answer as a word, or None where it cannot stand in a rebus.

    Crossword lists are often all capitals, which in a rebus would read as letter groups.
    """
    text = " ".join(unicodedata.normalize("NFC", answer).translate(APOSTROPHES).split())
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
