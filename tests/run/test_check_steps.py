"""What a check says at each step: beyond what the command's own tests see."""

from __future__ import annotations

from typing import Any

import pytest

from apieval.config.file import Providers
from apieval.rebus import conversation, prompts
from apieval.records import Outcome, Reply, Usage
from apieval.run import check_steps
from apieval.run.cost import tokens_of
from apieval.run.model import Prepared, without_key
from apieval.run.trial import Trial
from tests.records import ANSWER, rebus

ROW = rebus()
LENGTHS = conversation.lengths(ROW, "regular", prompts.official())
PROMPT, EXPECTED = map(tokens_of, LENGTHS)


def prepared(**model: Any) -> Prepared:  # noqa: ANN401 # any JSON
    plain = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    models = {"mine": {**plain, **model}}
    return without_key("mine", Providers.model_validate({"version": 1, "models": models}))


def forecast(usage: Usage, finish_reason: str = "stop", **model: Any) -> dict[str, Any]:  # noqa: ANN401
    reply = Reply(text="x", finish_reason=finish_reason, usage=usage)
    whole = [LENGTHS] * 10
    found = check_steps.outlook(prepared(**model), whole, LENGTHS, Trial(reply, None, 1.0))
    return dict(found.facts)


def test_without_counts_the_forecast_is_by_characters() -> None:
    found = forecast(Usage())
    assert (found["prompt_tokens"], found["answer_tokens"]) == (10 * PROMPT, 10 * EXPECTED)
    assert found["basis"] == "characters"


def test_counted_tokens_correct_the_forecast() -> None:
    found = forecast(Usage(prompt_tokens=1_000, completion_tokens=50))
    assert (found["prompt_tokens"], found["answer_tokens"]) == (10_000, 500)
    assert found["basis"] == "this answer"


def test_a_count_of_a_part_of_the_prompt_corrects_nothing() -> None:
    assert forecast(Usage(prompt_tokens=40))["prompt_tokens"] == 10 * PROMPT


def test_one_count_alone_corrects_its_own_part() -> None:
    found = forecast(Usage(prompt_tokens=1_000))
    assert (found["prompt_tokens"], found["answer_tokens"]) == (10_000, 10 * EXPECTED)


def test_an_answer_may_not_grow_beyond_its_limit() -> None:
    usage = Usage(prompt_tokens=1_000, completion_tokens=90_000)
    assert forecast(usage, params={"max_tokens": 256})["answer_tokens"] == 2_560


@pytest.mark.parametrize(("reason", "tokens"), [("length", 500), ("content_filter", 10 * EXPECTED)])
def test_a_refused_answer_says_nothing_about_the_length_of_others(reason: str, tokens: int) -> None:
    assert forecast(Usage(completion_tokens=50), reason)["answer_tokens"] == tokens


def test_a_failed_answer_has_no_score() -> None:
    found = check_steps.parse(Reply(text=ANSWER), Outcome.FAILED, ROW, "regular")
    assert found.facts["metrics"] is None
    assert found.facts["right"] is False


def test_a_cut_answer_counts_wrong_whatever_it_holds() -> None:
    found = check_steps.parse(Reply(text=ANSWER), Outcome.TRUNCATED, ROW, "regular")
    assert found.facts["read"]["solution"] == ROW.solution
    assert {each["right"] for each in found.facts["metrics"].values()} == {0}


def test_the_limit_that_is_to_be_raised_goes_by_the_name_that_is_sent() -> None:
    model = prepared(params={"max_completion_tokens": 9}, drop=["max_tokens"])
    [request] = conversation.requests([ROW], ["regular"])
    reply = Reply(text="Soluzione: x", finish_reason="length")
    found = check_steps.reply(model, request, Trial(reply, None, 1.0))
    assert found.faults == ("the answer was cut at the length limit: raise max_completion_tokens",)
