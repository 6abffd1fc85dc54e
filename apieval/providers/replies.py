"""What a reply says, once it has come whole: OpenAI's chat completion, as every server bends it.

This module reads and checks; it opens no connection, and whose wire the reply came over does
not matter to it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final, NamedTuple

from apieval.directory import is_proprietary
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    RunFailure,
    ServerDown,
    TransientFailure,
    WebPage,
)
from apieval.providers.documents import Document, UnreadableBody, document
from apieval.providers.error_bodies import error_body, is_error, server_message
from apieval.providers.failures import (
    failure,
    failure_inside,
    filter_category,
    is_starting,
    metered,
    with_address_remedy,
)
from apieval.providers.reasons import Meaning, meaning_of_finish, meaning_of_names
from apieval.providers.waits import rate_hints
from apieval.providers.wire_formats import UnknownForm, as_completion
from apieval.schema import RateHints, Reply, Usage, well_formed

MOST_TOKENS: Final = 100_000_000
"""No text is longer: a count above it is a fault, and unknown."""
LONGEST_NAME: Final = 200
REASONING: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
"""What servers call the field of a message that holds its thoughts."""
THOUGHTS: Final = ("thinking", "reasoning", "text", "summary", "content")
"""Where a part that is a thought holds it; of Mistral, OpenAI and those who follow them."""
SAID: Final = ("text", "value", "parts")
"""Where a part holds what is said; `value` in OpenAI's Assistants, `parts` in Google's."""
_DEEPEST: Final = 6
_KINDS: Final = ("prompt", "completion")
_COUNTED: Final = ("usage", "usageMetadata")
_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


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
    response: Whole,
    url: str,
    sent: Collection[str] = (),
    form: Callable[[Any], Any] | None = None,
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
        hidden = failure_inside(_plain(content, found), headers, url)
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
    return _told(reply.model_copy(update={"via": via}) if via else reply, response, found)


def _filtered(value: object, url: str) -> ContentRefused | None:
    """Return the refusal that a reply without a choice tells of, as Azure and Google do."""
    told = error_body(value)
    category = filter_category(told)
    if category is None and meaning_of_names(told.names) is not Meaning.REFUSED:
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


def _plain(content: bytes, found: Document) -> bytes:
    """Return a document's bytes, written anew where they had to be mended."""
    return json.dumps(found.value).encode() if found.repaired else content


def _told(reply: Reply, response: Whole, found: Document) -> Reply:
    """Return a reply with what was mended to read it, and what a filter found in it."""
    cut = ("a connection that broke off behind the answer",) if response.broken else ()
    repaired = (*response.repaired, *found.repaired, *cut)
    refused = meaning_of_finish(reply.finish_reason) is Meaning.REFUSED
    category = filter_category(error_body(found.value)) if refused else None
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


def reply_of(value: Any, hints: RateHints | None = None) -> Reply:  # noqa: ANN401 # any JSON
    """Return the reply in a chat completion, or a plain one, that is well-formed.

    Raises:
        LookupError, TypeError, AttributeError: for what is none.
    """
    choice = value["choices"][0]
    # /v1/completions says its text beside the finish reason
    message = choice.get("message") or {"content": choice["text"]}
    said, thought = _content(message.get("content"))
    apart = next(filter(None, (_reasoning(message.get(name)) for name in REASONING)), None)
    # OpenAI says a refusal in a field of its own, and "stop" as the reason
    refusal = None if said else message.get("refusal") or _refusal(message.get("content"))
    # some servers leave content out where all tokens went into reasoning
    text = said or _word(refusal) or ""
    reasoning = "\n\n".join(filter(None, (apart, thought))) or None
    return Reply(
        text=text,
        reasoning=reasoning,
        finish_reason="refusal" if refusal else _name(_finish(choice, value, said)),
        served_model=_name(value.get("model")),
        system_fingerprint=_name(value.get("system_fingerprint")),
        usage=_usage(value.get("usage"), silent=not (text or reasoning)),
        hints=hints,
    )


def _finish(choice: Mapping[str, Any], value: Mapping[str, Any], said: str) -> object:
    """Return why an answer ended; a gateway may say beside its own word the provider's.

    MiniMax says "stop" and beside the choices that its filter emptied them.
    """
    if not said and any(value.get(f"{side}_sensitive") is True for side in ("input", "output")):
        return "sensitive"
    native = choice.get("native_finish_reason")
    refused = isinstance(native, str) and meaning_of_finish(native) is Meaning.REFUSED
    return native if refused else choice.get("finish_reason")


