"""Which hidden words of an answer are right, where a tally says only how many."""

from __future__ import annotations

from itertools import zip_longest

from apieval.rebus.equality import LEVELS
from apieval.rebus.scoring import PARSERS
from apieval.schema import ItemScore, Rebus

_METRIC = "word_guess_accuracy"


def right_words(score: ItemScore, gold: Rebus) -> list[bool] | None:
    """Return for each hidden word of the row whether it is right.

    None of a failed request, and where the words were given. As many are right as the score's own tally says, by the equality of the score's parser.
    """
    if score.tallies is None or _METRIC not in score.tallies:
        return None
    right, total = score.tallies[_METRIC]
    if right in {0, total}:
        return [right > 0] * total
    golds, predicted = gold.word_guesses, score.prediction.word_guesses[:total]
    if level := PARSERS[score.parser].equality:
        spelling = LEVELS[level]
        golds, predicted = tuple(map(spelling, golds)), tuple(map(spelling, predicted))
    pairs = zip_longest(predicted, golds, fillvalue="")
    return [word.lower() == gold_word.lower() for word, gold_word in pairs]
