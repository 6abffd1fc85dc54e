"""Where names and ticks stand."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.report.figures import canvas, curves, points
from apieval.report.figures.points import Point


@settings(max_examples=100)
@given(st.lists(st.floats(0, 100), min_size=1, max_size=12))
def test_names_stand_apart_and_within_the_panel(levels: list[float]) -> None:
    rising = sorted(levels)
    placed = curves.spread(rising, 8.0, 0.0, 100.0)
    assert all(above - below >= 8 - 1e-9 for below, above in pairwise(placed))
    assert placed[0] >= 0
    assert placed[-1] <= 100 + 1e-9


def test_names_that_clash_move_alike_and_others_stay() -> None:
    assert curves.spread([10, 50, 50, 90], 8.0, 0.0, 100.0) == [10, 46, 54, 90]
    assert curves.spread([50, 52, 54], 8.0, 0.0, 100.0) == [44, 52, 60]


def test_more_names_than_there_is_room_for_go_on_above() -> None:
    placed = curves.spread([0.0] * 4, 40.0, 0.0, 100.0)
    assert placed == [0, 40, 80, 120]


@pytest.mark.parametrize(
    ("amounts", "panels", "ticks"),
    [
        ([0.1, 10], 1, ["0.1", "0.2", "0.5", "1", "2", "5", "10"]),
        ([0.1, 10], 2, ["0.1", "1", "10"]),
        ([100, 20_000], 3, ["100", "1k", "10k"]),
        ([1e-6, 1e6], 2, ["1e-06", "0.1", "10k"]),
    ],
)
def test_amounts_that_are_orders_apart_go_by_powers_of_ten(
    amounts: list[float], panels: int, ticks: list[str]
) -> None:
    with canvas.ready():
        axes = canvas.sheet(1).subplots()
        points.amount_axis(axes, amounts, panels)
    assert axes.get_xscale() == "log"
    assert [each.get_text() for each in axes.get_xticklabels()] == ticks


@pytest.mark.parametrize("amounts", [[0.0, 10], [2, 10], [0.0, 0.0]])
def test_others_begin_at_0(amounts: list[float]) -> None:
    with canvas.ready():
        axes = canvas.sheet(1).subplots()
        points.amount_axis(axes, amounts, 1)
    low, high = axes.get_xlim()
    assert (axes.get_xscale(), low) == ("linear", 0)
    assert high > max(amounts)


def test_an_axis_of_shares_ends_above_all_of_them() -> None:
    point = Point(10, 5, 19.5, 1)
    assert points.top([point, None]) == 30
    assert points.top([Point(90, 80, 99, 1)]) == 100
    assert points.top([]) == 1
