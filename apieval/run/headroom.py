"""What a server says remains until its next reset, and how the last of it is spread over the time.

A hint, no more: it holds sending up for a minute at most, and where the moment it named has passed
without a sign that anything was reset, nothing is held up until there is one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from apieval.schema import Room

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
