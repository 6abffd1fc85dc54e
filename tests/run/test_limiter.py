from __future__ import annotations

import asyncio
import random
from collections import deque
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.run import limiter as module
from apieval.run.learned_rate import LONGEST_HOLD_S, MARGIN, Bucket
from apieval.run.limiter import Limiter, Permit, Verdict
from tests.run.virtual import limiter, now, virtual

CLEAN, REFUSED, FAULTY, DOWN = Verdict


async def at_once(each: Limiter, count: int, tokens: int = 1) -> list[Permit]:
    """Return the permits that can be had without time passing."""
    permits: list[Permit] = []
    began = now()
    for _ in range(count):
        with_time = asyncio.ensure_future(each.acquire(tokens))
        for _ in range(5):
            await asyncio.sleep(0)
        if not with_time.done():
            with_time.cancel()
            break
        permits.append(with_time.result())
    assert now() == began
    return permits


async def opened(each: Limiter) -> None:
    """Send one request and let so much time pass that every slot is open, and it is forgotten."""
    each.release(await each.acquire(0), FAULTY)
    await asyncio.sleep(100.0)


# --- slots -----------------------------------------------------------------------------------


@pytest.mark.parametrize("slots", [1, 3, 40])
def test_never_more_in_use_than_slots(slots: int) -> None:
    async def work() -> None:
        each = limiter(slots)
        flying, most = 0, 0

        async def one(number: int) -> None:
            nonlocal flying, most
            permit = await each.acquire(1)
            flying += 1
            most = max(most, flying)
            await asyncio.sleep(0.1 + number % 7 / 100)
            flying -= 1
            each.release(permit, CLEAN)

        await asyncio.gather(*(one(number) for number in range(4 * slots)))
        assert most == slots
        assert each.in_use == 0

    virtual(work())


def test_first_come_first_served() -> None:
    async def work() -> None:
        each = limiter(2)
        order: list[int] = []

        async def one(number: int) -> None:
            permit = await each.acquire(1)
            order.append(number)
            await asyncio.sleep(random.Random(number).random())
            each.release(permit, CLEAN)

        await asyncio.gather(*(one(number) for number in range(50)))
        assert order == list(range(50))

    virtual(work())


def test_slots_open_little_by_little() -> None:
    async def work() -> None:
        each = limiter(128)
        assert len(await at_once(each, 128)) == module.FIRST_SLOTS
        await asyncio.sleep(0.03)
        assert module.FIRST_SLOTS < each.in_use + len(await at_once(each, 128)) < 20
        await asyncio.sleep(0.08)
        await at_once(each, 128)
        assert each.in_use == 128

    virtual(work())


def test_slots_open_from_the_first_request_on() -> None:
    """However long the cache answered before."""

    async def work() -> None:
        each = limiter(128)
        await asyncio.sleep(10)
        assert len(await at_once(each, 128)) == module.FIRST_SLOTS

    virtual(work())


def test_those_who_wait_are_told_and_do_not_look() -> None:
    """Nobody polls: the first in the queue sleeps as long as it must, the others do not sleep."""

    async def work() -> None:
        sleeps: list[float] = []

        async def sleep(seconds: float) -> None:
            sleeps.append(seconds)
            await asyncio.sleep(seconds)

        each = Limiter(4, rpm=60, clock=now, sleep=sleep)
        waiting = [asyncio.ensure_future(each.acquire(1)) for _ in range(4)]
        await asyncio.gather(*waiting)
        assert len(sleeps) == 3
        fifth = asyncio.ensure_future(each.acquire(1))
        await asyncio.sleep(100)
        assert len(sleeps) == 3  # no slot is free: it sleeps until it is told
        each.release(waiting[0].result(), CLEAN)
        await asyncio.sleep(0)
        assert (await fifth).sent == now()

    virtual(work())


