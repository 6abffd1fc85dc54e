"""Scored answers made of a few rights, and what a part of `details` makes of them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from apieval.analysis.setup import Measured
from apieval.analysis.summary import Detail
from apieval.rebus import scoring
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Outcome, Rebus, Setting
from tests.records import dataset, prediction, rebus

SETTING: Final[Setting] = "regular"
WORDS: Final = ("re", "ora", "casa", "fanti", "scosta", "spinaci", "accademia", "fo")


def row(number: int, *words: str, subset: str | None = None, **changes: object) -> Rebus:
    return rebus(id=number, subset=subset, word_guesses=words or ("Rita", "scosta"), **changes)


def answer(
    gold: Rebus,
    *,
    sample: int = 0,
    outcome: Outcome = Outcome.OK,
    setting: Setting = SETTING,
    parsers: Sequence[str] = tuple(scoring.PARSERS),
    **parts: object,
) -> ScoredAnswer:
    """Return an answer whose parts are right but for the ones given."""
    right = {name: getattr(gold, name) for name in type(prediction()).model_fields}
    read = prediction(**{**right, **parts})
    scores = (
        scoring.of_prediction(
            read, gold, parser=parser, setting=setting, sample=sample, outcome=outcome
        )
        for parser in parsers
    )
    return ScoredAnswer(gold, {each.parser: each for each in scores})


def shown(
    part: Callable[[Measured], Detail],
    rebuses: Sequence[Rebus],
    answers: Iterable[ScoredAnswer],
    **changes: Any,  # noqa: ANN401 # any field
) -> Any:  # noqa: ANN401 # any JSON
    """Return what a part shows of some answers; strict JSON must hold it."""
    plain: dict[str, Any] = {"settings": [SETTING], **changes}
    made = part(Measured("my-llama", dataset(rebuses).select(), **plain))
    for each in answers:
        made.add(each)
    found = made.summary()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found
