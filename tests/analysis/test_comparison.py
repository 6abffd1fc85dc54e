"""Runs brought together and compared: joins, what is left out, the record, the sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis import objections, paired, plain_words
from apieval.analysis.compare import compare
from apieval.analysis.pairing import Scored, common, common_to_all
from apieval.rebus.metrics import METRICS, OF_REBUSES
from apieval.schema import RowId, Setting, Tally

SIGNATURE = {"data": "d.csv@0", "n": "4", "prompt": "p", "parser": "official@1", "samples": "1"}
Rights = Mapping[RowId, Sequence[int | None]]
"""How many of 4 words are right in each sample; None is a failed request."""


def tallies(right: int) -> dict[str, Tally]:
    """Return tallies of 4 words each; a whole one is right where all 4 are."""
    return {
        name: Tally(right // 4, 1) if name in OF_REBUSES else Tally(right, 4) for name in METRICS
    }


def run(name: str, rights: Rights, *, setting: Setting = "hints", **changes: Any) -> Scored:  # noqa: ANN401 # any field
    rows = {
        str(each): {
            sample: None if right is None else tallies(right)
            for sample, right in enumerate(samples)
        }
        for each, samples in rights.items()
    }
    plain = Scored(
        name=name,
        model=name,
        folder=f"runs/{name}",
        digest="sha256:0",
        rebuses=len(rights),
        signatures={setting: SIGNATURE},
        rows={setting: rows},
        ids={str(each): each for each in rights},
    )
    return replace(plain, **changes)


def only(runs: Sequence[Scored]) -> dict[str, Any]:
    [found] = compare(runs, "official")["comparisons"]
    return dict(found)


class TestCommon:
    def test_rows_are_joined_by_id_whatever_their_order_and_kind(self) -> None:
        a = run("a", {0: [4], 1: [0], 2: [1]})
        b = run("b", {"2": [3], "0": [0], "1": [4]})
        shared = common(a, b, "hints")
        assert [each.id for each in shared.rebuses] == [0, 1, 2]
        rights = [
            (x["solution_match"].right, y["solution_match"].right)
            for each in shared.rebuses
            for x, y in each.answers
        ]
        assert rights == [(1, 0), (0, 1), (0, 0)]
        assert not any(shared.left_out.values())

    @pytest.mark.parametrize(
        ("a", "b", "reason"),
        [
            pytest.param({}, {1: [4]}, "missing_in_a", id="missing in A"),
            pytest.param({1: [4]}, {}, "missing_in_b", id="missing in B"),
            pytest.param({1: [None]}, {1: [4]}, "failed_in_a", id="failed in A"),
            pytest.param({1: [4]}, {1: [None]}, "failed_in_b", id="failed in B"),
            pytest.param({1: [None]}, {1: [None]}, "failed_in_both", id="failed in both"),
            pytest.param({1: [4, None]}, {1: [None, 4]}, "no_common_sample", id="other samples"),
        ],
    )
    def test_a_rebus_is_left_out_for_a_reason(self, a: Rights, b: Rights, reason: str) -> None:
        shared = common(run("a", {0: [4], **a}), run("b", {0: [0], **b}), "hints")
        assert [each.id for each in shared.rebuses] == [0]
        assert {name: n for name, n in shared.left_out.items() if n} == {reason: 1}

    def test_what_neither_answered_is_left_out(self) -> None:
        a, b = run("a", {0: [4]}, rebuses=5), run("b", {1: [4]}, rebuses=5)
        left_out = common(a, b, "hints").left_out
        assert (left_out["missing_in_both"], sum(left_out.values())) == (3, 5)

    def test_another_number_of_words_is_no_common_rebus(self) -> None:
        a, b = run("a", {0: [4]}), run("b", {0: [4]})
        other = {**tallies(4), "word_guess_accuracy": Tally(4, 5)}
        changed = replace(b, rows={"hints": {"0": {0: other}}})
        assert common(a, changed, "hints").left_out["other_words"] == 1

    def test_samples_that_both_have_are_compared(self) -> None:
        shared = common(run("a", {0: [4, 0, None]}), run("b", {0: [4, 4, 4, 4]}), "hints")
        assert (len(shared.rebuses), shared.answers, shared.single) == (1, 2, False)

    def test_of_many_runs_those_of_all_are_counted(self) -> None:
        runs = [run("a", {0: [4], 1: [4], 2: [4]}), run("b", {0: [4], 1: [None], 2: [4]})]
        runs += [run("c", {2: [4], 1: [4]})]
        assert common_to_all(runs, "hints") == 1


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


class TestPlainWords:
    def pair(self, solved_a: int, solved_b: int, n: int = 90) -> dict[str, Any]:
        a = run("alfa", {k: [4 * (k < solved_a)] for k in range(n)})
        return only([a, run("beta", {k: [4 * (k < solved_b)] for k in range(n)})])

    def test_a_difference_names_who_is_better(self) -> None:
        better = self.pair(10, 40)["sentence"]
        assert better.startswith("beta solves more than alfa in hints: +33.3 points (95 % +23.")
        assert better.endswith("among 90 common rebuses 30 only beta solves, 0 only alfa.")
        assert "p < 0.0001 after Holm" in better
        turned = self.pair(40, 10)["sentence"]
        assert turned.startswith("alfa solves more than beta in hints: +33.3 points (95 % +23.")
        assert "0 only beta solves, 30 only alfa" in turned

    def test_none_says_what_could_have_been_seen(self) -> None:
        sentence = self.pair(20, 21)["sentence"]
        assert sentence.startswith("In hints no difference is shown: beta less alfa is +1.1 points")
        assert "one of less than 8.5 points may have been missed" in sentence
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
        assert plain_words.points(share) == said

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
        assert plain_words.chance(p) == said


def signed(name: str, setting: Setting = "hints", digest: str = "sha256:0", **parts: str) -> Scored:
    signatures = {setting: {**SIGNATURE, **parts}}
    return run(name, {0: [4]}, setting=setting, signatures=signatures, digest=digest)


class TestObjections:
    def test_equal_set_ups_have_none(self) -> None:
        assert list(objections.found([signed("a"), signed("b")])) == []

    @pytest.mark.parametrize(
        ("part", "kind", "level"),
        [
            ("parser", "parsers_differ", "refusal"),
            ("prompt", "prompts_differ", "warning"),
            ("sampling", "sampling_differs", "warning"),
            ("dropped", "dropped_differ", "warning"),
            ("subset", "selections_differ", "warning"),
            ("limit", "selections_differ", "warning"),
            ("n", "selections_differ", "warning"),
            ("samples", "samples_differ", "warning"),
            ("apieval", "versions_differ", "note"),
        ],
    )
    def test_a_part_that_differs_is_named(self, part: str, kind: str, level: str) -> None:
        [found] = objections.found(
            [signed("a"), signed("b", "hints", "sha256:0", **{part: "other"})]
        )
        assert (found.kind, found.level) == (kind, level)
        assert found.text.endswith(f"in hints: {SIGNATURE.get(part, 'none')} in a; other in b")

    def test_other_data_are_refused(self) -> None:
        [found] = objections.found([signed("a"), signed("b", digest="sha256:1")])
        assert (found.kind, found.level) == ("data_differ", "refusal")
        assert found.text == "the data differ: sha256:0 in a; sha256:1 in b"

    def test_the_same_data_may_have_another_name(self) -> None:
        [found] = objections.found([signed("a"), signed("b", data="e.csv@0")])
        assert (found.kind, found.level) == ("data_names_differ", "note")
        assert found.text.endswith("d.csv in a; e.csv in b")

    def test_what_differs_alike_in_every_setting_is_said_once(self) -> None:
        def both(name: str, regular: str, hints: str) -> Scored:
            parts: dict[Setting, str] = {"regular": regular, "hints": hints}
            signatures: dict[Setting, dict[str, str]] = {
                each: {**SIGNATURE, "prompt": said} for each, said in parts.items()
            }
            return replace(signed(name), signatures=signatures)

        [found] = objections.found([both("a", "x", "x"), both("b", "y", "y")])
        assert found.text == "the prompts differ: x in a; y in b"
        apart = [each.text for each in objections.found([both("a", "x", "x"), both("b", "y", "z")])]
        assert apart == [
            "the prompts differ in regular: x in a; y in b",
            "the prompts differ in hints: x in a; z in b",
        ]

    def test_settings_that_one_has_alone_differ_in_nothing(self) -> None:
        assert list(objections.found([signed("a"), signed("b", "regular", prompt="q")])) == []
