from __future__ import annotations

import pytest

from apieval.providers.reasons import TABLE, Field, Meaning, spelled
from apieval.records import Outcome, Reply
from apieval.run.retry import OUTCOMES, judge


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


@pytest.mark.parametrize(
    ("word", "means"),
    [
        (word, means)
        for (field, means), words in TABLE.items()
        for word in words
        if field is Field.FINISH_REASON
    ],
)
def test_every_reason_counts_in_every_spelling(word: str, means: Meaning) -> None:
    first, *more = word.split("_")
    for spelt in (
        word,
        word.upper(),
        first + "".join(map(str.title, more)),
        "".join(map(str.title, [first, *more])),
        word.replace("_", "-"),
        f"FINISH_REASON_{word.upper()}",
    ):
        assert judge(Reply(text="x", finish_reason=spelt)) is OUTCOMES[means], spelt


@pytest.mark.parametrize("field", Field)
def test_every_word_has_a_source_and_stands_once(field: Field) -> None:
    groups = [words for (where, _), words in TABLE.items() if where is field]
    words = [word for group in groups for word in group]
    spelt = [word.lower() if field is Field.PHRASE else spelled(word) for word in words]
    assert len(set(spelt)) == len(spelt) > 0
    assert all(source for group in groups for source in group.values())
    assert field is not Field.PHRASE or words == spelt
