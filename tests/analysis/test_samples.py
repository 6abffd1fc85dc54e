from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from apieval.analysis.intervals import bootstrap, wilson
from apieval.analysis.samples import Samples
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Outcome
from tests.analysis.answers import answer, row, shown

GOOD = "Verità nascosta"


def answers(*solutions: Sequence[str | None]) -> list[ScoredAnswer]:
    """Return the answers to as many rebuses: solutions by sample, None a failed request."""
    return [
        answer(
            row(number),
            sample=sample,
            outcome=Outcome.FAILED if solution is None else Outcome.OK,
            solution=solution or "",
        )
        for number, each in enumerate(solutions)
        for sample, solution in enumerate(each)
    ]


def of(*solutions: Sequence[str | None], samples: int, parser: str = "official") -> Any:  # noqa: ANN401 # JSON
    rows = [row(number) for number in range(len(solutions))]
    found = shown(Samples, rows, answers(*solutions), samples=samples)
    return found["regular"][parser]["solution_match"]


def values(figures: Any) -> list[float | None]:  # noqa: ANN401 # JSON
    return [each["value"] for each in figures.values()]


def test_one_sample_shows_nothing_of_the_kind() -> None:
    assert shown(Samples, [row(0)], answers([GOOD])) is None


ROWS = ((GOOD, GOOD, "no"), (GOOD, "no", "no"), ("a", "b", "c"), (GOOD, GOOD, GOOD))


def test_the_means_worked_by_hand() -> None:
    found = of(*ROWS, samples=3)
    assert (found["samples"], found["rebuses"], found["incomplete"]) == (3, 4, 0)
    assert found["mean"]["value"] == pytest.approx(6 / 12)
    assert found["by_sample"] == [3 / 4, 2 / 4, 1 / 4]
    assert found["flip_rate"]["value"] == pytest.approx(2 / 4)
    # two of three answers: of each mixed rebus 2 of 3 pairs disagree
    assert found["disagreement"]["value"] == pytest.approx((2 / 3 + 2 / 3) / 4)
    assert list(found["pass_at"]) == list(found["maj_at"]) == ["1", "2", "3"]
    assert values(found["pass_at"]) == pytest.approx([1 / 2, (1 + 2 / 3 + 0 + 1) / 4, 3 / 4])
    assert values(found["maj_at"]) == pytest.approx([1 / 2, (2 / 3 + 1 / 3 + 0 + 1) / 4, 2 / 4])


def test_the_variances_worked_by_hand() -> None:
    found = of(*ROWS, samples=3)
    # rates 2/3, 1/3, 0, 1: mean 1/2, sum of squares 5/9; within: (2/3 + 2/3) / (4 * 2)
    within = (2 / 3 + 2 / 3) / 8
    assert found["within_items"]["value"] == pytest.approx(within)
    assert found["between_items"]["value"] == pytest.approx(5 / 9 / 3 - within / 3)
    # 3/4, 2/4, 1/4
    assert found["between_samples"]["value"] == pytest.approx(2 / 16 / 2)
    assert found["between_samples"]["expected"] == pytest.approx(within / 4)


def test_the_intervals_are_of_rebuses() -> None:
    found = of(*ROWS * 10, samples=3)
    [expected] = bootstrap([(right / 3, 1.0) for right in (2, 1, 0, 3) for _ in range(10)])
    assert (found["mean"]["low"], found["mean"]["high"]) == pytest.approx(expected)
    low, high = found["flip_rate"]["low"], found["flip_rate"]["high"]
    assert (low, high) == pytest.approx(wilson(20, 40), abs=0.02)
    between = found["between_items"]
    assert between["low"] < between["value"] < between["high"]
    assert found["within_items"]["low"] == found["disagreement"]["low"] / 2


def test_all_alike_is_no_point() -> None:
    found = of(*[(GOOD, GOOD)] * 25, samples=2)
    assert found["mean"] == pytest.approx({"value": 1.0, "low": wilson(25, 25)[0], "high": 1.0})
    assert found["flip_rate"] == pytest.approx({"value": 0.0, "low": 0.0, "high": wilson(0, 25)[1]})
    assert found["between_items"] == {"value": 0.0, "low": None, "high": None}
    assert found["between_samples"] == {"value": 0.0, "expected": 0.0}


