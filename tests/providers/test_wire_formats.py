"""Wire formats: what is sent in each, whose reply is whose, and what its counts of tokens mean."""

from __future__ import annotations

import asyncio
from typing import Any, get_args

import pytest

from apieval.config.models import OpenAICompatible
from apieval.providers.clients import connect
from apieval.providers.completions import reply_of
from apieval.providers.wire_formats import WIRE_FORMATS, UnknownForm, as_completion
from apieval.records import Message, Outcome, Usage
from apieval.run.retry import judge
from tests.providers.asking import request
from tests.providers.wires import anthropic, bedrock, cohere, gemini
from tests.servers import Scripted, Seen

SAID = (Message(role="system", content="Parla. "), Message(role="user", content="È così?"))
SENT: dict[str, tuple[str, dict[str, object]]] = {
    "chat": ("/v1/chat/completions", {"messages": [each.wire() for each in SAID]}),
    "completions": ("/v1/completions", {"prompt": "Parla. È così?"}),
}


@pytest.mark.parametrize("api", WIRE_FORMATS)
def test_a_question_is_sent_in_each_format(api: str) -> None:
    asked = request().model_copy(update={"messages": SAID})

    async def run() -> Seen:
        async with Scripted() as server:
            client = connect([server.url], {"model": "m"}, api=api)
            await client.attempt(asked)
            await client.aclose()
            return server.seen[0]

    seen, (path, question) = asyncio.run(run()), SENT[api]
    assert (seen.path, seen.json) == (path, {"stream": False, "model": "m", **question})


def test_configuration_names_every_format() -> None:
    assert get_args(OpenAICompatible.model_fields["api"].annotation) == tuple(WIRE_FORMATS)


def usage(body: dict[str, Any]) -> Usage:
    return reply_of(as_completion(body)).usage


def test_cached_tokens_are_part_of_the_prompt() -> None:
    counts = {"input_tokens": 12, "output_tokens": 96}
    cached = {"cache_read_input_tokens": 300, "cache_creation_input_tokens": 100}
    claude = anthropic(usage={**counts, **cached})
    expected = Usage(prompt_tokens=412, completion_tokens=96, total_tokens=508, cached_tokens=300)
    assert usage(claude) == expected
    counts = {"inputTokens": 12, "outputTokens": 96, "totalTokens": 508}
    cached = {"cacheReadInputTokens": 300, "cacheWriteInputTokens": 100}
    assert usage(bedrock(usage={**counts, **cached})) == expected
    counts = {"promptTokenCount": 412, "candidatesTokenCount": 96, "totalTokenCount": 508}
    google = gemini(usageMetadata={**counts, "cachedContentTokenCount": 300})
    assert usage(google) == expected
    tokens = {"input_tokens": 412, "output_tokens": 96}
    assert usage(cohere(usage={"tokens": tokens, "cached_tokens": 300})) == expected


def test_thought_is_counted_where_it_was_reported() -> None:
    details = {"output_tokens_details": {"thinking_tokens": 40}}
    claude = anthropic(usage={"input_tokens": 412, "output_tokens": 96, **details})
    assert usage(claude).reasoning_tokens == 40
    assert usage(anthropic()).reasoning_tokens is None


def test_google_leaves_out_the_count_of_an_answer_that_never_came() -> None:
    counts = {"promptTokenCount": 412, "thoughtsTokenCount": 96, "totalTokenCount": 508}
    found = usage(gemini(None, "MAX_TOKENS", usageMetadata=counts))
    assert (found.completion_tokens, found.reasoning_tokens, found.total_tokens) == (96, 96, 508)


@pytest.mark.parametrize("value", [None, True, "12", -1, 1.5, [1]])
def test_what_is_no_count_is_unknown(value: object) -> None:
    counts = {"input_tokens": value, "output_tokens": value, "cache_read_input_tokens": value}
    assert usage(anthropic(usage=counts)) == Usage()


def test_ollama_speaks_for_itself() -> None:
    message = {"role": "assistant", "content": "ciao", "thinking": "penso"}
    counts = {"prompt_eval_count": 10, "eval_count": 5}
    body = {"model": "x", "message": message, "done": True, "done_reason": "stop", **counts}
    reply = reply_of(as_completion(body))
    assert (reply.text, reply.reasoning, reply.finish_reason) == ("ciao", "penso", "stop")
    assert reply.usage == Usage(prompt_tokens=10, completion_tokens=5, total_tokens=15)


@pytest.mark.parametrize(
    ("ended", "outcome"),
    [
        ({"status": "completed"}, Outcome.OK),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            Outcome.TRUNCATED,
        ),
        (
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            Outcome.REFUSED,
        ),
        ({"status": "cancelled"}, Outcome.FAILED),
    ],
    ids=str,
)
def test_openais_responses(ended: dict[str, Any], outcome: Outcome) -> None:
    thought = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "penso"}]}
    said = {"type": "message", "content": [{"type": "output_text", "text": "Soluzione"}]}
    usage = {
        "input_tokens": 10,
        "input_tokens_details": {"cached_tokens": 4},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 3},
    }
    value = {"object": "response", "output": [thought, said], "usage": usage, **ended}
    reply = reply_of(as_completion(value))
    assert (reply.text, reply.reasoning) == ("Soluzione", "penso")
    assert reply.usage == Usage(
        prompt_tokens=10, completion_tokens=5, total_tokens=15, cached_tokens=4, reasoning_tokens=3
    )
    assert judge(reply) is outcome


@pytest.mark.parametrize("value", [[], None, 7, "testo", {"choices": []}])
def test_what_is_no_form_of_anybodys_stays_as_it_is(value: object) -> None:
    assert as_completion(value) is value


@pytest.mark.parametrize("value", [{}, {"id": "x"}, {"error": None}, {"content": "x"}])
def test_an_unknown_form_says_so(value: object) -> None:
    with pytest.raises(UnknownForm):
        as_completion(value)
