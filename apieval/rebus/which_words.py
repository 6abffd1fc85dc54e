"""Which words of an answer are right, where a tally says only how many."""

from __future__ import annotations

from apieval.rebus import metrics
from apieval.rebus.equality import LEVELS
from apieval.rebus.scoring import PARSERS
from apieval.schema import ItemScore, Rebus

_METRIC = "word_guess_accuracy"


def right_words(score: ItemScore, gold: Rebus) -> list[bool] | None:
    """Return for each hidden word of the row whether it is right, as `right_ones` does."""
    return right_ones(score, gold, _METRIC)


def right_ones(score: ItemScore, gold: Rebus, metric: str) -> list[bool] | None:
    """Return for each thing of the row that a metric counts whether it is right.

    None of a failed request, and where the step was given. As many are right as the score's own
    tally says, by the equality of the score's parser and against the row as that parser takes it.
    """
    if score.tallies is None or metric not in score.tallies:
        return None
    right, total = score.tallies[metric]
    if right in {0, total}:
        return [right > 0] * total
    parser = PARSERS[score.parser]
    if parser.equality is None:
        return metrics.rights(metric, score.prediction, gold)
    spelling, part = LEVELS[parser.equality], metrics.PARTS[metric]
    said, meant = getattr(score.prediction, part), getattr(parser.gold(gold), part)
    if isinstance(said, str):
        return metrics.rights_of(metric, spelling(said), spelling(meant))
    return metrics.rights_of(metric, (*map(spelling, said),), (*map(spelling, meant),))
