from __future__ import annotations

import math
import random

import pytest

from apieval.analysis.diagnosis_shares import NOTHING, Counts, ratio
from apieval.analysis.intervals import bootstrap, wilson


def counted(*answers: tuple[int, bool]) -> Counts:
    """Count answers to three rebuses: which one, and whether it has the property."""
    counts = Counts(3)
    for place, has in answers:
        counts.add("answers", place)
        if has:
            counts.add("has", place)
    return counts


def test_a_share_is_a_proportion_of_rebuses() -> None:
    counts = counted((0, True), (1, False), (2, True))
    low, high = wilson(2, 3)
    every = [True, True, True]
    assert counts.share("has", "answers", every) == {
        "value": 2 / 3,
        "low": low,
        "high": high,
        "n": 3,
    }
    assert counts.share("has", "answers", [False, True, True])["value"] == 0.5
    assert counts.sum("has", every) == 2


@pytest.mark.parametrize(("has", "value"), [(True, 1.0), (False, 0.0)])
def test_all_and_none(has: bool, value: float) -> None:
    found = counted((0, has), (1, has)).share("has", "answers", [True] * 3)
    assert found["value"] == value
    assert (found["low"], found["high"]) == wilson(2 * has, 2)


def test_nothing_is_no_share() -> None:
    assert counted().share("has", "answers", [True] * 3) == NOTHING
    assert counted((0, True)).share("has", "answers", [False] * 3) == NOTHING
    assert counted().sum("has", [True] * 3) == 0


def test_several_samples_are_drawn_by_rebus() -> None:
    counts = counted((0, True), (0, True), (1, False), (1, False), (2, True), (2, False))
    found = counts.share("has", "answers", [True] * 3)
    [(low, high)] = bootstrap([(2.0, 2.0), (0.0, 2.0), (1.0, 2.0)])
    assert found == {"value": 0.5, "low": low, "high": high, "n": 6}


class TestRatio:
    def test_it_is_the_ratio_of_sums(self) -> None:
        found = ratio([(1.0, 2.0), (3.0, 4.0)])
        assert found["value"] == pytest.approx(4 / 6)
        assert found["low"] == pytest.approx(1 / 2)
        assert found["high"] == pytest.approx(3 / 4)
        assert found["n"] == 2

    def test_of_nothing(self) -> None:
        assert ratio([]) == NOTHING

    @pytest.mark.parametrize("value", [0.0, 0.1, 1.0])
    def test_where_all_are_equal_wilson_stands_in(self, value: float) -> None:
        found = ratio([(value, 1.0)] * 3)
        assert (found["low"], found["high"]) == wilson(3 * (found["value"] or 0), 3)
        assert found["value"] == pytest.approx(value)

    def test_where_all_are_equal_and_no_proportion_there_is_no_interval(self) -> None:
        assert ratio([(2.0, 1.0)]) == {"value": 2.0, "low": None, "high": None, "n": 1}

    @pytest.mark.parametrize("far", [0.0, 40.0], ids=["alike", "with one far off"])
    def test_classes_give_nearly_the_interval_of_the_whole(self, far: float) -> None:
        draw = random.Random(5)
        pairs = [
            (min(1.0, max(0.0, draw.gauss(0.25, 0.2))) * letters, float(letters))
            for letters in draw.choices(range(10, 30), k=300)
        ]
        pairs[0] = (pairs[0][0] + far, pairs[0][1])
        found = ratio(pairs)
        [(low, high)] = bootstrap(pairs)
        assert found["value"] == pytest.approx(
            math.fsum(a for a, _ in pairs) / sum(b for _, b in pairs)
        )
        slack = 0.05 * (high - low)  # what two bootstraps differ by, at 10,000 trials
        assert found["low"] == pytest.approx(low, abs=slack)
        assert found["high"] == pytest.approx(high, abs=slack)
