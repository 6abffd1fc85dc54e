"""What stands out: nothing is claimed that is not shown, and nothing shown is left unsaid."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis import variants
from apieval.analysis.run_sentences import of_run, p_of, percent
from apieval.rebus.metrics import METRICS
from apieval.results.summary import LATER
from tests.analysis.test_effect import both
from tests.records import Json


def figure(value: float | None, n: int = 100, **more: Any) -> Json:  # noqa: ANN401
    low, high = (None, None) if value is None else (max(0.0, value - 0.05), min(1.0, value + 0.05))
    return {"value": value, "low": low, "high": high, "n": n, **more}


def summary(**changes: Any) -> Json:  # noqa: ANN401 # any part
    match = {"solution_match": {"micro": figure(0.25)}}
    plain = {
        "settings": ["regular"],
        "samples": 1,
        "given": None,
        "figures": {"regular": {"all": {"official": match}}},
        "outcomes": {"regular": outcomes(ok=100)},
    }
    return {**LATER, **plain, **changes}


def outcomes(**counts: int) -> Json:
    names = ("ok", "truncated", "empty", "refused", "failed", "not_asked")
    return {**dict.fromkeys(names, 0), **counts}


def told(made: Json, found: Json | None = None) -> dict[str, str]:
    return dict(of_run(made, found))


class TestSolved:
    def test_what_is_solved_of_how_many(self) -> None:
        assert told(summary()) == {
            "Solved": "It solves 25.0\u00a0% of 100 rebuses without hints (20.0 to 30.0)."
        }

    def test_a_partial_run_has_bounds(self) -> None:
        micro = figure(0.25, at_least=0.25, at_most=0.5, answered=0.3)
        figures = {"regular": {"all": {"official": {"solution_match": {"micro": micro}}}}}
        assert told(summary(figures=figures))["Solved"] == (
            "It solves at least 25.0\u00a0% and at most 50.0\u00a0% of 100 rebuses without hints, since answers "
            "are missing."
        )

    def test_samples_and_given_steps_are_said(self) -> None:
        said = told(summary(samples=4, given="first-pass"))["Solved"]
        assert "of 100 answers (4 to each rebus)" in said
        assert said.endswith(", given the first pass.")

    def test_nothing_solved_of_nothing(self) -> None:
        figures = {"regular": {"all": {"official": {"solution_match": {"micro": figure(None, 0)}}}}}
        assert told(summary(figures=figures)) == {}


class TestHints:
    def test_what_is_raised_lowered_and_not_moved(self) -> None:
        found = variants.of_hints(both([0] * 30 + [4], [2] * 30 + [4]))
        said = told(summary(), found)["Hints"]
        assert said.startswith("Hints raise word guesses by 48.4 percentage points (")
        assert "No change is shown in solutions (0.0, -11.9 to 11.9), nor in first passes." in said

    def test_a_loss_is_told_as_one(self) -> None:
        found = variants.of_hints(both([4] * 30, [0] * 30))
        said = told(summary(), found)["Hints"]
        assert said.startswith("Hints lower word guesses by 100.0 percentage points (88.")
        assert "raise" not in said
        assert "No change" not in said

    def test_nothing_shown_is_nothing_claimed(self) -> None:
        found = variants.of_hints(both([0, 4, 2], [2, 4, 1]))
        said = told(summary(), found)["Hints"]
        assert said.startswith("No change by hints is shown in solutions (0.0, -")
        assert "Hints" not in said

    @settings(max_examples=50)
    @given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=1, max_size=30))
    def test_only_what_a_test_shows_is_claimed(self, rights: list[tuple[int, int]]) -> None:
        found = variants.of_hints(both([a for a, _ in rights], [b for _, b in rights]))
        assert found is not None
        said = told(summary(), found)["Hints"]
        for name, each in found["metrics"].items():
            claimed = f"{METRICS[name].plural} by " in said
            assert claimed == (each["p_holm"] < 0.05)


def diagnosis(**shares: float) -> Json:
    none = {"value": None, "low": None, "high": None, "n": 0}
    cell: Json = {
        "n": 100,
        "broke_first": {name: figure(value) for name, value in shares.items()},
        "wrong_despite_right_first_pass": none,
        "right_despite_wrong_steps": none,
    }
    return {"regular": {"all": cell}}


class TestDiagnosis:
    def test_the_places_most_answers_break_at(self) -> None:
        shares = {"solved": 0.1, "first_pass": 0.05, "definitions": 0.6, "segmentation": 0.2}
        said = told(summary(diagnosis=diagnosis(**shares, format=0.04, solution=0.0)))
        assert said["First errors"] == (
            "Without hints most first errors are at definitions (60.0\u00a0%), segmentation (20.0\u00a0%) and "
            "first pass (5.0\u00a0%); 10.0\u00a0% are solved."
        )

    def test_nothing_solved_and_nothing_broken(self) -> None:
        assert "solved" not in told(summary(diagnosis=diagnosis(definitions=1.0)))["First errors"]
        assert "First errors" not in told(summary(diagnosis=diagnosis(solved=1.0)))
        empty = {"regular": {"all": {"n": 0}}}
        assert "First errors" not in told(summary(diagnosis=empty))

    def test_what_follows_right_and_wrong_steps(self) -> None:
        found = diagnosis(definitions=0.5)
        cell = found["regular"]["all"]
        cell["wrong_despite_right_first_pass"] = figure(0.5, 40)
        cell["right_despite_wrong_steps"] = figure(0.2, 25)
        said = told(summary(diagnosis=found))
        assert said["After the first pass"] == (
            "Of first passes with correct letters, 50.0\u00a0% without hints (45.0 to 55.0; n\u00a0=\u00a040) still lead to a "
            "wrong solution."
        )
        assert said["Possible memorization"].startswith(
            "Of its correct solutions, 20.0\u00a0% without hints"
        )
        cell["wrong_despite_right_first_pass"] = figure(0.5, 19)  # too few
        cell["right_despite_wrong_steps"] = figure(0.0, 25)  # none at all
        said = told(summary(diagnosis=found))
        assert "After the first pass" not in said
        assert "Possible memorization" not in said


def loss(difference: float, reach: float, **kinds: int) -> Json:
    return {
        "difference": difference,
        "low": difference - reach,
        "high": difference + reach,
        "tolerant": {
            "more": {"kinds": kinds if difference > 0 else {"bold": 1}},
            "fewer": {"kinds": kinds if difference < 0 else {"bold": 1}},
        },
    }


def lost(**metrics: Json) -> Json:
    return {"regular": {"all": {"metrics": metrics}}}


class TestFormat:
    def test_what_form_costs_the_headline_first(self) -> None:
        found = lost(
            word_guess_accuracy=loss(0.1, 0.01),
            first_pass_accuracy=loss(0.2, 0.01),
            solution_match=loss(0.05, 0.01),
            solution_word_accuracy=loss(0.001, 0.01),
            word_guess_length_accuracy=loss(0.9, 0.01),  # not shown without hints
        )
        assert told(summary(format_loss=found))["Format"] == (
            "Without hints the format costs solutions 5.0 percentage points (4.0 to 6.0), first passes 20.0 percentage points "
            "(19.0 to 21.0) and word guesses 10.0 percentage points (9.0 to 11.0) by the official parser."
        )

    def test_an_official_parser_that_is_kinder(self) -> None:
        found = lost(solution_match=loss(-0.05, 0.01))
        assert told(summary(format_loss=found))["Format"] == (
            "Without hints the official parser finds more correct than the tolerant one: solutions 5.0 "
            "percentage points (4.0 to 6.0)."
        )

    def test_no_loss_that_is_shown(self) -> None:
        found = lost(
            solution_match=loss(0.01, 0.02),
            first_pass_accuracy={**loss(0.0, 0.0), "low": None, "high": None},
        )
        assert told(summary(format_loss=found))["Format"] == (
            "Without hints no format loss is shown."
        )
        assert "Format" not in told(summary(format_loss=None))

    @pytest.mark.parametrize("sign", [1, -1])
    @pytest.mark.parametrize(
        ("kinds", "claimed"),
        [
            ({"compared_along_key": 9}, False),
            ({"compared_along_key": 9, "compared_strict": 1}, False),
            ({"compared_along_key": 1, "compared_strict": 9}, True),
            ({"compared_strict": 9}, True),
            ({"compared_along_key": 9, "along_key": 1}, True),
        ],
    )
    def test_other_words_along_the_key_are_no_loss_by_form(
        self, kinds: dict[str, int], sign: int, *, claimed: bool
    ) -> None:
        found = lost(
            solution_match=loss(0.01, 0.02), solution_word_accuracy=loss(sign * 0.09, 0.01, **kinds)
        )
        said = told(summary(format_loss=found))["Format"]
        assert ("solution words 9.0 percentage points" in said) is claimed
        assert ("no format loss is shown" in said) is not claimed

    def test_one_alone_is_shown_that_is_not_among_many(self) -> None:
        barely = loss(0.05, 0.048)
        alone = told(summary(format_loss=lost(solution_match=barely)))["Format"]
        assert "costs solutions" in alone
        others = {
            name: loss(0.001, 0.05)
            for name in ("word_guess_accuracy", "first_pass_accuracy", "solution_word_accuracy")
        }
        among = told(summary(format_loss=lost(solution_match=barely, **others)))["Format"]
        assert "no format loss is shown" in among


def gap(value: float | None, reach: float, **more: float) -> Json:
    ends = (None, None) if value is None else (value - reach, value + reach)
    found = {"value": value, "low": ends[0], "high": ends[1], **more}
    return {"official": {"solution_match": {"micro": found}}}


class TestGaps:
    def test_gaps_are_told_with_their_direction(self) -> None:
        found = {"regular": {"id - ood": gap(0.2, 0.05), "id - new": gap(-0.2, 0.05)}}
        assert told(summary(gaps=found))["Subsets"] == (
            "It solves more rebuses of 'id' than of 'ood' without hints, by 20.0 percentage points (15.0 to 25.0). "
            "It solves fewer rebuses of 'id' than of 'new' without hints, by 20.0 percentage points (15.0 to 25.0)."
        )

    def test_a_gap_that_is_not_shown(self) -> None:
        said = told(summary(gaps={"regular": {"id - ood": gap(0.02, 0.05)}}))["Subsets"]
        assert said == (
            "No gap in solutions is shown between 'id' and 'ood' without hints (2.0 percentage points, -3.0 to 7.0)."
        )

    def test_of_partial_runs_and_of_nothing_no_gap_is_told(self) -> None:
        found = {
            "regular": {
                "id - ood": gap(0.2, 0.05, at_least=-0.1, at_most=0.4),
                "id - new": gap(None, 0),
            }
        }
        assert "Subsets" not in told(summary(gaps=found))


def test_cut_answers_are_told() -> None:
    counts = outcomes(ok=90, truncated=10, failed=50, not_asked=50)
    assert told(summary(outcomes={"regular": counts}))["Cut answers"] == (
        "Truncated at the token limit, and counted as wrong: 10.0\u00a0% without hints (10 of 100)."
    )


class TestNumbers:
    @pytest.mark.parametrize(
        ("share", "said"),
        [
            (0, "0.0\u00a0%"),
            (0.0001, "less than 0.1\u00a0%"),
            (0.107, "10.7\u00a0%"),
            (0.99999, "more than 99.9\u00a0%"),
            (1, "100.0\u00a0%"),
        ],
    )
    def test_what_there_is_some_of_is_not_nothing(self, share: float, said: str) -> None:
        assert percent(share) == said

    def test_the_p_of_an_interval(self) -> None:
        assert p_of(0.1, 0.0, 0.2) == pytest.approx(0.05)
        assert p_of(-0.1, -0.2, 0.0) == pytest.approx(0.05)
        assert p_of(0.1, 0.05, 0.2) == pytest.approx(8.86e-5, rel=0.01)
        assert p_of(0.0, -0.1, 0.1) == 1
        assert p_of(0.1, 0.1, 0.1) == 0
