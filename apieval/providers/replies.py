"""What a reply is, once it has come whole: an answer, or the failure that its status or body tells of.

This module reads and checks; it opens no connection, and whose wire the reply came over does
not matter to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from apieval.config.known import is_proprietary
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers.completions import reply_of
from apieval.providers.documents import Document, UnreadableBody, document
from apieval.providers.error_bodies import error_body, is_error, server_message
from apieval.providers.failures import (
    failure,
    failure_inside,
    is_starting,
    metered,
    with_address_remedy,
)
from apieval.providers.reasons import Meaning, meaning_of_finish, meaning_of_names
from apieval.providers.waits import rate_hints
from apieval.providers.wire_formats import UnknownForm, as_completion
from apieval.records import Reply

_COUNTED: Final = ("usage", "usageMetadata")


class Whole(NamedTuple):
    """A reply that has come: status, headers, body.

    `broken` says why no more of the body came, `repaired` what was mended on the way.
    """

    status: int
    headers: Mapping[str, str]
    content: bytes
    broken: str | None = None
    repaired: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Say whether its status is a success, of whatever kind: what is in it then decides."""
        return HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES


def read_reply(
    response: Whole, url: str, sent: Collection[str] = (), form: Callable[[Any], Any] | None = None
) -> Reply:
    """Return the reply in an HTTP response that is one; `sent` are the request's parameters.

    `form` makes a chat completion of a document of another wire.

    Raises:
        AttemptFailed: for a bad status, for what is no JSON (a login page on status 200), for an
            error on status 200, and for a reply without a choice.
    """
    try:
        return _read(response, url, sent, form)
    except AttemptFailed as found:
        found.unsettled = found.unsettled or metered(response.content)
        if form is None:
            with_address_remedy(found, url)
        raise


def _read(
    response: Whole, url: str, sent: Collection[str], form: Callable[[Any], Any] | None
) -> Reply:
    status, headers, content, *_ = response
    if not response.good:
        raise failure(status, content, headers, url, sent)
    try:
        found = document(content, headers)
    except UnreadableBody as error:
        raise _unreadable(response, error, url) from None
    value = found.value
    if is_error(value):
        plain = json.dumps(value).encode() if found.repaired else content
        hidden = failure_inside(plain, headers, url)
        hidden.billed = found.begun
        raise hidden
    if inside := _of_a_choice(value):
        hidden = failure_inside(json.dumps({"error": inside}).encode(), headers, url)
        hidden.billed = True
        raise hidden
    try:
        reply = reply_of((form or _any_form)(value), rate_hints(headers))
    except (LookupError, TypeError, AttributeError):
        if refused := _filtered(value, url):
            raise refused from None
        raise malformed(value, content, url) from None
    via = gateway(headers, value)
    return _with_remarks(reply.model_copy(update={"via": via}) if via else reply, response, found)


def _filtered(value: object, url: str) -> ContentRefused | None:
    """Return the refusal that a reply without a choice tells of, as Azure and Google do."""
    error = error_body(value)
    category = error.category
    if category is None and meaning_of_names(error.names) is not Meaning.REFUSED:
        return None
    why = f" (content filter: {category})" if category else ""
    refused = ContentRefused(f"no answer from {url}: the question was refused{why}")
    refused.category, refused.status = category, HTTPStatus.OK
    return refused


def _any_form(value: object) -> object:
    """Return a reply as a chat completion where a gateway hands a provider's own form on."""
    try:
        return as_completion(value)
    except UnknownForm:
        return value


GATEWAYS: Final[Mapping[str, str]] = {
    # as their documentation names the headers they put on a reply
    "x-litellm-": "litellm",
    "llm_provider-": "litellm",
    "x-portkey-": "Portkey",
    "helicone-": "Helicone",
    "cf-aig-": "Cloudflare's AI gateway",
    "x-kong-llm-": "Kong",
    "x-oneapi-": "One API",
    "x-bf-": "Bifrost",
    # providers' own, which a plain proxy hands on
    "openai-": "OpenAI",
    "anthropic-": "Anthropic",
    "x-groq-": "Groq",
    "x-ms-": "Azure",
    "apim-": "Azure",
    "x-goog-": "Google",
    "x-amzn-": "AWS",
}
"""How headers begin that only a gateway, or a provider behind it, puts on a reply."""


_STARTS: Final = tuple(GATEWAYS)


def gateway(headers: Mapping[str, str], value: object) -> str | None:
    """Return the gateway or provider that a reply came through, None where nothing shows one.

    A model on this machine costs nothing; one that is only reached through this machine may.
    """
    for name in map(str.lower, headers):
        if name.startswith(_STARTS):
            return next(who for start, who in GATEWAYS.items() if name.startswith(start))
    if not isinstance(value, dict):
        return None
    usage, served = value.get("usage"), value.get("model")
    if isinstance(usage, dict) and usage.get("cost"):  # OpenRouter, and what stands before it
        return "a gateway that says a cost"
    return "a provider" if isinstance(served, str) and is_proprietary(served) else None


def _of_a_choice(value: object) -> object:
    """Return the error in a reply's first choice, where gateways say that its provider broke off."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get("error") if isinstance(first, dict) else None


def _with_remarks(reply: Reply, response: Whole, found: Document) -> Reply:
    """Return a reply with what was mended to read it, and what a filter found in it."""
    cut = ("a connection that broke off behind the answer",) if response.broken else ()
    repaired = (*response.repaired, *found.repaired, *cut)
    refused = meaning_of_finish(reply.finish_reason) is Meaning.REFUSED
    category = error_body(found.value).category if refused else None
    if not repaired and category is None:
        return reply
    return reply.model_copy(update={"repaired": repaired, "category": category})


def _unreadable(response: Whole, why: UnreadableBody, url: str) -> AttemptFailed:
    """Return the failure that a success without a document stands for.

    What began to come was generated, and is paid: but for a page or a text for people.
    """
    content = response.content
    page = content.lstrip().startswith(b"<") or not (why.begun or response.broken)
    kind: type[AttemptFailed] = WebPage if page and content.strip() else TransientFailure
    if response.broken:
        said = f"the reply from {url} broke off: {response.broken}"
    elif kind is WebPage and is_starting(server_message(content)):
        kind, said = ServerDown, f"{url} shows a page: {server_message(content)}"
    elif why.always:
        kind, said = RunFailure, f"the reply from {url} is {why}"
    else:
        begins = f"It begins: {server_message(content)}"
        said = f"the reply from {url} cannot be read ({why}), is this an API address? {begins}"
    found = kind(said, status=response.status)
    found.billed = why.begun or response.broken is not None
    found.unsettled = not page
    return found


def malformed(value: object, content: bytes, url: str) -> TransientFailure:
    """Return the failure that a document stands for in which there is no reply.

    With token counts it is billed; without them it may be.
    """
    found = TransientFailure(
        f"malformed reply from {url}: {server_message(content)}", status=HTTPStatus.OK
    )
    counts = [value.get(name) for name in _COUNTED] if isinstance(value, dict) else []
    found.billed = any(isinstance(each, dict) for each in counts)
    found.unsettled = True
    return found
