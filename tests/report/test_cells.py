from __future__ import annotations

import pytest

from apieval.report import cells
from apieval.report.outline import Bar, Cell
from tests.records import Json


def test_a_figure_has_its_interval_and_a_bar_where_one_is_wanted() -> None:
    found: Json = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 9}
    assert cells.figure(found) == Cell("0.500", "0.400\u20130.600")
    assert cells.figure(found, strong=True, bar=True).bar == Bar(0.4, 0.5, 0.6)
    nothing: Json = {"value": None, "low": None, "high": None, "n": 0}
    assert cells.figure(nothing, bar=True) == cells.share(nothing) == Cell("-")


def test_a_mean_above_1_has_no_bar() -> None:
    assert cells.share({"value": 1.2, "low": 1.1, "high": 1.3}).bar is None


def test_a_partial_figure_has_bounds() -> None:
    found: Json = {
        "value": 0.1,
        "low": 0.0,
        "high": 0.3,
        "at_least": 0.1,
        "at_most": 0.4,
        "answered": None,
    }
    assert cells.figure(found) == Cell("0.100 to 0.400 (bounds)", "- of answered", bounds=True)
    assert cells.gap(found) == Cell("+10.0 to +40.0 (bounds)", bounds=True)


@pytest.mark.parametrize(
    ("partial", "told"),
    [
        pytest.param([False, False], "95 % intervals", id="whole"),
        pytest.param([True], "bounds, since answers are missing", id="partial"),
        pytest.param(
            [True, False], "95 % intervals, or bounds, since answers are missing", id="both"
        ),
        pytest.param([], "95 % intervals", id="nothing"),
    ],
)
def test_a_caption_promises_no_interval_where_there_is_none(partial: list[bool], told: str) -> None:
    assert cells.how_sure(partial) == told


def test_a_difference_stands_out_where_it_is_shown() -> None:
    found: Json = {"difference": -0.05, "low": -0.1, "high": 0.0}
    assert cells.difference(found, shown=True) == Cell("-5.0", "-10.0 to 0.0", strong=True)
    nothing: Json = {"difference": None, "low": None, "high": None}
    assert cells.difference(nothing) == Cell("-")
    assert cells.gap({"value": 0.1, "low": None, "high": None}) == Cell("+10.0")


@pytest.mark.parametrize(
    ("cost", "said"),
    [(None, "not known"), (0.0, "0.00 USD"), (0.0004, "0.0004 USD"), (1234.5, "1,234.50 USD")],
)
def test_unknown_costs_are_not_zero(cost: float | None, said: str) -> None:
    assert cells.dollars(cost) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "not known"),
        (0.123, "0.12 s"),
        (12.34, "12.3 s"),
        (77.0, "1 min 17 s"),
        (7_384.0, "2 h 3 min"),
    ],
)
def test_times(value: float | None, said: str) -> None:
    assert cells.seconds(value) == said


def test_large_numbers_in_few_digits() -> None:
    assert [cells.shorter(n) for n in (812_345, 2_800_000)] == ["812,345", "2.80 M"]
    assert [cells.count(n).text for n in (None, 1_234)] == ["-", "1,234"]
