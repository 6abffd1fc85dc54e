"""How fast an endpoint is pressed: slots, requests and tokens a minute, and one pause for all.

Requests stand in one queue and are let through one by one, so that nothing wakes all at once; the
first in the queue sleeps exactly as long as it must, and nobody polls. Slots open gradually, also
for a fixed number: a server that refuses is noticed before everything has been sent. What refusals
teach of the server's rate is kept to (see `learned_rate`), and what it says remains is spread over the
time until its reset. With `auto` the number of slots itself follows the answers: it
doubles a round while all is clean, the slots are used and answers come faster for it, and from the
first refusal on grows slowly.

Sources: additive increase, multiplicative decrease as in TCP (Chiu and Jain, 1989); the bounds
follow what evaluation harnesses use.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from typing import Final, Literal

from apieval.records import RateHints, Room
from apieval.run.learned_rate import Bucket, LearnedRate

FEW_SHARE: Final = 0.1
FEW: Final = 10.0
"""What counts as little left: a tenth of the limit, or so many where the limit is unknown."""
LOOK_S: Final = 0.5
"""How often who waits looks again: each reply brings a newer hint, and may show more."""


@dataclass(slots=True)
class Headroom:
    """One kind of amount, requests or tokens; amounts are counted from the start of the run."""

    taken: float = 0.0
    _last: float = 0.0
    _up_to: float = 0.0
    _until: float = 0.0
    _few: float = 0.0
    _known: float = 0.0
    _ends: float | None = None

    def take(self, now: float, amount: float) -> float:
        """Take note of a request that is sent; return all that was taken then."""
        self._last = now
        self.taken += amount
        return self.taken

    def hear(self, taken: float, room: Room, now: float) -> None:
        """Take note of what remained when so much was taken, the reply's own request with it.

        In which order a server saw what was on its way together is unknown: of hints that know
        nothing of each other the lower one counts.
        """
        up_to = taken + room.remaining
        if taken <= self._known and now < self._until and up_to >= self._up_to:
            return
        if taken > self._known:
            self._known = self.taken
        self._up_to, self._until = up_to, now + room.reset_s
        self._few = FEW if room.limit is None else FEW_SHARE * room.limit

    def wait_s(self, now: float, amount: float) -> float:
        """Return the seconds until an amount may be taken."""
        left = self._up_to - self.taken
        if now >= self._until:
            return 0.0
        if left > self._few:
            self._ends = None
            return 0.0
        if self._ends is None:
            self._ends = self._until
        if now >= self._ends:
            return 0.0
        share = amount / (left + amount) if left > 0 else 1.0
        next_one = self._last + (self._until - self._last) * share
        return min(LOOK_S, max(0.0, next_one - now))


FIRST_SLOTS: Final = 12
OPENING: Final = 100_000.0
"""Slots open with the cube of the seconds passed: few as long as a near server's first refusal is
on its way (some ten milliseconds), 128 after 0.1 s, 512 after 0.2 s."""
OPENING_STEP_S: Final = 0.001
AUTO_FIRST: Final = 32
AUTO_MOST: Final = 768
"""With the usual limit of 1,024 open files; more has to be said (see `endpoints`)."""
RISES: Final = 1.2
"""How much faster answers must come after a doubling for the next one. A server that only queues
what it gets more of gains nothing, and what queues for long enough runs into the timeout."""
AIR: Final = 8
"""So many connections fewer than this machine has files for, since all else needs some too."""
IN_USE: Final = 0.8
"""The share of slots that must be in use for more to help."""
SLOW_GROWTH: Final = 1.05
CUT: Final = 0.8
CUT_EVERY_S: Final = 15.0
LESSONS: Final = 4
DEAF_S: Final = 60.0
"""So many refusals of a rate that was kept, beyond those that came when more was tried, show that
they do not follow the rate (an overloaded server refuses at random): for so long no rate is learned,
and the number of slots follows the refusals instead."""
BURST_S: Final = 1.0
"""Seconds' worth of `rpm` and `tpm` that may go at once; counted in, so that no minute has more."""
TINY_S: Final = 1e-6
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


