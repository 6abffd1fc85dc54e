"""How far one model is: what was counted, and the few words that say it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from typing import Final

from apieval.report.terminal import visible
from apieval.run.money import Spent
from apieval.schema import Response
from apieval.wording import counted

RECENT_S: Final = 10.0
"""So long a failure is shown; its number stands in the last line too."""


class Counts:
    """Count the answers of one run; times are on the monotonic clock."""

    def __init__(
        self, total: int = 0, stored: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with what is stored already."""
        self._clock = clock
        self.total, self.done = total, stored
        self.stumbles = 0
        self._outcomes: Counter[str] = Counter()
        self._cached = self._tokens = 0
        self._spent = Spent()
        self._last = self._pressure = self._stopping = ""
        self._stumbled = -RECENT_S
        self._waiting = False
        self.start()

    def start(self) -> None:
        """Count the time from now on: the first request is about to be sent."""
        self._since = self._looked = self._clock()
        self._waited = 0.0
        self._done_then = self.done

    @property
    def asked(self) -> bool:
        """Say whether anything was answered since."""
        return bool(self._outcomes)

    def answered(self, response: Response) -> None:
        """Take in an answer."""
        self.done += 1
        self._outcomes[response.outcome.value] += 1
        if response.cached:
            self._cached += 1
            return
        self._tokens += response.usage.completion_tokens or 0

    def paid(self, spent: Spent) -> None:
        """Take in what the run has cost so far, its earlier commands included."""
        self._spent = spent

    def stumbled(self, failure: Exception) -> None:
        """Take in a failed attempt."""
        self.stumbles += 1
        self._last, self._stumbled = visible(str(failure)), self._clock()

    def pressed(self, in_flight: int, slots: int) -> None:
        """Take in how hard the endpoint is pressed; with nothing on its way the run waits.

        It waits for a server, or until an endpoint may be used again; that time says nothing of
        how long the rest will take.
        """
        now = self._clock()
        self._waiting = not in_flight and self.done == self._done_then
        if self._waiting:
            self._waited += now - self._looked
        self._looked, self._done_then = now, self.done
        self._pressure = f"{in_flight:,} of {counted(slots, 'slot')}"

    def waiting(self, in_flight: int, left_s: float) -> None:
        """Take in what a stopped run waits for."""
        left = timedelta(seconds=round(left_s))
        self._stopping = (
            f"stopping: {counted(in_flight, 'request')} on the way, {left} left for them"
        )

    def state(self, *, over: bool = False) -> str:
        """Return what is worth knowing in a few words, the most important first.

        A failure is named while it is recent; how many there were, when all is `over`.
        """
        now = self._clock()
        took = max(now - self._since - self._waited, 1e-3)
        asked = sum(self._outcomes.values()) - self._cached  # the cache says nothing of the rate
        left = self.total - self.done
        parts = [f"{self.done:,} of {self.total:,}"]
        if self._stopping:
            parts[:0] = [] if over else [self._stopping]
        elif left and self._waiting and not over:
            parts.append("waiting")
        elif left and asked:
            parts.append(f"{timedelta(seconds=round(left * took / asked))} left")
        if self._spent.usd:
            most = "at most " if self._spent.lost else ""
            parts.append(f"{most}{self._spent.usd:,.4f} USD")
        parts += [f"{name} {count:,}" for name, count in sorted(self._outcomes.items())]
        if self._cached:
            parts.append(f"{self._cached:,} from cache")
        parts.append(f"{asked / took:,.1f}/s")
        if self._tokens:
            parts.append(f"{self._tokens / took:,.0f} tokens/s")
        if left and not self._stopping:
            parts.append(self._pressure)
        recent = self.stumbles and now - self._stumbled < RECENT_S
        if self.stumbles and (over or recent):
            last = f", the last: {self._last}" if recent else ""
            parts.append(f"{counted(self.stumbles, 'attempt')} failed{last}")
        return ", ".join(part for part in parts if part)
