"""Statistics at the edges: none, one, all right, all wrong, repeats; and strict JSON of all of it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from apieval.rebus.metrics import METRICS
from apieval.records import Rebus
from tests.records import rebus, response, summary

WRONG = "Soluzione: no\n"


def whole(rights: Sequence[Sequence[bool]], rows: Sequence[Rebus] | None = None) -> dict[str, Any]:
    """Return the summary of rebuses whose answers are right or wrong all through, sample by sample."""
    rows = rows or [rebus(id=number) for number in range(len(rights))]
    made = [
        response(id=row.id, sample=sample, **({} if right else {"text": WRONG}))
        for row, samples in zip(rows, rights, strict=True)
        for sample, right in enumerate(samples)
    ]
    samples = len(rights[0]) if rights else 1
    found = summary(rows, made, settings=["regular"], samples=samples)
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found


def every(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Return all figures of the official parser."""
    metrics = found["figures"]["regular"]["all"]["official"]
    return [metrics[name][each] for name in METRICS for each in ("micro", "macro")]


@pytest.mark.parametrize(
    ("rights", "value", "low", "high"),
    [
        pytest.param([[False]] * 25, 0.0, 0.0, 0.133, id="25 wrong"),
        pytest.param([[True]] * 25, 1.0, 0.867, 1.0, id="25 right"),
        pytest.param([[True]], 1.0, 0.207, 1.0, id="one right"),
        pytest.param([[False]], 0.0, 0.0, 0.793, id="one wrong"),
    ],
)
def test_every_figure_has_wilson_s_interval(
    rights: list[list[bool]], value: float, low: float, high: float
) -> None:
    for figure in every(whole(rights)):
        bounds = [round(figure[name], 3) for name in ("value", "low", "high")]
        assert bounds == [value, low, high]


def test_none_is_null() -> None:
    for figure in every(whole([])):
        assert figure == {"value": None, "low": None, "high": None, "n": 0}


def test_equal_scores_give_equal_figures() -> None:
    rights = [[number % 3 > 0] for number in range(40)]
    assert whole(rights) == whole(rights)


def test_repeats_are_grouped_by_item() -> None:
    # 3 equal repeats of 10 rebuses are 10 rebuses, and not 30
    rights = [[number % 2 > 0] for number in range(10)]
    once, thrice = whole(rights), whole([each * 3 for each in rights])
    for one, three in zip(every(once), every(thrice), strict=True):
        assert three["n"] == 3 * one["n"]
        assert three["high"] - three["low"] == pytest.approx(one["high"] - one["low"], abs=0.1)
        # 30 of their own: 0.332-0.668
        assert three["high"] - three["low"] > 0.45
