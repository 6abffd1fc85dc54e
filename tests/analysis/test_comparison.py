from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis import paired_tests
from apieval.analysis.comparison import compare
from apieval.rebus.metrics import METRICS
from tests.analysis.scores import Rights, only, run, tallies

some = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


class TestCompare:
    def test_every_figure_of_a_pair(self) -> None:
        a = run("a", {n: [right] for n, right in enumerate([4, 4, 0, 2, 1, 0, 4, 3])})
        b = run("b", {n: [right] for n, right in enumerate([4, 0, 4, 4, 4, 4, 4, 3])})
        found = only([a, b])
        match = found["metrics"]["solution_match"]
        assert (match["a"], match["b"], match["difference"], match["n"]) == (3 / 8, 6 / 8, 3 / 8, 8)
        assert match["p"] == paired_tests.mcnemar(1, 4) == 0.375
        assert (match["low"], match["high"]) == paired_tests.newcombe(2, 1, 4, 1)
        assert (match["test"], match["interval"]) == ("mcnemar-exact", "newcombe-10")
        assert (match["smallest"], match["discordance"]) == paired_tests.smallest_share(8, 5)
        words = found["metrics"]["word_guess_accuracy"]
        assert (words["a"], words["b"], words["n"]) == (18 / 32, 27 / 32, 32)
        assert words["p"] == paired_tests.sign_flip([0, -4, 4, 2, 3, 4, 0, 0])[0]
        assert words["test"] == "sign-flip-exact"
        [interval] = paired_tests.bootstrap([(d, 4) for d in (0, -4, 4, 2, 3, 4, 0, 0)])
        assert (words["low"], words["high"]) == interval
        assert words["macro"]["difference"] == pytest.approx(9 / 32)
        assert found["solved"] == {
            "both": 2,
            "neither": 1,
            "only_a": {"count": 1, "ids": [1]},
            "only_b": {"count": 4, "ids": [2, 3, 4, 5]},
        }
        assert list(found["metrics"]) == list(METRICS)
        ps = [each["p"] for each in found["metrics"].values()]
        assert [each["p_holm"] for each in found["metrics"].values()] == paired_tests.holm(ps)

    def test_without_hints_there_is_no_metric_of_lengths(self) -> None:
        runs = [run(name, {0: [4]}, setting="regular") for name in "ab"]
        assert "word_guess_length_accuracy" not in only(runs)["metrics"]

    def test_several_samples_are_of_one_rebus(self) -> None:
        a = run("a", {n: [4, 0] for n in range(6)})
        b = run("b", {n: [4, 4] for n in range(6)})
        found = only([a, b])
        match = found["metrics"]["solution_match"]
        assert (match["a"], match["b"], match["n"]) == (0.5, 1.0, 12)
        assert match["test"] == "sign-flip-exact"
        assert match["p"] == 2 / 2**6  # six rebuses, not twelve answers
        assert match["macro"]["difference"] == 0.5
        assert found["solved"]["both"] == 6
        assert found["answers"] == 12

    @settings(max_examples=20)
    @given(some)
    def test_the_other_way_round_it_says_the_opposite(self, rights: list[tuple[int, int]]) -> None:
        a = run("a", {n: [right] for n, (right, _) in enumerate(rights)})
        b = run("b", {n: [right] for n, (_, right) in enumerate(rights)})
        one, other = only([a, b]), only([b, a])
        for name, found in one["metrics"].items():
            turned = other["metrics"][name]
            assert turned["difference"] == -found["difference"]
            assert (turned["p"], turned["p_holm"]) == (found["p"], found["p_holm"])
            assert turned["low"] == pytest.approx(-found["high"], abs=1e-12)
            assert turned["smallest"] == pytest.approx(found["smallest"])
        assert one["solved"]["only_a"] == other["solved"]["only_b"]

    @settings(max_examples=10)
    @given(some)
    def test_a_run_does_not_differ_from_its_copy(self, rights: list[tuple[int, int]]) -> None:
        a = run("a", {n: [right] for n, (right, _) in enumerate(rights)})
        found = only([a, replace(a, name="copy")])
        for each in found["metrics"].values():
            assert (each["difference"], each["p"], each["p_holm"]) == (0, 1, 1)
            assert each["low"] < 0 < each["high"]
        assert found["solved"]["only_a"] == found["solved"]["only_b"] == {"count": 0, "ids": []}
        assert "no difference is shown" in found["sentence"]

    def test_of_three_runs_every_pair_is_one_family(self) -> None:
        runs = [
            run(name, {n: [4 * (n < k)] for n in range(20)})
            for name, k in (("a", 2), ("b", 10), ("c", 20))
        ]
        document = compare(runs, "official")
        assert [(each["a"], each["b"]) for each in document["comparisons"]] == [
            ("a", "b"),
            ("a", "c"),
            ("b", "c"),
        ]
        assert document["tests"] == 18
        tests = [m for each in document["comparisons"] for m in each["metrics"].values()]
        assert [m["p_holm"] for m in tests] == paired_tests.holm([m["p"] for m in tests])
        assert document["common_to_all"] == {"hints": 20}
        with_baseline = compare(runs, "official", baseline="b")["comparisons"]
        assert [(each["a"], each["b"]) for each in with_baseline] == [("b", "a"), ("b", "c")]

    def test_only_settings_that_both_have_are_compared(self) -> None:
        a = run("a", {0: [4]})
        rows = {"regular": {"0": {0: tallies(4)}}, **a.rows}
        both = replace(a, name="both", rows=rows)
        document = compare([a, both], "official")
        assert [each["setting"] for each in document["comparisons"]] == ["hints"]
        assert document["common_to_all"] == {"hints": 1}

    def test_nothing_in_common_is_no_test(self) -> None:
        document = compare([run("a", {0: [4]}), run("b", {1: [4]})], "official")
        assert document["tests"] == 0
        assert document["comparisons"][0]["metrics"] == {}
        assert "no answered rebus in common" in document["comparisons"][0]["sentence"]


