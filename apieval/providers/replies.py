"""What a reply says, once it has come whole: OpenAI's chat completion, as every server bends it.

This module reads and checks; it opens no connection, and whose wire the reply came over does
not matter to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from apieval.errors import TransientFailure, WebPage
from apieval.providers.failures import failure, hidden_failure, server_message
from apieval.providers.hints import rate_hints
from apieval.schema import RateHints, Reply, Usage, well_formed

MOST_TOKENS: Final = 100_000_000
"""No text is longer: a count above it is a fault, and unknown."""


class Whole(NamedTuple):
    """A reply that has come whole: status, headers, body."""

    status: int
    headers: Mapping[str, str]
    content: bytes


def read_reply(response: Whole, url: str) -> Reply:
    """Return the reply in an HTTP response that is one.

    Raises:
        AttemptFailed: for a bad status, for what is no JSON (a login page on status 200), for an
            error on status 200, and for a reply without a choice.
    """
    status, headers, content = response
    if status != HTTPStatus.OK:
        raise failure(status, content, headers, url)
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        said = server_message(content)
        kind = WebPage if content.lstrip().startswith(b"<") else TransientFailure
        raise kind(
            f"the reply from {url} is not JSON, is this an API address? It begins: {said}",
            status=HTTPStatus.OK,
        ) from None
    if isinstance(value, dict) and value.get("error"):
        raise hidden_failure(content, headers, url)
    try:
        return _reply(value, rate_hints(headers, datetime.now(UTC)))
    except (LookupError, TypeError, AttributeError):
        said = server_message(content)
        malformed = TransientFailure(f"malformed reply from {url}: {said}", status=HTTPStatus.OK)
        malformed.billed = isinstance(value, dict) and isinstance(value.get("usage"), dict)
        raise malformed from None


def _reply(value: Any, hints: RateHints | None) -> Reply:  # noqa: ANN401 # any JSON, checked by reading it
    choice = value["choices"][0]
    message = choice["message"]
    # OpenAI says a refusal in a field of its own, and "stop" as the reason
    refusal = "refusal" if message.get("refusal") and not message.get("content") else None
    return Reply(
        # some servers leave content out where all tokens went into reasoning
        text=_text(message.get("content")) or "",
        reasoning=_reasoning(message.get("reasoning_content") or message.get("reasoning")),
        finish_reason=refusal or _word(choice.get("finish_reason")),
        served_model=_word(value.get("model")),
        system_fingerprint=_word(value.get("system_fingerprint")),
        usage=_usage(value.get("usage")),
        hints=hints,
    )


def _text(content: object) -> str | None:
    """Return the text of a message's content: a text, a list of parts, or nothing."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        content = "".join(part for part in parts if isinstance(part, str))
    if content is None:
        return None
    if not isinstance(content, str):
        raise TypeError(f"content is {type(content).__name__}")
    return well_formed(content)


def _reasoning(value: object) -> str | None:
    """Return the text of a reasoning field; one of another kind costs no answer."""
    return _text(value) if isinstance(value, str | list) else None


def _word(value: object) -> str | None:
    return well_formed(value) if isinstance(value, str) else None


def _usage(value: object) -> Usage:
    """Return the token counts that are there; what is missing, null or no number is unknown."""
    top = value if isinstance(value, dict) else {}
    prompt = top.get("prompt_tokens_details")
    completion = top.get("completion_tokens_details")
    return Usage(
        prompt_tokens=_count(top.get("prompt_tokens")),
        completion_tokens=_count(top.get("completion_tokens")),
        total_tokens=_count(top.get("total_tokens")),
        reasoning_tokens=_count(
            completion.get("reasoning_tokens") if isinstance(completion, dict) else None
        ),
        cached_tokens=_count(prompt.get("cached_tokens") if isinstance(prompt, dict) else None),
    )


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None
