"""The beam search that chooses a rebus's hidden words jointly, from left to right.

This module owns what may stand in each place, which sums of lengths can be had, the order in which
ways through the rebus are kept, and the segmentation where the letters do not add up to the key. It
owns no clues. Its work grows with the number of places, never with the number of ways through them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from apieval.rebus.baseline.words import APOSTROPHES, ELIDED, Word

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from apieval.rebus.baseline.lexicon import Lexicon
    from apieval.rebus.baseline.puzzle import Key
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from apieval.rebus.baseline.vocabulary import Vocabulary


EXTENSIONS: Final = 40_000
"""Steps a search may take in all, shared by the clues: some 5 us each; few rebuses need them."""
OPEN_EXTENSIONS: Final = 6_000
"""Those of them that may go to words which are no answers to their clues."""
WIDEST: Final = 256
NARROWEST: Final = 8
"""States kept after an element: as many as the steps allow, within these bounds."""
GUESSES: Final = 400
"""Dictionary words tried at most in one place for a clue the dictionary does not know."""
SCANNED: Final = 1_000
"""Known words looked at in one place to find those."""

STRANGER_COST: Final = 2.0
"""What a word costs that is no answer to its clue: about two known letters."""


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


def reachable(slots: Sequence[Slot]) -> list[int]:
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
        self._open_share = OPEN_EXTENSIONS // max(clues, 1)
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
            states = states[: max(self._open_share // GUESSES, NARROWEST)]
        by_length = _by_length(slot.options)
        for state in states:
            left = self._target - state.at
            for length, options in by_length.items():
                if length <= left and reach >> (left - length) & 1:
                    for word, cost in options:
                        yield self._step(state, word, cost)
            lengths = [n for n in slot.open_lengths if n <= left and reach >> (left - n) & 1]
            for word in self._strangers(state, lengths, self._open_share // len(states)):
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


def _by_length(options: Iterable[Option]) -> dict[int, list[Option]]:
    lengths: dict[int, list[Option]] = defaultdict(list)
    for option in options:
        lengths[len(option.word.letters)].append(option)
    return lengths


def _unwound(picks: Picks) -> list[Word]:
    words: list[Word] = []
    while picks is not None:
        picks, word = picks
        words.append(word)
    return words[::-1]


OFF: Final = 0.75
"""What each letter costs by which a word is longer or shorter than the key says."""
FARTHEST: Final = 3
"""Letters by which a word may be off at most."""
MOST_WORDS: Final = 40
MOST_LETTERS: Final = 200
"""The search's work grows with words x letters; what is beyond is cut by the key."""


def segment(letters: str, lengths: Sequence[int], vocabulary: Vocabulary) -> list[str]:
    """Cut letters into as many words as there are lengths; nothing where no cut is near the key."""
    if len(lengths) > MOST_WORDS or len(letters) > MOST_LETTERS:
        return []
    ways: dict[int, tuple[float, tuple[str, ...]]] = {0: (0.0, ())}
    for length in lengths:
        longer: dict[int, tuple[float, tuple[str, ...]]] = {}
        for start, (score, words) in ways.items():
            for size in range(max(length - FARTHEST, 1), length + FARTHEST + 1):
                word = letters[start : start + size]
                if len(word) < size:
                    break
                worth = score + vocabulary.worth(word) - OFF * abs(size - length)
                if start + size not in longer or worth > longer[start + size][0]:
                    longer[start + size] = worth, (*words, word)
        ways = longer
    _, found = ways.get(len(letters), (0.0, ()))
    return [*found]
