from __future__ import annotations

from dataclasses import replace

import pytest

from apieval.analysis.pairing import common, common_to_all
from apieval.records import Tally
from tests.analysis.scores import Rights, run, tallies


class TestCommon:
    def test_rows_are_joined_by_id_whatever_their_order_and_kind(self) -> None:
        a = run("a", {0: [4], 1: [0], 2: [1]})
        b = run("b", {"2": [3], "0": [0], "1": [4]})
        shared = common(a, b, "hints")
        assert [each.id for each in shared.rebuses] == [0, 1, 2]
        rights = [
            (x["solution_match"].right, y["solution_match"].right)
            for each in shared.rebuses
            for x, y in zip(each.a, each.b, strict=True)
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

    def test_all_samples_that_each_has_are_compared(self) -> None:
        shared = common(run("a", {0: [4, 0, None]}), run("b", {0: [4, 4, 4, 4]}), "hints")
        [both] = shared.rebuses
        assert (len(both.a), len(both.b), shared.scale) == (2, 4, 4)
        assert (shared.answers, shared.single) == (2, False)

    def test_means_of_ever_other_numbers_of_samples_are_counted_in_small_parts(self) -> None:
        counts = (7, 11, 13, 17, 19, 23)
        a = run("a", {n: [4] * count for n, count in enumerate(counts)})
        assert common(a, a, "hints").scale == 1_000_000

    def test_of_many_runs_those_of_all_are_counted(self) -> None:
        runs = [run("a", {0: [4], 1: [4], 2: [4]}), run("b", {0: [4], 1: [None], 2: [4]})]
        runs += [run("c", {2: [4], 1: [4]})]
        assert common_to_all(runs, "hints") == 1
