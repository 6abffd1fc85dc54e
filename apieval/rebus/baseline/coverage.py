"""How much of some rebuses a dictionary knows: what its solver could get right at best.

This is the one place of the baseline that looks at gold fields, and the solver does not know it:
what is counted here reaches no answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from apieval.rebus.baseline.puzzle import parse_rebus
from apieval.rebus.baseline.words import fold
from apieval.wording import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

    from apieval.rebus.baseline.lexicon import Lexicon
    from apieval.records import Rebus


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
