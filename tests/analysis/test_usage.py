from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.usage import AT, MEASURES, Spending, spread
from tests.records import Json, response


def spent(*answers: Json) -> Json:
    made = Spending()
    for number, changes in enumerate(answers):
        made.add(response(id=number, **changes))
    found = made.summary()
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_quantiles_are_those_of_numpy(values: list[float]) -> None:
    found = spread(values)
    assert [*found["quantiles"].values()] == pytest.approx([*np.quantile(values, AT)], rel=1e-9)
    assert found["mean"] == pytest.approx(np.mean(values))
    assert found["n"] == len(values)


def test_of_one_answer_every_quantile_is_its_value() -> None:
    assert set(spread([3.0])["quantiles"].values()) == {3.0}


def test_of_nothing_nothing_is_known() -> None:
    found = spread([])
    assert found["n"] == 0
    assert found["mean"] is None
    assert set(found["quantiles"].values()) == {None}
    assert spent() == {}


def test_settings_stand_apart_in_their_order() -> None:
    found = spent({"setting": "hints", "latency_s": 3.0}, {"latency_s": 1.0}, {"latency_s": 2.0})
    assert list(found) == ["regular", "hints"]
    assert found["regular"]["answers"] == 2
    assert found["regular"]["latency_s"]["mean"] == 1.5
    assert found["hints"]["latency_s"]["mean"] == 3.0


def test_what_came_from_the_cache_took_no_time_and_cost_what_it_cost() -> None:
    usage = {"completion_tokens": 10}
    [found] = spent(
        {"latency_s": 2.0, "usage": usage, "cost_usd": 0.5},
        {"latency_s": 9.0, "usage": usage, "cost_usd": 0.3, "cached": True},
    ).values()
    assert found["from_cache"] == 1
    assert found["latency_s"]["n"] == 1
    assert found["latency_s"]["mean"] == 2.0
    assert found["tokens_per_s"]["mean"] == 5.0
    assert found["tokens_per_s"]["n"] == 1
    assert found["completion_tokens"]["n"] == 2
    assert math.isclose(found["cost_usd"]["mean"], 0.4)


def test_what_is_unknown_is_not_zero() -> None:
    [found] = spent(
        {"latency_s": None}, {"latency_s": 0.0, "usage": {"completion_tokens": 7}}
    ).values()
    assert found["cost_usd"]["n"] == 0
    assert found["cost_usd"]["mean"] is None
    assert found["latency_s"]["n"] == 1
    # no rate of no time
    assert found["tokens_per_s"]["n"] == 0
    assert set(MEASURES) <= set(found)


def test_a_failed_request_is_no_answer() -> None:
    failed = {"outcome": "failed", "latency_s": 60.0, "cost_usd": 1.0}
    [found] = spent(failed, {}).values()
    assert found["answers"] == 1
    assert found["latency_s"]["mean"] == 0.5
    assert spent(failed) == {}
