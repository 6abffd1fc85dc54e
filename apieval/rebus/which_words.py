"""Which words of an answer are right, where a tally says only how many."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Protocol

from apieval.rebus import metrics
from apieval.rebus.equality import LEVELS
from apieval.rebus.scoring import PARSERS
from apieval.schema import Prediction, Rebus, Tally

_METRIC: Final = "word_guess_accuracy"


class Scored(Protocol):
    """What there must be of a score, as `schema.ItemScore` has it."""

    @property
    def parser(self) -> str: ...  # noqa: D102 # the fields say what they are
    @property
    def prediction(self) -> Prediction: ...  # noqa: D102
    @property
    def tallies(self) -> Mapping[str, Tally] | None: ...  # noqa: D102


def right_words(score: Scored, gold: Rebus) -> list[bool] | None:
    """Return for each hidden word of the row whether it is right, as `right_ones` does."""
    return right_ones(score, gold, _METRIC)


def right_ones(score: Scored, gold: Rebus, metric: str) -> list[bool] | None:
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
