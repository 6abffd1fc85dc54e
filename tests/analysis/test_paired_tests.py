"""Paired tests, held against published values, scipy's and statsmodels', and brute force."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis import paired_tests
from apieval.analysis.intervals import wilson

small = st.integers(0, 40)


class TestMcNemar:
    @pytest.mark.parametrize(
        ("only_a", "only_b", "expected"),
        [
            pytest.param(0, 0, 1.0, id="nothing differs"),
            pytest.param(3, 3, 1.0, id="as many either way"),
            pytest.param(5, 0, 0.0625, id="five heads: 2 / 32"),
            pytest.param(1, 7, 18 / 256, id="by hand: 2 (1 + 8) / 256"),
            # scipy 1.17.1, stats.binomtest, and statsmodels 0.15.0, mcnemar(exact=True)
            pytest.param(12, 2, 0.012939453125, id="scipy 12 2"),
            pytest.param(6, 16, 0.052478790283203125, id="scipy 6 16"),
            pytest.param(400, 480, 0.007707305043339153, id="scipy 400 480"),
            pytest.param(15, 97, 7.121860330286232e-16, id="scipy 15 97"),
        ],
    )
    def test_known_values(self, only_a: int, only_b: int, expected: float) -> None:
        assert paired_tests.mcnemar(only_a, only_b) == pytest.approx(expected, rel=1e-9)

    @given(small, small)
    def test_which_is_named_first_makes_no_difference(self, a: int, b: int) -> None:
        assert paired_tests.mcnemar(a, b) == paired_tests.mcnemar(b, a)
        assert 0 < paired_tests.mcnemar(a, b) <= 1

    def test_is_never_0(self) -> None:
        assert 0 < paired_tests.mcnemar(0, 5_000) < 1e-300


def all_swaps(differences: Sequence[int]) -> float:
    seen = abs(sum(differences))
    signs = list(product((1, -1), repeat=len(differences)))
    sums = (sum(s * d for s, d in zip(each, differences, strict=True)) for each in signs)
    return float(Fraction(sum(abs(each) >= seen for each in sums), len(signs)))


class TestSignFlip:
    @pytest.mark.parametrize(
        ("differences", "expected"),
        [
            # scipy 1.17.1, stats.permutation_test(permutation_type="samples"), every permutation
            ([4, 1, 0, 0, 4, 4, 3, -1, 0, -1, 3, -3], 0.16015625),
            ([-2, -1, -3, 1, -3, 1, 4, 3, 3, 3, 4, -1, 2, -2, -3, -1], 0.699920654296875),
            ([0, -1, 2, 4, -2, -3], 1.0),
        ],
    )
    def test_agrees_with_scipy(self, differences: list[int], expected: float) -> None:
        p, exact = paired_tests.sign_flip(differences)
        assert exact
        assert p == pytest.approx(expected, abs=1e-9)

    @settings(max_examples=60)
    @given(st.lists(st.integers(-5, 5), max_size=9))
    def test_counts_every_swap(self, differences: list[int]) -> None:
        assert paired_tests.sign_flip(differences)[0] == pytest.approx(
            all_swaps(differences), abs=1e-12
        )
        turned = [-each for each in differences]
        assert paired_tests.sign_flip(turned) == paired_tests.sign_flip(differences)

    @given(small, small)
    def test_of_right_and_wrong_is_mcnemars(self, a: int, b: int) -> None:
        p, _ = paired_tests.sign_flip([-1] * a + [1] * b + [0] * 7)
        assert p == pytest.approx(paired_tests.mcnemar(a, b), rel=1e-9)

    def test_keeps_its_digits_far_out(self) -> None:
        p, _ = paired_tests.sign_flip([1] * 1_000 + [-1] * 200)
        assert p == pytest.approx(paired_tests.mcnemar(1_000, 200), rel=1e-9)
        assert p < 1e-100
        assert paired_tests.sign_flip([2] * 3_000)[0] > 0

    def test_of_too_many_words_is_sampled(self, monkeypatch: pytest.MonkeyPatch) -> None:
        differences = [3, -1, 2, -2, 0, -2, 1, 1] * 12
        exact, _ = paired_tests.sign_flip(differences)
        monkeypatch.setattr(paired_tests, "MOST_EXACT", 10)
        p, is_exact = paired_tests.sign_flip(differences)
        assert not is_exact
        assert p == pytest.approx(exact, rel=0.15)
        assert p == paired_tests.sign_flip(differences)[0]
        never, _ = paired_tests.sign_flip([1] * 200)
        assert never == pytest.approx(1 / 10_001)


class TestNewcombe:
    @pytest.mark.parametrize(
        ("table", "low", "high"),
        [
            # R. G. Newcombe, Statistics in Medicine 17 (1998), method 10; there A less B
            pytest.param((36, 12, 2, 0), 0.0569, 0.3404, id="36 12 2 0"),
            pytest.param((18, 12, 2, 18), 0.0562, 0.3290, id="18 12 2 18"),
            pytest.param((53, 0, 0, 1), -0.0729, 0.0729, id="nothing differs"),
        ],
    )
    def test_published_values(
        self, table: tuple[int, int, int, int], low: float, high: float
    ) -> None:
        found = paired_tests.newcombe(*table)
        assert found == pytest.approx((-high, -low), abs=6e-5)

    def test_a_value_worked_by_hand(self) -> None:
        # 1 both, 1 only A, 7 only B, 12 neither: shares 2/21 and 8/21, phi = 5 > 0 less 21/2: 0
        (low_a, high_a), (low_b, high_b) = wilson(2, 21), wilson(8, 21)
        a, b = 2 / 21, 8 / 21
        low = b - a - math.hypot(b - low_b, high_a - a)
        high = b - a + math.hypot(high_b - b, a - low_a)
        assert paired_tests.newcombe(1, 1, 7, 12) == pytest.approx((low, high), abs=1e-12)
        assert (low, high) == pytest.approx((0.0256, 0.5069), abs=1e-4)

    @given(small, small, small, st.integers(1, 40))
    def test_the_other_way_round_is_the_mirror_image(self, e: int, f: int, g: int, h: int) -> None:
        low, high = paired_tests.newcombe(e, f, g, h)
        assert paired_tests.newcombe(e, g, f, h) == pytest.approx((-high, -low), abs=1e-12)
        assert -1 <= low <= (g - f) / (e + f + g + h) <= high <= 1

    @pytest.mark.parametrize("table", [(0, 9, 0, 0), (9, 0, 0, 0), (0, 0, 0, 1), (3, 0, 4, 0)])
    def test_an_empty_margin_has_no_correlation(self, table: tuple[int, int, int, int]) -> None:
        low, high = paired_tests.newcombe(*table)
        assert -1 <= low < high <= 1

    def test_holds_the_truth_as_often_as_it_says(self) -> None:
        chance, held = random.Random(5), 0
        for _ in range(800):
            drawn = chance.choices(range(4), weights=[15, 10, 16, 59], k=90)
            both, only_a, only_b, neither = (drawn.count(each) for each in range(4))
            low, high = paired_tests.newcombe(both, only_a, only_b, neither)
            held += low <= 0.06 <= high
        assert held / 800 == pytest.approx(0.95, abs=0.025)


item = st.integers(1, 4).flatmap(lambda n: st.tuples(st.integers(-n, n), st.just(n)))


class TestBootstrap:
    def test_agrees_with_resampling_one_by_one(self) -> None:
        items = [(n % 5 - 2, 2 + n % 3) for n in range(60)]
        chance = random.Random(7)
        drawn = sorted(
            sum(d for d, _ in sample) / sum(t for _, t in sample)
            for sample in (chance.choices(items, k=60) for _ in range(4_000))
        )
        [found] = paired_tests.bootstrap(items)
        assert found == pytest.approx((drawn[100], drawn[3_900]), abs=0.02)

    @settings(max_examples=40)
    @given(st.lists(item, min_size=1, max_size=12))
    def test_the_other_way_round_is_the_mirror_image(self, items: list[tuple[int, int]]) -> None:
        [(low, high)] = paired_tests.bootstrap(items)
        turned = [(-difference, total) for difference, total in items]
        assert paired_tests.bootstrap(turned) == [pytest.approx((-high, -low), abs=1e-12)]
        value = sum(d for d, _ in items) / sum(t for _, t in items)
        assert low <= value + 1e-12
        assert value <= high + 1e-12

    @pytest.mark.parametrize(
        ("items", "expected"),
        [
            pytest.param([(0, 3)] * 25, (-0.1332, 0.1332), id="no rebus differs"),
            pytest.param([(2, 2), (3, 3)] * 5, (0.7225, 1.0), id="B has all, A none"),
            pytest.param([(-2, 2), (-3, 3)] * 5, (-1.0, -0.7225), id="A has all, B none"),
        ],
    )
    def test_where_nothing_can_be_resampled_wilson_stands_in(
        self, items: list[tuple[int, int]], expected: tuple[float, float]
    ) -> None:
        assert paired_tests.bootstrap(items) == [pytest.approx(expected, abs=1e-4)]

    def test_several_come_from_the_same_draws(self) -> None:
        items = [(n % 3 - 1, 2, n % 3 - 1, 2, 0, 1) for n in range(20)]
        one, two, still = paired_tests.bootstrap(items)
        assert one == two == paired_tests.bootstrap([each[:2] for each in items])[0]
        assert still == pytest.approx((-wilson(0, 20)[1], wilson(0, 20)[1]))


class TestHolm:
    @pytest.mark.parametrize(
        ("ps", "expected"),
        [
            pytest.param([], [], id="none"),
            pytest.param([0.2], [0.2], id="one"),
            # statsmodels 0.15.0, multipletests(method="holm")
            pytest.param([0.01, 0.04, 0.03, 0.005, 0.2], [0.04, 0.09, 0.09, 0.025, 0.2], id="five"),
            pytest.param(
                [0.01, 0.01, 0.5, 0.9, 0.0004, 0.02], [0.05, 0.05, 1, 1, 0.0024, 0.06], id="six"
            ),
        ],
    )
    def test_known_values(self, ps: list[float], expected: list[float]) -> None:
        assert paired_tests.holm(ps) == pytest.approx(expected, abs=1e-12)

    @given(st.lists(st.floats(1e-9, 1), max_size=12))
    def test_keeps_the_order_and_never_falls(self, ps: list[float]) -> None:
        adjusted = paired_tests.holm(ps)
        assert all(p <= q <= 1 for p, q in zip(ps, adjusted, strict=True))
        in_order = [q for _, q in sorted(zip(ps, adjusted, strict=True))]
        assert in_order == sorted(in_order)
        assert paired_tests.holm([*ps, 1.0])[: len(ps)] >= adjusted


class TestSmallest:
    def test_of_shares_solves_connors_equation_with_its_correction(self) -> None:
        # n d - 1 = z_a sqrt(n psi) + z_b sqrt(n (psi - d^2)), z_a = 1.959964, z_b = 0.841621
        found = paired_tests.smallest_share(2_000, 112)
        assert found is not None
        difference, discordance = found
        assert discordance == pytest.approx(0.056)
        spread = 1.959963985 * math.sqrt(0.056) + 0.841621234 * math.sqrt(0.056 - difference**2)
        assert spread * math.sqrt(2_000) == pytest.approx(2_000 * difference - 1, rel=1e-4)

    def test_of_shares_where_nothing_differs_takes_the_discordance_it_needs(self) -> None:
        found = paired_tests.smallest_share(90, 0)
        assert found is not None
        difference, discordance = found
        assert difference == discordance
        # all that differ are one model's: six of them show it
        five_or_fewer = sum(
            math.comb(90, k) * difference**k * (1 - difference) ** (90 - k) for k in range(6)
        )
        assert five_or_fewer == pytest.approx(0.2, abs=1e-5)

    @pytest.mark.parametrize("n", range(1, 9))
    @pytest.mark.parametrize("differing", [0, 1])
    def test_fewer_than_six_rebuses_show_nothing(self, n: int, differing: int) -> None:
        assert (paired_tests.smallest_share(n, differing) is not None) is (n >= 6)
        items = [(1, 3)] * differing + [(0, 3)] * (n - differing) + [(2, 3)]
        if len(items) < 6:
            assert paired_tests.smallest_ratio(items) is None

    @pytest.mark.parametrize(
        ("n", "differing"),
        [(6, 0), (8, 5), (12, 0), (20, 4), (30, 12), (90, 2), (90, 50), (400, 80), (2_000, 20)],
    )
    def test_of_shares_is_seen_in_four_of_five_cases(self, n: int, differing: int) -> None:
        found = paired_tests.smallest_share(n, differing)
        assert found is not None
        difference, discordance = found
        only_b = (discordance + difference) / 2
        weights = [only_b, discordance - only_b, max(0.0, 1 - discordance)]
        trials = 20_000
        drawn = np.random.default_rng(n).multinomial(n, weights, size=trials)
        counts = Counter((int(a), int(b)) for b, a, _ in drawn)
        seen = sum(
            k for both, k in counts.items() if paired_tests.mcnemar(*both) < paired_tests.ALPHA
        )
        assert seen / trials == pytest.approx(paired_tests.POWER, abs=0.03)

    def test_of_words_is_of_their_spread(self) -> None:
        # difference 2/21; residuals of 3 words each -2/7, of 4 -8/21
        items = [(1, 3), (0, 3), (-1, 3), (2, 4), (0, 4), (0, 4)]
        squares = sum((seen - 2 / 21 * of) ** 2 for seen, of in items)
        found = paired_tests.smallest_ratio(items)
        assert found is not None
        apart = 21 * found
        spread = 1.959963985 * math.sqrt(squares + apart**2 / 6) + 0.841621234 * math.sqrt(squares)
        assert apart == pytest.approx(spread, rel=1e-5)

    @pytest.mark.parametrize("n", [30, 60, 150])
    def test_of_words_is_seen_in_about_four_of_five_cases(self, n: int) -> None:
        """Three words a rebus, one model better in a share of them: by simulation, within .06."""

        def drawn(chance: random.Random, shift: float) -> list[tuple[int, int]]:
            items = []
            for _ in range(n):
                easy = 0.5 * chance.betavariate(1.2, 1.0)
                a, b = (sum(chance.random() < p for _ in "123") for p in (easy, easy + shift))
                items.append((b - a, 3))
            return items

        chance = random.Random(n)
        usual = 0.0
        for _ in range(3):  # what is shown at the spread that it has itself
            every = [paired_tests.smallest_ratio(drawn(chance, usual)) or 1.0 for _ in range(51)]
            usual = sorted(every)[25]
        trials = 800
        seen = sum(
            paired_tests.sign_flip([each for each, _ in drawn(chance, usual)])[0]
            < paired_tests.ALPHA
            for _ in range(trials)
        )
        assert seen / trials == pytest.approx(paired_tests.POWER, abs=0.06)

    def test_of_words_is_not_known_where_all_differ_alike(self) -> None:
        assert paired_tests.smallest_ratio([(0, 2), (0, 3)] * 5) is None
        assert paired_tests.smallest_ratio([(1, 3), (2, 6)] * 5) is None
