"""The runner: a bounded number of workers that ask, store, cache and report, one answer each time.

Requests are drawn from one iterator as workers come free, so that a run of any length holds only
those in flight. An answer is stored before anybody looks at it. One bad item never ends a run;
what ends it is a failure every request would meet, a store that cannot be written, or the user.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final

from apieval.config.models import Price
from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    LocalShortage,
    RunFailure,
    ServerDown,
    StoppedEarly,
    StoreError,
    TransientFailure,
    Unexpected,
)
from apieval.providers.base import Provider, unexpected
from apieval.rebus.cut_prompts import PromptCounts
from apieval.rebus.window import SEVERAL, Cuts, limit_of
from apieval.records import HOLDS_KEY, Outcome, Reply, Request, Response, Usage
from apieval.run.budget import Budget, Reservation
from apieval.run.cache import ResponseCache
from apieval.run.cost import cost_usd, prompt_tokens, through
from apieval.run.giving_up import Judge, Patience
from apieval.run.limiter import Limiter, Verdict
from apieval.run.retry import (
    Asked,
    RetryPolicy,
    ask,
    attempt_within,
    ends_all,
    judge,
    without_reply,
)
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.wording import counted

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
    """A request on its way; times in seconds, `sent` of the last attempt on the monotonic clock.

    `tries` are the attempts that may have been heard; `failure` is what became of the last one, None
    while it has no reply.
    """

    request: Request
    sent: float = 0.0
    queued_s: float = 0.0
    named: bool = False
    billed: list[Usage] = field(default_factory=list)
    reserved: Reservation | None = None
    tries: int = 0
    failure: AttemptFailed | None = None


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
    via: str | None = field(init=False, default=None)
    ask_again: Collection[Outcome] = ()
    _judge: Judge = field(init=False)
    _prompts: PromptCounts = field(default_factory=PromptCounts)
    _cuts: Cuts = field(default_factory=Cuts)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)
    _in_flight: dict[asyncio.Task[None], _Question] = field(default_factory=dict)
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _abandon: asyncio.Event = field(default_factory=asyncio.Event)
    _until: float = math.inf
    _given_up: int = 0
    _faults: list[Unexpected] = field(default_factory=list)
    _fatal: StoppedEarly | None = None
    _answer_tokens: float = _FIRST_GUESS_TOKENS

    def __post_init__(self) -> None:
        """Have somebody judge when it is enough."""
        retries = self.policy.max_retries
        self._judge = Judge(
            self.patience,
            self.limiter.most,
            retries,
            self.watcher.message,
            self.policy.first_wait_s,
        )

    @property
    def stopped(self) -> bool:
        """Say whether the run was stopped before its end."""
        return self._stop.is_set()

    @property
    def given_up(self) -> int:
        """Return how many requests had no reply yet when nobody waited for them any more."""
        return self._given_up

    def stop(self) -> None:
        """Send nothing more, wait for what is on its way; called twice, do not wait."""
        if self._stop.is_set():
            self._abandon.set()
            return
        self._end_sending()
        saved = counted(len(self.store.answered), "answer")
        self.watcher.message(f"stopping: {saved} saved, {self._waiting('Ctrl-C again')}")

    def _waiting(self, leaves: str) -> str:
        """Say what is waited for, how long, and what `leaves` it."""
        if not self._in_flight:
            return "nothing is on its way"
        what = counted(len(self._in_flight), "request")
        return (
            f"waiting up to {self.patience.timeout_s:g} s for {what} on the way; {leaves} leaves "
            "at once"
        )

    async def run(self, requests: Iterable[Request]) -> None:
        """Ask the requests that have no answer in the store yet.

        Raises:
            StoppedEarly: where going on is useless, or an answer cannot be written; what arrived
                is stored.
        """
        for record in (Usage, Reply, Response):  # once a reply is there nothing is to be imported
            record.model_rebuild()
        source, self._judge.fresh = self._looked_up(iter(requests)), not self.store.answered
        self._tasks = {asyncio.create_task(self._work(source)) for _ in range(self.limiter.most)}
        keeper = asyncio.create_task(self._keep_house())
        try:
            await self._settle()
        finally:
            self._given_up = len(self._in_flight)
            for task in (keeper, *self._tasks):
                task.cancel()
            await asyncio.gather(keeper, *self._tasks, return_exceptions=True)
            self._tell_of_faults()
        self._fatal = self._fatal or self._judge.nothing_came()
        if self._fatal is not None:
            raise self._fatal

    async def _settle(self) -> None:
        """Wait until all is done; once stopped, no longer than an attempt may take."""
        everyone = asyncio.ensure_future(asyncio.wait(self._tasks))
        stop = asyncio.ensure_future(self._stop.wait())
        abandon = asyncio.ensure_future(self._abandon.wait())
        try:
            await asyncio.wait({everyone, stop}, return_when=asyncio.FIRST_COMPLETED)
            waited, most_s = {everyone, abandon}, self.patience.timeout_s
            await asyncio.wait(waited, timeout=most_s, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in (everyone, stop, abandon):
                each.cancel()
            await asyncio.gather(everyone, stop, abandon, return_exceptions=True)

    async def _keep_house(self) -> None:
        """Bring answers to the disk every second, tell how far it is, and name what hangs."""
        while True:
            await asyncio.sleep(SYNC_EVERY_S)
            try:
                await asyncio.to_thread(self._sync)
                self.store.check()
            except StoreError as error:
                self._end(StoppedEarly(str(error)))
            with self._noted():
                self._look_around(time.monotonic())

    def _look_around(self, now: float) -> None:
        flying = len(self._in_flight)
        if self._stop.is_set():
            self.watcher.waiting(flying, max(0.0, self._until - now))
        else:
            self.watcher.pressed(flying, self.limiter.slots)
        for question in self._in_flight.values():
            self._name_if_stuck(question, now - question.sent)

    def _sync(self) -> None:
        self.store.sync()
        if self.budget:
            self.budget.ledger.sync()

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
        response = None
        if self.cache:
            with self._noted():
                response = self.cache.get(request)
        return None if response and response.outcome in self.ask_again else response

    async def _work(self, source: Iterator[tuple[Request, Response | None]]) -> None:
        """Ask one request after the other; whatever ends that ends no other's that is on its way."""
        try:
            for request, known in source:
                if self._stop.is_set():
                    return
                if known:
                    await asyncio.sleep(0)  # let the others, and Ctrl-C, have their turn
                self._keep(request, known or await self._answered(request))
        except _Stopped:
            return
        except StoreError as error:
            self._end(StoppedEarly(str(error)))
        except BaseException as error:
            if ends_all(error):
                raise
            self._end(StoppedEarly(str(self._fault(error))))

    def _keep(self, request: Request, response: Response) -> None:
        """Store an answer, in the cache first: a full disk may be the run's alone."""
        if self.cache and not response.cached:
            with self._noted():
                self.cache.put(request, response)
        try:
            self.store.append(response)
        except StoreError:
            raise
        except Exception as error:  # noqa: BLE001 # one that cannot be written down is one item's
            asked = Asked(response.attempts, None, self._fault(error))
            self.store.append(_response(request, asked, 0.0, response.cost_usd))
        with self._noted():
            self.watcher.answered(response)
            self._look_for_a_cut(request, response)

    def _fault(self, error: BaseException) -> Unexpected:
        """Take note of a fault of our own or of a library's; return it as one item's failure."""
        fault = error if isinstance(error, Unexpected) else unexpected(error)
        self._faults.append(fault)
        return fault

    @contextmanager
    def _noted(self) -> Iterator[None]:
        """Let no fault of who looks on, or of the cache, cost an answer."""
        try:
            yield
        except Exception as error:  # noqa: BLE001 # told at the end
            self._fault(error)

    def _tell_of_faults(self) -> None:
        if self._faults:
            with suppress(Exception):
                self.watcher.message(
                    f"a fault of apieval's own, or of a library it uses, came up "
                    f"{counted(len(self._faults), 'time')}; what it cost an answer is a failed request, "
                    f"all else is kept. Please report it: {self._faults[0]}"
                )

    def _look_for_a_cut(self, request: Request, response: Response) -> None:
        asked = len(request.messages[-1].content)  # as in scoring, without a system prompt
        tokens = response.usage.prompt_tokens
        if cut := self._prompts.add(request.setting, asked, tokens):
            self.watcher.message(str(cut))
        limit = None
        if response.outcome is Outcome.TRUNCATED and self._cuts.early < SEVERAL:
            limit = limit_of(json.loads(request.identity).get("body"))
        if limit:
            self._cuts.add(limit[1], response.usage)
            if self._cuts.early == SEVERAL:
                self.watcher.message(f"{SEVERAL} answers were {self._cuts.said(*limit)}")

    async def _answered(self, request: Request) -> Response:
        """Return the end of one request, whatever goes wrong with it.

        Raises:
            _Stopped: where it is the end of the run instead.
            StoreError: where what it may cost cannot be written down.
        """
        question = _Question(request)
        try:
            return await self._ask(question)
        except (_Stopped, StoreError):
            raise
        except BaseException as error:
            if ends_all(error):
                raise
            billed = tuple(question.billed)
            asked = Asked(max(1, len(billed)), None, self._fault(error), billed)
            if enough := self._judge.ended(asked, self._oldest_sent):
                self._end(enough)
            return _response(request, asked, 0.0, _cost(asked, self.price))

    async def _ask(self, question: _Question) -> Response:
        """Return the end of one request, also where it ends the run and something was paid for it.

        Raises:
            _Stopped: where it is the end of the run instead.
        """
        request = question.request
        try:
            asked = await ask(
                lambda: self._attempt(question),
                self.policy,
                self._judge.forgiven,
                lambda: question.queued_s,
                self._stop.is_set,
            )
        except asyncio.CancelledError:
            self._keep_account(question)
            raise
        if isinstance(asked.failure, Unexpected):
            self._fault(asked.failure)
        cost = _cost(asked, self.price)
        if self._stop.is_set() and isinstance(asked.failure, TransientFailure) and not asked.billed:
            self._keep_account(question)
            raise _Stopped
        if isinstance(asked.failure, RunFailure):
            self._end(StoppedEarly(str(asked.failure)))
            if not asked.billed:
                raise _Stopped
        if enough := self._judge.ended(asked, self._oldest_sent):
            self._end(enough)
        return _response(request, asked, time.monotonic() - question.sent, cost)

    def _keep_account(self, question: _Question) -> None:
        """Store a request that comes to no end, as a failure to be asked again.

        Where the run ended by itself that is only one that was paid for; where the user stopped it,
        every one that was sent.
        """
        billed, heard = tuple(question.billed), question.tries and self._fatal is None
        if not (billed or heard):
            return
        why = "the run was stopped before another attempt"
        if question.failure:
            why += f": {question.failure}"
        elif len(billed) < question.tries:
            why = "the run was stopped before a reply came"
        asked = Asked(max(question.tries, len(billed)), None, TransientFailure(why), billed)
        took_s = time.monotonic() - question.sent
        with suppress(StoreError):  # told of by who was first to find out
            self.store.append(_response(question.request, asked, took_s, _cost(asked, self.price)))

    def _oldest_sent(self) -> float:
        return min((question.sent for question in self._in_flight.values()), default=math.inf)

    async def _attempt(self, question: _Question) -> Reply:
        """Attempt once, where the budget allows for it; settle what that cost.

        Raises:
            RunFailure: where there is no money left.
            StoreError: where it cannot be written what this may cost.
        """
        waited = time.monotonic()
        if self.budget is None:
            return await self._sent(question, waited)
        question.reserved = await self.budget.reserve(question.request)
        try:
            return await self._sent(question, waited)
        finally:
            with suppress(StoreError):  # then what was reserved stands
                self.budget.settle(question.reserved)
            with self._noted():
                self.watcher.paid(self.budget.ledger.spent)

    async def _sent(self, question: _Question, waited: float) -> Reply:
        """Attempt once, when the limiter lets it; tell the limiter how it went."""
        tokens_about = prompt_tokens(question.request) + int(self._answer_tokens)
        permit = await self.limiter.acquire(tokens_about)
        question.sent = time.monotonic()
        question.queued_s += question.sent - waited
        verdict: Verdict | None = Verdict.FAULTY
        tokens, asked_s, hints = None, None, None
        task = asyncio.current_task()
        if task:
            self._in_flight[task] = question
        try:
            reply = await self._charged(question)
            verdict, tokens = Verdict.CLEAN, self._learn_tokens(reply)
            self._note_gateway(reply)
            hints = reply.hints
            with self._noted():
                self._judge.answered(reply.repaired)
        except LocalShortage:
            verdict = None  # it was no attempt
            raise
        except TransientFailure as failure:
            verdict, asked_s = self._judge.verdict(failure), self._judge.pause_s(failure)
            with self._noted():
                self.watcher.stumbled(failure)
            if not self._stop.is_set():
                self._judge.attempt_failed(failure, question.sent)
            raise
        except AttemptFailed:
            verdict = Verdict.CLEAN  # it was heard and answered
            raise
        else:
            return reply
        finally:
            if task:
                self._in_flight.pop(task, None)
            if verdict is None:
                self.limiter.give_back()
            else:
                self.limiter.release(
                    permit,
                    verdict,
                    tokens=tokens,
                    retry_after_s=asked_s,
                    hints=hints,
                    probe_s=self._judge.probe_s(),
                )

    async def _charged(self, question: _Question) -> Reply:
        """Attempt once, with what it may cost on disk before, and note what it was charged for."""
        owed = question.reserved
        if self.budget and owed:
            self.budget.send(owed)
        question.tries, question.failure = question.tries + 1, None
        try:
            reply = await attempt_within(self.patience.timeout_s, self.provider, question.request)
        except AttemptFailed as failure:
            question.failure, question.tries = failure, question.tries - _unheard(failure)
            if failure.billed:
                question.billed.append(Usage())  # of unknown size
            elif owed and not failure.unsettled:
                owed.used = None
            raise
        question.billed.append(reply.usage)
        if owed:
            owed.used = reply.usage
        return reply

    def _note_gateway(self, reply: Reply) -> None:
        """Say once that answers are no server's of one's own, where nobody keeps their account."""
        if reply.via and not self.via:
            self.via = reply.via
            if self.budget is None:
                self.watcher.message(through(reply.via))

    def _learn_tokens(self, reply: Reply) -> int | None:
        """Follow the length of answers; return all tokens of this one where they are known."""
        answer, prompt = reply.usage.completion_tokens, reply.usage.prompt_tokens
        if answer is None:
            return None
        self._answer_tokens += 0.1 * (answer - self._answer_tokens)
        return None if prompt is None else prompt + answer

    def _end(self, reason: StoppedEarly) -> None:
        self._fatal = self._fatal or reason
        if self._stop.is_set():
            return
        self._end_sending()
        if self._in_flight:
            self.watcher.message(f"stopping: {reason}; {self._waiting('Ctrl-C')}")

    def _end_sending(self) -> None:
        """Let only those go on whose request is on its way, and paid."""
        self._stop.set()
        self._until = time.monotonic() + self.patience.timeout_s
        mine = asyncio.current_task()
        for task in self._tasks:
            if task not in self._in_flight and task is not mine:
                task.cancel()


def _unheard(failure: AttemptFailed) -> bool:
    """Say whether a request cannot have reached anybody."""
    down = isinstance(failure, ServerDown) and failure.status is None
    return down or isinstance(failure, LocalShortage)


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
        **_beside(seen, asked.failure),
    )


def _beside(reply: Reply, failure: AttemptFailed | None) -> dict[str, Any]:
    """Return what only some answers have, and what stands behind all else in their lines."""
    category = failure.category if isinstance(failure, ContentRefused) else reply.category
    found = {"repaired": list(reply.repaired), "category": category, HOLDS_KEY: reply.holds_key}
    return {name: value for name, value in found.items() if value}
