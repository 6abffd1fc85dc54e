"""Solves a rebus by dictionary, and writes the answer as the prompts' template asks.

Pure: it sees a rebus, its solution key and a lexicon, never a gold field. One beam search runs
through the rebus from left to right and chooses the hidden words jointly, for three things in
this order: the letters must add up to the key's lengths, the words they are cut into should be
known or at least look Italian, and among equals the dictionary's order counts.

What happens where that cannot be had:

- a clue the dictionary does not know, or knows only with words of another length than its hint,
  may be any dictionary word of the length wanted (where there is no hint: of any length that
  leaves the sum right), those first that continue a known word;
- if no choice gives the key's sum, every clue that no hint confirms may be any word too, its own
  candidates first; if that fails, the sum nearest to the key's is taken, of two the smaller;
- the solution is cut by the key as far as the letters go; what is left over belongs to the last
  word, and a word for which no letter is left has no line. An empty key is one word.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from itertools import accumulate, chain, islice, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from apieval.rebus.baseline.lexicon import ELIDED, Lexicon, Vocabulary, Word, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MODEL: Final = "apieval-baseline"
VERSION: Final = "1"
"""Bumped whenever an answer may change: the server's fingerprint carries it."""

MAX_CHARACTERS: Final = 5_000
"""Longest rebus and key in characters; the longest published ones have some 300."""
MAX_CLUES: Final = 200

EXTENSIONS: Final = 6_000
"""Steps a search may take in all, shared by the clues: some 5 us each."""
WIDEST: Final = 256
NARROWEST: Final = 8
"""States kept after an element: as many as the steps allow, within these bounds."""
GUESSES: Final = 400
"""Dictionary words tried at most in one place for a clue the dictionary does not know."""
SCANNED: Final = 1_000
"""Known words looked at in one place to find those."""

RANK_COST: Final = 0.05
"""What each place down the dictionary's order costs; a known word earns 1 a letter."""
STRANGER_COST: Final = 2.0
"""What a word costs that is no answer to its clue: about two known letters."""

REBUS: Final = "Rebus:"
KEY: Final = "Chiave di lettura:"
CLUE: Final = re.compile(r"\[([^\[\]]*)\]")
HINT: Final = re.compile(r"\s*\((\d{1,3})\)\s*$", re.ASCII)
KEY_PART: Final = re.compile(r"[0-9]+|[^\w\s]")

APOSTROPHES: Final = frozenset("'’")
BINDING: Final = APOSTROPHES | frozenset("-–/")
"""Marks with no blank on either side; every other mark follows its word without one."""
OPENING: Final = frozenset("([{«“")
BEFORE_IS: Final = frozenset(("c", "chi", "che", "com", "cos", "dov", "non", "qual"))
"""Words after which the letter e is `è` (is) rather than `e` (and)."""
QUOTE: Final = '"'


@dataclass(frozen=True)
class Element:
    """One element of a rebus: letters as they stand, or a clue with the length it hints at."""

    text: str
    is_clue: bool
    length: int | None = None


@dataclass(frozen=True)
class Key:
    """A solution key: its lengths, and the punctuation before each of them and at the end."""

    lengths: tuple[int, ...]
    marks: tuple[str, ...]

    @property
    def total(self) -> int:
        """Return the number of letters the solution has."""
        return sum(self.lengths)


class Option(NamedTuple):
    """A word that may stand in an element's place, and what choosing it costs."""

    word: Word
    cost: float


@dataclass(frozen=True)
class Slot:
    """What an element may be: given options, and for an open clue any word of some lengths."""

    options: tuple[Option, ...]
    open_lengths: tuple[int, ...] = ()

    @property
    def lengths(self) -> frozenset[int]:
        """Return the numbers of letters the element may take."""
        return frozenset((*(len(o.word.letters) for o in self.options), *self.open_lengths))


def answer(prompt: str, lexicon: Lexicon) -> str:
    """Solve the last rebus of a prompt.

    Raises:
        ValueError: where the prompt has no rebus or no key, or `solve` refuses the rebus.
    """
    rebus = key = None
    for line in prompt.split("\n"):
        if line.startswith(REBUS):
            rebus = line.removeprefix(REBUS)
        elif line.startswith(KEY):
            key = line.removeprefix(KEY)
    if rebus is None or key is None:
        raise ValueError(f"the prompt has no line {REBUS if rebus is None else KEY!r}")
    return solve(rebus, key, lexicon)


