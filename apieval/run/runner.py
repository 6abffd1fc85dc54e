"""The runner: a bounded number of workers that ask, store, cache and report, one answer each time.

Requests are drawn from one iterator as workers come free, so that a run of any length holds only
those in flight. An answer is stored before anybody looks at it. One bad item never ends a run;
what ends it is a failure every request would meet, a store that cannot be written, or the user.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Final

from apieval.errors import (
    AttemptFailed,
    RunFailure,
    StoppedEarly,
    StoreError,
    TransientFailure,
)
from apieval.providers.base import Provider
from apieval.rebus.cut import PromptCounts
from apieval.run.budget import Budget
from apieval.run.cache import ResponseCache
from apieval.run.deadline import attempt_within
from apieval.run.limiter import Limiter, Verdict
from apieval.run.money import cost_usd, prompt_tokens
from apieval.run.outcome import judge, without_reply
from apieval.run.patience import Judge, Patience
from apieval.run.retry import Asked, RetryPolicy, ask
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.schema import Outcome, Reply, Request, Response, Usage
from apieval.sections import Price
from apieval.wording import counted

GRACE_S: Final = 3.0
"""How long a run that its user stopped waits for the answers still on their way."""
GRACE_EARLY_S: Final = 30.0
"""The same for a run that stopped by itself: nobody waits at the keyboard, and they are paid."""
SYNC_EVERY_S: Final = 1.0
STUCK_AFTER_S: Final = 60.0
TOGETHER: Final = 32
"""So many requests are made and looked up in the cache in one go, which takes a third of the time
of one go each, between which a processor forgets how."""
LOOK_AGAIN_S: Final = 0.1
"""What waits longer for its turn is looked up again: another run may have cached it meanwhile."""
_FIRST_GUESS_TOKENS: Final = 300


class _Stopped(Exception):  # no error: the run was stopped meanwhile
    """Leave a request that will not be asked any more."""


@dataclass(slots=True)
class _Question:
    """A request on its way; times in seconds, `sent` of the last attempt on the monotonic clock."""

    request: Request
    sent: float = 0.0
    queued_s: float = 0.0
    named: bool = False
    billed: list[Usage] = field(default_factory=list)


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
    _judge: Judge = field(init=False)
    _prompts: PromptCounts = field(default_factory=PromptCounts)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _in_flight: dict[asyncio.Task[None], _Question] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _abandon: asyncio.Event = field(default_factory=asyncio.Event)
    _fatal: StoppedEarly | None = None
    _answer_tokens: float = _FIRST_GUESS_TOKENS

    def __post_init__(self) -> None:
        """Have somebody judge when it is enough."""
        retries = self.policy.max_retries
        self._judge = Judge(self.patience, self.limiter.most, retries, self.watcher.message)

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
            f"stopping: {counted(len(self.store.answered), 'answer')} saved, waiting up to {GRACE_S:g} s "
            f"for {len(self._in_flight):,} on their way; Ctrl-C again leaves at once"
        )
        self._end_sending()

    async def run(self, requests: Iterable[Request]) -> None:
        """Ask the requests that have no answer in the store yet.

        Raises:
            StoppedEarly: where going on is useless; what arrived is stored.
            StoreError: where an answer cannot be written.
        """
        source, self._judge.fresh = self._looked_up(iter(requests)), not self.store.answered
        self._tasks = {asyncio.create_task(self._work(source)) for _ in range(self.limiter.most)}
        keeper = asyncio.create_task(self._keep_house())
        try:
            await self._settle()
        finally:
            for task in (keeper, *self._tasks):
                task.cancel()
            ends = await asyncio.gather(keeper, *self._tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        self._fatal = self._fatal or self._judge.nothing_came()
        if self._fatal is not None:
            raise self._fatal

    async def _settle(self) -> None:
        """Wait until all is done or one fails; once stopped, only for the grace or an abandon."""
        everyone = asyncio.ensure_future(
            asyncio.wait(self._tasks, return_when=asyncio.FIRST_EXCEPTION)
        )
        stop = asyncio.ensure_future(self._stop.wait())
        abandon = asyncio.ensure_future(self._abandon.wait())
        try:
            await asyncio.wait({everyone, stop}, return_when=asyncio.FIRST_COMPLETED)
            grace = GRACE_EARLY_S if self._fatal else GRACE_S
            waited = {everyone, abandon}
            await asyncio.wait(waited, timeout=grace, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (everyone, stop, abandon):
                each.cancel()
            await asyncio.gather(everyone, stop, abandon, return_exceptions=True)

    async def _keep_house(self) -> None:
        """Bring answers to the disk every second, and name what hangs, once each."""
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            await asyncio.to_thread(self.store.sync)
            try:
                self.store.check()
            except StoreError as error:
                self._end(StoppedEarly(str(error)))
            self.watcher.pressed(len(self._in_flight), self.limiter.slots)
            now = time.monotonic()
            for question in self._in_flight.values():
                self._name_if_stuck(question, now - question.sent)

    def _name_if_stuck(self, question: _Question, took_s: float) -> None:
        if took_s < STUCK_AFTER_S or question.named:
            return
        question.named = True
        request = question.request
        self.watcher.message(
            f"row {request.id} ({request.setting}) has no reply for {took_s:.0f} s; "
            f"given up after {self.patience.timeout_s:g} s"
        )

    def _looked_up(self, source: Iterator[Request]) -> Iterator[tuple[Request, Response | None]]:
        """Yield what has no answer in the store, each with its answer in the cache, if any."""
        while batch := list(islice(source, TOGETHER)):
            looked = time.monotonic()
            found = [self._known(request) for request in batch]
            for request, response in zip(batch, found, strict=True):
                if (request.id, request.setting, request.sample) in self.store.answered:
                    continue
                late = response is None and time.monotonic() - looked > LOOK_AGAIN_S
                yield request, self._known(request) if late else response

    def _known(self, request: Request) -> Response | None:
        response = self.cache.get(request) if self.cache else None
        return None if response and response.outcome in self.ask_again else response

    async def _work(self, source: Iterator[tuple[Request, Response | None]]) -> None:
        with suppress(_Stopped):
            for request, known in source:
                if self._stop.is_set():
                    return
                if known:
                    await asyncio.sleep(0)  # let the others, and Ctrl-C, have their turn
                response = known or await self._ask(request)
                if self.cache and not response.cached:
                    self.cache.put(request, response)  # first: a full disk may be the run's alone
                self.store.append(response)
                self.watcher.answered(response)
                self._look_for_a_cut(request, response)

    def _look_for_a_cut(self, request: Request, response: Response) -> None:
        asked = len(request.messages[-1].content)  # as in scoring, without a system prompt
        tokens = response.usage.prompt_tokens
        if cut := self._prompts.add(request.setting, asked, tokens):
            self.watcher.message(str(cut))

    async def _ask(self, request: Request) -> Response:
        """Return the end of one request, also where it ends the run and something was paid for it.

        Raises:
            _Stopped: where it is the end of the run instead.
        """
        question = _Question(request)
        try:
            asked = await ask(
                lambda: self._attempt(question),
                self.policy,
                self._judge.forgiven,
                lambda: question.queued_s,
            )
        except (asyncio.CancelledError, _Stopped):
            self._keep_account(question)
            raise
        cost = _cost(asked, self.price)
        if isinstance(asked.failure, RunFailure):
            self._end(StoppedEarly(str(asked.failure)))
            if not asked.billed:
                raise _Stopped
        if enough := self._judge.ended(asked, self._oldest_sent):
            self._end(enough)
        return _response(request, asked, time.monotonic() - question.sent, cost)

    def _keep_account(self, question: _Question) -> None:
        """Store what was paid for a request that comes to no end: a failure, to be asked again."""
        if not question.billed:
            return
        billed = tuple(question.billed)
        unfinished = TransientFailure("the run was stopped before another attempt")
        asked = Asked(len(billed), None, unfinished, billed)
        took_s = time.monotonic() - question.sent
        with suppress(StoreError):  # told of by who was first to find out
            self.store.append(_response(question.request, asked, took_s, _cost(asked, self.price)))

    def _oldest_sent(self) -> float:
        return min((question.sent for question in self._in_flight.values()), default=math.inf)

    async def _attempt(self, question: _Question) -> Reply:
        """Attempt once, where the budget allows for it; settle what that cost.

        Raises:
            RunFailure: where there is no money left.
        """
        waited = time.monotonic()
        reserved = await self.budget.reserve(question.request) if self.budget else 0.0
        cost: float | None = None
        try:
            reply = await self._sent(question, waited)
            question.billed.append(reply.usage)
            cost = cost_usd(reply.usage, self.price)
        except AttemptFailed as failure:
            if failure.billed:
                question.billed.append(Usage())  # of unknown size
            else:
                cost = 0.0
            raise
        finally:
            if self.budget:
                self.budget.settle(reserved, cost)
        return reply

    async def _sent(self, question: _Question, waited: float) -> Reply:
        """Attempt once, when the limiter lets it; tell the limiter how it went."""
        tokens_about = prompt_tokens(question.request) + int(self._answer_tokens)
        permit = await self.limiter.acquire(tokens_about)
        question.sent = time.monotonic()
        question.queued_s += question.sent - waited
        verdict, tokens, asked_s, hints = Verdict.FAULTY, None, None, None
        task = asyncio.current_task()
        if task:
            self._in_flight[task] = question
        try:
            reply = await attempt_within(self.patience.timeout_s, self.provider, question.request)
            verdict, tokens = Verdict.CLEAN, self._learn_tokens(reply)
            hints = reply.hints
            self._judge.answered(reply.repaired)
        except TransientFailure as failure:
            verdict, asked_s = self._judge.verdict(failure), self._judge.pause_s(failure)
            self.watcher.stumbled(failure)
            if self._stop.is_set():
                raise _Stopped from None
            self._judge.attempt_failed(failure, question.sent)
            raise
        except AttemptFailed:
            verdict = Verdict.CLEAN  # it was heard and answered
            raise
        else:
            return reply
        finally:
            self.limiter.release(permit, verdict, tokens=tokens, retry_after_s=asked_s, hints=hints)
            if task:
                self._in_flight.pop(task, None)

    def _learn_tokens(self, reply: Reply) -> int | None:
        """Follow the length of answers; return all tokens of this one where they are known."""
        answer, prompt = reply.usage.completion_tokens, reply.usage.prompt_tokens
        if answer is None:
            return None
        self._answer_tokens += 0.1 * (answer - self._answer_tokens)
        return None if prompt is None else prompt + answer

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


def _cost(asked: Asked, price: Price | None) -> float | None:
    """Return what all replies to a request cost, empty ones included; None where one is unknown."""
    costs = [cost_usd(usage, price) for usage in asked.billed]
    known = [cost for cost in costs if cost is not None]
    return sum(known) if len(known) == len(costs) else None


def _response(request: Request, asked: Asked, latency_s: float, cost: float | None) -> Response:
    reply = asked.reply
    seen = reply or Reply(text="")
    return Response(
        id=request.id,
        setting=request.setting,
        sample=request.sample,
        key=request.key,
        text=seen.text,
        reasoning=seen.reasoning,
        finish_reason=seen.finish_reason,
        outcome=judge(reply) if reply else without_reply(asked.failure),
        served_model=seen.served_model,
        system_fingerprint=seen.system_fingerprint,
        usage=seen.usage,
        cost_usd=cost if asked.billed else None,
        latency_s=round(latency_s, 6),
        attempts=asked.attempts,
        error=str(asked.failure) if asked.failure else None,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        cached=False,
        **({"repaired": list(seen.repaired)} if seen.repaired else {}),
    )