class TestSeveralSamplesAgainstOne:
    """A run of one sample beside a run of several: the figures are those of each one's summary."""

    ONE: ClassVar[Rights] = {n: [4 * (n % 3 == 0)] for n in range(30)}
    FIVE: ClassVar[Rights] = {n: [4 * (n % 3 == 0), 4 * (n % 2), 4, 2, 1] for n in range(30)}

    def test_each_runs_figure_is_its_own(self) -> None:
        found = only([run("one", self.ONE), run("five", self.FIVE)])
        for name, each in found["metrics"].items():
            for side, rights in (("a", self.ONE), ("b", self.FIVE)):
                whole = [tallies(r or 0)[name] for rs in rights.values() for r in rs]
                micro = sum(t.right for t in whole) / sum(t.total for t in whole)
                assert each[side] == pytest.approx(micro, abs=1e-12)
                macro = sum(t.share for t in whole) / len(whole)
                assert each["macro"][side] == pytest.approx(macro, abs=1e-12)
            assert each["difference"] == pytest.approx(each["b"] - each["a"], abs=1e-12)
            assert each["low"] < each["difference"] < each["high"]
        assert (found["answers"], found["answers_a"], found["answers_b"]) == (30, 30, 150)
        assert found["metrics"]["solution_match"]["n"] == 30
        assert not any(found["left_out"].values())
        assert list(found)[-3:] == ["sentence", "answers_a", "answers_b"]

    def test_the_test_is_of_the_means_of_rebuses(self) -> None:
        match = only([run("one", self.ONE), run("five", self.FIVE)])["metrics"]["solution_match"]
        fifths = [sum(r == 4 for r in self.FIVE[n]) - 5 * (self.ONE[n][0] == 4) for n in range(30)]
        assert match["test"] == "sign-flip-exact"
        assert match["p"] == paired_tests.sign_flip(fifths)[0]
        [interval] = paired_tests.bootstrap([(each, 5) for each in fifths])
        assert (match["low"], match["high"]) == interval

    def test_more_tries_are_not_held_against_one(self) -> None:
        one = run("one", {n: [0] for n in range(8)})
        five = run("five", {n: [0, 4, 0, 0, 0] for n in range(8)})
        found = only([one, five])
        assert found["solved"]["only_b"]["count"] == 0
        assert "0 only 'five' solves in as many answers, 0 only 'one'" in found["sentence"]

    def test_a_failed_sample_leaves_the_mean_of_the_others(self) -> None:
        a = run("a", {0: [4, 4], 1: [0, None], 2: [4, 0]})
        b = run("b", {0: [4, 4], 1: [4, 4], 2: [None, None]})
        found = only([a, b])
        match = found["metrics"]["solution_match"]
        assert (match["a"], match["b"]) == (0.5, 1.0)
        assert (found["answers_a"], found["answers_b"], found["rebuses"]) == (3, 4, 2)
        assert found["left_out"]["failed_in_b"] == 1

    @pytest.mark.parametrize("rebuses", [30, 120])
    def test_models_that_are_alike_differ_no_more_often_than_is_said(self, rebuses: int) -> None:
        chance, shown, trials = Random(rebuses), 0, 400
        for _ in range(trials):
            hard = [chance.betavariate(0.4, 1.2) for _ in range(rebuses)]
            fifths = [
                sum(chance.random() < p for _ in range(5)) - 5 * (chance.random() < p) for p in hard
            ]
            shown += paired_tests.sign_flip(fifths)[0] < paired_tests.ALPHA
        assert shown / trials <= 0.05 + 2.5 * math.sqrt(0.05 * 0.95 / trials)