def test_one_who_leaves_the_queue_takes_nothing_along() -> None:
    async def work() -> None:
        each = limiter(1)
        first = await each.acquire(1)
        leaver, stayer = (asyncio.ensure_future(each.acquire(1)) for _ in range(2))
        await asyncio.sleep(1)
        leaver.cancel()
        await asyncio.sleep(1)
        each.release(first, CLEAN)
        each.release(await stayer, CLEAN)
        assert leaver.cancelled()
        assert each.in_use == 0

    virtual(work())


# --- requests and tokens a minute ------------------------------------------------------------


def most_in_a_minute(events: list[tuple[float, int]]) -> int:
    """Return the largest sum of amounts in any 60 seconds."""
    window: deque[tuple[float, int]] = deque()
    total = most = 0
    for moment, amount in events:
        window.append((moment, amount))
        total += amount
        while window[0][0] <= moment - 60:
            total -= window.popleft()[1]
        most = max(most, total)
    return most


async def sent(each: Limiter, amounts: list[int]) -> list[tuple[float, int]]:
    """Return when each of many impatient requests was let through."""
    events: list[tuple[float, int]] = []

    async def one(amount: int) -> None:
        permit = await each.acquire(amount)
        events.append((permit.sent, amount))
        await asyncio.sleep(0.01)
        each.release(permit, CLEAN)

    await asyncio.gather(*(one(amount) for amount in amounts))
    return events


@pytest.mark.parametrize("rpm", [1, 3, 10, 59, 60, 61, 100, 600, 2_000])
def test_no_minute_has_more_requests_than_allowed(rpm: int) -> None:
    async def work() -> None:
        events = await sent(limiter(64, rpm=rpm), [1] * (2 * rpm + 2))
        assert most_in_a_minute(events) <= rpm
        assert events[-1][0] - events[0][0] <= 60 * 2.3 + 61 * 2 / rpm

    virtual(work())


@settings(max_examples=12)
@given(st.lists(st.integers(1, 400), min_size=200, max_size=400))
def test_no_minute_has_more_tokens_than_allowed(amounts: list[int]) -> None:
    async def work() -> None:
        events = await sent(limiter(64, tpm=30_000), amounts)
        assert most_in_a_minute(events) <= 30_000

    virtual(work())


def test_a_request_larger_than_the_bucket_still_goes_and_is_paid_back() -> None:
    async def work() -> None:
        each = limiter(8, tpm=600)  # some ten tokens a second
        assert (await each.acquire(2_000)).sent == now()
        began = now()
        assert (await each.acquire(1)).sent - began == pytest.approx(203, abs=5)

    virtual(work())


def test_tokens_that_were_not_used_are_given_back() -> None:
    async def work() -> None:
        each = limiter(8, tpm=600)
        permit = await each.acquire(1_000)
        each.release(permit, CLEAN, tokens=10)
        assert (await each.acquire(1)).sent - permit.sent < 0.2

    virtual(work())


def test_tokens_used_beyond_the_estimate_are_taken_too() -> None:
    async def work() -> None:
        each = limiter(8, tpm=600)
        permit = await each.acquire(1)
        each.release(permit, CLEAN, tokens=1_000)
        assert (await each.acquire(1)).sent - permit.sent == pytest.approx(101, abs=3)

    virtual(work())


def test_unknown_usage_leaves_the_estimate() -> None:
    async def work() -> None:
        each = limiter(8, tpm=600)
        permit = await each.acquire(1_000)
        each.release(permit, CLEAN)
        assert (await each.acquire(1)).sent - permit.sent > 90

    virtual(work())


@given(st.floats(0.01, 1e4), st.floats(0.01, 10), st.lists(st.floats(0.01, 1e5), max_size=50))
def test_a_bucket_waits_once_and_never_overflows(
    rate: float, seconds: float, amounts: list[float]
) -> None:
    clock, capacity = 1_000_000.0, rate * seconds
    bucket = Bucket(rate, capacity, capacity, clock)
    for amount in amounts:
        clock += bucket.wait_s(clock, amount)
        assert bucket.wait_s(clock, amount) == 0.0
        bucket.take(amount)
        assert bucket.level <= capacity


