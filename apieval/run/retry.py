"""The one layer that retries: tenacity around one attempt."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from apieval.errors import AttemptFailed, TransientFailure
from apieval.run.outcome import judge
from apieval.schema import Outcome, Reply

EMPTY_ATTEMPTS: Final = 2
"""An empty answer is asked for once more: some servers hiccup, but a model may mean it."""

_DOUBLINGS: Final = 60  # more of them are beyond what a float holds


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """When to try again and how long to wait; times in seconds.

    `deadline_s` is the longest one request may take over all its attempts and waits. `clock`,
    `sleep` and `random` are arguments so that tests neither wait nor guess.
    """

    max_retries: int = 10
    deadline_s: float = 3600.0
    first_wait_s: float = 0.5
    longest_wait_s: float = 60.0
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    random: random.Random = field(default_factory=random.Random)

    def wait_s(self, attempts: int, failure: TransientFailure) -> float:
        """Return the wait before the next attempt: full jitter below a doubling bound.

        Where the server asked for a time, the whole endpoint pauses (see `limiter`) and nothing
        is added here; one that asks for no wait at all gets the usual one.
        """
        if failure.retry_after_s:
            return 0.0
        doublings = min(max(0, attempts - 1), _DOUBLINGS)
        bound = min(self.longest_wait_s, self.first_wait_s * 2.0**doublings)
        return self.random.uniform(0, bound)


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking ended: a reply, or the failure of the last attempt."""

    attempts: int
    reply: Reply | None
    failure: AttemptFailed | None


class _EmptyAnswer(TransientFailure):
    def __init__(self, reply: Reply) -> None:
        super().__init__("an empty answer")
        self.reply = reply


async def ask(
    attempt: Callable[[], Awaitable[Reply]],
    policy: RetryPolicy,
    forgiven: Callable[[AttemptFailed], bool] = lambda _: False,
) -> Asked:
    """Attempt until there is an answer, the failure is final, or the retries are used up.

    A failure that is `forgiven` is waited out and uses up no retry. Whatever is no
    `AttemptFailed` passes through untouched, cancellation above all.
    """
    attempts, empties, began = 0, 0, policy.clock()
    reply: Reply

    async def once() -> Reply:
        nonlocal attempts, empties
        attempts += 1
        try:
            reply = await attempt()
        except AttemptFailed as error:
            attempts -= forgiven(error)
            raise
        if judge(reply) is Outcome.EMPTY:
            empties += 1
            raise _EmptyAnswer(reply)
        return reply

    def stop(state: RetryCallState) -> bool:
        useless = isinstance(_failure(state), _EmptyAnswer) and empties >= EMPTY_ATTEMPTS
        took_s = policy.clock() - began + state.upcoming_sleep
        return useless or attempts > policy.max_retries or took_s >= policy.deadline_s

    try:
        reply = await AsyncRetrying(
            retry=retry_if_exception_type(TransientFailure),
            stop=stop,
            wait=lambda state: policy.wait_s(attempts, _failure(state)),
            sleep=policy.sleep,
            reraise=True,
        )(once)
    except _EmptyAnswer as empty:
        return Asked(attempts, empty.reply, None)
    except AttemptFailed as error:
        return Asked(attempts, None, error)
    return Asked(attempts, reply, None)


def _failure(state: RetryCallState) -> TransientFailure:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, TransientFailure):  # the retry condition lets no other through
        raise TypeError(f"retrying {error!r}")
    return error
