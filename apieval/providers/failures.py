"""What a failed HTTP reply means: which kind of failure, in whose words, how long to wait.

The one place where a status is judged. Transient ones may pass; a refused key, an unknown model
or address, an exhausted quota or a refused parameter ends the run; the rest concerns one item.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from typing import Any, Final

from apieval.config.models import TOKEN_LIMITS, Params
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers.error_bodies import (
    READ,
    clipped,
    error_body,
    error_object,
    message_in,
    parsed,
    server_message,
)
from apieval.providers.length_errors import too_long
from apieval.providers.reasons import (
    Meaning,
    is_rate_limit,
    meaning_of_names,
    meaning_of_text,
    period,
)
from apieval.providers.waits import moment_of, retry_after_s
from apieval.providers.wire_formats import WIRE_FORMATS

TRANSIENT: Final = frozenset({408, 409, 425, 429})
"""Besides these every 5xx (529 among them) is transient."""

OF_THE_RUN: Final[Mapping[int, str]] = {
    401: "the key was refused; check the variable named in api_key_env",
    402: "payment is required; top up the account, then run the same command again",
    403: "access is denied to this key; check its rights",
    404: "the address or the model is unknown there; check base_url and model",
    405: "the address takes no questions; check base_url",
    407: "the proxy wants a user name and a password; say them in the variable that names it",
    501: "the address takes no questions; check base_url",
}
REDIRECTIONS: Final = range(300, 400)
REMEDIES: Final[Mapping[Meaning, str]] = {
    Meaning.NO_CREDIT: "the quota is used up; top up, then run the same command again",
    Meaning.UNKNOWN: OF_THE_RUN[404],
    Meaning.NO_KEY: OF_THE_RUN[401],
    Meaning.WANTS_TLS: "the port speaks https; write https:// in base_url",
}
"""What helps against what every request would meet."""
LASTING: Final = frozenset({403, 429})
"""The statuses on which a quota of a day, a week or a month is reported as one of a minute is."""
MISSTATED: Final = frozenset({400, 403})
"""The statuses on which some tell of a rate limit, by its name alone."""
NEVER_FILTERED: Final = frozenset({401, 402, 404, 405, 407, 429})
NEVER_STARTING: Final = frozenset({401, 402, 403, 405, 407, 429})
SOON_S: Final = 60.0
"""A wait shorter than this is a rate limit's, which the same reply names beside a day's quota."""
GOOGLE: Final = "googleapis"
UNMISTAKABLE: Final = frozenset({"temperature", "seed"})
"""Of these, and of names with a `_`, a refusal speaks by name; of others in quotes (`stop`)."""
_NAMED: Final = re.compile(r"""(?:['"`]|\b(?:parameter|argument|field)s?:? )([a-z_]+)""")
NO_PARAMETERS: Final = frozenset({"model", "messages", *TOKEN_LIMITS})
"""A limit of tokens may be too large for one prompt and right for others."""
_PARAMETER: Final = frozenset({"unsupported_parameter", "unsupported_value", "unknown_parameter"})
_MOST: Final = 1_000_000
"""No error takes more bytes to be said; of one that does, only the start is looked at."""
_PASSING: Final = re.compile(
    "overload|loading|try again|retry|capacity|tempora|time.?out|timed out|rate|busy|unavailable"
    "|internal|server|upstream|too many|throttl"
)
"""How an error sounds that may pass."""
_STARTING: Final = re.compile(
    r"\b(?:model|server|service|engine|weights|space|instance|container|replica|deployment|app)s?\b"
    r"[^.]{0,40}?\b(?:is|are|still|currently|being) (?:[a-z]+ )?(?:loading|starting|warming|building|initiali[sz]ing)|\bnot (?:yet )?ready\b|\bnot yet loaded\b"
    r"|\bloading (?:the )?(?:model|weights)|\bstarting up|\bwarming up|\bcold start"
)
_IN_VAIN: Final = re.compile(
    r"error|fail|can(?:no|')t|could ?n[o']t|unable|unknown|invalid|not found"
)
_VERSION: Final = re.compile(r"/v[0-9]\w*(/|$)")


def failure(
    status: int, body: bytes, headers: Mapping[str, str], url: str, sent: Collection[str] = ()
) -> AttemptFailed:
    """Return the failure that a reply with a bad status stands for.

    `sent` are the names of the parameters in the request, the same in every one of a run.
    """
    if len(body) > _MOST:
        body = body[:READ]
    found = _judged(f"HTTP {status} from {url}", status, body, headers)
    if type(found) is ItemFailure and (long := too_long(message_in(body)[:READ])):
        kind = RunFailure if long.of_all else ItemFailure
        return kind(f"{found} ({long.remedy})", status=status)
    if type(found) is ItemFailure and (named := _parameter(message_in(body), sent)):
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


def failure_inside(body: bytes, headers: Mapping[str, str], url: str) -> AttemptFailed:
    """Return the failure that HTTP 200 with an error inside stands for.

    It is judged by the status the error names as its code. Where it names none, and does not sound
    as if it would pass, it is a text for people: most often of an address that is no API's.
    """
    code = str(error_object(body).get("code"))
    named = int(code) if re.fullmatch("[45][0-9][0-9]", code) else None
    what = f"HTTP 200 from {url} with an error inside"
    found = _judged(what, named or HTTPStatus.INTERNAL_SERVER_ERROR, body, headers)
    words = (server_message(body), *error_body(parsed(body)).names)
    passing = _PASSING.search(" ".join(words).lower())
    if named is None and type(found) is TransientFailure and not passing:
        found = WebPage(str(found), retry_after_s=found.retry_after_s)
    found.status = named or HTTPStatus.OK
    return found


def metered(body: bytes) -> bool:
    """Say whether an error comes with token counts, and so after something was generated."""
    value = parsed(body)
    usage = value.get("usage") if isinstance(value, dict) else None
    return isinstance(usage, dict) and any(
        isinstance(each, int) and each for each in usage.values()
    )


def _judged(what: str, status: int, body: bytes, headers: Mapping[str, str]) -> AttemptFailed:
    error, said = error_object(body), server_message(body)
    fields = error_body(parsed(body))
    text = f"{what}: {said}"
    means = meaning_of_names(fields.names) or next(
        filter(None, map(meaning_of_text, (*fields.texts, said))), None
    )
    if means is Meaning.REFUSED and status not in NEVER_FILTERED:
        category = fields.category
        why = f" (content filter: {category})" if category else ""
        refused = ContentRefused(f"{text}{why}", status=status)
        refused.category = category
        return refused
    amazon = headers.get("x-amzn-errortype", "").partition(":")[
        0
    ]  # Bedrock's name of it, often alone
    if means is None and status in MISSTATED and is_rate_limit([*fields.names, amazon]):
        status = HTTPStatus.TOO_MANY_REQUESTS
    starting = status < HTTPStatus.INTERNAL_SERVER_ERROR and status not in NEVER_STARTING
    if means is None and starting and is_starting(said):
        return ServerDown(text, status=status)
    limited = status == HTTPStatus.TOO_MANY_REQUESTS
    wait = retry_after_s({**fields.headers, **headers}, error, moment_of(headers), limited=limited)
    spans = map(period, (*fields.names, *fields.texts, said)) if status in LASTING else ()
    span = next(filter(None, spans), None)  # of a used up quota, longer than any wait of a run
    remedy = _of_the_run(status, error, means, headers)
    remedy = remedy or (_come_back(span, wait, body) if span else OF_THE_RUN.get(status))
    if remedy:
        return RunFailure(f"{text.removesuffix('.')} ({remedy})", status=status)
    if status == HTTPStatus.SERVICE_UNAVAILABLE and "loading" in said.lower():
        return ServerDown(text, status=status)
    if status in TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
        return TransientFailure(text, status=status, retry_after_s=wait)
    return ItemFailure(text, status=status)


def is_starting(said: str) -> bool:
    """Say whether a text tells that a server, or a model on it, is not up yet and will be."""
    lower = said.lower()
    return bool(_STARTING.search(lower)) and not _IN_VAIN.search(lower)


def _come_back(span: str, wait_s: float | None, body: bytes) -> str:
    """Return what is to be done about a quota that lasts: when it is renewed, as far as is known."""
    if wait_s is not None and wait_s >= SOON_S:
        back = datetime.now(UTC) + timedelta(seconds=wait_s)
        when = f"come back at {back:%H:%M} UTC on {back:%Y-%m-%d}, in {_long(wait_s)}"
    elif GOOGLE in body[:READ].decode("utf-8", "replace"):
        when = (
            "Google renews it at midnight Pacific time (08:00 UTC, in summer 07:00): come back then"
        )
    else:
        when = f"come back when the {span} is over"
    return f"the quota of a {span} is used up; {when}, and run the same command again"


def _long(seconds: float) -> str:
    """Return a wait in its largest sensible unit."""
    if seconds < 2 * 3600:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.0f} h" if seconds < 2 * 86400 else f"{seconds / 86400:,.0f} days"


def _of_the_run(
    status: int, error: Mapping[str, Any], means: Meaning | None, headers: Mapping[str, str]
) -> str | None:
    """Return the remedy for a failure that every request would meet, whatever its status."""
    if means is not None and means in REMEDIES:
        return REMEDIES[means]
    if status in REDIRECTIONS:
        where = clipped(headers.get("location", "elsewhere"))
        return f"redirected to {where}; give that as base_url"
    if str(error.get("code")) in _PARAMETER:
        named = error.get("param")
        return _remedy((clipped(named) if isinstance(named, str) else "") or "a parameter")
    return None


def with_address_remedy(found: AttemptFailed, url: str) -> AttemptFailed:
    """Return a failure of a server that is asked at `url`, with what is wrong there as it seems."""
    address = url.partition("?")[0]
    for form in WIRE_FORMATS.values():
        address = address.removesuffix(form.path)
    elsewhere = isinstance(found, WebPage) or any(OF_THE_RUN[n] in str(found) for n in (404, 405))
    if elsewhere and not _VERSION.search(address):
        found.args = (f"{found}; {address} lacks /v1: try {address}/v1 as base_url",)
    return found