@dataclass(frozen=True, slots=True)
class Permit:
    """The leave to send one request: when, about how large, and what was taken up to and with it."""

    sent: float
    tokens: int
    number: int
    taken: tuple[float, float]


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
        self._learned = LearnedRate()
        self._requests_left, self._tokens_left = Headroom(), Headroom()
        self._hinted = False
        self._cut = now - CUT_EVERY_S
        self._clean, self._most_in_use, self._round_began = 0, 0, now
        self._pace = 0.0
        self._lessons = 0
        self._deaf_until = now
        self._never_refused = True
        self._begun = False

    def hold(self, most: int) -> None:
        """Have no more than so many requests at once from now on."""
        self.most = min(self.most, most)
        self.slots = min(self.slots, self.most)

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
        hints: RateHints | None = None,
        probe_s: float = 0.0,
    ) -> None:
        """Give a slot back, with what the attempt showed and, where known, its real tokens.

        `hints` is what the server says remains: it can slow sending down and do no more. One that
        is down is looked at after `probe_s`, at the earliest.
        """
        now = self._clock()
        self.in_use -= 1
        self._freed.set()
        if self._tpm is not None and tokens is not None:
            self._tpm.take(tokens - permit.tokens)
        if hints is not None:
            self._hear(permit, hints, now)
        if verdict is Verdict.DOWN and now - self._heard >= HEARD_S:
            self._probing = True
            pause_s = max(PROBE_S, probe_s, retry_after_s or 0.0)
            self._paused_until = max(self._paused_until, now + pause_s)
            return
        if self._probing:
            self._probing, self._opened = False, now
        if verdict is Verdict.CLEAN:
            self._heard = now
            self._grow(now)
        elif verdict in {Verdict.FAULTY, Verdict.DOWN}:  # down for one model of several
            self._begin_round(now)
        else:
            self._refused(permit, now, retry_after_s)
        if retry_after_s is not None:
            self._paused_until = max(self._paused_until, now + retry_after_s)
            self._opened = self._paused_until  # nor does a pause end with all at once

    def give_back(self) -> None:
        """Give a slot back that could not be used: this machine has no more files than are in use."""
        self.in_use -= 1
        self._freed.set()
        self.slots = max(1, min(self.slots, self.in_use - AIR))
        self._never_refused = False
        self._begin_round(self._clock())

    def _wait_s(self, now: float, tokens: int) -> float | None:
        """Return the seconds to wait for a turn, None where only a freed slot can help."""
        if self._paused_until > now:
            return self._paused_until - now
        open_slots = self._open_slots(now)
        if self.in_use >= open_slots:
            return OPENING_STEP_S if open_slots < self.slots and not self._probing else None
        waits = [bucket.wait_s(now, amount) for bucket, amount in self._buckets(tokens)]
        if self._hinted:
            waits.append(self._requests_left.wait_s(now, 1))
            waits.append(self._tokens_left.wait_s(now, tokens))
        return max(waits, default=0.0)

    def _open_slots(self, now: float) -> int:
        if self._probing:
            return 1
        return min(self.slots, int(FIRST_SLOTS + (now - self._opened) ** 3 * OPENING))

    def _buckets(self, tokens: int) -> list[tuple[Bucket, int]]:
        """Return every bucket a request draws from, with how much it draws."""
        all_of_them = ((self._rpm, 1), (self._tpm, tokens), (self._learned.bucket, 1))
        return [(bucket, amount) for bucket, amount in all_of_them if bucket is not None]

    def _take(self, now: float, tokens: int) -> Permit:
        if not self._begun:
            self._begun, self._opened = True, now
        self.in_use += 1
        self._most_in_use = max(self._most_in_use, self.in_use)
        for bucket, amount in self._buckets(tokens):
            bucket.take(amount)
        taken = self._requests_left.take(now, 1), self._tokens_left.take(now, tokens)
        return Permit(now, tokens, self._learned.let_through(now), taken)

    def _hear(self, permit: Permit, hints: RateHints, now: float) -> None:
        self._hinted = True
        requests, tokens = permit.taken
        if hints.requests is not None:
            self._requests_left.hear(requests, hints.requests, now)
        if hints.tokens is not None:
            self._tokens_left.hear(tokens, hints.tokens, now)

    def _grow(self, now: float) -> None:
        self._clean += 1
        self._learned.grow(now)
        if self._clean < self.slots or self._most_in_use < IN_USE * self.slots:
            return
        pace = self._clean / max(now - self._round_began, TINY_S)
        self._begin_round(now)
        if not self._never_refused:
            self.slots = min(self.most, int(self.slots * SLOW_GROWTH + 1))
        elif pace >= RISES * self._pace:
            self.slots, self._pace = min(self.most, self.slots * 2), pace

    def _begin_round(self, now: float) -> None:
        self._clean, self._most_in_use, self._round_began = 0, self.in_use, now

    def _refused(self, permit: Permit, now: float, retry_after_s: float | None) -> None:
        """Learn from a refusal: what was let through of late is about what the server allows."""
        self._begin_round(now)
        self._never_refused = False
        if now < self._deaf_until:
            self._cut_slots(permit, now)
            return
        if self._learned.is_old(permit.number):
            return
        expected = self._learned.bucket is not None and not self._learned.kept(now)
        self._lessons = max(0, self._lessons - 1) if expected else self._lessons + 1
        if self._lessons > LESSONS:
            self._learned.forget()
            self._lessons, self._deaf_until = 0, now + DEAF_S
            return
        self._learned.learn(permit.number, now, retry_after_s or 0.0)
        if self._auto and now - self._cut >= CUT_EVERY_S:
            self._cut_slots(permit, now)

    def _cut_slots(self, permit: Permit, now: float) -> None:
        if permit.sent > self._cut:  # once for all that was sent before the last cut
            self.slots = max(1, int(self.slots * CUT))
            self._cut = now


def _bucket(per_minute: int | None, now: float) -> Bucket | None:
    if per_minute is None:
        return None
    rate = per_minute / (60 + BURST_S)
    return Bucket(rate, rate * BURST_S, rate * BURST_S, now)
