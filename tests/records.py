"""Records and files that tests of several modules are made of."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import Usage, summarize
from apieval.rebus import scoring
from apieval.rebus.dataset import Dataset
from apieval.records import SETTINGS, Prediction, Rebus, Response, Setting

Json = Any
"""A document of a summary's kind, taken apart as a test needs it."""

REPOSITORY: Final = Path(__file__).resolve().parents[1]
SHARED: Final = REPOSITORY.parent / "shared"
PUBLISHED: Final = SHARED / "data" / "eurekarebus"

needs_published = pytest.mark.skipif(
    not PUBLISHED.is_dir(), reason="the study's data (research use only) is not beside the checkout"
)

COLUMNS: Final = (
    "verbalized_rebus",
    "verbalized_rebus_with_length_hints",
    "solution_key",
    "word_guesses",
    "first_pass",
    "solution_words",
    "solution",
)

ROW: Final = {
    "verbalized_rebus": "VE [Santa di Cascia] NA [Sposta da un lato]",
    "verbalized_rebus_with_length_hints": "VE [Santa di Cascia (4)] NA [Sposta da un lato (6)]",
    "solution_key": "6 8",
    "word_guesses": "Rita;scosta",
    "first_pass": "VE Rita NA scosta",
    "solution_words": "Verità;nascosta",
    "solution": "Verità nascosta",
}

ANSWER: Final = """\
Procediamo alla risoluzione del rebus passo per passo:
- V E = VE
- [Santa di Cascia] = Rita
- N A = NA
- [Sposta da un lato] = scosta

Prima lettura: VE Rita NA scosta

Ora componiamo la soluzione seguendo la chiave risolutiva:
6 = Verità
8 = nascosta

Soluzione: Verità nascosta
"""


def rebus(**changes: object) -> Rebus:
    words = {name: tuple(ROW[name].split(";")) for name in ("word_guesses", "solution_words")}
    fields: dict[str, Any] = {"id": 0, **ROW, **words, **changes}
    return Rebus(**fields)


def prediction(**changes: object) -> Prediction:
    gold = rebus()
    right = {name: getattr(gold, name) for name in Prediction.model_fields}
    return Prediction.model_validate({**right, **changes})


def response(**changes: object) -> Response:
    plain: dict[str, Any] = {
        "id": 0,
        "setting": "regular",
        "sample": 0,
        "key": "sha256:0",
        "text": ANSWER,
        "reasoning": None,
        "finish_reason": "stop",
        "outcome": "ok",
        "served_model": None,
        "system_fingerprint": None,
        "usage": {},
        "cost_usd": None,
        "latency_s": 0.5,
        "attempts": 1,
        "error": None,
        "created": "2024-11-04T00:00:00+00:00",
        "cached": False,
    }
    return Response.model_validate({**plain, **changes})


def dataset(rebuses: Sequence[Rebus], name: str = "rebuses.csv") -> Dataset:
    return Dataset(name=name, digest="sha256:" + "0" * 64, rebuses=tuple(rebuses))


def summary(
    rebuses: Sequence[Rebus],
    responses: Iterable[Response],
    *,
    settings: Sequence[Setting] = SETTINGS,
    samples: int = 1,
    model: str = "my-llama",
    name: str = "rebuses.csv",
    usage: bool = False,
) -> dict[str, Any]:
    """Return the summary of some answers, made as `apieval score` makes it.

    With `usage` they are those of a run, without it those of a file of answers.
    """
    chosen = dataset(rebuses, name).select()
    collector, used = Collector(chosen.rebuses, settings, samples), Usage()
    for answer in responses:
        used.add(answer)
        for score in scoring.score(answer, chosen.by_id[str(answer.id)]):
            collector.add(score)
    measured = Measured(model, chosen, settings, samples)
    return {**summarize(measured, collector, used if usage else None)}


def write_csv(path: Path, rows: Iterable[Mapping[str, str]]) -> Path:
    listed = list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(listed[0]))
        writer.writeheader()
        writer.writerows(listed)
    return path
