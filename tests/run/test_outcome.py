from __future__ import annotations

import pytest

from apieval.providers.reasons import CODES, FINISH_REASONS, PHRASES, RATE_LIMITS, Row, spelled
from apieval.run.outcome import OUTCOMES, judge
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


@pytest.mark.parametrize("row", FINISH_REASONS, ids=lambda row: row.said)
@pytest.mark.parametrize("dress", ["lower", "UPPER", "camel", "Pascal", "kebab", "prefixed"])
def test_every_reason_counts_in_every_spelling(row: Row, dress: str) -> None:
    words = row.said.split("_")
    spelt = {
        "lower": row.said,
        "UPPER": row.said.upper(),
        "camel": words[0] + "".join(map(str.title, words[1:])),
        "Pascal": "".join(map(str.title, words)),
        "kebab": "-".join(words),
        "prefixed": f"FINISH_REASON_{row.said.upper()}",
    }[dress]
    assert judge(Reply(text="x", finish_reason=spelt)) is OUTCOMES[row.means]


def test_every_row_has_a_source_and_stands_once() -> None:
    for rows in (FINISH_REASONS, CODES, PHRASES, RATE_LIMITS):
        names = [spelled(row.said) if rows is not PHRASES else row.said for row in rows]
        assert len(set(names)) == len(names)
        assert all(row.source for row in rows)
    assert all(row.said == row.said.lower() for row in PHRASES)
