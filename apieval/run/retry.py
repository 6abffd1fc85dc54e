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
from apieval.schema import Outcome, Reply, Usage

EMPTY_ATTEMPTS: Final = 2
"""An empty answer is asked for once more: some servers hiccup, but a model may mean it."""
WASTED_ATTEMPTS: Final = 3
"""So many replies that were paid for and cannot be read are enough for one request."""

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
        is added here; one that asks for hardly any gets the usual one, or all retries would be
        used up at once.
        """
        if (failure.retry_after_s or 0.0) >= self.first_wait_s:
            return 0.0
        doublings = min(max(0, attempts - 1), _DOUBLINGS)
        bound = min(self.longest_wait_s, self.first_wait_s * 2.0**doublings)
        return self.random.uniform(0, bound)


@dataclass(frozen=True, slots=True)
class Asked:
    """How asking ended: a reply, or the failure of the last attempt.

    `billed` is the usage of every reply that came, those too that were not kept.
    """

    attempts: int
    reply: Reply | None
    failure: AttemptFailed | None
    billed: tuple[Usage, ...] = ()


class _EmptyAnswer(TransientFailure):
    def __init__(self, reply: Reply) -> None:
        super().__init__("an empty answer")
        self.reply = reply


async def ask(
    attempt: Callable[[], Awaitable[Reply]],
    policy: RetryPolicy,
    forgiven: Callable[[AttemptFailed], bool] = lambda _: False,
    queued_s: Callable[[], float] = lambda: 0.0,
    enough: Callable[[], bool] = lambda: False,
) -> Asked:
    """Attempt until there is an answer, the failure is final, or the retries are used up.

    A failure that is `forgiven` is waited out and uses up no retry; the time a request was
    `queued_s` does not count against its deadline. Once it is `enough`, nothing is attempted again.
    Whatever is no `AttemptFailed` passes
    through untouched, cancellation above all.
    """
    asking = _Asking(attempt, policy, forgiven, queued_s, enough)
    reply: Reply | None = None
    failure: AttemptFailed | None = None
    try:
        reply = await asking.through()
    except _EmptyAnswer as empty:
        reply = empty.reply
    except AttemptFailed as error:
        failure = error
    return Asked(asking.attempts, reply, failure, tuple(asking.billed))


@dataclass(slots=True)
class _Asking:
    """One request on its way through its attempts."""

    attempt: Callable[[], Awaitable[Reply]]
    policy: RetryPolicy
    forgiven: Callable[[AttemptFailed], bool]
    queued_s: Callable[[], float]
    enough: Callable[[], bool]
    attempts: int = 0
    billed: list[Usage] = field(default_factory=list)
    _empties: int = 0
    _wasted: int = 0
    _began: float = 0.0
    _first: AttemptFailed | None = None

    async def through(self) -> Reply:
        """Return the reply, or raise the last failure.

        tenacity's machinery costs as much as an attempt: only what failed once pays for it.
        """
        self._began = self.policy.clock()
        try:
            return await self._once()
        except TransientFailure as failure:
            self._first = failure
        return await AsyncRetrying(
            retry=retry_if_exception_type(TransientFailure),
            stop=self._stop,
            wait=lambda state: self.policy.wait_s(self.attempts, _failure(state)),
            sleep=self.policy.sleep,
            reraise=True,
        )(self._again)

    async def _again(self) -> Reply:
        """Hand the first failure to tenacity, which decides what follows; then attempt anew."""
        if self._first is not None:
            known, self._first = self._first, None
            raise known
        return await self._once()

    async def _once(self) -> Reply:
        self.attempts += 1
        try:
            reply = await self.attempt()
        except AttemptFailed as error:
            self.attempts -= self.forgiven(error)
            if error.billed:
                self.billed.append(Usage())  # of unknown size
                self._wasted += 1
            raise
        self.billed.append(reply.usage)
        outcome = judge(reply)
        if outcome is Outcome.FAILED:
            self._wasted += 1
            raise TransientFailure(f"broken off: finish reason {reply.finish_reason!r}")
        if outcome is Outcome.EMPTY:
            self._empties += 1
            raise _EmptyAnswer(reply)
        return reply

    def _stop(self, state: RetryCallState) -> bool:
        empty = isinstance(_failure(state), _EmptyAnswer) and self._empties >= EMPTY_ATTEMPTS
        took_s = self.policy.clock() - self._began - self.queued_s() + state.upcoming_sleep
        used_up = self.attempts > self.policy.max_retries or self._wasted >= WASTED_ATTEMPTS
        return empty or used_up or took_s >= self.policy.deadline_s or self.enough()


def _failure(state: RetryCallState) -> TransientFailure:
    error = state.outcome.exception() if state.outcome else None
    if not isinstance(error, TransientFailure):  # the retry condition lets no other through
        raise TypeError(f"retrying {error!r}")
    return error
