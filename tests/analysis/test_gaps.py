from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.analysis.figures import apart, gaps
from apieval.analysis.intervals import wilson
from tests.records import rebus, response, summary

WRONG = "Soluzione: no\n"


@pytest.mark.parametrize(
    ("a", "m", "b", "n", "low", "high"),
    [  # Newcombe (1998), table II, method 10
        (56, 70, 48, 80, 0.0524, 0.3339),
        (9, 10, 3, 10, 0.1705, 0.8090),
        (5, 56, 0, 29, -0.0381, 0.1926),
        (0, 10, 0, 20, -0.1611, 0.2775),
        (10, 10, 0, 10, 0.6075, 1.0),
    ],
)
def test_of_proportions_it_is_newcombe_s(
    a: int, m: int, b: int, n: int, low: float, high: float
) -> None:
    found = apart(a / m, wilson(a, m), b / n, wilson(b, n))
    assert found == pytest.approx((low, high), abs=6e-5)


shares = st.integers(1, 50).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


@given(shares, shares)
def test_holds_the_gap_and_turns_with_it(one: tuple[int, int], other: tuple[int, int]) -> None:
    a, b = one[0] / one[1], other[0] / other[1]
    low, high = apart(a, wilson(*one), b, wilson(*other))
    assert -1 <= low <= a - b <= high <= 1
    assert apart(b, wilson(*other), a, wilson(*one)) == pytest.approx((-high, -low))


def made(*right: tuple[str | None, bool], asked: int | None = None) -> dict[str, Any]:
    """Return a summary of one setting: rebuses of these subsets, right or wrong."""
    rows = [rebus(id=n, subset=subset) for n, (subset, _) in enumerate(right)]
    answers = [
        response(id=n, **({} if good else {"text": WRONG})) for n, (_, good) in enumerate(right)
    ]
    found = summary(rows, answers[:asked], settings=["regular"])
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    return found


def test_the_first_subset_less_each_other() -> None:
    found = made(("id", True), ("id", True), ("ood", True), ("ood", False), ("new", False))
    assert list(found["gaps"]["regular"]) == ["id - ood", "id - new"]
    gap = found["gaps"]["regular"]["id - ood"]
    assert list(gap) == ["official", "tolerant"]
    for parser in gap.values():
        assert list(parser) == list(found["figures"]["regular"]["all"]["official"])
        low, high = apart(1.0, wilson(2, 2), 0.5, wilson(1, 2))
        expected = {"value": 0.5, "low": pytest.approx(low), "high": pytest.approx(high)}
        assert parser["solution_match"] == {"micro": expected, "macro": expected}


def test_of_words_the_bounds_are_those_of_the_figures() -> None:
    found = made(*[("id", n % 3 > 0) for n in range(12)], *[("ood", n % 3 > 1) for n in range(9)])
    figures = found["figures"]["regular"]
    for each in ("micro", "macro"):
        one, other = (figures[s]["official"]["word_guess_accuracy"][each] for s in ("id", "ood"))
        gap = found["gaps"]["regular"]["id - ood"]["official"]["word_guess_accuracy"][each]
        assert gap["value"] == pytest.approx(1 / 3)
        assert one["value"] - gap["low"] > other["value"]
        expected = apart(
            one["value"], (one["low"], one["high"]), other["value"], (other["low"], other["high"])
        )
        assert (gap["low"], gap["high"]) == expected


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param([], id="no rebus"),
        pytest.param([(None, True)], id="no subset"),
        pytest.param([("id", True)], id="one subset"),
    ],
)
def test_without_two_subsets_there_is_no_gap(rows: list[tuple[str | None, bool]]) -> None:
    assert made(*rows)["gaps"] == {"regular": {}}


def test_where_answers_are_missing_it_has_bounds() -> None:
    found = made(("id", True), ("id", True), ("ood", True), ("ood", False), asked=3)
    gap = found["gaps"]["regular"]["id - ood"]["official"]["solution_match"]["micro"]
    # of ood the right one alone is answered
    assert gap == {"value": 0.0, "low": None, "high": None, "at_least": 0.0, "at_most": 0.5}
    other = found["gaps"]["regular"]["id - ood"]["tolerant"]["solution_match"]["micro"]
    assert other == gap


@pytest.mark.parametrize("asked", [2, 0])
def test_where_a_subset_has_no_answer_the_gap_is_not_known(asked: int) -> None:
    found = made(("id", True), ("id", True), ("ood", True), ("ood", False), asked=asked)
    gap = found["gaps"]["regular"]["id - ood"]["official"]["solution_match"]["macro"]
    bounds = {"at_least": 0.0 if asked else -1.0, "at_most": 1.0}
    assert gap == {"value": None, "low": None, "high": None, **bounds}


def test_a_subset_without_figures_has_no_gap() -> None:
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    some = {"value": 0.5, "low": 0.1, "high": 0.9, "n": 4}
    tree: Any = {
        name: {"official": {"solution_match": {"micro": each, "macro": each}}}
        for name, each in (("all", some), ("a", some), ("b", nothing))
    }
    found = gaps({"regular": tree})["regular"]["a - b"]["official"]["solution_match"]
    assert found["micro"] == {"value": None, "low": None, "high": None}