def test_one_rebus_has_no_spread_between_rebuses() -> None:
    found = of((GOOD, "no"), samples=2)
    assert found["between_items"] == {"value": None, "low": None, "high": None}
    assert found["flip_rate"]["value"] == 1.0
    assert found["between_samples"]["value"] == pytest.approx(0.5)


def test_a_rebus_that_lacks_an_answer_is_left_out_and_counted() -> None:
    found = of((GOOD, "no"), (GOOD, None), ("no",), samples=2)
    assert (found["rebuses"], found["incomplete"]) == (1, 2)
    assert found["mean"]["value"] == 0.5


@pytest.mark.parametrize("solutions", [[], [(None, None)]], ids=["no rebus", "all failed"])
def test_of_nothing_there_is_nothing(solutions: list[tuple[None, None]]) -> None:
    found = of(*solutions, samples=2)
    assert (found["rebuses"], found["incomplete"]) == (0, len(solutions))
    nothing = {"value": None, "low": None, "high": None}
    for name in ("mean", "flip_rate", "disagreement", "between_items", "within_items"):
        assert found[name] == nothing
    assert found["pass_at"] == found["maj_at"] == {"1": nothing, "2": nothing}
    assert found["by_sample"] == [None, None]
    assert found["between_samples"] == {"value": None, "expected": None}


@pytest.mark.parametrize(
    ("solutions", "share"),
    [
        pytest.param((GOOD.upper(), GOOD.lower(), "no"), 1.0, id="case makes no other text"),
        pytest.param(("No", "no", GOOD), 0.0, id="of wrong ones neither"),
        pytest.param(("no", "altro", GOOD), 1 / 3, id="a tie is shared"),
        pytest.param(("", " ", GOOD), 1.0, id="no solution is no vote"),
        pytest.param(("", "", ""), 0.0, id="nobody votes"),
    ],
)
def test_who_wins(solutions: Sequence[str], share: float) -> None:
    found = of(solutions, samples=3)
    assert found["maj_at"]["3"]["value"] == pytest.approx(share)


def test_what_was_cut_has_no_vote() -> None:
    gold = row(0)
    made = [
        answer(gold, sample=0, solution="no", outcome=Outcome.TRUNCATED),
        answer(gold, sample=1, solution="no", outcome=Outcome.TRUNCATED),
        answer(gold, sample=2),
    ]
    found = shown(Samples, [gold], made, samples=3)["regular"]["official"]["solution_match"]
    assert found["maj_at"]["3"]["value"] == 1.0
    assert found["maj_at"]["1"]["value"] == found["mean"]["value"] == pytest.approx(1 / 3)


def test_the_tolerant_parser_takes_forms_of_one_text_for_one() -> None:
    # twice the same wrong text, with one apostrophe or the other
    solutions = ("l'ora", "l’ora", GOOD)
    assert of(solutions, samples=3)["maj_at"]["3"]["value"] == pytest.approx(1 / 3)
    assert of(solutions, samples=3, parser="tolerant")["maj_at"]["3"]["value"] == 0.0


def test_first_passes_vote_too() -> None:
    gold = row(0)
    made = [answer(gold, sample=k, first_pass="x" if k else gold.first_pass) for k in range(3)]
    found = shown(Samples, [gold], made, samples=3)["regular"]["official"]
    assert found["first_pass_accuracy"]["maj_at"]["3"]["value"] == 0.0
    assert found["solution_match"]["maj_at"]["3"]["value"] == 1.0


def test_every_setting_and_parser_is_there_even_without_an_answer() -> None:
    found = shown(Samples, [row(0)], [], samples=2, settings=["regular", "hints"])
    assert {setting: list(parsers) for setting, parsers in found.items()} == {
        "regular": ["official", "tolerant"],
        "hints": ["official", "tolerant"],
    }
    assert list(found["hints"]["official"]) == ["first_pass_accuracy", "solution_match"]
