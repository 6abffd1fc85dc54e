"""How fast an endpoint is pressed: slots, requests and tokens a minute, and one pause for all.

Requests stand in one queue and are let through one by one, so that nothing wakes all at once; the
first in the queue sleeps exactly as long as it must, and nobody polls. Slots open gradually, also
for a fixed number: a server that refuses is noticed before everything has been sent. What a
refusal shows of the server's rate is kept to from then on, a little below it, and tried again
upwards later. With `auto` the number of slots itself follows the answers: it doubles a round
while all is clean and the slots are used, and from the first refusal on grows slowly.

Sources: additive increase, multiplicative decrease as in TCP (Chiu and Jain, 1989); the bounds
follow what evaluation harnesses use.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

FIRST_SLOTS: Final = 16
SLOTS_A_SECOND: Final = 1_000.0
"""How fast slots open at the start: a refusal comes back within some ten milliseconds."""
AUTO_FIRST: Final = 32
AUTO_MOST: Final = 256
IN_USE: Final = 0.8
"""The share of slots that must be in use for more to help."""
SLOW_GROWTH: Final = 1.05
CUT: Final = 0.8
CUT_EVERY_S: Final = 15.0
RATE_MARGIN: Final = 0.97
RATE_FIRST_STEP: Final = 0.01
RATE_LAST_STEP: Final = 0.1
RATE_GROWS_EVERY_S: Final = 10.0
REMEMBERED: Final = 10_000
PROBE_S: Final = 1.0
"""Seconds between two looks at a server that is not up yet."""


class Verdict(Enum):
    """What an attempt showed about how much the endpoint can take."""

    CLEAN = "clean"
    REFUSED = "refused"
    FAULTY = "faulty"
    DOWN = "down"


@dataclass(slots=True)
class Bucket:
    """Tokens that refill with time; may be overdrawn once, so that no request is too large."""

    per_second: float
    capacity: float
    level: float
    updated: float

    def wait_s(self, now: float) -> float:
        """Return the seconds until something may be taken."""
        self.level = min(self.capacity, self.level + (now - self.updated) * self.per_second)
        self.updated = now
        return 0.0 if self.level > 0 else -self.level / self.per_second + 1e-9

    def take(self, amount: float) -> None:
        """Take an amount; a negative one is given back."""
        self.level = min(self.capacity, self.level - amount)


@dataclass(frozen=True, slots=True)
class Permit:
    """The leave to send one request."""

    sent: float
    tokens: int


class Limiter:
    """Let requests through to one endpoint no faster than it can take them.

    `rpm` and `tpm` are per minute, tokens in and out together. Clock and sleep are arguments so
    that tests neither wait nor guess.
    """

    def __init__(
        self,
        concurrency: int | Literal["auto"] = "auto",
        rpm: int | None = None,
        tpm: int | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Start with all slots free; inside a running event loop."""
        self._clock, self._sleep = clock, sleep
        now = clock()
        self._auto = concurrency == "auto"
        self.most = AUTO_MOST if concurrency == "auto" else concurrency
        self.slots = AUTO_FIRST if concurrency == "auto" else concurrency
        self.in_use = 0
        self._turn = asyncio.Lock()
        self._freed = asyncio.Event()
        self._opened = now
        self._paused_until = now
        self._probing = False
        # a second's worth of requests, ten of tokens: what providers smooth over
        self._rpm = _bucket(rpm, now, seconds=1.0)
        self._tpm = _bucket(tpm, now, seconds=10.0)
        self._lesson: _Lesson | None = None
        self._cut = now - CUT_EVERY_S
        self._clean = 0
        self._recent: deque[float] = deque(maxlen=REMEMBERED)

    async def acquire(self, tokens: int) -> Permit:
        """Wait until a request of about so many tokens may be sent."""
        async with self._turn:
            while True:
                now = self._clock()
                wait = self._wait_s(now)
                if wait is None:
                    self._freed.clear()
                    await self._freed.wait()
                elif wait > 0:
                    await self._sleep(wait)
                else:
                    return self._take(now, tokens)

    def release(
        self,
        permit: Permit,
        verdict: Verdict,
        *,
        tokens: int | None = None,
        retry_after_s: float | None = None,
    ) -> None:
        """Give a slot back, with what the attempt showed and, where known, its real tokens."""
        now = self._clock()
        self.in_use -= 1
        self._freed.set()
        if self._tpm is not None and tokens is not None:
            self._tpm.take(tokens - permit.tokens)
        if verdict is Verdict.DOWN:
            self._probing = True
            self._paused_until = max(self._paused_until, now + PROBE_S)
            return
        if self._probing:
            self._probing, self._opened = False, now
        if verdict is Verdict.CLEAN:
            self._grow(now)
        elif verdict is Verdict.FAULTY:
            self._clean = 0
        else:
            self._refused(permit, now, retry_after_s)
        if retry_after_s is not None:
            self._paused_until = max(self._paused_until, now + retry_after_s)

    def _wait_s(self, now: float) -> float | None:
        """Return the seconds to wait for a turn, None where only a freed slot can help."""
        open_slots = self._open_slots(now)
        if self.in_use >= open_slots:
            return 1 / SLOTS_A_SECOND if open_slots < self.slots and not self._probing else None
        waits = (bucket.wait_s(now) for bucket, _ in self._buckets(0))
        return max(0.0, self._paused_until - now, *waits)

    def _open_slots(self, now: float) -> int:
        if self._probing:
            return 1
        return min(self.slots, int(FIRST_SLOTS + (now - self._opened) * SLOTS_A_SECOND))

    def _buckets(self, tokens: int) -> list[tuple[Bucket, int]]:
        """Return every bucket a request draws from, with how much it draws."""
        learned = self._lesson.bucket if self._lesson else None
        all_of_them = ((self._rpm, 1), (self._tpm, tokens), (learned, 1))
        return [(bucket, amount) for bucket, amount in all_of_them if bucket is not None]

    def _take(self, now: float, tokens: int) -> Permit:
        self.in_use += 1
        for bucket, amount in self._buckets(tokens):
            bucket.take(amount)
        self._recent.append(now)
        return Permit(now, tokens)

    def _grow(self, now: float) -> None:
        self._clean += 1
        if self._lesson:
            self._lesson.grow(now)
        if not self._auto or self._clean < self.slots or self.in_use + 1 < IN_USE * self.slots:
            return
        self._clean = 0
        grown = self.slots * SLOW_GROWTH + 1 if self._lesson else self.slots * 2
        self.slots = min(self.most, int(grown))

    def _refused(self, permit: Permit, now: float, retry_after_s: float | None) -> None:
        """Learn from a refusal: what was let through of late is about what the server allows."""
        self._clean = 0
        if self._lesson and permit.sent <= self._lesson.learned:
            self._lesson.one_fewer()  # sent before the lesson, and counted as let through
            return
        window_s = max(1.0, retry_after_s or 0.0)
        accepted = sum(1 for sent in self._recent if now - sent <= window_s) - 1
        before = self._lesson.bucket.per_second if self._lesson else math.inf
        self._lesson = _Lesson(now, window_s, accepted, before)
        if self._auto and now - self._cut >= CUT_EVERY_S:
            self.slots = max(1, int(self.slots * CUT))
            self._cut = now


