from __future__ import annotations

import pytest
from pydantic import TypeAdapter

from apieval.rebus import metrics, scoring
from apieval.rebus.parsers import official, tolerant
from apieval.records import ItemScore, Outcome, Rebus, Status
from tests.records import ANSWER, prediction, rebus, response


def official_score(**changes: object) -> ItemScore:
    scores = list(scoring.score(response(**changes), rebus(id="r1", subset="ood")))
    assert [each.parser for each in scores] == list(scoring.PARSERS)
    return next(each for each in scores if each.parser == "official")


def test_a_right_answer() -> None:
    score = official_score(setting="hints", sample=2)
    assert (score.id, score.setting, score.sample, score.subset) == ("r1", "hints", 2, "ood")
    assert score.outcome is Outcome.OK
    assert score.prediction == prediction()
    assert score.tallies == metrics.tally(prediction(), rebus())
    assert {name: each.share for name, each in (score.tallies or {}).items()} == dict.fromkeys(
        metrics.METRICS, 1.0
    )


@pytest.mark.parametrize("outcome", ["ok", "truncated", "empty", "refused"])
def test_what_is_the_models_doing_is_scored(outcome: str) -> None:
    score = official_score(outcome=outcome, text="")
    assert score.tallies is not None
    assert not any(each.right for each in score.tallies.values())


@pytest.mark.parametrize("outcome", ["truncated", "empty", "refused"])
def test_what_is_no_whole_answer_counts_wrong_whatever_it_holds(outcome: str) -> None:
    score, good = official_score(outcome=outcome, text=ANSWER), official_score(text=ANSWER)
    assert score.prediction == good.prediction
    assert score.tallies is not None
    assert good.tallies is not None
    assert {tally.right for tally in score.tallies.values()} == {0}
    totals = [
        [tally.total for tally in each.tallies.values()] for each in (score, good) if each.tallies
    ]
    assert totals[0] == totals[1]


@pytest.mark.parametrize("text", ["", ANSWER])
def test_a_failed_request_has_no_score(text: str) -> None:
    assert official_score(outcome="failed", text=text).tallies is None


def test_scores_are_well_typed_though_made_without_checks() -> None:
    score = official_score()
    assert TypeAdapter(ItemScore).validate_python(score._asdict(), strict=True) == score


def test_every_parser_goes_by_its_own_name_and_has_a_version() -> None:
    assert list(scoring.PARSERS) == ["official", "tolerant", "tolerant-lenient"]
    assert list(scoring.READERS) == [official.NAME, tolerant.NAME]
    for name, parser in scoring.PARSERS.items():
        assert parser.name == name
        assert parser.reader in scoring.READERS
        assert parser.version >= 1


def by_parser(gold: Rebus, **changes: object) -> dict[str, ItemScore]:
    return {each.parser: each for each in scoring.score(response(**changes), gold)}


def rights(scores: dict[str, ItemScore], metric: str) -> list[int]:
    return [each.tallies[metric].right for each in scores.values() if each.tallies]


@pytest.mark.parametrize(
    ("text", "solved"),
    [
        pytest.param(ANSWER, [1, 1, 1], id="in the template"),
        pytest.param(ANSWER.replace("Soluzione:", "**Soluzione:**"), [0, 1, 1], id="decorated"),
        pytest.param(ANSWER.replace("Verità nasc", "Verita' nasc"), [0, 0, 1], id="accent"),
        pytest.param(ANSWER.replace("Verità nasc", "Varietà nasc"), [0, 0, 0], id="wrong"),
        pytest.param("", [0, 0, 0], id="no answer"),
    ],
)
def test_what_each_parser_finds_solved(text: str, solved: list[int]) -> None:
    assert rights(by_parser(rebus(), text=text), "solution_match") == solved


def test_one_reading_makes_the_scores_of_both_levels() -> None:
    scores = by_parser(rebus(), text=ANSWER.replace("= Rita", "= **Rita** (santa)"))
    assert scores["official"].status == {}
    assert scores["official"].seen_through == ()
    strict, lenient = scores["tolerant"], scores["tolerant-lenient"]
    assert strict.prediction is lenient.prediction
    assert strict.seen_through == lenient.seen_through == ("bold", "remark")
    assert set(strict.status.values()) == {Status.FOUND}


def test_solution_words_are_compared_along_the_key() -> None:
    gold = rebus(
        solution_key="1 ' 3 5",
        solution_words=("L'ora", "fatta"),
        solution="L'ora fatta",
    )
    text = "1 = L\n3 = ora\n5 = fatta\nSoluzione: L' ora fatta"
    scores = by_parser(gold, text=text)
    found = [each.tallies["solution_word_accuracy"] for each in scores.values() if each.tallies]
    assert found == [(0, 2), (3, 3), (3, 3)]


def test_a_cut_answer_says_so_and_counts_wrong() -> None:
    scores = by_parser(rebus(), text=ANSWER.partition("6 =")[0], outcome="truncated")
    status = scores["tolerant"].status
    assert [each.value for each in status.values()] == ["found", "found", "cut", "cut"]
    assert rights(scores, "first_pass_accuracy") == [0, 0, 0]


def test_of_a_failed_request_nothing_is_said() -> None:
    for each in by_parser(rebus(), text="", outcome="failed").values():
        assert (each.tallies, each.status, each.why, each.seen_through) == (None, {}, {}, ())
