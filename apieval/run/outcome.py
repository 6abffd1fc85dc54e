"""What became of a request, judged from the reply: the finish reasons of all servers, one table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apieval.errors import AttemptFailed, ContentRefused
from apieval.schema import Outcome, Reply

FINISH_REASONS: Final[Mapping[str, Outcome]] = {
    "length": Outcome.TRUNCATED,
    "max_tokens": Outcome.TRUNCATED,
    "max_output_tokens": Outcome.TRUNCATED,
    "model_length": Outcome.TRUNCATED,
    "model_context_window_exceeded": Outcome.TRUNCATED,
    "content_filter": Outcome.REFUSED,
    "safety": Outcome.REFUSED,
    "recitation": Outcome.REFUSED,
    "blocklist": Outcome.REFUSED,
    "prohibited_content": Outcome.REFUSED,
    "spii": Outcome.REFUSED,
    "refusal": Outcome.REFUSED,
    "guardrail_intervened": Outcome.REFUSED,
    "content_filtered": Outcome.REFUSED,
    "error_toxic": Outcome.REFUSED,
    "model_armor": Outcome.REFUSED,
    "abort": Outcome.FAILED,
    "error": Outcome.FAILED,
    "cancelled": Outcome.FAILED,
    "timeout": Outcome.FAILED,
    "insufficient_system_resource": Outcome.FAILED,
}
"""Finish reason in lower case -> outcome; every other reason (stop, eos, end_turn, null ...) says
that the model was done. What was broken off is no answer of the model's."""


def without_reply(failure: AttemptFailed | None) -> Outcome:
    """Return the outcome of a request that ended without a reply."""
    return Outcome.REFUSED if isinstance(failure, ContentRefused) else Outcome.FAILED


def judge(reply: Reply) -> Outcome:
    """Return the outcome of a reply; one without any visible text is no answer."""
    outcome = FINISH_REASONS.get((reply.finish_reason or "").lower(), Outcome.OK)
    return Outcome.EMPTY if outcome is Outcome.OK and not reply.text.strip() else outcome
