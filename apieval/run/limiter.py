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

FIRST_SLOTS: Final = 12
OPENING: Final = 100_000.0
"""Slots open with the cube of the seconds passed: few as long as a near server's first refusal is
on its way (some ten milliseconds), 128 after 0.1 s, 512 after 0.2 s."""
OPENING_STEP_S: Final = 0.001
AUTO_FIRST: Final = 32
AUTO_MOST: Final = 256
IN_USE: Final = 0.8
"""The share of slots that must be in use for more to help."""
SLOW_GROWTH: Final = 1.05
CUT: Final = 0.8
CUT_EVERY_S: Final = 15.0
RATE_MARGIN: Final = 0.97
RATE_FIRST_STEP: Final = 0.01
SURE: Final = 20
"""So many let through before a refusal make a rate; from fewer, none can be learned for sure."""
UNSURE_GROWS_EVERY_S: Final = 0.5
RATE_LAST_STEP: Final = 0.5
RATE_GROWS_EVERY_S: Final = 10.0
REMEMBERED: Final = 10_000
LESSONS: Final = 4
CALM: Final = 50
DEAF_S: Final = 60.0
"""After so many lessons without so many clean answers between two of them, refusals plainly do not
follow the rate (an overloaded server refuses at random): for so long no rate is learned, and the
number of slots follows the refusals instead."""
BURST_S: Final = 1.0
"""Seconds' worth of `rpm` and `tpm` that may go at once; counted in, so that no minute has more."""
ROUNDING: Final = 1e-6
HEARD_S: Final = 1.0
"""An endpoint that was heard less long ago is not down, though it may be for one model of several."""
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
    """Tokens that refill with time; a request larger than the bucket takes a full one, overdrawn."""

    per_second: float
    capacity: float
    level: float
    updated: float

    def wait_s(self, now: float, amount: float) -> float:
        """Return the seconds until an amount may be taken."""
        self.level = min(self.capacity, self.level + (now - self.updated) * self.per_second)
        self.updated = now
        lacking = min(amount, self.capacity) - self.level
        # what rounding leaves behind is no reason to wait
        return lacking / self.per_second if lacking > ROUNDING * self.capacity else 0.0

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
        self._heard = -math.inf
        self._rpm, self._tpm = _bucket(rpm, now), _bucket(tpm, now)
        self._lesson: _Lesson | None = None
        self._cut = now - CUT_EVERY_S
        self._clean = 0
        self._lessons = 0
        self._since_refusal = 0
        self._deaf_until = now
        self._never_refused = True
        self._recent: deque[float] = deque(maxlen=REMEMBERED)
        self._first_sent: float | None = None

    async def acquire(self, tokens: int) -> Permit:
        """Wait until a request of about so many tokens may be sent."""
        async with self._turn:
            while True:
                now = self._clock()
                wait = self._wait_s(now, tokens)
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
        if verdict is Verdict.DOWN and now - self._heard >= HEARD_S:
            self._probing = True
            pause_s = max(PROBE_S, retry_after_s or 0.0)
            self._paused_until = max(self._paused_until, now + pause_s)
            return
        if self._probing:
            self._probing, self._opened = False, now
        if verdict is Verdict.CLEAN:
            self._heard = now
            self._grow(now)
        elif verdict in {Verdict.FAULTY, Verdict.DOWN}:  # down for one model of several
            self._clean = 0
        else:
            self._refused(permit, now, retry_after_s)
        if retry_after_s is not None:
            self._paused_until = max(self._paused_until, now + retry_after_s)
            self._opened = self._paused_until  # nor does a pause end with all at once

    def _wait_s(self, now: float, tokens: int) -> float | None:
        """Return the seconds to wait for a turn, None where only a freed slot can help."""
        if self._paused_until > now:
            return self._paused_until - now
        open_slots = self._open_slots(now)
        if self.in_use >= open_slots:
            return OPENING_STEP_S if open_slots < self.slots and not self._probing else None
        return max([0.0, *(bucket.wait_s(now, amount) for bucket, amount in self._buckets(tokens))])

    def _open_slots(self, now: float) -> int:
        if self._probing:
            return 1
        return min(self.slots, int(FIRST_SLOTS + (now - self._opened) ** 3 * OPENING))

    def _buckets(self, tokens: int) -> list[tuple[Bucket, int]]:
        """Return every bucket a request draws from, with how much it draws."""
        learned = self._lesson.bucket if self._lesson else None
        all_of_them = ((self._rpm, 1), (self._tpm, tokens), (learned, 1))
        return [(bucket, amount) for bucket, amount in all_of_them if bucket is not None]

    def _take(self, now: float, tokens: int) -> Permit:
        if self._first_sent is None:
            self._first_sent = self._opened = now
        self.in_use += 1
        for bucket, amount in self._buckets(tokens):
            bucket.take(amount)
        self._recent.append(now)
        return Permit(now, tokens)

    def _grow(self, now: float) -> None:
        self._clean += 1
        self._since_refusal += 1
        if self._since_refusal >= CALM:
            self._lessons = 0
        if self._lesson:
            self._lesson.grow(now)
        if self._clean < self.slots or self.in_use + 1 < IN_USE * self.slots:
            return
        self._clean = 0
        grown = self.slots * 2 if self._never_refused else self.slots * SLOW_GROWTH + 1
        self.slots = min(self.most, int(grown))

    def _refused(self, permit: Permit, now: float, retry_after_s: float | None) -> None:
        """Learn from a refusal: what was let through of late is about what the server allows."""
        self._clean = self._since_refusal = 0
        self._never_refused = False
        if now < self._deaf_until:
            self._cut_slots(permit, now)
            return
        if self._lesson and permit.sent <= self._lesson.learned:
            self._lesson.one_fewer()  # sent before the lesson, and counted as let through
            return
        self._lessons += 1
        if self._lessons > LESSONS:
            self._lessons, self._lesson, self._deaf_until = 0, None, now + DEAF_S
            return
        window_s = max(1.0, retry_after_s or 0.0)
        accepted = sum(1 for sent in self._recent if now - sent <= window_s) - 1
        before = self._lesson.bucket.per_second if self._lesson else math.inf
        sure = accepted >= SURE or now - (self._first_sent or now) >= window_s
        self._lesson = _Lesson(now, window_s, accepted, before, sure=sure)
        if self._auto and now - self._cut >= CUT_EVERY_S:
            self._cut_slots(permit, now)

    def _cut_slots(self, permit: Permit, now: float) -> None:
        if permit.sent > self._cut:  # once for all that was sent before the last cut
            self.slots = max(1, int(self.slots * CUT))
            self._cut = now


