"""How fast requests go: a bucket, and the rate that a server's refusals teach.

A server that refuses is taken for a bucket, whatever it is: so much at once (its burst) and so
much a second. What went before its first refusal is its burst, and, for want of anything better,
a second's worth. From then on, what it lets through up to the next refusal bounds its rate from
below, and since it did refuse, the highest bound is about the truth:

- all that went from one refusal to the next: for a bucket that was empty then and is empty now;
- what went in any stretch, less the burst: for a bucket that was full when the stretch began;
- what went within a window, but no more than the burst: for a count that begins anew.

Sources: the arrival curves of network calculus (Cruz, 1991) for the second bound.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import islice
from typing import Final

MARGIN: Final = 0.97
SURE: Final = 20
"""So many let through make a rate; from fewer, it can only be searched."""
LEAST_START: Final = 12.0
"""Where a search begins, in requests a second, however few were let through."""
SEARCH_S: Final = 0.5
TRY_S: Final = 2.0
"""Seconds in which a rate doubles where it is searched, and where more than a known one is tried."""
HOLD_S: Final = 10.0
LONGEST_HOLD_S: Final = 80.0
"""How long a known rate is kept before more is tried. A try ends in a pause, most often of a second:
a tenth of the time at first, and half as much each time that nothing more was found."""
FOUND: Final = 1.1
"""So much more than the known rate is something found."""
REFUTED: Final = 0.8
"""What is left, at least, of a rate that was refused while it was kept; at most, the second time."""
GROWS_EVERY_S: Final = 0.02
LEAST_WINDOW_S: Final = 1.0
FASTEST: Final = 1e6
"""No rate beyond this many a second: where slots are the limit, it would grow without end."""
REMEMBERED: Final = 10_000
ROUNDING: Final = 1e-6


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


@dataclass(slots=True)
class _Lesson:
    """What a refusal taught: a rate, kept up to a moment and tried upwards from then on.

    `since` is the number of the first request after it, `refused` when the refused one was sent,
    `resumed` when the pause was over. With `hold_s` 0 the rate is only where a search begins.
    """

    since: int
    refused: float
    resumed: float
    rate: float
    hold_s: float
    grown: float
    first: bool
    refuted: bool

    @property
    def doubles_s(self) -> float:
        """Return in how many seconds the rate doubles: few requests tell little."""
        return max(TRY_S, SURE / self.rate) if self.hold_s else SEARCH_S


class LearnedRate:
    """The rate that refusals have taught: a bucket, None before the first."""

    def __init__(self) -> None:
        """Know nothing."""
        self.bucket: Bucket | None = None
        self._lesson: _Lesson | None = None
        self._count = 0
        self._times: deque[float] = deque(maxlen=REMEMBERED)
        self._burst, self._burst_s = 0, 0.0
        self._window_s = LEAST_WINDOW_S

    def let_through(self, now: float) -> int:
        """Take note of a request that is sent; return its number."""
        number = self._count
        self._count = number + 1
        self._times.append(now)
        return number

    def grow(self, now: float) -> None:
        """Take note of a clean answer: what was kept for long enough is tried upwards."""
        lesson, bucket = self._lesson, self.bucket
        if lesson and bucket and now - lesson.grown >= GROWS_EVERY_S:
            # where nothing came for long, that is no reason to leap
            doublings = min(1.0, (now - lesson.grown) / lesson.doubles_s)
            lesson.grown = now
            self._set(bucket, min(FASTEST, bucket.per_second * 2.0**doublings))

    def kept(self, now: float) -> bool:
        """Say whether a rate is kept just now, so that a refusal comes unexpected."""
        return self._lesson is not None and now < self._lesson.grown

    def forget(self) -> None:
        """Keep to no rate until the next lesson."""
        self.bucket = self._lesson = None

    def is_old(self, number: int) -> bool:
        """Say whether a refused request was sent before the last lesson and so teaches nothing new.

        But for a first lesson, every one of them shows that one fewer went at once.
        """
        lesson, bucket = self._lesson, self.bucket
        if lesson is None or bucket is None or number >= lesson.since:
            return False
        if lesson.first:
            self._burst -= 1
            lesson.rate, lesson.hold_s = self._first(lesson.since)
            lesson.grown = lesson.resumed + lesson.hold_s
            self._set(bucket, lesson.rate)
        return True

    def learn(self, number: int, now: float, asked_s: float) -> None:
        """Learn from the refusal of a request, with the wait it asks for."""
        self._window_s = max(self._window_s, asked_s)
        lesson, bucket, kept = self._lesson, self.bucket, self.kept(now)
        if lesson is None or bucket is None:
            self._burst, self._burst_s = self._count - 1, self._sent(number) - self._times[0]
            rate, hold_s = self._first(self._count)
            self.bucket = bucket = Bucket(rate, 1.0, 1.0, now)
        else:
            rate, hold_s = self._later(number, lesson, bucket.per_second, kept=kept)
        resumed = now + asked_s
        self._lesson = _Lesson(
            since=self._count,
            refused=self._sent(number),
            resumed=resumed,
            rate=rate,
            hold_s=hold_s,
            grown=resumed + hold_s,
            first=lesson is None,
            refuted=kept,
        )
        self._set(bucket, rate)

    def _first(self, count: int) -> tuple[float, float]:
        """Return the rate that a first refusal shows, and how long it is kept.

        The requests are told by their count: in which order they were refused says little.
        """
        times = self._between(0, count)
        went = self._within_window(times, times[-1]) - (count - self._burst)
        rate = max(1, went) / self._window_s * MARGIN
        if went >= SURE or self._burst_s >= self._window_s:
            return rate, max(HOLD_S, SURE / rate)
        return max(rate, LEAST_START * MARGIN), 0.0

    def _later(
        self, number: int, lesson: _Lesson, before: float, *, kept: bool
    ) -> tuple[float, float]:
        """Return the rate that is known now, and how long it is kept."""
        times, searched = self._between(lesson.since, number), not lesson.hold_s
        rate = self._bound(times, self._sent(number), lesson, before, kept=kept)
        if searched and len(times) < SURE and rate >= before:
            return before * MARGIN, 0.0  # so few that nothing was learned
        if kept and not lesson.refuted and len(times) < SURE:
            rate = max(rate, before * REFUTED)  # so few, and so may be chance
        rate = min(rate, before) * MARGIN
        least_s = max(HOLD_S, SURE / rate)
        if kept or searched:
            return rate, least_s
        if rate > FOUND * lesson.rate:
            return rate, least_s
        return max(rate, lesson.rate), max(least_s, min(LONGEST_HOLD_S, 2 * lesson.hold_s))

    def _bound(
        self, times: list[float], sent: float, lesson: _Lesson, before: float, *, kept: bool
    ) -> float:
        """Return the highest of the three bounds from below, of which each has its own server."""
        went, lasted_s = len(times), max(0.0, sent - lesson.resumed)
        rate = max(1, went) / max(sent - lesson.refused, 0.001)
        if kept and (lesson.refuted or lasted_s < self._window_s):
            # what is known was wrong: the burst is larger than the first refusal showed
            self._burst = max(self._burst, int(went - rate * lasted_s))
        rate = max(rate, self._over_stretches(times, sent))
        if kept or not lesson.hold_s:
            most = before * REFUTED if kept and lesson.refuted else before
            within = min(self._burst, self._within_window(times, sent)) / self._window_s
            rate = max(rate, min(within, most))
        return rate

    def _over_stretches(self, times: list[float], sent: float) -> float:
        """Return the highest rate that any stretch up to a refusal shows, less the burst.

        The burst took time too.
        """
        best, more = 0.0, len(times) - self._burst
        for number, each in enumerate(times):
            stretch_s = sent - each - self._burst_s
            if stretch_s > self._burst_s and more > number:
                best = max(best, (more - number) / stretch_s)
        return best

    def _within_window(self, times: list[float], sent: float) -> int:
        return sum(sent - each <= self._window_s for each in times)

    def _between(self, first: int, end: int) -> list[float]:
        """Return when the requests of these numbers were sent, as far as it is remembered."""
        oldest = self._count - len(self._times)
        return list(islice(self._times, max(0, first - oldest), max(0, end - oldest)))

    def _sent(self, number: int) -> float:
        return self._times[max(0, number - self._count + len(self._times))]

    def _set(self, bucket: Bucket, rate: float) -> None:
        bucket.per_second = rate
        # evenly spaced; what a late timer missed, up to a hundredth of a second, is caught up with,
        # as far as the burst allows
        bucket.capacity = 1.0 + min(rate / 100, max(0, self._burst - 1) / 2)
