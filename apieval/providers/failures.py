"""What a failed HTTP reply means: which kind of failure, in whose words, how long to wait.

The one place where a status is judged. Transient ones may pass; a refused key, an unknown model
or address, an exhausted quota or a refused parameter ends the run; the rest concerns one item.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from http import HTTPStatus
from typing import Any, Final

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
)
from apieval.providers.waits import moment_of, retry_after_s
from apieval.schema import well_formed
from apieval.sections import TOKEN_LIMITS, Params

TRANSIENT: Final = frozenset({408, 409, 425, 429})
"""Besides these every 5xx (529 among them) is transient."""

OF_THE_RUN: Final[Mapping[int, str]] = {
    401: "the key was refused; check the variable named in api_key_env",
    402: "payment is required; top up the account, then run the same command again",
    403: "access is denied to this key; check its rights",
    404: "the address or the model is unknown there; check base_url and model",
    405: "the address takes no questions; check base_url",
    501: "the address takes no questions; check base_url",
}
REDIRECTIONS: Final = range(300, 400)
QUOTA: Final = frozenset(
    {"insufficient_quota", "billing_hard_limit_reached", "billing_error", "budget_exceeded"}
)
TOP_UP: Final = "the quota is used up; top up, then run the same command again"
BY_WORDS: Final[Mapping[str, str]] = {
    # Anthropic says so on status 400, with no code of its own
    "credit balance is too low": TOP_UP,
    # litellm's proxy: OpenAI's code is lost on the way; on 400 what others say on 404 and 401
    "openaiexception - you exceeded your current quota": TOP_UP,
    "invalid model name passed in model=": OF_THE_RUN[404],
    "no connected db": OF_THE_RUN[401],
}
"""The remedy where nothing but the words tells the failure from one of a single request."""
UNMISTAKABLE: Final = frozenset({"temperature", "seed"})
"""Of these, and of names with a `_`, a refusal speaks by name; of others in quotes (`stop`)."""
_NAMED: Final = re.compile(r"""(?:['"`]|\b(?:parameter|argument|field)s?:? )([a-z_]+)""")
NO_PARAMETERS: Final = frozenset({"model", "messages", *TOKEN_LIMITS})
"""A limit of tokens may be too large for one prompt and right for others."""
FILTERED: Final = frozenset({"content_filter", "content_policy_violation"})
FILTERED_BEHIND: Final = "litellm.ContentPolicyViolationError"
"""How litellm's proxy says that a model behind it filtered; no code is left."""
_PARAMETER: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_SHOWN: Final = 200
_READ: Final = 4096
_MOST: Final = 1_000_000
"""No error takes more bytes to be told; of one that does, only the start is looked at."""
_TAG: Final = re.compile(r"<[^>]*>")


def failure(
    status: int,
    body: bytes,
    headers: Mapping[str, str],
    url: str,
    sent: Collection[str] = (),
) -> AttemptFailed:
    """Return the failure that a reply with a bad status stands for.

    `sent` are the names of the parameters in the request, the same in every one of a run.
    """
    if len(body) > _MOST:
        body = body[:_READ]
    found = _judged(f"HTTP {status} from {url}", status, body, headers)
    if type(found) is ItemFailure and (named := _parameter(_message(body), sent)):
        return RunFailure(f"{found} ({_remedy(named)})", status=status)
    return found


def _parameter(said: str, sent: Collection[str]) -> str | None:
    """Return which of the parameters sent a refusal speaks of."""
    said = said.lower()
    words, named = set(re.findall("[a-z_]+", said)), set(_NAMED.findall(said))
    spoken = {each for each in words if each in UNMISTAKABLE or "_" in each} | named
    return min(spoken & set(sent) - NO_PARAMETERS, default=None)


def _remedy(named: str) -> str:
    if named in Params.model_fields:
        return f"the model refuses {named}; change it under params, or say drop: [{named}]"
    return f"the model refuses {named}; change it, or take it out of extra_body"


def hidden_failure(body: bytes, headers: Mapping[str, str], url: str) -> AttemptFailed:
    """Return the failure that HTTP 200 with an error inside stands for.

    It is judged by the status the error names as its code, and is transient where it names none.
    """
    code = str(_error(body).get("code"))
    named = int(code) if re.fullmatch("[45][0-9][0-9]", code) else None
    what = f"HTTP 200 from {url} with an error inside"
    found = _judged(what, named or HTTPStatus.INTERNAL_SERVER_ERROR, body, headers)
    found.status = named or HTTPStatus.OK
    return found


def _judged(what: str, status: int, body: bytes, headers: Mapping[str, str]) -> AttemptFailed:
    error, said = _error(body), server_message(body)
    text = f"{what}: {said}"
    remedy = _of_the_run(status, error, said, headers)
    if remedy:
        return RunFailure(f"{text} ({remedy})", status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and "loading" in said.lower():
        return ServerDown(text, status=status)
    if status in TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        limited = status == HTTPStatus.TOO_MANY_REQUESTS
        wait = retry_after_s(headers, error, moment_of(headers), limited=limited)
        return TransientFailure(text, status=status, retry_after_s=wait)
    filtered = _word(error, "code") in FILTERED or said.startswith(FILTERED_BEHIND)
    return (ContentRefused if filtered else ItemFailure)(text, status=status)


def _of_the_run(
    status: int, error: Mapping[str, Any], said: str, headers: Mapping[str, str]
) -> str | None:
    """Return the remedy for a failure that every request would meet, None for any other."""
    if {_word(error, "code"), _word(error, "type")} & QUOTA:
        return TOP_UP
    lower = said.lower()
    if by_words := next((BY_WORDS[each] for each in BY_WORDS if each in lower), None):
        return by_words
    if any(detail.get("reason") == "API_KEY_INVALID" for detail in _details(error)):
        return OF_THE_RUN[401]
    if status in REDIRECTIONS:
        where = clipped(headers.get("location", "elsewhere"))
        return f"redirected to {where}; give that as base_url"
    if _word(error, "code") in _PARAMETER:
        named = clipped(_word(error, "param")) or "a parameter"
        return _remedy(named)
    return OF_THE_RUN.get(status)


def server_message(body: bytes) -> str:
    """Return the server's own words out of any shape of error body, at most 200 characters.

    Known shapes: `{"error": {"message"}}`, `{"error": "text"}`, `{"message"}`, FastAPI's
    `{"detail"}`, Mistral's of that inside `message`, HTML, plain text, nothing.
    """
    return clipped(_message(body)) or "no message"


def _message(body: bytes) -> str:
    error = _error(body)
    for name in ("message", "detail", "error"):
        if said := error.get(name):
            plain = isinstance(said, str)
            return said if plain else json.dumps(_without_echo(said), ensure_ascii=False)
    return _TAG.sub(" ", body[:_READ].decode("utf-8", "replace"))


def _without_echo(said: Any) -> Any:  # noqa: ANN401 # any JSON
    """Return FastAPI's list of faults, in Mistral's wrapping or bare, without what was sent."""
    if isinstance(said, dict) and isinstance(said.get("detail"), list):
        said = said["detail"]
    if not isinstance(said, list):
        return said
    faults = [each for each in said if isinstance(each, dict)]
    return [{k: v for k, v in each.items() if k != "input"} for each in faults] or said


def _error(body: bytes) -> dict[str, Any]:
    """Return the innermost object that describes the error; empty where there is none."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {}
    inner = value.get("error")
    return inner if isinstance(inner, dict) else value


def _details(error: Mapping[str, Any]) -> list[dict[str, Any]]:
    details = error.get("details")
    return [each for each in details if isinstance(each, dict)] if isinstance(details, list) else []


def _word(error: Mapping[str, Any], name: str) -> str:
    """Return a field of an error that is text; a server may put anything there."""
    value = error.get(name)
    return value if isinstance(value, str) else ""


def clipped(text: str) -> str:
    """Return a text as one line that is not too long to be shown."""
    line = " ".join(well_formed(text[:_READ]).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