class _Lesson:
    """A rate learned from a refusal: kept to a little below, tried upwards in growing steps.

    What was learned from little is no more than where to begin: it doubles twice a second until
    the next refusal, which then teaches the rate.
    """

    def __init__(
        self, now: float, window_s: float, accepted: int, before: float, *, sure: bool
    ) -> None:
        self.learned = self._grown = now
        self._window_s, self._accepted, self._before = window_s, accepted, before
        self._sure = sure
        self._step = RATE_FIRST_STEP
        self.bucket = Bucket(1.0, 1.0, 1.0, now)
        self._set()

    def one_fewer(self) -> None:
        """Take note that one fewer was let through than it seemed."""
        self._accepted -= 1
        self._set()

    def grow(self, now: float) -> None:
        """Try a little more where nothing was refused for a while."""
        every_s = RATE_GROWS_EVERY_S if self._sure else UNSURE_GROWS_EVERY_S
        if now - self._grown < every_s:
            return
        self._grown = now
        if self._sure:
            self.bucket.per_second *= 1 + self._step
            self._step = min(RATE_LAST_STEP, 2 * self._step)
        else:
            self.bucket.per_second *= 2
            self.bucket.capacity = 1.0 + self.bucket.per_second / 100

    def _set(self) -> None:
        least = 1 if self._sure else FIRST_SLOTS
        rate = min(max(self._accepted, least) / self._window_s, self._before) * RATE_MARGIN
        self.bucket.per_second = rate
        # evenly spaced; what a late timer missed, up to a hundredth of a second, is caught up with
        self.bucket.capacity = 1.0 + rate / 100


def _bucket(per_minute: int | None, now: float) -> Bucket | None:
    if per_minute is None:
        return None
    rate = per_minute / (60 + BURST_S)
    return Bucket(rate, rate * BURST_S, rate * BURST_S, now)
