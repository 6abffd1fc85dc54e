"""The one layer that retries: tenacity around one attempt, its deadline, and what became of a request.

What finish reasons mean, `providers.reasons` knows. The time that this process slept is no part of an
attempt's.
"""

from __future__ import annotations

import asyncio
import errno
import os
import random
import socket
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final

from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type

from apieval.errors import AttemptFailed, ContentRefused, LocalShortage, TransientFailure
from apieval.providers.base import Provider, unexpected
from apieval.providers.reasons import Meaning, meaning_of_finish
from apieval.records import Outcome, Reply, Request, Usage

OUTCOMES: Final[Mapping[Meaning, Outcome]] = {
    Meaning.TRUNCATED: Outcome.TRUNCATED,
    Meaning.REFUSED: Outcome.REFUSED,
    Meaning.BROKEN_OFF: Outcome.FAILED,
}
"""What was broken off is no answer of the model's."""


def without_reply(failure: AttemptFailed | None) -> Outcome:
    """Return the outcome of a request that ended without a reply."""
    return Outcome.REFUSED if isinstance(failure, ContentRefused) else Outcome.FAILED


def judge(reply: Reply) -> Outcome:
    """Return the outcome of a reply; one without any visible text is no answer."""
    means = meaning_of_finish(reply.finish_reason)
    outcome = OUTCOMES[means] if means else Outcome.OK
    return Outcome.EMPTY if outcome is Outcome.OK and not reply.text.strip() else outcome


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


_SHORTAGES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS}
_NO_FILES: Final = "this machine lets the process open no more files or connections (see ulimit -n)"
LATE_S: Final = 0.05
"""A timer later than this was slept through; those of a busy loop are some milliseconds late."""


class AwakeTimeout:
    """Limit the time of what is inside, in seconds; what was slept past the limit is given once more.

    No more than `seconds` of it in all, so that nothing hangs for ever, and after a night nobody
    waits for another one. As of `asyncio.timeout`, a TimeoutError comes out where the time is over.
    """

    __slots__ = ("_due", "_limit", "_loop", "_more_s", "_timer")

    def __init__(self, seconds: float) -> None:
        """Begin with `async with`."""
        self._more_s = seconds
        self._limit = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.time() + self._more_s
        self._timer = self._loop.call_at(self._due, self._over)
        await self._limit.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        await self._limit.__aexit__(kind, error, traceback)

    def _over(self) -> None:
        now = self._loop.time()
        late_s = now - self._due
        if late_s <= LATE_S or self._more_s <= 0:
            self._limit.reschedule(now)
            return
        more_s = min(late_s, self._more_s)
        self._more_s -= more_s
        self._due = now + more_s
        self._timer = self._loop.call_at(self._due, self._over)


async def attempt_within(
    seconds: float, provider: Provider, request: Request, remedy: str = ""
) -> Reply:
    """Attempt once under a limit on the whole of it, which no client's own timeout is.

    Raises:
        AttemptFailed: whatever went wrong; `remedy` is said behind what took too long.
    """
    try:
        async with AwakeTimeout(seconds):
            return await provider.attempt(request)
    except TimeoutError:
        late = TransientFailure(f"no whole reply within {seconds:g} s{remedy}")
        late.billed = True
        raise late from None
    except AttemptFailed as error:
        # with a reply there may be a shortage too, and that was sent, and is paid
        unsent = isinstance(error, TransientFailure) and not (error.billed or error.unsettled)
        if unsent and _is_short(error):
            raise LocalShortage(_NO_FILES) from error
        raise
    except BaseException as error:
        if ends_all(error):
            raise
        raise unexpected(error) from error


def _is_short(error: BaseException | None) -> bool:
    """Say whether this machine had no descriptor for a connection, whatever was made of that.

    A name that cannot be looked up for want of one says nothing of it: there it is tried.
    """
    while error is not None:
        if isinstance(error, OSError):
            if error.errno in _SHORTAGES:
                return True
            if isinstance(error, socket.gaierror):
                return _none_left()
        error = error.__cause__ or error.__context__
    return False


def _none_left() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in _SHORTAGES
    return False


def ends_all(error: BaseException) -> bool:
    """Say whether an exception is the user's or the event loop's word, and no fault of one item.

    A cancellation is one where this task was told to end, not where a library cancelled itself; nor is
    what a library raises beyond all exceptions (a panic of Rust's, an exit) the end of a run.
    """
    if isinstance(error, BaseExceptionGroup):
        return any(map(ends_all, error.exceptions))
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)
