from __future__ import annotations

import math
import random
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from apieval.analysis import intervals
from apieval.analysis.intervals import Interval, bootstrap, wilson

Z = 1.959963984540054
"""The normal quantile of 0.975, from a printed table."""

Item = tuple[float, float]


def value(items: Sequence[Item]) -> float:
    return sum(first for first, _ in items) / sum(second for _, second in items)


def single(items: Sequence[Item]) -> Interval:
    [interval] = bootstrap(items)
    return interval


class TestWilson:
    @pytest.mark.parametrize(
        ("right", "n", "low", "high"),
        [
            pytest.param(0, 25, 0.0, 0.133, id="none right"),
            pytest.param(25, 25, 0.867, 1.0, id="all right"),
            pytest.param(1, 1, 0.207, 1.0, id="one of one"),
            pytest.param(0, 1, 0.0, 0.793, id="none of one"),
            pytest.param(5, 10, 0.237, 0.763, id="half of ten"),
            pytest.param(6, 12, 0.254, 0.746, id="half of twelve"),
            pytest.param(214, 2000, 0.094, 0.121, id="the study's GPT-4o"),
        ],
    )
    def test_values_worked_by_hand(self, right: int, n: int, low: float, high: float) -> None:
        interval = wilson(right, n)
        assert [round(bound, 3) for bound in interval] == [low, high]

    @given(st.integers(1, 10_000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_the_bounds_solve_the_score_equation(self, drawn: tuple[int, int]) -> None:
        # |share - p| = Z sqrt(p (1 - p) / n): a quadratic in p, whose roots are the bounds
        right, n = drawn
        share = right / n
        a, b, c = 1 + Z * Z / n, -(2 * share + Z * Z / n), share * share
        root = math.sqrt(max(0.0, b * b - 4 * a * c))
        interval = wilson(right, n)
        assert interval[0] == pytest.approx((-b - root) / (2 * a), abs=1e-9)
        assert interval[1] == pytest.approx((-b + root) / (2 * a), abs=1e-9)
        assert 0 <= interval[0] <= share <= interval[1] <= 1

    @given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
    def test_right_and_wrong_are_mirror_images(self, drawn: tuple[int, int]) -> None:
        right, n = drawn
        one, other = wilson(right, n), wilson(n - right, n)
        assert one[0] == pytest.approx(1 - other[1], abs=1e-12)


item = st.integers(1, 6).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))


class TestBootstrap:
    def test_of_nothing_there_is_none(self) -> None:
        assert bootstrap([]) == []

    @pytest.mark.parametrize(
        ("items", "right", "n"),
        [
            pytest.param([(0, 4)] * 25, 0, 25, id="nothing right"),
            pytest.param([(3, 3), (2, 2), (7, 7)], 3, 3, id="everything right"),
            pytest.param([(1, 2), (2, 4), (3, 6)], 1.5, 3, id="everything half right"),
            pytest.param([(1, 1)], 1, 1, id="one item"),
            pytest.param([(1, 3)], 1 / 3, 1, id="a third of one item"),
            pytest.param([(3.0, 3)] * 10, 10, 10, id="three samples of ten items are ten"),
        ],
    )
    def test_where_there_is_nothing_to_resample_wilson_stands_in(
        self, items: list[Item], right: float, n: int
    ) -> None:
        found, expected = single(items), wilson(right, n)
        assert found == pytest.approx(expected)
        assert found[0] < found[1]

    def test_several_ratios_come_from_the_same_draws(self) -> None:
        items = [(n % 4, 4) for n in range(40)]
        twice = [(*each, *each) for each in items]
        wide = [(*each, round(each[0] / 4, 4), 1) for each in items]
        constant = [(*each, 2, 3) for each in items]
        assert bootstrap(twice) == [single(items)] * 2
        assert bootstrap(wide)[0] == bootstrap(wide)[1] == single(items)
        moving, still = bootstrap(constant)
        assert moving == single(items)
        assert still == pytest.approx(wilson(40 * 2 / 3, 40))

    @settings(max_examples=60)
    @given(st.lists(st.tuples(item, item), min_size=2, max_size=30))
    def test_the_leading_intervals_do_not_depend_on_the_rest(
        self, pairs: list[tuple[Item, Item]]
    ) -> None:
        rows = [(*first, *second) for first, second in pairs]
        assume(any(a[0] * b[1] != b[0] * a[1] for (a, _), (b, _) in pairwise(pairs)))
        assert bootstrap(rows, lead=2)[0] == single([first for first, _ in pairs])

    def test_what_is_dealt_out_agrees_with_what_is_drawn_together(self) -> None:
        rows = [(n % 4, 4, n % 3, 3) for n in range(60)]
        dealt, drawn = bootstrap(rows, lead=2), bootstrap(rows)
        assert dealt[1] == pytest.approx(drawn[1], abs=0.01)

    @settings(max_examples=60)
    @given(st.lists(item, min_size=1, max_size=12), st.randoms(use_true_random=False))
    def test_holds_the_value_and_does_not_depend_on_order(
        self, items: list[Item], rng: random.Random
    ) -> None:
        interval = single(items)
        low, high = interval
        assert 0 <= low <= high <= 1
        assert low <= value(items) + 1e-12
        assert value(items) <= high + 1e-12
        shuffled = list(items)
        rng.shuffle(shuffled)
        assert single(shuffled) == interval

    def test_is_the_same_every_time(self) -> None:
        items: list[Item] = [(number % 4, 4) for number in range(40)]
        once = single(items)
        intervals.resampled.cache_clear()
        assert single(list(items)) == once
        assert single(items) == single([(float(a), float(b)) for a, b in items])

    @pytest.mark.parametrize(
        "items",
        [
            pytest.param([(0, 1)] * 30 + [(1, 1)] * 10, id="a proportion"),
            pytest.param([(n % 4, 3 + n % 3) for n in range(60)], id="words of rebuses"),
            pytest.param([(round(n % 7 / 6, 4), 1) for n in range(50)], id="shares"),
            pytest.param([(n % 5, 1 + n % 5) for n in range(25)], id="long rebuses solved better"),
        ],
    )
    def test_agrees_with_resampling_one_by_one(self, items: list[Item]) -> None:
        rng = random.Random(7)
        drawn = sorted(value(rng.choices(items, k=len(items))) for _ in range(4000))
        naive = drawn[int(0.025 * len(drawn))], drawn[int(0.975 * len(drawn))]
        assert single(items) == pytest.approx(naive, abs=0.02)

    def test_of_rebuses_is_wider_than_of_words(self) -> None:
        # the words of one rebus stand and fall together
        items: list[Item] = [(5.0, 5.0)] * 10 + [(0.0, 5.0)] * 10
        together, apart = single(items), wilson(50, 100)
        assert together[1] - together[0] > 1.8 * (apart[1] - apart[0])

    @settings(max_examples=20)
    @given(st.lists(item, min_size=2, max_size=8))
    def test_the_same_rebuses_ten_times_give_a_narrower_one(self, items: list[Item]) -> None:
        assume(len({first / second for first, second in items}) > 1)
        few, many = single(items), single(items * 10)
        assert many[1] - many[0] < few[1] - few[0]


def test_what_stands_in_the_signature() -> None:
    assert (intervals.CONFIDENCE, intervals.TRIALS, intervals.SEED) == (0.95, 10_000, 20_241_104)
    assert pytest.approx(Z, abs=1e-12) == intervals.Z