def solve(rebus: str, solution_key: str, lexicon: Lexicon) -> str:
    """Solve a rebus and return the answer in the prompts' template.

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
    return write(elements, choose(elements, key, lexicon), key, lexicon.vocabulary)


def parse_rebus(rebus: str) -> list[Element]:
    """Split a rebus into letter groups and clues; stray brackets and letterless bits fall away."""
    elements = []
    for place, text in enumerate(CLUE.split(rebus)):
        if place % 2:
            hint = HINT.search(text)
            length = int(hint[1]) if hint else None
            elements.append(
                Element(" ".join(HINT.sub("", text).split()), is_clue=True, length=length)
            )
        elif fold(text):
            letters = " ".join(text.replace("[", " ").replace("]", " ").split())
            elements.append(Element(letters, is_clue=False))
    return elements


def parse_key(solution_key: str) -> Key:
    """Read a solution key; what is neither a length nor punctuation counts as nothing."""
    lengths: list[int] = []
    marks = [""]
    for part in KEY_PART.findall(solution_key):
        if not part.isdecimal():
            marks[-1] += part
        elif length := int(part[:9]):
            lengths.append(length)
            marks.append("")
    return Key(tuple(lengths), tuple(marks))


def choose(elements: Sequence[Element], key: Key, lexicon: Lexicon) -> list[Word]:
    """Choose a word for every element, letter groups standing for themselves."""
    slots = [_slot(element, lexicon) for element in elements]
    reach = _reach(slots)
    if not reach[0] >> key.total & 1:
        loose = [_slot(element, lexicon, loose=True) for element in elements]
        if _reach(loose)[0] >> key.total & 1:
            slots, reach = loose, _reach(loose)
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
        Option(word, RANK_COST * rank) for rank, word in enumerate((fitting or words)[:GUESSES])
    )
    return Slot(options, tuple(lexicon.by_length) if not words or (loose and not fitting) else ())


def _reach(slots: Sequence[Slot]) -> list[int]:
    """Return for each place the sums of lengths that it and what follows can take, as bits."""
    sums = [1]
    for slot in reversed(slots):
        after, here = sums[-1], 0
        for length in slot.lengths:
            here |= after << length
        sums.append(here)
    return sums[::-1]


def _nearest(sums: int, total: int) -> int:
    """Return the sum nearest to the total, of two the smaller; there is always one."""
    return min(
        (place for place, bit in enumerate(reversed(f"{sums:b}")) if bit == "1"),
        key=lambda place: (abs(place - total), place),
    )


Picks: TypeAlias = "tuple[Picks, Word] | None"


class State(NamedTuple):
    """A way through the first elements: the letters of the word still open, and the choices."""

    score: float
    at: int
    place: int
    rest: str
    picks: Picks


class Search:
    """A beam search through the slots of one rebus, from left to right."""

    def __init__(
        self, slots: Sequence[Slot], reach: Sequence[int], key: Key, lexicon: Lexicon
    ) -> None:
        self._slots, self._reach, self._lengths, self._lexicon = slots, reach, key.lengths, lexicon
        self._target = _nearest(reach[0], key.total)
        self._elided = [not APOSTROPHES.isdisjoint(mark) for mark in key.marks]
        clues = sum(len(slot.options) > 1 or bool(slot.open_lengths) for slot in slots)
        self._share = EXTENSIONS // max(clues, 1)
        self._fan = max(len(slot.options) for slot in slots) or 1

    def best(self) -> list[Word]:
        """Return the words chosen, one for each slot."""
        states = [State(0.0, 0, 0, "", None)]
        for slot, reach in zip(self._slots, self._reach[1:], strict=True):
            states = self._pruned(self._extended(states, slot, reach))
        return _unwound(max(states, key=lambda state: state.score).picks)

    def _extended(self, states: Sequence[State], slot: Slot, reach: int) -> Iterator[State]:
        """Yield every state with every word after which the sum can still be had."""
        if slot.open_lengths:
            states = states[: max(self._share // GUESSES, NARROWEST)]
        for state in states:
            left = self._target - state.at
            fit = {n for n in slot.lengths if n <= left and reach >> (left - n) & 1}
            for word, cost in slot.options:
                if len(word.letters) in fit:
                    yield self._step(state, word, cost)
            lengths = [length for length in slot.open_lengths if length in fit]
            for word in self._strangers(state, lengths, self._share // len(states)):
                yield self._step(state, word, STRANGER_COST)

    def _strangers(self, state: State, lengths: Sequence[int], limit: int) -> Iterator[Word]:
        """Yield words for an open clue: for each length those that fit in, then the first ones."""
        for length in lengths:
            most = max(limit // len(lengths), 2)
            fitting = islice(self._continuing(state, length), most)
            spare = islice(self._lexicon.by_length[length], most)
            yield from dict.fromkeys(chain(fitting, spare))

    def _continuing(self, state: State, length: int) -> Iterator[Word]:
        """Yield the words of a length that go on with a known word where the state stands."""
        if state.place == len(self._lengths):
            return
        begun, whole = len(state.rest), self._lengths[state.place]
        known_words = self._lexicon.vocabulary.starting(state.rest, whole)
        for known in islice(known_words, SCANNED):
            piece = known[begun : begun + length]
            if len(piece) < length:
                yield from self._lexicon.starting(piece, length)
            elif piece in self._lexicon.by_letters:
                yield self._lexicon.by_letters[piece]

    def _step(self, state: State, word: Word, cost: float) -> State:
        """Put a word behind a state and cut off the solution words it completes."""
        score, place, rest = state.score - cost, state.place, state.rest + word.letters
        while place < len(self._lengths) and len(rest) >= (length := self._lengths[place]):
            score += self._worth(rest[:length], place)
            place, rest = place + 1, rest[length:]
        return State(score, state.at + len(word.letters), place, rest, (state.picks, word))

    def _worth(self, letters: str, place: int) -> float:
        """Return what a solution word is worth: a word before an apostrophe has lost its end."""
        if self._elided[place + 1]:
            return ELIDED[letters] + len(letters) if letters in ELIDED else 0.0
        if self._elided[place] and letters[0] not in "aeiouh":
            return -float(len(letters))
        return self._lexicon.vocabulary.worth(letters)

    def _promise(self, state: State) -> float:
        if not state.rest or state.place == len(self._lengths):
            return state.score
        whole = self._lengths[state.place]
        return state.score + self._lexicon.vocabulary.promise(state.rest, whole)

    def _pruned(self, states: Iterable[State]) -> list[State]:
        """Keep the best states; each sum of lengths keeps its best before any its second best."""
        best: dict[tuple[int, str], State] = {}
        for state in states:
            known = best.get((state.at, state.rest))
            if known is None or state.score > known.score:
                best[state.at, state.rest] = state
        rounds: Counter[int] = Counter()
        ranked = []
        for state in sorted(best.values(), key=self._promise, reverse=True):
            ranked.append((rounds[state.at], state))
            rounds[state.at] += 1
        ranked.sort(key=lambda pair: pair[0])
        wide = min(max(self._share // self._fan, NARROWEST), WIDEST)
        return [state for _, state in ranked[:wide]]


def _unwound(picks: Picks) -> list[Word]:
    words: list[Word] = []
    while picks is not None:
        picks, word = picks
        words.append(word)
    return words[::-1]


def write(
    elements: Sequence[Element], words: Sequence[Word], key: Key, vocabulary: Vocabulary
) -> str:
    """Write the answer in the prompts' template."""
    letters = "".join(word.letters for word in words)
    lengths, pieces = cut(letters, key.lengths, vocabulary)
    lines = map(_line, elements, words)
    return "\n".join(
        (
            "Procediamo alla risoluzione del rebus passo per passo:",
            *lines,
            f"Prima lettura: {' '.join(word.text for word in words)}",
            "Ora componiamo la soluzione seguendo la chiave risolutiva:",
            *(f"{length} = {piece}" for length, piece in zip(lengths, pieces, strict=False)),
            f"Soluzione: {join(pieces, key.marks)}",
        )
    )


