"""One attempt and what is doubtful about it."""

from __future__ import annotations

import asyncio

import pytest

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
)
from apieval.records import Message, Outcome, Reply, Request, Usage
from apieval.run.trial import (
    Trial,
    attempt_once,
    bad_outcome,
    cut_prompt,
    other_model,
    thoughts,
    told,
)

REPLY = Reply(text="Soluzione: x", finish_reason="stop")


def request(length: int = 800) -> Request:
    message = Message(role="user", content="x" * length)
    return Request(
        id=0, setting="regular", sample=0, messages=(message,), identity="{}", key="sha256:0"
    )


class Once:
    """Answer, fail or wait, and count how often."""

    def __init__(self, end: Reply | Exception | None) -> None:
        self.end, self.attempts = end, 0

    async def attempt(self, request: Request) -> Reply:
        del request
        self.attempts += 1
        if isinstance(self.end, Exception):
            raise self.end
        if self.end is None:
            await asyncio.sleep(30)
        return self.end or REPLY

    async def aclose(self) -> None:
        """Close nothing."""


@pytest.mark.parametrize(
    ("end", "outcome", "reached", "code"),
    [
        (REPLY, Outcome.OK, True, None),
        (REPLY.model_copy(update={"finish_reason": "length"}), Outcome.TRUNCATED, True, None),
        (ServerDown("down"), Outcome.FAILED, False, 1),
        (TransientFailure("busy", status=429), Outcome.FAILED, True, 1),
        (RunFailure("no key", status=401), Outcome.FAILED, True, 3),
        (ContentRefused("no", status=400), Outcome.REFUSED, True, 1),
        (RuntimeError("oops"), Outcome.FAILED, False, 1),
        (None, Outcome.FAILED, False, 1),
    ],
)
def test_whatever_happens_is_in_the_trial(
    end: Reply | Exception | None, outcome: Outcome, reached: bool, code: int | None
) -> None:
    provider = Once(end)
    found = asyncio.run(attempt_once(provider, request(), 0.05))
    assert provider.attempts == 1
    assert (found.outcome, found.reached) == (outcome, reached)
    assert (found.failure.exit_code if found.failure else None) == code
    assert found.latency_s >= 0


def test_a_fault_of_a_library_keeps_its_name() -> None:
    found = asyncio.run(attempt_once(Once(RuntimeError("oops")), request(), 1))
    assert isinstance(found.failure, ItemFailure)
    assert str(found.failure) == "unexpected RuntimeError: oops"


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ServerDown("nothing listens"), "nothing listens (is the server running, and is"),
        (ServerDown("loading", status=503), "loading"),
        (TransientFailure("busy", status=429, retry_after_s=1_200.0), "to wait 1,200 s)"),
        (ItemFailure("no"), "no"),
    ],
)
def test_a_failure_is_told_with_what_there_is_to_add(failure: AttemptFailed, said: str) -> None:
    assert said in told(failure)
    assert told(failure).startswith(str(failure))


def test_a_good_reply_has_nothing_bad() -> None:
    assert bad_outcome(REPLY, "max_tokens") is None
    assert thoughts(REPLY) is None


def test_thoughts_are_counted_in_tokens_where_those_are_known() -> None:
    assert thoughts(REPLY.model_copy(update={"reasoning": "x" * 1_000})) == "1,000 characters"
    usage = Usage(reasoning_tokens=64)
    assert thoughts(REPLY.model_copy(update={"usage": usage, "reasoning": "x"})) == "64 tokens"


@pytest.mark.parametrize(("counted", "cut"), [(None, False), (100, False), (99, True), (1, True)])
def test_a_prompt_of_too_few_tokens_was_cut(counted: int | None, cut: bool) -> None:
    reply = REPLY.model_copy(update={"usage": Usage(prompt_tokens=counted)})
    assert bool(cut_prompt(request(800), reply)) is cut


@pytest.mark.parametrize(
    ("asked", "served", "same"),
    [
        ("gpt-4o", "gpt-4o", True),
        ("gpt-4o", None, True),
        ("gpt-4o", "gpt-4o-2024-08-06", True),
        ("gpt-4o", "gpt-4o-mini", False),
        ("claude-opus-5", "claude-opus-5-5", False),
        ("anthropic/claude-opus-5-5", "claude-opus-5-5-20261101", True),
        ("mistral-small-latest", "mistral-small-2506", True),
        ("openai/gpt-oss-120b:groq", "openai/gpt-oss-120b", True),
        ("meta-llama/Llama-3.1-8B-Instruct", "llama-3.1-8b-instruct", True),
        ("llama3.1:8b", "llama3.1:70b", False),
        ("default", "qwen.gguf", False),
    ],
)
def test_another_model_is_told_from_a_dated_one(asked: str, served: str | None, same: bool) -> None:
    assert (other_model(asked, served) is None) is same


def test_a_trial_without_either_has_failed() -> None:
    assert Trial(None, None, 0.0).outcome is Outcome.FAILED


@pytest.mark.parametrize(
    ("reasoning", "told"),
    [
        (
            "Prima lettura: x\nSoluzione: y",
            "the server's reasoning parser is not the model's; start",
        ),
        ("Vediamo un po'.", "all of it went into thoughts: raise max_tokens"),
    ],
)
def test_an_empty_answer_with_thoughts_names_the_remedy(reasoning: str, told: str) -> None:
    bad = bad_outcome(Reply(text="", reasoning=reasoning, finish_reason="stop"), "max_tokens")
    assert bad
    assert told in bad
