"""The limiter against simulated servers of every kind, in virtual time."""

from __future__ import annotations

import asyncio
import heapq
import random
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, Literal, Protocol

import pytest

from apieval.records import RateHints, Room
from apieval.run.limiter import AUTO_MOST, Limiter, Verdict
from tests.run.virtual import limiter, now, virtual

pytestmark = pytest.mark.usefixtures("untraced")
CLEAN, REFUSED, FAULTY, _ = Verdict
RTT_S: Final = 0.005


class Server(Protocol):
    def takes(self, moment: float) -> bool: ...


@dataclass
class FixedWindow:
    """So many in every window, a second long where nothing is said."""

    most: int
    window_s: float = 1.0
    counts: Counter[int] = field(default_factory=Counter)

    def takes(self, moment: float) -> bool:
        self.counts[int(moment / self.window_s)] += 1
        return self.counts[int(moment / self.window_s)] <= self.most


@dataclass
class TokenBucket:
    most: float
    capacity: float
    level: float = 0.0
    updated: float = 0.0

    def takes(self, moment: float) -> bool:
        self.level = min(self.capacity, self.level + (moment - self.updated) * self.most)
        self.updated = moment
        fits = self.level >= 1
        self.level -= fits
        return fits


@dataclass
class SlidingWindow:
    most: int
    taken: deque[float] = field(default_factory=deque)

    def takes(self, moment: float) -> bool:
        while self.taken and self.taken[0] <= moment - 1:
            self.taken.popleft()
        fits = len(self.taken) < self.most
        if fits:
            self.taken.append(moment)
        return fits


@dataclass
class Chance:
    """A server that refuses at random, however fast it is asked."""

    share: float
    random: random.Random = field(default_factory=lambda: random.Random(3))

    def takes(self, moment: float) -> bool:
        del moment
        return self.random.random() >= self.share


@dataclass
class Changing:
    """A server that is another from a moment on."""

    before: Server
    after: Server
    at: float = 1_030.0

    def takes(self, moment: float) -> bool:
        return (self.before if moment < self.at else self.after).takes(moment)


