from __future__ import annotations

from typing import Any

import pytest

from apieval.analysis import comparison_sentences
from tests.analysis.scores import only, run


class TestPlainWords:
    def pair(self, solved_a: int, solved_b: int, n: int = 90) -> dict[str, Any]:
        a = run("alfa", {k: [4 * (k < solved_a)] for k in range(n)})
        return only([a, run("beta", {k: [4 * (k < solved_b)] for k in range(n)})])

    def test_a_difference_names_who_is_better(self) -> None:
        better = self.pair(10, 40)["sentence"]
        assert better.startswith(
            "'beta' solves more than 'alfa' in hints: +33.3 percentage points (95 % +23."
        )
        assert better.endswith("among 90 common rebuses 30 only 'beta' solves, 0 only 'alfa'.")
        assert "p < 0.0001 after Holm" in better
        turned = self.pair(40, 10)["sentence"]
        assert turned.startswith(
            "'alfa' solves more than 'beta' in hints: +33.3 percentage points (95 % +23."
        )
        assert "0 only 'beta' solves, 30 only 'alfa'" in turned

    def test_none_says_what_could_have_been_seen(self) -> None:
        sentence = self.pair(20, 21)["sentence"]
        assert sentence.startswith(
            "In hints no difference is shown: 'beta' minus 'alfa' is +1.1 percentage points"
        )
        assert "a difference below 8.6 percentage points may have been missed" in sentence
        assert "with these 90 rebuses" in sentence
        assert "alone" not in sentence

    def test_what_only_the_number_of_tests_forbids_is_said(self) -> None:
        sentence = self.pair(20, 26)["sentence"]
        assert "p = 0.188 after Holm over 6 tests, = 0.031 alone)" in sentence

    def test_too_few_rebuses_show_nothing(self) -> None:
        assert "none could have been seen with this 1 rebus;" in self.pair(0, 1, n=1)["sentence"]

    @pytest.mark.parametrize(
        ("share", "said"), [(0.0412, "+4.1"), (-0.2, "-20.0"), (0.0, "0.0"), (-0.0001, "0.0")]
    )
    def test_points(self, share: float, said: str) -> None:
        assert comparison_sentences.points(share) == said

    @pytest.mark.parametrize(
        ("p", "said"),
        [
            (1.0, "= 1.000"),
            (0.0312, "= 0.031"),
            (0.0031, "= 0.0031"),
            (0.0001, "= 0.0001"),
            (0.00009, "< 0.0001"),
        ],
    )
    def test_chance(self, p: float, said: str) -> None:
        assert comparison_sentences.chance(p) == said
