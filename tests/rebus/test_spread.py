from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.describe import Spread


@given(st.lists(st.integers(0, 10_000), min_size=1))
def test_it_is_what_statistics_says(numbers: list[int]) -> None:
    found = Spread.of(numbers).as_json()
    assert found["mean"] == pytest.approx(statistics.fmean(numbers), rel=1e-12)
    assert found["sd"] == pytest.approx(statistics.pstdev(numbers), rel=1e-12, abs=1e-12)
    assert (found["min"], found["max"], found["n"]) == (min(numbers), max(numbers), len(numbers))


def test_numbers_that_come_more_than_once() -> None:
    spread = Spread()
    spread.add(5, 3)
    spread.add(9)
    assert spread == Spread.of([5, 5, 5, 9])


def test_equal_numbers_do_not_vary_at_all() -> None:
    assert Spread.of([1_000_003] * 7).as_json()["sd"] == 0


def test_of_nothing_there_is_no_mean() -> None:
    assert Spread().as_json() == {"mean": None, "sd": None, "min": None, "max": None, "n": 0}
