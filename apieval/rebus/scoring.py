"""An answer scored against its gold row: read by every parser, tallied by every metric.

A parser's figures have names of their own: `official`; `tolerant`, which is the tolerant parser
with strict equality; and `tolerant-lenient`, the same reading with lenient equality.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, Protocol

from apieval.rebus import metrics
from apieval.rebus.conversation import joined
from apieval.rebus.equality import LEVELS, Spelled, along_key, as_it_is, spelled
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.parsers.question import Question, question
from apieval.records import (
    Given,
    ItemScore,
    Outcome,
    Prediction,
    Reading,
    Rebus,
    Response,
    Setting,
    Tally,
)


@dataclass(frozen=True, slots=True)
class Parser:
    """A named and versioned way to read an answer; the version changes when a score may.

    `equality` is a level of `equality.LEVELS`, None that of the metrics themselves. Along the key
    (see `equality`) solution words are compared wherever there is a level.
    """

    name: str
    reader: str
    version: int
    equality: str | None = None

    def gold(self, rebus: Rebus) -> Rebus:
        """Return the row that this parser's predictions are held against."""
        return along_key(rebus) if self.equality else rebus


PARSERS: Final[Mapping[str, Parser]] = {
    each.name: each
    for each in (
        Parser(official.NAME, official.NAME, official.VERSION),
        Parser(tolerant.NAME, tolerant.NAME, tolerant.VERSION, "strict"),
        Parser(f"{tolerant.NAME}-lenient", tolerant.NAME, tolerant.VERSION, "lenient"),
    )
}


KEPT: Final = 1 << 13
"""So many rows are kept as they are compared; the challenge's file has 3,167."""


def _official(response: Response, _: Rebus) -> Reading:
    return Reading(official.parse(response.text))


def _tolerant(response: Response, rebus: Rebus) -> Reading:
    # of the row only what the solver was shown goes on from here
    cut = response.outcome is Outcome.TRUNCATED
    return tolerant.parse(response.text, _asked(rebus), cut=cut)


@lru_cache(maxsize=KEPT)
def _asked(rebus: Rebus) -> Question:
    return question(rebus)


READERS: Final[Mapping[str, Callable[[Response, Rebus], Reading]]] = {
    official.NAME: _official,
    tolerant.NAME: _tolerant,
}


@dataclass(frozen=True, slots=True)
class ScoredAnswer:
    """One answer and its scores by parser; `response` is None where only parsed parts are left."""

    gold: Rebus
    scores: Mapping[str, ItemScore]
    response: Response | None = None


def scored(response: Response, gold: Rebus, given: Given | None = None) -> ScoredAnswer:
    """Return an answer with its score by every parser."""
    scores = {each.parser: each for each in score(response, gold, given)}
    return ScoredAnswer(gold, scores, response)


def score(response: Response, gold: Rebus, given: Given | None = None) -> Iterator[ItemScore]:
    """Yield the score of one answer by every parser; a failed request has none, not 0.

    An answer that was begun for the model is read from its beginning on.
    """
    if given is not None:
        text = joined(gold, given, response.text)
        response = response.model_copy(update={"text": text})
    readings = {name: read(response, gold) for name, read in READERS.items()}
    for parser in PARSERS.values():
        yield of_reading(
            readings[parser.reader],
            gold,
            parser=parser.name,
            setting=response.setting,
            sample=response.sample,
            outcome=response.outcome,
            given=given,
        )


def of_prediction(
    prediction: Prediction,
    gold: Rebus,
    *,
    parser: str,
    setting: Setting,
    sample: int = 0,
    outcome: Outcome = Outcome.OK,
    given: Given | None = None,
) -> ItemScore:
    """Return the score of parts that were read elsewhere, as `of_reading` does."""
    return of_reading(
        Reading(prediction),
        gold,
        parser=parser,
        setting=setting,
        sample=sample,
        outcome=outcome,
        given=given,
    )


def of_reading(
    reading: Reading,
    gold: Rebus,
    *,
    parser: str,
    setting: Setting,
    sample: int = 0,
    outcome: Outcome = Outcome.OK,
    given: Given | None = None,
) -> ItemScore:
    """Return the score of what a parser read in one answer.

    A truncated, empty or refused answer counts wrong, whatever it holds; a failed request has no
    score at all. Steps that were `given` have no tallies.
    """
    tallies = None
    if outcome is not Outcome.FAILED:
        tallies = _tallies(reading.prediction, gold, PARSERS[parser])
        if given is not None:
            hidden = metrics.told(given)
            tallies = {name: each for name, each in tallies.items() if name not in hidden}
    else:
        reading = Reading(reading.prediction)  # there is nothing to say of what nobody answered
    if tallies and outcome is not Outcome.OK:
        tallies = {name: each._replace(right=0) for name, each in tallies.items()}
    return ItemScore(
        id=gold.id,
        setting=setting,
        sample=sample,
        subset=gold.subset,
        parser=parser,
        outcome=outcome,
        prediction=reading.prediction,
        tallies=tallies,
        status=reading.status,
        why=reading.why,
        seen_through=reading.seen_through,
        seen=reading.seen,
        seen_in=reading.seen_in,
    )


def _tallies(prediction: Prediction, gold: Rebus, parser: Parser) -> Mapping[str, Tally]:
    if parser.equality is None:
        return _tally(as_it_is(prediction), as_it_is(gold))
    return _tally(spelled(LEVELS[parser.equality], prediction), _wanted(gold, parser))


@lru_cache(maxsize=len(PARSERS))
def _tally(said: Spelled, wanted: Spelled) -> Mapping[str, Tally]:
    """Return the tallies; of most answers every parser asks for the same."""
    return metrics.tally(said, wanted)


@lru_cache(maxsize=KEPT)
def _wanted(gold: Rebus, parser: Parser) -> Spelled:
    """Return a row as a parser compares it: every setting and sample of it asks again."""
    return spelled(LEVELS[parser.equality or "strict"], parser.gold(gold))


_METRIC: Final = "word_guess_accuracy"


class Scored(Protocol):
    """What there must be of a score, as `records.ItemScore` has it."""

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
    spelling, part = LEVELS[parser.equality], metrics.METRICS[metric].part
    said, meant = getattr(score.prediction, part), getattr(parser.gold(gold), part)
    if isinstance(said, str):
        return metrics.rights_of(metric, spelling(said), spelling(meant))
    return metrics.rights_of(metric, (*map(spelling, said),), (*map(spelling, meant),))
