"""Requests that are refused for their length: what the refusal says of window, prompt and limit.

A table of how servers say it, with where that is read. What every prompt of a run would meet ends the
run at its first request; where only this prompt may be too long, it is one item's failure.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple


class Form(NamedTuple):
    """How a server says it; the groups are `window`, `prompt` and `limit`, as far as they are told."""

    said: re.Pattern[str]
    source: str


def _form(said: str, source: str) -> Form:
    found = said.replace("<W>", r"(?P<window>[\d,]+)").replace("<P>", r"(?P<prompt>[\d,]+)")
    return Form(
        re.compile(found.replace("<L>", r"(?P<limit>[\d,]+)"), re.IGNORECASE | re.DOTALL), source
    )


FORMS: Final = (
    _form(
        r"too large: <L>\. This model's maximum context length is <W> tokens and your request has "
        "<P> input tokens",
        "vLLM, entrypoints/openai, validate_input since 0.9",
    ),
    _form(
        r"maximum context length is <W> tokens\. However, you requested [\d,]+ tokens \(<P> in the "
        "messages, <L> in the completion",
        "OpenAI, Chat Completions; vLLM before 0.9",
    ),
    _form(
        r"maximum context length is <W> tokens\. However, (?:you requested <L> output tokens and )?"
        r"your (?:prompt|messages|request)(?: contains at least| resulted in| has|) <P>(?: input)? tokens",
        "OpenAI, Chat Completions, and vLLM, renderers/params: a prompt that is too long by itself",
    ),
    _form(
        r"maximum context length of <W> tokens\. You requested a total of [\d,]+ tokens: <P> tokens "
        "from the input messages and <L> tokens for the completion",
        "SGLang, tokenizer_manager, _validate_one_request",
    ),
    _form(
        r"must be <= <W>\. Given: <P> `inputs` tokens and <L> `max_new_tokens`",
        "TGI, router/src/validation.rs",
    ),
    _form(
        r"request \(<P> tokens\) exceeds the available context size \(<W> tokens\)",
        "llama.cpp, tools/server, exceed_context_size_error",
    ),
)
"""Of window and prompt together."""

TOO_HIGH: Final = (
    _form("max_(?:completion_)?tokens is too large: <L>.*?at most <W>", "OpenAI, Chat Completions"),
    _form("max_tokens: <L> > <W>, which is the maximum allowed", "Anthropic, Messages"),
    _form(r"valid range of max_tokens is \[\d+, <W>\]", "DeepSeek, Chat Completion"),
    _form("`max_(?:completion_)?tokens` must be less than or equal to `<W>`", "Groq, Chat"),
    _form("max_tokens must be at most <W>", "Together and others"),
)
"""Of the limit alone, whatever the prompt."""
_OTHERS: Final = 0.8
"""No prompt of a run is shorter than this share of another: the instructions are most of each."""


class TooLong(NamedTuple):
    """What helps, and whether every request of the run would meet it."""

    remedy: str
    of_all: bool


def too_long(said: str) -> TooLong | None:
    """Return what a refusal's words say of a length, None where they say nothing of any."""
    for form in TOO_HIGH:
        if found := form.said.search(said):
            most = _number(found, "window") or 0
            return TooLong(f"lower max_tokens to {most:,} at most", of_all=True)
    for form in FORMS:
        if found := form.said.search(said):
            numbers = (_number(found, name) for name in ("window", "prompt", "limit"))
            return _window(*numbers)
    return None


def _window(window: int | None, prompt: int | None, limit: int | None) -> TooLong:
    window, prompt, limit = window or 0, prompt or 0, limit or 0
    of_all = prompt * _OTHERS + limit > window
    larger = (
        "start the server with a larger window (vLLM: --max-model-len, SGLang: --context-length, "
        "llama.cpp: -c)"
    )
    if prompt >= window:
        return TooLong(f"the prompt is longer than the server's window; {larger}", of_all)
    room = int((window - prompt / _OTHERS) // 50 * 50)
    lower = f"lower max_tokens to {room:,} at most, or " if room > 0 else ""
    said = f"the server's window ({window:,}) has no room for max_tokens beside the prompt; "
    return TooLong(f"{said}{lower}{larger}", of_all)


def _number(found: re.Match[str], name: str) -> int | None:
    value = found.groupdict().get(name)
    return int(value.replace(",", "")) if value else None
