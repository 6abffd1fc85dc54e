"""An answer held against its gold row: parsed by every parser, tallied by every metric."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from apieval.rebus import metrics
from apieval.rebus.parsers import official
from apieval.schema import ItemScore, Outcome, Prediction, Rebus, Response, Setting


@dataclass(frozen=True, slots=True)
class Parser:
    """A named and versioned way to read an answer; the version changes when a score may."""

    name: str
    version: int
    parse: Callable[[str], Prediction]


PARSERS: Final[Mapping[str, Parser]] = {
    official.NAME: Parser(official.NAME, official.VERSION, official.parse),
}


def score(response: Response, gold: Rebus) -> Iterator[ItemScore]:
    """Yield the score of one answer by every parser; a failed request has none, not 0."""
    for parser in PARSERS.values():
        yield of_prediction(
            parser.parse(response.text),
            gold,
            parser=parser.name,
            setting=response.setting,
            sample=response.sample,
            outcome=response.outcome,
        )


def of_prediction(
    prediction: Prediction,
    gold: Rebus,
    *,
    parser: str,
    setting: Setting,
    sample: int = 0,
    outcome: Outcome = Outcome.OK,
) -> ItemScore:
    """Return the score of what a parser read in one answer.

    A truncated, empty or refused answer counts wrong, whatever it holds; a failed request has no
    score at all.
    """
    tallies = None if outcome is Outcome.FAILED else metrics.tally(prediction, gold)
    if tallies and outcome is not Outcome.OK:
        tallies = {name: each._replace(right=0) for name, each in tallies.items()}
    return ItemScore.model_construct(
        id=gold.id,
        setting=setting,
        sample=sample,
        subset=gold.subset,
        parser=parser,
        outcome=outcome,
        prediction=prediction,
        tallies=tallies,
    )