@dataclass
class Course:
    answered: list[float] = field(default_factory=list)
    refused: int = 0
    lost: int = 0

    @property
    def pace(self) -> float:
        """Return the answers a second, from the first to the last."""
        return len(self.answered) / (self.answered[-1] - self.answered[0] + RTT_S)

    @property
    def later_pace(self) -> float:
        """Return the answers a second of the second half."""
        half = self.answered[len(self.answered) // 2 :]
        return (len(half) - 1) / (half[-1] - half[0])


async def press(
    server: Server,
    each: Limiter,
    count: int,
    late_s: float = 0.0,
    *,
    asks: Callable[[], float] = lambda: 1.0,
    hints: Callable[[], RateHints | None] = lambda: None,
    retries: int = 5,
) -> Course:
    """Ask `count` times with as many workers as there may be slots."""
    course = Course()
    items = iter(range(count))

    async def one(_: int) -> None:
        for _ in range(retries + 1):
            permit = await each.acquire(100)
            await asyncio.sleep(RTT_S / 2)
            takes, said = server.takes(now()), hints()
            await asyncio.sleep(RTT_S / 2)
            if takes:
                course.answered.append(now())
                each.release(permit, CLEAN, hints=said)
                return
            course.refused += 1
            each.release(permit, REFUSED, retry_after_s=asks())
        course.lost += 1

    async def worker() -> None:
        for item in items:
            await one(item)

    await asyncio.sleep(late_s)
    await asyncio.gather(*(worker() for _ in range(each.most)))
    return course


# --- a number of requests a second -----------------------------------------------------------

SERVERS: dict[str, Callable[[], Server]] = {
    "fixed window": lambda: FixedWindow(50),
    "sliding window": lambda: SlidingWindow(50),
    "token bucket": lambda: TokenBucket(50, 50),
}


@pytest.mark.parametrize("late_s", [0.0, 0.35, 0.7, 0.98, 0.99])
@pytest.mark.parametrize("kind", SERVERS)
@pytest.mark.parametrize("concurrency", [128, "auto"])
def test_at_fifty_a_second_nothing_is_lost_and_little_refused(
    concurrency: int | Literal["auto"], kind: str, late_s: float
) -> None:
    async def work() -> None:
        course = await press(SERVERS[kind](), limiter(concurrency), 400, late_s)
        assert course.lost == 0
        assert len(course.answered) == 400
        assert course.refused < 20
        assert course.pace >= 47

    virtual(work())


def test_a_start_across_two_windows_costs_one_more_lesson() -> None:
    """Two windows' worth go in their first moments, so the first lesson is twice too high."""

    async def work() -> None:
        course = await press(FixedWindow(50), limiter(128), 400, 0.97)
        assert course.lost == 0
        assert course.refused < 20
        assert course.pace >= 43

    virtual(work())


async def late(seconds: float) -> None:
    """Sleep a little too long, as a real loop does."""
    await asyncio.sleep(seconds + 0.002)


def test_late_timers_do_not_cost_the_rate() -> None:
    async def work() -> None:
        course = await press(FixedWindow(50), Limiter(128, clock=now, sleep=late), 400, 0.0)
        assert course.lost == 0
        assert course.refused < 20
        assert course.pace >= 47

    virtual(work())


@pytest.mark.parametrize(
    ("capacity", "whole", "later"),
    [(20, 24, 40), (10, 35, 45), (5, 35, 45), (2, 34, 43), (1, 30, 40)],
)
def test_from_a_small_burst_the_rate_is_found(capacity: float, whole: float, later: float) -> None:
    """A few let through at once say nothing of fifty a second.

    Each pause of a second costs what a small burst does not make up for: with a single one, 400
    answers cannot come faster than 45 a second, and finding the rate takes two.
    """

    async def work() -> None:
        server = TokenBucket(50, capacity, capacity, now())
        course = await press(server, limiter(128), 400)
        assert course.lost == 0
        assert course.refused < 20
        assert course.pace >= whole
        server = TokenBucket(50, capacity, capacity, now())
        course = await press(server, limiter(128), 2_000)
        assert course.lost == 0
        assert course.refused < 25
        assert course.later_pace >= later

    virtual(work())


def test_without_a_pause_to_keep_the_search_goes_on() -> None:
    """A second refusal right after the first, of next to nothing, teaches nothing."""

    async def work() -> None:
        server = TokenBucket(50, 5, 5.0, now())
        course = await press(server, limiter(128), 1_000, asks=lambda: 0.0, retries=50)
        assert course.lost == 0
        assert course.refused < 40
        assert course.pace >= 40

    virtual(work())


def test_a_faster_server_with_a_small_burst_is_known_after_seconds() -> None:
    async def work() -> None:
        course = await press(TokenBucket(500, 5, 5.0, now()), limiter(256), 8_000)
        assert (course.lost, course.refused < 20) == (0, True)
        assert course.pace >= 350

    virtual(work())


@pytest.mark.parametrize("per_second", [1.0, 5.0])
def test_few_a_second_are_kept_to(per_second: float) -> None:
    async def work() -> None:
        course = await press(TokenBucket(per_second, 2, 2.0, now()), limiter(128), 200)
        assert course.lost == 0
        assert course.refused < 25
        assert course.pace >= 0.7 * per_second

    virtual(work())


def test_a_bucket_of_a_minute_that_says_exactly_when() -> None:
    """OpenAI's: 500 a minute, all at once if one likes, and "try again in 120ms" after that."""

    async def work() -> None:
        server = TokenBucket(500 / 60, 500, 500, now())

        def asks() -> float:
            return (1 - server.level) / server.most

        course = await press(server, limiter(128), 1_500, asks=asks)
        assert course.lost == 0
        assert course.refused < 128 + 10  # all that is on its way when the first one comes back
        assert course.later_pace >= 0.95 * 500 / 60

    virtual(work())


@pytest.mark.parametrize("most", [5, 30, 500])
def test_a_window_of_a_minute_is_used_up_every_minute(most: int) -> None:
    async def work() -> None:
        server = FixedWindow(most, 60.0)
        began = now()
        course = await press(server, limiter(128), 3 * most, 10.0, asks=lambda: 60 - now() % 60)
        assert course.lost == 0
        assert course.refused < 128 + 10  # all that is on its way when the first one comes back
        assert now() - began < 6 * 60

    virtual(work())


def test_a_bucket_that_is_nearly_empty_at_first_is_known_before_long() -> None:
    async def work() -> None:
        course = await press(TokenBucket(50, 50, 3.0, now()), limiter(128), 2_000)
        assert course.lost == 0
        assert course.refused < 30
        assert course.later_pace >= 46

    virtual(work())


@pytest.mark.parametrize("capacity", [5, 50])
def test_a_server_that_slows_down_is_followed(capacity: float) -> None:
    async def work() -> None:
        server = Changing(
            TokenBucket(50, capacity, capacity, now()), TokenBucket(25, capacity, 0.0, 1_030.0)
        )
        course = await press(server, limiter(128), 3_000)
        assert course.lost == 0
        assert course.refused < 30
        assert course.later_pace >= 20

    virtual(work())


def test_a_server_that_gets_faster_is_followed() -> None:
    async def work() -> None:
        server = Changing(TokenBucket(50, 50, 50, now()), TokenBucket(200, 50, 0.0, 1_030.0))
        course = await press(server, limiter(128), 9_000)
        assert course.lost == 0
        assert course.refused < 40
        assert course.later_pace >= 170

    virtual(work())


# --- refusals without a rate -----------------------------------------------------------------


@dataclass
class Whim:
    """A server that refuses the first request and no other."""

    asked: int = 0

    def takes(self, moment: float) -> bool:
        del moment
        self.asked += 1
        return self.asked > 1


def test_one_early_refusal_costs_seconds_and_no_more() -> None:
    async def work() -> None:
        course = await press(Whim(), limiter(64), 2_000)
        assert (course.lost, course.refused) == (0, 1)
        assert max(course.answered) - min(course.answered) < 6

    virtual(work())


def test_refusals_that_do_not_end_are_not_let_through_faster() -> None:
    async def work() -> None:
        course = await press(TokenBucket(0, 0), limiter("auto"), 20)
        assert course.lost == 20
        assert course.refused == 120

    virtual(work())


@pytest.mark.parametrize(("share", "least"), [(0.02, 25), (0.1, 5), (0.3, 2)])
def test_refusals_at_random_take_no_rate_down_to_nothing(share: float, least: float) -> None:
    """Each one is followed by the pause of a second that it asks for."""

    async def work() -> None:
        course = await press(Chance(share), limiter(128), 1_000, retries=20)
        assert course.lost == 0
        assert course.pace >= least

    virtual(work())


# --- auto, and what a server can do at once --------------------------------------------------


@dataclass
class Queue:
    """A server that works on so many at once, each slower the more there are; the rest waits."""

    seats: int
    base_s: float
    each_s: float
    free: list[float] = field(default_factory=list)

    def takes_s(self, in_flight: int) -> float | None:
        """Return the seconds until the answer, None for a 503."""
        if not self.free:
            self.free = [now()] * self.seats
        begins = max(now(), heapq.heappop(self.free))
        ends = begins + self.base_s + self.each_s * min(in_flight, self.seats)
        heapq.heappush(self.free, ends)
        return ends - now()


async def load(
    takes_s: Callable[[int], float | None], each: Limiter, count: int
) -> tuple[float, dict[int, float]]:
    """Ask so often; return the seconds it took, and when so many were in flight first."""
    items, began, in_flight = iter(range(count)), now(), 0
    reached: dict[int, float] = {}
    chance = random.Random(1)

    async def one() -> None:
        nonlocal in_flight
        while True:
            permit = await each.acquire(1)
            in_flight += 1
            reached.setdefault(in_flight, now() - began)
            took_s = takes_s(in_flight)
            await asyncio.sleep(0.02 if took_s is None else took_s)
            in_flight -= 1
            each.release(permit, FAULTY if took_s is None else CLEAN)
            if took_s is not None:
                return
            await asyncio.sleep(5 * chance.random())

    async def worker() -> None:
        for _ in items:
            await one()

    await asyncio.gather(*(worker() for _ in range(each.most)))
    return now() - began, reached


def test_auto_is_at_256_in_three_rounds_and_at_its_most_in_five() -> None:
    async def work() -> None:
        _, reached = await load(lambda _: 2.0, limiter("auto"), 6_000)
        assert reached[256] == pytest.approx(6, abs=0.2)
        assert reached[AUTO_MOST] == pytest.approx(10, abs=0.2)

    virtual(work())


@pytest.mark.parametrize(("seats", "most"), [(1, 64), (64, 128), (256, 512), (1024, AUTO_MOST)])
def test_auto_stops_where_answers_come_no_faster(seats: int, most: int) -> None:
    """At most one doubling too many; one seat with hundreds waiting would run into timeouts."""

    async def work() -> None:
        each = limiter("auto")
        _, reached = await load(Queue(seats, 1.0, 0.005).takes_s, each, 100 * min(seats, 100))
        assert max(reached) == each.slots == most

    virtual(work())


def test_auto_holds_where_a_server_says_503_beyond_so_many() -> None:
    async def work() -> None:
        each = limiter("auto")
        took_s, _ = await load(lambda count: 1.0 if count <= 100 else None, each, 3_000)
        assert each.slots == 128
        assert took_s < 40

    virtual(work())


def test_a_number_that_is_said_is_in_flight_at_once() -> None:
    async def work() -> None:
        _, reached = await load(lambda _: 2.0, limiter(800), 2_000)
        assert reached[800] < 0.3

    virtual(work())


# --- what a server says remains --------------------------------------------------------------


@dataclass
class Saying:
    """A window of so many that tells with every answer what is left of it, and until when."""

    window: FixedWindow
    with_limit: bool = True

    def takes(self, moment: float) -> bool:
        return self.window.takes(moment)

    def hints(self) -> RateHints:
        most, window_s = self.window.most, self.window.window_s
        left = max(0, most - self.window.counts[int(now() / window_s)])
        reset_s = window_s - now() % window_s
        limit = most if self.with_limit else None
        return RateHints(requests=Room(remaining=left, reset_s=reset_s, limit=limit))


def test_tokens_that_remain_are_spread_as_well() -> None:
    """A window of 5,000 tokens, of which a request takes 100."""

    async def work() -> None:
        server = Saying(FixedWindow(50, 10.0))

        def hints() -> RateHints:
            room = server.hints().requests
            assert room is not None
            left = 100 * room.remaining
            return RateHints(tokens=Room(remaining=left, reset_s=room.reset_s, limit=5_000))

        course = await press(server, limiter(16), 200, asks=lambda: 10.0, hints=hints)
        assert (course.refused, course.lost) == (0, 0)

    virtual(work())


@pytest.mark.parametrize("with_limit", [True, False])
@pytest.mark.parametrize(("most", "window_s"), [(30, 10.0), (100, 10.0), (500, 60.0)])
def test_no_refusal_is_provoked_where_a_server_says_what_is_left(
    most: int, window_s: float, with_limit: bool
) -> None:
    async def work() -> None:
        server = Saying(FixedWindow(most, window_s), with_limit)
        began = now()
        course = await press(
            server, limiter(16), 5 * most, asks=lambda: window_s, hints=server.hints
        )
        assert (course.refused, course.lost) == (0, 0)
        assert now() - began < 5 * window_s + 1

    virtual(work())


def test_a_full_bucket_is_used_and_then_kept_to() -> None:
    """OpenAI's reset is when all is there again: what remains over that time is far too little."""

    async def work() -> None:
        server = TokenBucket(500 / 60, 500, 500, now())

        def hints() -> RateHints:
            left = int(server.level)
            return RateHints(requests=Room(remaining=left, reset_s=(500 - left) / server.most))

        began = now()
        course = await press(server, limiter(32), 1_500, hints=hints)
        assert (course.refused, course.lost) == (0, 0)
        assert now() - began < 1_000 / server.most + 6

    virtual(work())


@pytest.mark.parametrize("remaining", [0, 1, 5])
@pytest.mark.parametrize("limit", [None, 500])
def test_nonsense_costs_a_minute_and_no_more(remaining: int, limit: int | None) -> None:
    """A server that always says the same, and takes whatever comes."""

    async def work() -> None:
        said = RateHints(requests=Room(remaining=remaining, reset_s=60.0, limit=limit))
        began = now()
        course = await press(Chance(0.0), limiter(16), 5_000, hints=lambda: said)
        assert (course.lost, len(course.answered)) == (0, 5_000)
        assert now() - began < 65

    virtual(work())


def test_hints_make_nothing_faster_than_configured() -> None:
    async def work() -> None:
        said = RateHints(requests=Room(remaining=1e9, reset_s=1.0))
        began = now()
        await press(Chance(0.0), limiter(16, rpm=60), 121, hints=lambda: said)
        assert now() - began >= 119

    virtual(work())