# --- pauses ----------------------------------------------------------------------------------


def test_one_pause_holds_all_and_does_not_end_with_all_at_once() -> None:
    async def work() -> None:
        each = limiter(64)
        await opened(each)
        permits = await at_once(each, 40)
        paused = now()
        each.release(permits.pop(), FAULTY, retry_after_s=30)
        each.release(permits.pop(), FAULTY, retry_after_s=5)  # a shorter one takes nothing away
        for permit in permits:
            each.release(permit, CLEAN)
        first = await each.acquire(1)
        assert first.sent - paused == pytest.approx(30)
        assert each.in_use + len(await at_once(each, 64)) == module.FIRST_SLOTS

    virtual(work())


# --- what a refusal teaches ------------------------------------------------------------------


def rate(each: Limiter) -> float:
    assert each._learned.bucket is not None
    return each._learned.bucket.per_second


async def burst(each: Limiter, count: int) -> list[Permit]:
    await opened(each)
    permits = await at_once(each, count)
    assert len(permits) == count
    await asyncio.sleep(0.01)
    return permits


def test_the_first_refusal_teaches_a_rate_a_little_below_what_was_let_through() -> None:
    async def work() -> None:
        each = limiter(64)
        permits = await burst(each, 51)
        each.release(permits[-1], REFUSED, retry_after_s=1.0)
        assert rate(each) == pytest.approx(50 * MARGIN)

    virtual(work())


def test_a_longer_wait_means_a_longer_window() -> None:
    async def work() -> None:
        each = limiter(64)
        permits = await burst(each, 41)
        each.release(permits[-1], REFUSED, retry_after_s=20.0)
        assert rate(each) == pytest.approx(40 / 20 * MARGIN)

    virtual(work())


@pytest.mark.parametrize("backwards", [False, True])
def test_refusals_of_the_same_burst_count_from_the_first_sent_and_cut_once(
    backwards: bool,
) -> None:
    async def work() -> None:
        each = limiter("auto")
        permits = await burst(each, 30)
        slots = each.slots
        for permit in sorted(permits[22:], key=lambda permit: permit.number, reverse=backwards):
            each.release(permit, REFUSED, retry_after_s=1.0)
        assert each.slots == int(slots * module.CUT)
        assert rate(each) == pytest.approx(22 * MARGIN)

    virtual(work())


def test_a_burst_of_nothing_but_refusals_leaves_a_rate_above_zero() -> None:
    async def work() -> None:
        each = limiter(64)
        for permit in await burst(each, 30):
            each.release(permit, REFUSED)
        assert rate(each) == pytest.approx(MARGIN)

    virtual(work())


def test_a_new_refusal_is_a_new_lesson_and_never_teaches_more_than_the_last() -> None:
    async def work() -> None:
        each = limiter(64)
        permits = await burst(each, 21)
        each.release(permits[-1], REFUSED, retry_after_s=1.0)
        before = rate(each)
        await asyncio.sleep(2)
        later = await each.acquire(1)
        assert later.sent > permits[0].sent
        await asyncio.sleep(0.01)
        each.release(later, REFUSED, retry_after_s=1.0)
        assert rate(each) <= before * MARGIN

    virtual(work())


def test_the_learned_rate_spaces_requests_evenly() -> None:
    async def work() -> None:
        each = limiter(64)
        permits = await burst(each, 51)
        for permit in permits[:-1]:
            each.release(permit, CLEAN)
        each.release(permits[-1], REFUSED, retry_after_s=1.0)
        events = [moment for moment, _ in await sent(each, [1] * 100)]
        assert events[0] - permits[-1].sent >= 1.0
        gaps = [later - earlier for earlier, later in pairwise(events)]
        assert min(gaps[1:]) == pytest.approx(1 / 48.5, rel=0.01)

    virtual(work())


