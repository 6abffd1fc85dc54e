"""Shapes of answers that people read, each with its opposite that must not be read.

One line of `shapes.jsonl` a shape: the text, the part that is looked at, what is right ("" where
nothing may be read), what `official` reads and what `tolerant@2` read `before`.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.rebus.parsers import official, tolerant
from apieval.rebus.parsers.question import question
from apieval.records import Prediction, Status
from tests.records import rebus

SHAPES: Final[list[dict[str, Any]]] = [
    json.loads(line)
    for line in Path(__file__).with_name("shapes.jsonl").read_text("utf-8").splitlines()
]
SHOWN: Final = "[Cerimonia sacra] RNO [Preposizione di origine] FIAM [Congiunzione avversativa]"
ASKED: Final = question(
    rebus(verbalized_rebus=SHOWN, verbalized_rebus_with_length_hints=SHOWN, solution_key="7 2 6")
)


def read(prediction: Prediction, part: str) -> str:
    if part == "guess":
        return prediction.word_guesses[0]
    found: str | tuple[str, ...] = getattr(prediction, part)
    return found if isinstance(found, str) else ";".join(found)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape["id"])
def test_a_shape_is_read_as_a_person_reads_it(shape: dict[str, Any]) -> None:
    text, part, right = shape["text"], shape["part"], shape["right"]
    reading = tolerant.parse(text, ASKED)
    assert read(reading.prediction, part) == right
    assert read(official.parse(text), part) == shape["official"]
    if not right:
        name = "word_guesses" if part == "guess" else part
        assert reading.status[name] is not Status.FOUND
        assert reading.why[name]


def test_what_the_readings_gained_and_lost() -> None:
    """Gained right and wrong, lost: by `tolerant` now and before; nothing is gained wrong or lost."""
    counts = Counter[str]()
    for shape in SHAPES:
        right, before = shape["right"], shape["before"]
        now = read(tolerant.parse(shape["text"], ASKED).prediction, shape["part"])
        if now == right:
            counts["gained right" if before != right else "as before"] += 1
        else:
            counts["lost" if before == right else "gained wrong" if now != before else "wrong"] += 1
    assert counts == {"gained right": 314, "as before": 141}
