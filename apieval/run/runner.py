"""The runner: a bounded number of workers that ask, store, cache and report, one answer each time.

Requests are drawn from one iterator as workers come free, so that a run of any length holds only
those in flight. An answer is stored before anybody looks at it. One bad item never ends a run;
what ends it is a failure every request would meet, a store that cannot be written, or the user.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Final

from apieval.config import Price
from apieval.errors import RunFailure, StoppedEarly, TransientFailure
from apieval.providers.base import Provider
from apieval.run.cache import ResponseCache
from apieval.run.money import cost_usd
from apieval.run.outcome import judge
from apieval.run.retry import Asked, RetryPolicy, ask
from apieval.run.store import Store
from apieval.run.watcher import Watcher
from apieval.schema import Outcome, Reply, Request, Response

GRACE_S: Final = 3.0
"""How long a run that its user stopped waits for the answers still on their way."""
GRACE_EARLY_S: Final = 30.0
"""The same for a run that stopped by itself: nobody waits at the keyboard, and they are paid."""
_USELESS_AT_FIRST: Final = 3
_USELESS_LATER: Final = 10


@dataclass(slots=True)
class Runner:
    """Ask every request of a run once, however many attempts that takes."""

    provider: Provider
    store: Store
    cache: ResponseCache | None
    policy: RetryPolicy
    workers: int
    price: Price | None
    watcher: Watcher
    _stop: asyncio.Event = field(default_factory=asyncio.Event)
    _abandon: asyncio.Event = field(default_factory=asyncio.Event)
    _fatal: StoppedEarly | None = None
    _good: bool = False
    _bad_in_a_row: int = 0

    @property
    def stopped(self) -> bool:
        """Say whether the run was stopped before its end."""
        return self._stop.is_set()

    def stop(self) -> None:
        """Send nothing more, wait a little for what is on its way; called twice, do not wait."""
        if self._stop.is_set():
            self._abandon.set()
        self._stop.set()

    async def run(self, requests: Iterable[Request]) -> None:
        """Ask the requests that have no answer in the store yet.

        Raises:
            StoppedEarly: where going on is useless; what arrived is stored.
            StoreError: where an answer cannot be written.
        """
        source = iter(requests)
        tasks = [asyncio.create_task(self._work(source)) for _ in range(self.workers)]
        try:
            await self._settle(tasks)
        finally:
            for task in tasks:
                task.cancel()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
        for end in ends:
            if isinstance(end, Exception):
                raise end
        if self._fatal is not None:
            raise self._fatal

    async def _settle(self, tasks: list[asyncio.Task[None]]) -> None:
        """Wait until all is done or one fails; once stopped, only for the grace or an abandon."""
        everyone = asyncio.ensure_future(asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION))
        stop = asyncio.ensure_future(self._stop.wait())
        await asyncio.wait({everyone, stop}, return_when=asyncio.FIRST_COMPLETED)
        if not everyone.done():
            abandon = asyncio.ensure_future(self._abandon.wait())
            grace = GRACE_EARLY_S if self._fatal else GRACE_S
            await asyncio.wait(
                {everyone, abandon}, timeout=grace, return_when=asyncio.FIRST_COMPLETED
            )
            abandon.cancel()
        everyone.cancel()
        stop.cancel()

    async def _work(self, source: Iterator[Request]) -> None:
        for request in source:
            if self._stop.is_set():
                return
            if (request.id, request.setting, request.sample) in self.store.answered:
                continue
            response = self.cache.get(request) if self.cache else None
            if response is None:
                response = await self._ask(request)
            else:
                await asyncio.sleep(0)  # let the others, and Ctrl-C, have their turn
            if response is None:
                return
            self.store.append(response)
            if self.cache and not response.cached:
                self.cache.put(request, response)
            self.watcher.answered(response)

    async def _ask(self, request: Request) -> Response | None:
        """Return the end of one request; None where it is the end of the run."""
        asked = await ask(self.provider, request, self.policy)
        if isinstance(asked.failure, RunFailure):
            self._end(StoppedEarly(str(asked.failure)))
            return None
        self._count(asked)
        return _response(request, asked, self.price)

    def _count(self, asked: Asked) -> None:
        """Stop where one item after the other fails and none comes through in between."""
        if not isinstance(asked.failure, TransientFailure):
            self._good, self._bad_in_a_row = True, 0
            return
        self._bad_in_a_row += 1
        most = max(_USELESS_LATER, self.workers) if self._good else _USELESS_AT_FIRST
        if self._bad_in_a_row >= most:
            self._end(
                StoppedEarly(
                    f"{self._bad_in_a_row} requests in a row failed, each after "
                    f"{asked.attempts} attempts; the last one: {asked.failure}"
                )
            )

    def _end(self, reason: StoppedEarly) -> None:
        self._fatal = self._fatal or reason
        self._stop.set()


def _response(request: Request, asked: Asked, price: Price | None) -> Response:
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
        outcome=judge(reply) if reply else Outcome.FAILED,
        served_model=seen.served_model,
        system_fingerprint=seen.system_fingerprint,
        usage=seen.usage,
        cost_usd=cost_usd(seen.usage, price) if reply else None,
        latency_s=round(asked.latency_s, 6),
        attempts=asked.attempts,
        error=str(asked.failure) if asked.failure else None,
        created=datetime.now(UTC).isoformat(timespec="milliseconds"),
        cached=False,
    )