def test_faults_are_no_sign_of_room() -> None:
    async def work() -> None:
        each = limiter(64)
        permits = await burst(each, 51)
        each.release(permits[-1], REFUSED)
        before = rate(each)
        await asyncio.sleep(60)
        each.release(permits[0], FAULTY)
        assert rate(each) == before
        each.release(permits[1], CLEAN)
        assert rate(each) > before

    virtual(work())


# --- auto ------------------------------------------------------------------------------------


async def round_of(each: Limiter, verdict: Verdict = CLEAN, count: int | None = None) -> None:
    """Use every slot, or so many, once."""
    permits = [await each.acquire(1) for _ in range(count or each.slots)]
    await asyncio.sleep(0.05)
    for permit in permits:
        each.release(permit, verdict)


async def full(each: Limiter, answers: int, verdict: Verdict = CLEAN) -> None:
    """Keep every slot in use for so many answers."""
    flying = [await each.acquire(1) for _ in range(each.slots)]
    for _ in range(answers):
        each.release(flying.pop(0), verdict)
        while len(flying) < each.slots:
            flying.append(await each.acquire(1))
    for permit in flying:
        each.release(permit, FAULTY)


def test_auto_doubles_with_every_clean_round_up_to_its_most() -> None:
    async def work() -> None:
        each = limiter("auto")
        assert each.slots == module.AUTO_FIRST
        seen = []
        for _ in range(7):
            await full(each, each.slots)
            seen.append(each.slots)
        assert seen == [64, 128, 256, 512, 768, 768, 768]

    virtual(work())


