from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis import paired
from apieval.analysis.compare import compare
from apieval.rebus.metrics import METRICS
from tests.analysis.scores import only, run, tallies

some = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=12)


class TestCompare:
    def test_every_figure_of_a_pair(self) -> None:
        a = run("a", {n: [right] for n, right in enumerate([4, 4, 0, 2, 1, 0, 4, 3])})
        b = run("b", {n: [right] for n, right in enumerate([4, 0, 4, 4, 4, 4, 4, 3])})
        found = only([a, b])
        match = found["metrics"]["solution_match"]
        assert (match["a"], match["b"], match["difference"], match["n"]) == (3 / 8, 6 / 8, 3 / 8, 8)
        assert match["p"] == paired.mcnemar(1, 4) == 0.375
        assert (match["low"], match["high"]) == paired.newcombe(2, 1, 4, 1)
        assert (match["test"], match["interval"]) == ("mcnemar-exact", "newcombe-10")
        assert (match["smallest"], match["discordance"]) == paired.smallest_share(8, 5)
        words = found["metrics"]["word_guess_accuracy"]
        assert (words["a"], words["b"], words["n"]) == (18 / 32, 27 / 32, 32)
        assert words["p"] == paired.sign_flip([0, -4, 4, 2, 3, 4, 0, 0])[0]
        assert words["test"] == "sign-flip-exact"
        [interval] = paired.bootstrap([(d, 4) for d in (0, -4, 4, 2, 3, 4, 0, 0)])
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
        assert [each["p_holm"] for each in found["metrics"].values()] == paired.holm(ps)

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
        assert [m["p_holm"] for m in tests] == paired.holm([m["p"] for m in tests])
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
