"""Which rebus a line answers, which of several answers counts, which word stands at which position.

A text is cut into blocks, each one answer to one rebus. A block is this rebus's where its clues
are; an example's or a next rebus's is not. Of this rebus's own blocks the last with a solution
counts, and what it leaves out is taken from the others, the nearest before it first. Nothing here
knows what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final, NamedTuple

from apieval.rebus.equality import NUMBER, WORD
from apieval.rebus.parsers.lines import Said, Says
from apieval.rebus.parsers.question import Question, clues_of, example_clues, respaced


class Owner(Enum):
    """Whose rebus a block answers."""

    OWN = auto()
    OTHER = auto()
    UNKNOWN = auto()
    """Clues that are nobody's we know."""
    UNSAID = auto()
    """No clue at all."""


@dataclass(slots=True)
class Block:
    """One answer: what its lines say, in order, and the rebus it restates."""

    said: list[Said] = field(default_factory=list)
    rebus: str | None = None
    kinds: set[Says] = field(default_factory=set)

    def add(self, each: Said) -> None:
        """Take in what one line says."""
        self.said.append(each)
        self.kinds.add(each.says)


_SOLVED: Final = {Says.SOLUTION, Says.PERHAPS}


def cut(said: Iterable[Said]) -> list[Block]:
    """Return the blocks of a text, in order."""
    blocks = [Block()]
    for each in said:
        last = blocks[-1]
        if _begins(each, last):
            last = Block()
            blocks.append(last)
        if each.says is Says.REBUS:
            last.rebus = each.value
        elif each.says is not Says.START:
            last.add(each)
    return blocks


def _begins(each: Said, last: Block) -> bool:
    """Return whether a line begins a new answer: it goes back behind what the last one has."""
    if each.says in {Says.REBUS, Says.START}:
        return bool(last.kinds) or (each.says is Says.REBUS and last.rebus is not None)
    if each.says is Says.GUESS:
        return not last.kinds.isdisjoint({Says.FIRST_PASS, *_SOLVED})
    return each.says in {Says.FIRST_PASS, Says.WORD} and not last.kinds.isdisjoint(_SOLVED)


def owner(block: Block, question: Question) -> Owner:
    """Return whose rebus a block answers, as far as its clues tell."""
    if block.rebus is not None and (shown := clues_of(block.rebus)):
        return Owner.OWN if _mostly(shown, question) else Owner.OTHER
    clues = [each.of for each in block.said if each.says is Says.GUESS]
    if not clues:
        return Owner.UNSAID
    examples = example_clues()
    if all(clue in examples for clue in clues) and not all(
        clue in question.clues for clue in clues
    ):
        return Owner.OTHER
    return Owner.OWN if _mostly(clues, question) else Owner.UNKNOWN


def _mostly(clues: Sequence[str], question: Question) -> bool:
    return 2 * sum(clue in question.clues for clue in clues) >= len(clues)


def own(blocks: Sequence[Block], question: Question) -> list[int]:
    """Return which blocks answer this rebus.

    A block without clues goes with the one before it. Where no block has this rebus's clues, those
    of unknown clues are taken, but where there are several only if their letters or lengths fit.
    """
    owners = [owner(block, question) for block in blocks]
    if Owner.OWN not in owners:
        return _by_form(blocks, owners, question)
    chosen, mine = [], True
    for at, each in enumerate(owners):
        if each is not Owner.UNSAID:
            mine = each is Owner.OWN
        if mine:
            chosen.append(at)
    return chosen


def _by_form(blocks: Sequence[Block], owners: Sequence[Owner], question: Question) -> list[int]:
    open_ = [at for at, each in enumerate(owners) if each is not Owner.OTHER and blocks[at].said]
    if len(open_) <= 1:
        return open_
    return [at for at in open_ if _fits(blocks[at], question)]


def _fits(block: Block, question: Question) -> bool:
    """Return whether a block has the form of this rebus: its key's lengths, or its letters in place."""
    labels = [each.of for each in block.said if each.says is Says.WORD]
    if labels and labels == [str(length) for length in question.lengths]:
        return True
    return any(
        each.says is Says.FIRST_PASS and respaced(each.value, question) for each in block.said
    )


ALONG_KEY: Final = frozenset({"along_key"})
"""The kind of solution words that were split or placed as the key has them."""


