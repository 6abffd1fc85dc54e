"""When going on is useless: a server that never comes up, never answers well, or stops answering.

One bad item never ends a run. What ends it is a failure that every request meets, or so many
failures with nothing good in between that the next ones would only cost time and money.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Final

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    LocalShortage,
    RunFailure,
    ServerDown,
    StoppedEarly,
    TransientFailure,
    Unreachable,
    WebPage,
)
from apieval.run.limiter import Verdict
from apieval.run.retry import Asked

TOO_MANY_REQUESTS: Final = 429
USELESS: Final = 10
"""So many requests in a row without an answer end a run; with more workers, as many as those."""
ALIKE: Final[Mapping[type[AttemptFailed], int]] = {WebPage: 2, Unreachable: 1}
"""So many rounds with nothing better are enough, where a wrong address is likelier than a bad start."""
LEAST_ROUNDS: Final = 4
LONGEST_PROBE_S: Final = 60.0
GATEWAY: Final = frozenset({502, 503, 504, 520, 521, 522, 523, 524, 530})
"""What a gateway says of a server behind it that is not up; Cloudflare has numbers of its own."""
DOWN_AFTER_S: Final = 1.0
"""A server that answered less long ago is not down: behind one address there may be others."""


SHORT_S: Final = 60.0
"""So long not one request could be sent for want of open files, before that ends a run."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to wait for what, in seconds.

    `timeout_s` is the wall-clock limit of one attempt; `server_s` how long a server is waited for
    that is not up yet, or goes down; `longest_s` the longest wait a server may ask for.
    """

    timeout_s: float = 600.0
    server_s: float = 120.0
    longest_s: float = 600.0


@dataclass(slots=True)
class Judge:
    """Follow what becomes of attempts and requests, and say when it is enough.

    `workers` is the number of requests at once, `max_retries` what one request may have,
    `first_wait_s` about how long it waits after its first. `tell` is told what a person should
    know. `fresh` says that the run has no answer from before.
    """

    patience: Patience
    workers: int
    max_retries: int
    tell: Callable[[str], None]
    first_wait_s: float = 0.5
    fresh: bool = True
    _answered: bool = False
    _last_answer: float = 0.0
    _down_since: float | None = None
    _told: bool = False
    _rounds: int = 0
    _last_round: float = 0.0
    _good: bool = False
    _bad_in_a_row: int = 0
    _bad_since: float = 0.0
    _last_failure: AttemptFailed | None = None
    _short_since: float | None = None
    _short_told: bool = False
    _repaired: set[str] = field(default_factory=set)

    def answered(self, repaired: Collection[str] = ()) -> None:
        """Take note of a good reply: the server is up, and the address right.

        What had to be `repaired` to read it is told once of each kind.
        """
        for what in set(repaired) - self._repaired:
            self._repaired.add(what)
            self.tell(f"a reply had {what}; its answer is kept, and says so under repaired")
        self._answered, self._last_answer = True, time.monotonic()
        if self._told:
            down_s = self._last_answer - (self._down_since or self._last_answer)
            self.tell(f"the server answers, after {down_s:,.0f} s")
        self._down_since, self._told, self._short_since = None, False, None

    def verdict(self, failure: TransientFailure) -> Verdict:
        """Return what a failed attempt showed about how much the endpoint can take."""
        if failure.status == TOO_MANY_REQUESTS:
            return Verdict.REFUSED
        return Verdict.DOWN if self._is_down(failure) or not self._answered else Verdict.FAULTY

    def pause_s(self, failure: AttemptFailed) -> float | None:
        """Return how long the endpoint is to be left alone, in seconds, None where it is not.

        A wait too long for this run ends it, and is none for another at the same endpoint.
        """
        asked_s = failure.retry_after_s
        return None if asked_s is None or asked_s > self.patience.longest_s else asked_s

    def probe_s(self) -> float:
        """Return how long to leave alone a server that has never answered well, in seconds.

        As long as one request alone would wait after as many attempts: more workers have no less
        patience.
        """
        return min(LONGEST_PROBE_S, self.first_wait_s * 2.0**self._rounds) / 2

    def attempt_failed(self, failure: TransientFailure, sent: float) -> None:
        """Take note of an attempt, sent at that time on the monotonic clock, that failed.

        Raises:
            RunFailure: where the server asks for too long a wait, or where it has never answered
                well in as many rounds as one request may have; what was sent together is one.
        """
        asked_s = failure.retry_after_s
        if asked_s is not None and asked_s > self.patience.longest_s:
            raise RunFailure(
                f"{failure} (the server asks to wait {asked_s:,.0f} s, longer than the "
                f"{self.patience.longest_s:,.0f} s of limits.max_wait; run the same command again "
                "then)",
                status=failure.status,
            )
        self._count_round(failure, sent)

    def _count_round(self, failure: TransientFailure, sent: float) -> None:
        """Count what was sent together as one, whoever sent it, until there is a good reply."""
        few = next((most for kind, most in ALIKE.items() if isinstance(failure, kind)), None)
        waited_for = few is None and (self._is_down(failure) or failure.status == TOO_MANY_REQUESTS)
        old = not (self.fresh or isinstance(failure, Unreachable))
        if self._answered or old or waited_for or sent <= self._last_round:
            return
        self._last_round = time.monotonic()
        self._rounds += 1
        most = max(self.max_retries + 1, LEAST_ROUNDS) if few is None else few
        if isinstance(failure, Unreachable) and self._rounds == 1:
            self.tell(f"{failure}; trying once more")
        if self._rounds > most:
            raise RunFailure(
                f"none of {self._rounds} attempts, one after the other, succeeded: {failure}"
            )

    def forgiven(self, failure: AttemptFailed) -> bool:
        """Say whether a failure is that of a server that is not up, and tell of it once.

        It is the same for a server that has yet to come up and for one that went down midway.

        Raises:
            RunFailure: where it was waited for long enough.
        """
        if isinstance(failure, LocalShortage):
            self._bear_shortage(failure)
            return True
        if not self._is_down(failure):
            return False
        now, server_s = time.monotonic(), self.patience.server_s
        if self._down_since is None:
            self._down_since = now
        untold_s = DOWN_AFTER_S if self._answered else 0.0
        if not self._told and server_s > 0 and now - self._down_since >= untold_s:
            self._told = True
            self.tell(f"{failure}; waiting up to {server_s:g} s for the server")
        if now - self._down_since >= server_s:
            ask = (
                ""
                if isinstance(failure, Unreachable)
                else "; is the server running, and is base_url right?"
            )
            raise RunFailure(f"{failure}{ask}")
        return True

    def _bear_shortage(self, failure: LocalShortage) -> None:
        """Tell once that fewer requests go at once; give up where not even one has gone for long."""
        now = time.monotonic()
        if self._short_since is None:
            self._short_since = now
        if not self._short_told:
            self._short_told = True
            self.tell(f"{failure}: fewer requests at once from now on")
        if now - max(self._short_since, self._last_answer) >= SHORT_S:
            raise RunFailure(f"{failure}; close what holds them, or raise the limit")

    def _is_down(self, failure: AttemptFailed) -> bool:
        """Say whether a failure shows that nobody is answered, rather than one server of many.

        Before the first answer a gateway's word is enough, and a connection that breaks off without
        a reply. Who waits for no server tries again, as after any other fault.
        """
        if not isinstance(failure, ServerDown):
            return not self._answered and self.patience.server_s > 0 and _may_be_down(failure)
        if not self._answered:
            return not isinstance(failure, Unreachable)
        silence_s = time.monotonic() - self._last_answer
        return self.patience.server_s > 0 and silence_s >= DOWN_AFTER_S

    def ended(
        self, asked: Asked, oldest: Callable[[], float] = lambda: math.inf
    ) -> StoppedEarly | None:
        """Take note of the end of one request; return the end of the run where it is one.

        `oldest` tells when, on the monotonic clock, the oldest request that has no reply yet was
        sent: a refusal comes at once and an answer takes its time, so it may still be a good one.
        """
        failure = asked.failure
        heard = failure is None or isinstance(failure, ContentRefused)
        if heard or (self._good and not isinstance(failure, TransientFailure)):
            self._good, self._bad_in_a_row = True, 0
            return None
        if not self._bad_in_a_row:
            self._bad_since = time.monotonic()
        self._bad_in_a_row += 1
        self._last_failure = failure
        most = max(USELESS, self.workers) if self._good else USELESS
        if self._bad_in_a_row < most:
            return None
        open_yet = isinstance(failure, ItemFailure) and oldest() < self._bad_since
        return None if open_yet else self._nothing_comes()

    def nothing_came(self) -> StoppedEarly | None:
        """Return the end of a fresh run that asked and was never answered, None for any other."""
        useless = self.fresh and self._bad_in_a_row and not self._good
        return self._nothing_comes() if useless else None

    def _nothing_comes(self) -> StoppedEarly:
        count = self._bad_in_a_row
        what = "the only request" if count == 1 else f"{count} requests in a row"
        return StoppedEarly(f"{what} failed: {self._last_failure}")


def _may_be_down(failure: AttemptFailed) -> bool:
    """Say whether a failure may be that of a server that is not up: no word of its own is in it."""
    silent = failure.status is None and not failure.billed
    return isinstance(failure, TransientFailure) and (failure.status in GATEWAY or silent)