def _line(element: Element, word: Word) -> str:
    if element.is_clue:
        return f"- [{element.text}] = {word.text}"
    spaced = " ".join(filter(str.isalpha, element.text))
    return f"- {spaced} = {spaced}"


def cut(
    letters: str, lengths: tuple[int, ...], vocabulary: Vocabulary
) -> tuple[tuple[int, ...], list[str]]:
    """Cut the letters into words as far as they go, and spell known words with their accents."""
    if not lengths:
        lengths = (len(letters),)
    ends = [*accumulate(lengths)][:-1]
    pieces = [letters[start:end] for start, end in pairwise([0, *ends, len(letters)])]
    spelt = [vocabulary.spell(piece) for piece in pieces if piece]
    for before, place in zip(pieces, range(1, len(spelt)), strict=False):
        if spelt[place] == "e" and before in BEFORE_IS:
            spelt[place] = "è"
    if spelt:
        first = spelt[0].capitalize()
        # Some letters have no capital of one letter (ß), and a solution must keep its letters.
        spelt[0] = first if fold(first) == fold(spelt[0]) else spelt[0]
    return lengths, spelt


def join(words: Sequence[str], marks: Sequence[str]) -> str:
    """Put the key's punctuation back between the solution's words, each mark with its blanks."""
    text, glued, quoted = "", True, False
    for word, before in zip(words, marks, strict=False):
        for mark in before:
            opens = mark in OPENING or (mark == QUOTE and not quoted)
            quoted ^= mark == QUOTE
            text += f" {mark}" if opens and not glued else mark
            glued = opens or mark in BINDING
        text += word if glued or not text else f" {word}"
        glued = False
    return text + "".join(marks[len(words) :])
