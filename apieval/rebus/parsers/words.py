"""Guesses at their clues, and solution words along the key: which word stands at which position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from apieval.rebus.equality import NUMBER, WORD
from apieval.rebus.parsers.lines import Said
from apieval.rebus.parsers.question import Question

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