def _content(content: object) -> tuple[str, str]:
    """Return what a message says, as it came, and what it thinks in parts of their own.

    Thoughts that a server leaves in the text stay there: how they are read is the parsers' matter.
    """
    if content is None:
        return "", ""
    if isinstance(content, str):
        return well_formed(content), ""
    if not isinstance(content, list | dict):
        raise TypeError(f"content is {type(content).__name__}")
    parts = content if isinstance(content, list) else [content]
    said = [part for part in parts if not _is_thought(part)]
    thought = [part for part in parts if _is_thought(part)]
    return _joined(said, SAID), _joined(thought, THOUGHTS)


def _refusal(content: object) -> object:
    """Return what a part of a message refuses with, as OpenAI's Responses say it."""
    parts = content if isinstance(content, list) else [content]
    return next(
        (each["refusal"] for each in parts if isinstance(each, dict) and each.get("refusal")), None
    )


def _is_thought(part: object) -> bool:
    """Say whether a part of a message is a thought: by its type, or by its only field."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    named = isinstance(kind, str) and any(word in kind for word in ("think", "reason", "thought"))
    return named or part.get("thought") is True or bool(part.get("thinking"))


def _joined(parts: Sequence[object], fields: Sequence[str]) -> str:
    """Return the texts of parts, each by the first field it has; some hold parts again."""
    return well_formed("".join(_texts(parts, fields, _DEEPEST)))


def _texts(part: object, fields: Sequence[str], deeper: int) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, list) and deeper:
        for each in part:
            yield from _texts(each, fields, deeper - 1)
    elif isinstance(part, dict) and deeper:
        found = next((part[name] for name in fields if part.get(name)), None)
        yield from _texts(found, (*fields, "text"), deeper - 1)


def _reasoning(value: object) -> str | None:
    """Return the text of a reasoning field; one of another kind costs no answer."""
    if isinstance(value, list):
        return "".join(_content(value))
    return _word(value)


def _word(value: object) -> str | None:
    return well_formed(value) if isinstance(value, str) else None


def _name(value: object) -> str | None:
    """Return a word that is kept with every answer, and so not of any length."""
    word = _word(value)
    return word if word is None or len(word) <= LONGEST_NAME else f"{word[:LONGEST_NAME]}…"


def _usage(value: object, *, silent: bool) -> Usage:
    """Return the token counts that are there; what is missing, null or no number is unknown.

    So is a 0 where something was asked, or, unless the model was `silent`, said: a server that does
    not count must not pass for one that costs nothing.
    """
    top = value if isinstance(value, dict) else {}
    prompt, completion = (_section(top, f"{kind}_tokens_details") for kind in _KINDS)
    counts = {name: _count(top.get(name)) for name in _COUNTS}
    for name in _COUNTS:
        if counts[name] == 0 and not (silent and name == "completion_tokens"):
            counts[name] = None
    reasoning = _first(completion.get("reasoning_tokens"), top.get("reasoning_tokens"))
    # DeepSeek's name, then Moonshot's place
    elsewhere = top.get("prompt_cache_hit_tokens"), top.get("cached_tokens")
    cached = _first(prompt.get("cached_tokens"), *elsewhere)
    if _thought_apart(counts, reasoning, cached):
        counts["completion_tokens"] = (counts["total_tokens"] or 0) - (counts["prompt_tokens"] or 0)
    return Usage(**counts, reasoning_tokens=reasoning, cached_tokens=cached)


def _thought_apart(
    counts: Mapping[str, int | None], reasoning: int | None, cached: int | None
) -> bool:
    """Say whether what was thought, and is billed as the completion is, is no part of its count.

    xAI, and Google over OpenAI's wire, count it in the total alone. Where cached tokens make the
    difference, the prompt's count lacks them.
    """
    asked, said, total = (counts[name] for name in _COUNTS)
    if asked is None or said is None or total is None:
        return False
    apart = total - asked - said
    return apart > 0 and (reasoning == apart or (reasoning is None and cached != apart))


def _section(top: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = top.get(name)
    return value if isinstance(value, dict) else {}


def _first(*values: object) -> int | None:
    return next((count for count in map(_count, values) if count is not None), None)


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None
