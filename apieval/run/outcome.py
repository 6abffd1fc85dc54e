"""What became of a request, judged from the reply; what finish reasons mean, `reasons` knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apieval.errors import AttemptFailed, ContentRefused
from apieval.providers.reasons import Meaning, meaning_of_finish
from apieval.schema import Outcome, Reply

OUTCOMES: Final[Mapping[Meaning, Outcome]] = {
    Meaning.TRUNCATED: Outcome.TRUNCATED,
    Meaning.REFUSED: Outcome.REFUSED,
    Meaning.BROKEN_OFF: Outcome.FAILED,
}
"""What was broken off is no answer of the model's."""


def without_reply(failure: AttemptFailed | None) -> Outcome:
    """Return the outcome of a request that ended without a reply."""
    return Outcome.REFUSED if isinstance(failure, ContentRefused) else Outcome.FAILED


def judge(reply: Reply) -> Outcome:
    """Return the outcome of a reply; one without any visible text is no answer."""
    means = meaning_of_finish(reply.finish_reason)
    outcome = OUTCOMES[means] if means else Outcome.OK
    return Outcome.EMPTY if outcome is Outcome.OK and not reply.text.strip() else outcome
