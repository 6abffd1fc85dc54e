"""The one layer that retries: tenacity around one attempt, each under a wall-clock limit."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from apieval.errors import AttemptFailed, TransientFailure
from apieval.providers.base import Provider
from apieval.run.outcome import judge
from apieval.schema import Outcome, Reply, Request

EMPTY_ATTEMPTS: Final = 2
"""An empty answer is asked for once more: some servers hiccup, but a model may mean it."""


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to try again and how long to wait; times in seconds.

    `sleep` and `random` are arguments so that tests neither wait nor guess.
    """

    max_retries: int = 5
    timeout_s: float = 600.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: random.Random = field(default_factory=random.Random)

    def wait_s(self, attempts: int, asked_s: float | None) -> float:
        """Return the wait before the next attempt.

        Where the server asked for a time, never less than that, with a little added so that
        waiting workers do not all wake at once; else full jitter below a doubling bound.
        """
        if asked_s is not None:
            return asked_s + self.random.uniform(0, 0.1 * asked_s + 0.1)
        bound = min(self.longest_wait_s, self.first_wait_s * 2.0 ** (attempts - 1))
        return self.random.uniform(0, bound)


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking ended: a reply, or the failure of the last attempt."""

    attempts: int
    latency_s: float
    reply: Reply | None
    failure: AttemptFailed | None


class _EmptyAnswer(TransientFailure):
    def __init__(self, reply: Reply) -> None:
        super().__init__("an empty answer")
        self.reply = reply


async def ask(provider: Provider, request: Request, policy: RetryPolicy) -> Asked:
    """Ask until there is an answer, the failure is final, or the retries are used up.

    `latency_s` is the last attempt's alone. Cancellation passes through untouched.
    """
    attempts, began = 0, 0.0

    async def attempt() -> Reply:
        nonlocal attempts, began
        attempts, began = attempts + 1, time.perf_counter()
        reply = await _limited(provider, request, policy.timeout_s)
        if judge(reply) is Outcome.EMPTY:
            raise _EmptyAnswer(reply)
        return reply

    reply: Reply | None = None
    failure: AttemptFailed | None = None
    try:
        reply = await _retrying(policy)(attempt)
    except _EmptyAnswer as empty:
        reply = empty.reply
    except AttemptFailed as error:
        failure = error
    return Asked(attempts, time.perf_counter() - began, reply, failure)


async def _limited(provider: Provider, request: Request, timeout_s: float) -> Reply:
    # no client's own timeout is a limit on the whole attempt
    try:
        async with asyncio.timeout(timeout_s):
            return await provider.attempt(request)
    except TimeoutError:
        raise TransientFailure(f"no whole reply within {timeout_s:g} s") from None


def _retrying(policy: RetryPolicy) -> AsyncRetrying:
    def stop(state: RetryCallState) -> bool:
        most = policy.max_retries + 1
        empty = isinstance(_failure(state), _EmptyAnswer)
        return state.attempt_number >= (min(most, EMPTY_ATTEMPTS) if empty else most)

    def wait(state: RetryCallState) -> float:
        return policy.wait_s(state.attempt_number, _failure(state).retry_after_s)

    return AsyncRetrying(
        retry=retry_if_exception_type(TransientFailure),
        stop=stop,
        wait=wait,
        sleep=policy.sleep,
        reraise=True,
    )


def _failure(state: RetryCallState) -> TransientFailure:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, TransientFailure):  # the retry condition lets no other through
        raise TypeError(f"retrying {error!r}")
    return error