def placed(guesses: Sequence[Said], clues: Sequence[str]) -> dict[int, Said]:
    """Return each guess at its clue's position; of two for one clue the later.

    A guess whose clue is not one of the rebus's stands behind the one before it, where there is
    room. Of clues that are equal the first takes the first guess.
    """
    found: dict[int, Said] = {}
    places: dict[str, list[int]] = {}
    for at, clue in enumerate(clues):
        places.setdefault(clue, []).append(at)
    behind = 0
    for guess in guesses:
        mine = places.get(guess.of)
        if mine:
            place = next((at for at in mine if at not in found), mine[-1])
        elif behind < len(clues) and behind not in found:
            place = behind
        else:
            continue
        found[place] = guess
        behind = place + 1
    return found


def last_list(words: Sequence[Said], question: Question) -> Sequence[Said]:
    """Return the last whole list of solution words, where the labels of several are the key's."""
    wanted = [str(length) for length in question.lengths]
    size = len(wanted)
    if len(words) >= 2 * size > 0 and [each.of for each in words[-size:]] == wanted:
        return words[-size:]
    return words


def along_key(words: Sequence[tuple[str, str]], question: Question) -> tuple[str, ...]:
    """Return solution words, one a number of the key, of the labels and words that were read.

    A word is split where its label or the key has more numbers for it: `d'onore` is two words
    where the key has `1 ' 5`, and stays one where it has `6`. They stand in their order; where
    some are left out, each stands where its label does, if the labels fit the key in one way alone.
    """
    wanted = len(question.lengths)
    split = [_pieces(word) for _, word in words]
    if sum(map(len, split)) == wanted:
        return tuple(piece for pieces in split for piece in pieces)
    lines = [
        _Line(NUMBER.findall(label), word, pieces)
        for (label, word), pieces in zip(words, split, strict=True)
    ]
    joined = _joined(question.key)
    found = _in_order(lines, joined)
    if 0 < len(found) < wanted:
        return _by_label(lines, [str(length) for length in question.lengths], joined) or found
    return found


class _Line(NamedTuple):
    """A solution word as it was told: the numbers of its label, the word, and the words in it."""

    numbers: list[str]
    word: str
    pieces: list[str]

    @property
    def whole(self) -> str:
        return self.pieces[0] if len(self.pieces) == 1 else self.word

    def at(self, place: int, lengths: Sequence[str], joined: Sequence[str]) -> list[str]:
        """Return its words for the key's numbers from a place on; none where its label is not theirs."""
        many = len(self.pieces)
        theirs = lengths[place : place + many]
        if theirs == self.numbers:
            return self.pieces
        if self.numbers == lengths[place : place + 1]:
            return [self.whole]
        signs = joined[place : place + many - 1]
        if len(signs) == many - 1 and all(sign and sign in self.word for sign in signs):
            total = sum(map(int, theirs))
            # one number for all, with or without what joins them
            if self.numbers in ([str(total)], [str(total + many - 1)]):
                return self.pieces
        return []


def _in_order(lines: Sequence[_Line], joined: Sequence[str]) -> tuple[str, ...]:
    found: list[str] = []
    for line in lines:
        at = len(found)
        by_label = len(line.numbers) > 1 and len(line.pieces) == len(line.numbers)
        # what joins two numbers of the key, here joins two words
        by_key = at < len(joined) and any(sign in line.word for sign in joined[at])
        found.extend(line.pieces if by_label or by_key else [line.whole])
    return tuple(found)


def _by_label(
    lines: Sequence[_Line], lengths: Sequence[str], joined: Sequence[str]
) -> tuple[str, ...] | None:
    """Return words where their labels stand in the key; None where they fit it in no way, or in two.

    They fit in one way alone where each, as far to the left as it goes, is as far to the right.
    """
    left = _fitted(lines, lengths, joined)
    if left is None or left != _fitted(lines, lengths, joined, from_the_right=True):
        return None
    return tuple(left.get(place, "") for place in range(max(left) + 1))


def _fitted(
    lines: Sequence[_Line],
    lengths: Sequence[str],
    joined: Sequence[str],
    *,
    from_the_right: bool = False,
) -> dict[int, str] | None:
    """Return each line's words by their place in the key, as far to one side as they go."""
    found: dict[int, str] = {}
    low, high = 0, len(lengths)
    step = -1 if from_the_right else 1
    for line in lines[::step]:
        for place in range(low, high)[::step]:
            told = line.at(place, lengths, joined)
            if told and place + len(told) <= high:
                found.update(enumerate(told, place))
                low, high = (low, place) if from_the_right else (place + len(told), high)
                break
        else:
            return None
    return found


def _pieces(word: str) -> list[str]:
    """Return the words of a word, split as the key splits a solution; an empty one is one."""
    if word.isalnum():
        return [word]
    return WORD.findall(word) or [""]


def _joined(key: str) -> list[str]:
    """Return for each number of a key what stands between it and the next, but blanks."""
    return [part.replace(" ", "") for part in NUMBER.split(key)[1:-1]]
