from __future__ import annotations

import pytest

from apieval.run.outcome import FINISH_REASONS, judge
from apieval.schema import Outcome, Reply


@pytest.mark.parametrize(
    "reason",
    ["stop", "STOP", "eos", "eos_token", "end_turn", "stop_sequence", "", None, "boh"],
)
def test_a_model_that_is_done_answered(reason: str | None) -> None:
    assert judge(Reply(text="Soluzione: x", finish_reason=reason)) is Outcome.OK


@pytest.mark.parametrize("text", ["", " ", "\n", " \t\r\n\u2003\u00a0"])
@pytest.mark.parametrize("reason", ["stop", "end_turn", None])
def test_no_visible_text_is_no_answer(text: str, reason: str | None) -> None:
    assert judge(Reply(text=text, finish_reason=reason)) is Outcome.EMPTY


@pytest.mark.parametrize("text", ["", "Procediamo alla"])
@pytest.mark.parametrize("reason", ["length", "MAX_TOKENS", "max_tokens", "model_length"])
def test_a_cut_answer_is_truncated_with_text_or_without(reason: str, text: str) -> None:
    assert judge(Reply(text=text, finish_reason=reason)) is Outcome.TRUNCATED


@pytest.mark.parametrize("text", ["", "Non posso"])
@pytest.mark.parametrize(
    "reason", ["content_filter", "SAFETY", "refusal", "ERROR_TOXIC", "MODEL_ARMOR"]
)
def test_a_filtered_answer_is_refused(reason: str, text: str) -> None:
    assert judge(Reply(text=text, finish_reason=reason)) is Outcome.REFUSED


@pytest.mark.parametrize("text", ["", "Procediamo alla", "Soluzione: x"])
@pytest.mark.parametrize("reason", ["abort", "error", "Cancelled", "TIMEOUT"])
def test_what_was_broken_off_is_no_answer_of_the_models(reason: str, text: str) -> None:
    assert judge(Reply(text=text, finish_reason=reason)) is Outcome.FAILED


def test_the_table_is_in_lower_case() -> None:
    assert all(reason == reason.lower() for reason in FINISH_REASONS)
    assert Outcome.OK not in FINISH_REASONS.values()
