"""Refusals for a request's length, as servers word them: what helps, and whether all would meet it."""

from __future__ import annotations

import json

import pytest

from apieval.errors import AttemptFailed, ItemFailure, RunFailure
from apieval.providers.failures import failure
from apieval.providers.length_errors import too_long

VLLM = (
    "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context length "
    "is {} tokens and your request has {} input tokens (1024 > {} - {})."
)


def refused(message: str, status: int = 400) -> AttemptFailed:
    body = json.dumps({"error": {"message": message, "type": "BadRequestError", "code": status}})
    sent = ("model", "messages", "max_tokens", "temperature")
    return failure(status, body.encode(), {}, "http://127.0.0.1:8000/v1/chat/completions", sent)


_OPENAI = "This model's maximum context length is {} tokens. However, "
_SGLANG = (
    "Requested token count exceeds the model's maximum context length of 1500 tokens. You requested a "
    "total of 1836 tokens: 812 tokens from the input messages and 1024 tokens for the completion."
)
_TGI = "must be <= 1024. Given: 812 `inputs` tokens and 1024 `max_new_tokens`"
_LLAMA = (
    "the request (812 tokens) exceeds the available context size (512 tokens), try increasing it"
)
_MOST = (
    "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas"
)
_CLAUDE = (
    "max_tokens: 100000 > 8192, which is the maximum allowed number of output tokens for claude"
)
_LOWER = "lower max_tokens to 8,192 at most"
_PROMPT = "the prompt is longer than the server's window"
OF_ALL = {
    "vLLM": (VLLM.format(1600, 812, 1600, 812), "lower max_tokens to 550 at most"),
    "OpenAI": (
        _OPENAI.format(1024)
        + "you requested 1836 tokens (812 in the messages, 1024 in the completion).",
        "--max-model-len",
    ),
    "OpenAI, the prompt": (_OPENAI.format(512) + "your messages resulted in 812 tokens.", _PROMPT),
    "SGLang": (_SGLANG, "SGLang: --context-length"),
    "TGI": (
        f"`inputs` tokens + `max_new_tokens` {_TGI}",
        "the server's window (1,024) has no room",
    ),
    "llama.cpp": (_LLAMA, "llama.cpp: -c"),
    "OpenAI, the limit": (_MOST, "lower max_tokens to 16,384 at most"),
    "Anthropic": (_CLAUDE, _LOWER),
    "DeepSeek": ("Invalid max_tokens value, the valid range of max_tokens is [1, 8192]", _LOWER),
    "Groq": ("`max_tokens` must be less than or equal to `8192`, the maximum value for", _LOWER),
}
OF_ONE = {
    "vLLM": (VLLM.format(1850, 880, 1850, 880), "lower max_tokens to 750 at most"),
    "OpenAI": (
        _OPENAI.format(900)
        + "you requested 1000 tokens (950 in the messages, 50 in the completion).",
        _PROMPT,
    ),
}


@pytest.mark.parametrize(("message", "remedy"), OF_ALL.values(), ids=OF_ALL)
def test_what_every_prompt_would_meet_ends_the_run_with_its_remedy(
    message: str, remedy: str
) -> None:
    found = refused(message)
    assert isinstance(found, RunFailure)
    assert remedy in str(found)
    assert str(found).count("lower max_tokens") <= 1


@pytest.mark.parametrize(("message", "remedy"), OF_ONE.values(), ids=OF_ONE)
def test_a_prompt_that_is_longer_than_others_is_one_item_s(message: str, remedy: str) -> None:
    found = refused(message)
    assert type(found) is ItemFailure
    assert remedy in str(found)


@pytest.mark.parametrize(
    "message",
    ["messages: at least one message is required", "1024 > 512", "", "context deadline exceeded"],
)
def test_other_words_say_nothing_of_a_length(message: str) -> None:
    assert too_long(message) is None
