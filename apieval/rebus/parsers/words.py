"""Guesses at their clues, and solution words along the key: which word stands at which position."""

from __future__ import annotations

from collections.abc import Sequence

from apieval.rebus.along_key import NUMBER, WORD
from apieval.rebus.parsers.lines import Said
from apieval.rebus.parsers.question import Question


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
    where the key has `1 ' 5`, and stays one where it has `6`.
    """
    wanted = len(question.lengths)
    split = [_pieces(word) for _, word in words]
    if sum(map(len, split)) == wanted:
        return tuple(piece for pieces in split for piece in pieces)
    joined = _joined(question.key)
    found: list[str] = []
    for (label, word), pieces in zip(words, split, strict=True):
        at = len(found)
        numbers = len(NUMBER.findall(label))
        by_label = numbers > 1 and len(pieces) == numbers
        # what joins two numbers of the key, here joins two words
        by_key = at < len(joined) and any(sign in word for sign in joined[at])
        if by_label or by_key:
            found.extend(pieces)
        else:
            found.append(pieces[0] if len(pieces) == 1 else word)
    return tuple(found)


def _pieces(word: str) -> list[str]:
    """Return the words of a word, split as the key splits a solution; an empty one is one."""
    if word.isalnum():
        return [word]
    return WORD.findall(word) or [""]


def _joined(key: str) -> list[str]:
    """Return for each number of a key what stands between it and the next, but blanks."""
    return [part.replace(" ", "") for part in NUMBER.split(key)[1:-1]]