def test_auto_does_not_grow_where_slots_are_not_used() -> None:
    async def work() -> None:
        each = limiter("auto")
        for _ in range(20):
            await round_of(each, count=each.slots // 2)
        assert each.slots == module.AUTO_FIRST

    virtual(work())


def test_a_fixed_number_stays() -> None:
    async def work() -> None:
        each = limiter(10)
        await full(each, 100)
        permit = await each.acquire(1)
        each.release(permit, REFUSED)
        assert each.slots == each.most == 10

    virtual(work())


def test_faults_hold_the_growth_and_cut_nothing() -> None:
    async def work() -> None:
        each = limiter("auto")
        for _ in range(5):
            await full(each, module.AUTO_FIRST - 1)  # one more, and they would double
            await full(each, 3, FAULTY)
        assert each.slots == module.AUTO_FIRST

    virtual(work())


def test_auto_is_cut_at_most_once_in_fifteen_seconds() -> None:
    async def work() -> None:
        each = limiter("auto")
        seen = []
        for pause in (0.0, 5.0, 9.0, 2.0):
            await asyncio.sleep(pause)
            permit = await each.acquire(1)
            await asyncio.sleep(0.001)
            each.release(permit, REFUSED)
            seen.append(each.slots)
        first = int(module.AUTO_FIRST * module.CUT)
        assert seen == [first, first, first, int(first * module.CUT)]

    virtual(work())


def test_after_a_lesson_auto_grows_slowly() -> None:
    async def work() -> None:
        each = limiter("auto")
        await burst(each, 20)
        refused = await each.acquire(1)
        each.release(refused, REFUSED)
        before = each.slots
        each.in_use = before  # as if every slot were in use
        for _ in range(before):
            each.in_use += 1
            each.release(refused, CLEAN)
        assert each.slots == int(before * module.SLOW_GROWTH + 1)

    virtual(work())


# --- a server that is not up -----------------------------------------------------------------


def test_a_server_that_is_down_is_looked_at_by_one_at_a_time() -> None:
    async def work() -> None:
        each = limiter(16)
        await opened(each)
        for permit in await at_once(each, 16):
            each.release(permit, DOWN)
        looks: list[float] = []
        flying, most = 0, 0

        async def one() -> None:
            nonlocal flying, most
            while True:
                permit = await each.acquire(1)
                flying += 1
                most = max(most, flying)
                looks.append(now())
                await asyncio.sleep(0.2)
                flying -= 1
                up = len(looks) >= 6
                each.release(permit, CLEAN if up else DOWN)
                if up:
                    return

        await asyncio.gather(*(one() for _ in range(8)))
        first = looks[:6]
        assert most > 1  # up again: all of them
        gaps = [later - earlier for earlier, later in pairwise(first)]
        assert min(gaps) >= module.PROBE_S

    virtual(work())


def test_a_server_that_is_down_is_not_looked_at_before_it_asked_for() -> None:
    async def work() -> None:
        each = limiter(16)
        first = await each.acquire(1)
        each.release(first, DOWN, retry_after_s=20)
        assert (await each.acquire(1)).sent - first.sent == pytest.approx(20)

    virtual(work())


def test_an_endpoint_that_was_heard_is_not_down_for_all_when_it_is_for_one_model() -> None:
    async def work() -> None:
        each = limiter(16)
        await opened(each)
        permits = await at_once(each, 16)
        each.release(permits.pop(), CLEAN)
        for permit in permits:
            each.release(permit, DOWN)
        permits = await at_once(each, 16)
        assert len(permits) == 16
        await asyncio.sleep(module.HEARD_S)  # nothing more is heard: down for all
        for permit in permits:
            each.release(permit, DOWN)
        await asyncio.sleep(module.PROBE_S)
        assert len(await at_once(each, 16)) == 1

    virtual(work())


# --- refusals that do not follow the rate ----------------------------------------------------


async def lessons(each: Limiter, count: int) -> None:
    for _ in range(count):
        permit = await each.acquire(1)
        await asyncio.sleep(0.01)
        each.release(permit, REFUSED)
        await asyncio.sleep(0.01)


def test_after_too_many_lessons_the_slots_follow_instead_of_the_rate() -> None:
    async def work() -> None:
        each = limiter(64)
        for permit in await burst(each, 30):
            each.release(permit, CLEAN)
        await lessons(each, module.LESSONS)
        assert each._learned.bucket is not None
        assert each.slots == 64
        await lessons(each, 1)
        assert each._learned.bucket is None
        assert each.slots == 64
        await lessons(each, 2)
        assert each._learned.bucket is None
        assert each.slots == int(int(64 * module.CUT) * module.CUT)
        await full(each, each.slots)
        assert each.slots == int(40 * module.SLOW_GROWTH + 1)
        await asyncio.sleep(module.DEAF_S)
        await lessons(each, 1)
        assert each._learned.bucket is not None

    virtual(work())


def test_refusals_of_more_than_was_known_to_go_are_no_sign_of_chance() -> None:
    async def work() -> None:
        each = limiter(64)
        for permit in await burst(each, 30):
            each.release(permit, CLEAN)
        for _ in range(3 * module.LESSONS):
            await lessons(each, 1)
            await asyncio.sleep(2 * LONGEST_HOLD_S)
            each.release(await each.acquire(1), CLEAN)
        assert each._learned.bucket is not None

    virtual(work())


def test_a_shortage_of_this_machine_holds_the_slots_to_what_it_has_and_lets_them_grow_again() -> (
    None
):
    async def work() -> None:
        each = limiter(100)
        await opened(each)
        permits = await at_once(each, 100)
        for _ in range(60):
            each.give_back()
        assert (each.in_use, each.slots, each.most) == (40, 40 - module.AIR, 100)
        assert not await at_once(each, 1)
        for permit in permits[60:]:
            each.release(permit, CLEAN)
        assert 40 - module.AIR < len(await at_once(each, 100)) < 40  # by a slow step

    virtual(work())


def test_a_shortage_leaves_one_slot_at_least() -> None:
    async def work() -> None:
        each = limiter(3)
        for _ in range(5):
            await each.acquire(1)
            each.give_back()
        assert (each.in_use, each.slots) == (0, 1)

    virtual(work())
