"""Whose answer a line belongs to, and which of several answers counts.

A text is cut into blocks, each one answer to one rebus. A block is this rebus's where its clues
are; an example's or a next rebus's is not. Of this rebus's own blocks the last with a solution
counts, and what it leaves out is taken from the others, the nearest before it first. Nothing here
knows what would be right.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Final

from apieval.rebus.parsers.first_pass import respaced
from apieval.rebus.parsers.lines import Said, Says
from apieval.rebus.parsers.question import Question, clues_of, example_clues


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