class _Lesson:
    """A rate learned from a refusal: kept to a little below, tried upwards in growing steps."""

    def __init__(self, now: float, window_s: float, accepted: int, before: float) -> None:
        self.learned = self._grown = now
        self._window_s, self._accepted, self._before = window_s, accepted, before
        self._step = RATE_FIRST_STEP
        self.bucket = Bucket(1.0, 1.0, 1.0, now)
        self._set()

    def one_fewer(self) -> None:
        """Take note that one fewer was let through than it seemed."""
        self._accepted -= 1
        self._set()

    def grow(self, now: float) -> None:
        """Try a little more where nothing was refused for a while."""
        if now - self._grown >= RATE_GROWS_EVERY_S:
            self._grown = now
            self.bucket.per_second *= 1 + self._step
            self._step = min(RATE_LAST_STEP, 2 * self._step)

    def _set(self) -> None:
        rate = min(max(self._accepted, 1) / self._window_s, self._before) * RATE_MARGIN
        self.bucket.per_second = rate
        # fiftieths of a second at once: evenly spaced, but no slower than timers are coarse
        self.bucket.capacity = max(1.0, rate / 50)


def _bucket(per_minute: int | None, now: float, seconds: float) -> Bucket | None:
    if per_minute is None:
        return None
    capacity = max(1.0, per_minute / 60 * seconds)
    return Bucket(per_minute / 60, capacity, capacity, now)
