"""The runner: a bounded number of workers that ask, store, cache and report, one answer each time.

Requests are drawn from one iterator as workers come free, so that a run of any length holds only
those in flight. An answer is stored before anybody looks at it. One bad item never ends a run;
what ends it is a failure every request would meet, a store that cannot be written, or the user.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from apieval.config import Price
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    RunFailure,
    ServerDown,
    StoppedEarly,
    TransientFailure,
    WebPage,
)
from apieval.providers.base import Provider
from apieval.run.cache import ResponseCache
from apieval.run.limiter import Limiter, Verdict
from apieval.run.money import Budget, cost_usd, prompt_tokens
from apieval.run.outcome import judge
from apieval.run.retry import Asked, RetryPolicy, ask
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.schema import Outcome, Reply, Request, Response

GRACE_S: Final = 3.0
"""How long a run that its user stopped waits for the answers still on their way."""
GRACE_EARLY_S: Final = 30.0
"""The same for a run that stopped by itself: nobody waits at the keyboard, and they are paid."""
SYNC_EVERY_S: Final = 1.0
STUCK_AFTER_S: Final = 60.0
TOO_MANY_REQUESTS: Final = 429
_USELESS: Final = 10
_FIRST_GUESS_TOKENS: Final = 300


class _Stopped(Exception):  # no error: the run was stopped meanwhile
    """Leave a request that will not be asked any more."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, in seconds.

    `timeout_s` is the wall-clock limit of one attempt; `server_s` how long a server that is not
    up yet is waited for at the start; `longest_s` the longest wait a server may ask for.
    """

    timeout_s: float = 600.0
    server_s: float = 120.0
    longest_s: float = 600.0


@dataclass(slots=True)
class Runner:
    """Ask every request of a run once, however many attempts that takes."""

    provider: Provider
    store: Store
    cache: ResponseCache | None
    limiter: Limiter
    policy: RetryPolicy
    patience: Patience
    watcher: Watcher
    price: Price | None = None
    budget: Budget | None = None
    ask_again: Collection[Outcome] = ()
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _in_flight: dict[asyncio.Task[None], tuple[Request, float]] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _abandon: asyncio.Event = field(default_factory=asyncio.Event)
    _fatal: StoppedEarly | None = None
    _answered: bool = False
    _down_since: float | None = None
    _good: bool = False
    _bad_at_first: int = 0
    _last_at_first: float = 0.0
    _bad_in_a_row: int = 0
    _last_failure: AttemptFailed | None = None
    _answer_tokens: float = _FIRST_GUESS_TOKENS
    _named: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def stopped(self) -> bool:
        """Say whether the run was stopped before its end."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Send nothing more, wait a little for what is on its way; called twice, do not wait."""
        if self._stop.is_set():
            self._abandon.set()
            return
        self.watcher.message(
            f"stopping: {len(self.store.answered):,} answers saved, waiting up to {GRACE_S:g} s "
            f"for {len(self._in_flight):,} on their way; Ctrl-C again leaves at once"
        )
        self._end_sending()

    async def run(self, requests: Iterable[Request]) -> None:
        """Ask the requests that have no answer in the store yet.

        Raises:
            StoppedEarly: where going on is useless; what arrived is stored.
            StoreError: where an answer cannot be written.
        """
        source = iter(requests)
        self._tasks = {asyncio.create_task(self._work(source)) for _ in range(self.limiter.most)}
        keeper = asyncio.create_task(self._keep_house())
        try:
            await self._settle()
        finally:
            keeper.cancel()
            for task in self._tasks:
                task.cancel()
            ends = await asyncio.gather(*self._tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        if self._bad_in_a_row and not self._good:
            self._fatal = self._fatal or self._nothing_comes()
        if self._fatal is not None:
            raise self._fatal

    async def _settle(self) -> None:
        """Wait until all is done or one fails; once stopped, only for the grace or an abandon."""
        everyone = asyncio.ensure_future(
            asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        )
        stop = asyncio.ensure_future(self._stop.wait())
        abandon = asyncio.ensure_future(self._abandon.wait())
        await asyncio.wait({everyone, stop}, return_when=asyncio.FIRST_COMPLETED)
        grace = GRACE_EARLY_S if self._fatal else GRACE_S
        waited = {everyone, abandon}
        await asyncio.wait(waited, timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        for each in (everyone, stop, abandon):
            each.cancel()

    async def _keep_house(self) -> None:
        """Bring answers to the disk every second, and name what hangs, once each."""
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            await asyncio.to_thread(self.store.sync)
            self.watcher.pressed(len(self._in_flight), self.limiter.slots)
            now = time.monotonic()
            for task, (request, since) in self._in_flight.items():
                if now - since >= STUCK_AFTER_S and task not in self._named:
                    self._named.add(task)
                    self.watcher.message(
                        f"row {request.id} ({request.setting}) has no reply for {now - since:.0f} s; "
                        f"given up after {self.patience.timeout_s:g} s"
                    )

    async def _work(self, source: Iterator[Request]) -> None:
        with suppress(_Stopped):
            for request in source:
                if self._stop.is_set():
                    return
                if (request.id, request.setting, request.sample) in self.store.answered:
                    continue
                response = self.cache.get(request) if self.cache else None
                if response is None or response.outcome in self.ask_again:
                    response = await self._ask(request)
                else:
                    await asyncio.sleep(0)  # let the others, and Ctrl-C, have their turn
                self.store.append(response)
                if self.cache and not response.cached:
                    self.cache.put(request, response)
                self.watcher.answered(response)

    async def _ask(self, request: Request) -> Response:
        """Return the end of one request.

        Raises:
            _Stopped: where it is the end of the run instead.
        """
        reserved: float | None = None
        began = [0.0]
        cost: float | None = 0.0
        try:
            if self.budget:
                reserved = await self.budget.reserve(request)
            asked = await ask(lambda: self._attempt(request, began), self.policy, self._forgiven)
            if isinstance(asked.failure, RunFailure):
                raise asked.failure
            cost = cost_usd(asked.reply.usage, self.price) if asked.reply else 0.0
        except RunFailure as failure:
            self._end(StoppedEarly(str(failure)))
            raise _Stopped from None
        finally:
            if self.budget and reserved is not None:
                self.budget.settle(reserved, cost)
        self._count(asked)
        return _response(request, asked, time.monotonic() - began[0], self.price)

    async def _attempt(self, request: Request, began: list[float]) -> Reply:
        """Attempt once, when the limiter lets it; tell the limiter how it went."""
        permit = await self.limiter.acquire(prompt_tokens(request) + int(self._answer_tokens))
        task = asyncio.current_task()
        began[0] = time.monotonic()
        verdict, tokens, asked_s = Verdict.FAULTY, None, None
        if task:
            self._in_flight[task] = request, began[0]
        try:
            reply = await self._limited(request)
            verdict, tokens, self._answered = Verdict.CLEAN, self._learn_tokens(reply), True
        except TransientFailure as failure:
            verdict, asked_s = self._verdict(failure), failure.retry_after_s
            self.watcher.stumbled(failure)
            if self._stop.is_set():
                raise _Stopped from None
            if not self._answered:
                self._failed_at_first(failure, began[0])
            if asked_s is not None and asked_s > self.patience.longest_s:
                raise _too_long(failure, self.patience.longest_s) from None
            raise
        except AttemptFailed:
            verdict = Verdict.CLEAN  # it was heard and answered
            raise
        else:
            return reply
        finally:
            self.limiter.release(permit, verdict, tokens=tokens, retry_after_s=asked_s)
            if task:
                self._in_flight.pop(task, None)
                self._named.discard(task)

    async def _limited(self, request: Request) -> Reply:
        # no client's own timeout is a limit on the whole attempt
        try:
            async with asyncio.timeout(self.patience.timeout_s):
                return await self.provider.attempt(request)
        except TimeoutError:
            said = f"no whole reply within {self.patience.timeout_s:g} s"
            raise TransientFailure(said) from None

    def _verdict(self, failure: TransientFailure) -> Verdict:
        if failure.status == TOO_MANY_REQUESTS:
            return Verdict.REFUSED
        return Verdict.FAULTY if self._answered else Verdict.DOWN

    def _failed_at_first(self, failure: TransientFailure, sent: float) -> None:
        """Count failures, one after the other, of a server that has never answered well.

        Raises:
            RunFailure: where there were more than one request may have.
        """
        waited_for = isinstance(failure, ServerDown) or failure.status == TOO_MANY_REQUESTS
        if waited_for or sent <= self._last_at_first:
            return  # not the server's last word, or sent together with one that counts already
        self._last_at_first = time.monotonic()
        self._bad_at_first += 1
        most = 2 if isinstance(failure, WebPage) else max(self.policy.max_retries, 3) + 1
        if self._bad_at_first > most:
            raise RunFailure(
                f"none of {most + 1} attempts, one after the other, succeeded: {failure}"
            )

    def _forgiven(self, failure: AttemptFailed) -> bool:
        """Say whether a failure is that of a server that has yet to come up, and tell of it once.

        Raises:
            RunFailure: where it was waited for long enough.
        """
        if self._answered or not isinstance(failure, ServerDown):
            return False
        now = time.monotonic()
        if self._down_since is None:
            self._down_since = now
            if self.patience.server_s > 0:
                self.watcher.message(
                    f"{failure}; waiting up to {self.patience.server_s:g} s for the server"
                )
        if now - self._down_since >= self.patience.server_s:
            raise RunFailure(f"{failure}; is the server running, and is base_url right?")
        return True

    def _learn_tokens(self, reply: Reply) -> int | None:
        """Follow the length of answers; return all tokens of this one where they are known."""
        answer, prompt = reply.usage.completion_tokens, reply.usage.prompt_tokens
        if answer is None:
            return None
        self._answer_tokens += 0.1 * (answer - self._answer_tokens)
        return None if prompt is None else prompt + answer

    def _count(self, asked: Asked) -> None:
        """Stop where one item after the other fails and none comes through in between."""
        transient = isinstance(asked.failure, TransientFailure)
        answered = asked.failure is None or isinstance(asked.failure, ContentRefused)
        if answered or (self._good and not transient):
            self._good, self._bad_in_a_row = True, 0
            return
        self._bad_in_a_row += 1
        self._last_failure = asked.failure
        most = max(_USELESS, self.limiter.most) if self._good else _USELESS
        if self._bad_in_a_row >= most:
            self._end(self._nothing_comes())

    def _nothing_comes(self) -> StoppedEarly:
        count = self._bad_in_a_row
        what = "the only request" if count == 1 else f"{count} requests in a row"
        return StoppedEarly(f"{what} failed: {self._last_failure}")

    def _end(self, reason: StoppedEarly) -> None:
        self._fatal = self._fatal or reason
        self._end_sending()

    def _end_sending(self) -> None:
        """Let only those go on whose request is on its way, and paid."""
        self._stop.set()
        mine = asyncio.current_task()
        for task in self._tasks:
            if task not in self._in_flight and task is not mine:
                task.cancel()


def _too_long(failure: TransientFailure, longest_s: float) -> RunFailure:
    return RunFailure(
        f"{failure} (the server asks to wait {failure.retry_after_s:,.0f} s, longer than the "
        f"{longest_s:,.0f} s of limits.max_wait; run the same command again then)",
        status=failure.status,
    )


def _without_reply(failure: AttemptFailed | None) -> Outcome:
    return Outcome.REFUSED if isinstance(failure, ContentRefused) else Outcome.FAILED


def _response(request: Request, asked: Asked, latency_s: float, price: Price | None) -> Response:
    reply = asked.reply
    seen = reply or Reply(text="")
    return Response.model_construct(
        id=request.id,
        setting=request.setting,
        sample=request.sample,
        key=request.key,
        text=seen.text,
        reasoning=seen.reasoning,
        finish_reason=seen.finish_reason,
        outcome=judge(reply) if reply else _without_reply(asked.failure),
        served_model=seen.served_model,
        system_fingerprint=seen.system_fingerprint,
        usage=seen.usage,
        cost_usd=cost_usd(seen.usage, price) if reply else None,
        latency_s=round(latency_s, 6),
        attempts=asked.attempts,
        error=str(asked.failure) if asked.failure else None,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        cached=False,
    )
