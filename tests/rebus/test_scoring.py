from __future__ import annotations

import pytest

from apieval.rebus import metrics, scoring
from apieval.rebus.parsers import official
from apieval.schema import ItemScore, Outcome
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
    assert ItemScore.model_validate(score.model_dump()) == score


def test_every_parser_goes_by_its_own_name_and_has_a_version() -> None:
    assert scoring.PARSERS["official"].parse is official.parse
    for name, parser in scoring.PARSERS.items():
        assert parser.name == name
        assert parser.version >= 1
