from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
)
from apieval.records import Reply, Usage
from apieval.run.retry import EMPTY_ATTEMPTS, WASTED_ATTEMPTS, Asked, RetryPolicy, ask

GOOD = Reply(text="Soluzione: Verità nascosta", finish_reason="stop")
EMPTY = Reply(text=" \n", finish_reason="stop")
CUT = Reply(text="", finish_reason="length")
FAULT = TransientFailure("guasto", status=500)


@dataclass
class Clock:
    """A clock that moves by what is slept, and by `each_s` for every attempt."""

    each_s: float = 0.0
    now: float = 1_000.0
    slept: list[float] = field(default_factory=list)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds

    def policy(self, **changes: float) -> RetryPolicy:
        return RetryPolicy(
            max_retries=int(changes.pop("max_retries", 5)),
            clock=lambda: self.now,
            sleep=self.sleep,
            random=random.Random(1),
            **changes,
        )


@dataclass
class Attempts:
    """Attempts that end as listed, the last one for ever."""

    ends: list[Reply | BaseException]
    clock: Clock = field(default_factory=Clock)
    made: int = 0

    async def __call__(self) -> Reply:
        end = self.ends[min(self.made, len(self.ends) - 1)]
        self.made += 1
        self.clock.now += self.clock.each_s
        if isinstance(end, BaseException):
            raise end
        return end


def asked(
    attempt: Callable[[], Awaitable[Reply]],
    policy: RetryPolicy,
    forgiven: Callable[[AttemptFailed], bool] = lambda _: False,
) -> Asked:
    """How asking ended, but for what it cost."""
    return replace(asyncio.run(ask(attempt, policy, forgiven)), billed=())


@pytest.mark.parametrize("retries", [0, 1, 2, 7])
def test_makes_exactly_one_attempt_more_than_retries(retries: int) -> None:
    attempt = Attempts([FAULT])
    end = asked(attempt, attempt.clock.policy(max_retries=retries))
    assert attempt.made == 1 + retries
    assert end == Asked(1 + retries, None, FAULT)
    assert len(attempt.clock.slept) == retries


def test_a_good_answer_ends_it() -> None:
    attempt = Attempts([FAULT, ServerDown("giù"), GOOD])
    assert asked(attempt, attempt.clock.policy()) == Asked(3, GOOD, None)


@pytest.mark.parametrize("kind", [ItemFailure, ContentRefused, RunFailure, AttemptFailed])
def test_what_cannot_pass_is_not_tried_again(kind: type[AttemptFailed]) -> None:
    failure = kind("mai", status=400)
    attempt = Attempts([failure])
    assert asked(attempt, attempt.clock.policy()) == Asked(1, None, failure)
    assert attempt.clock.slept == []


@pytest.mark.parametrize("error", [ValueError("un errore nostro"), KeyboardInterrupt()])
def test_what_is_no_failed_attempt_passes_through(error: BaseException) -> None:
    attempt = Attempts([FAULT, error])
    with pytest.raises(type(error)) as caught:
        asked(attempt, attempt.clock.policy())
    assert caught.value is error
    assert attempt.made == 2


@pytest.mark.parametrize("where", ["attempt", "wait"])
def test_cancellation_passes_through(where: str) -> None:
    made = 0

    async def work() -> None:
        reached = asyncio.Event()

        async def attempt() -> Reply:
            nonlocal made
            made += 1
            if where == "wait":
                raise FAULT
            reached.set()
            await asyncio.Event().wait()
            return GOOD

        async def sleep(_: float) -> None:
            reached.set()
            await asyncio.Event().wait()

        task = asyncio.create_task(ask(attempt, RetryPolicy(sleep=sleep)))
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert task.cancelled()

    asyncio.run(work())
    assert made == 1


# --- what counts ------------------------------------------------------------------------------


def test_every_reply_that_came_is_billed() -> None:
    dear = [Reply(text=text, usage=Usage(completion_tokens=n)) for n, text in ((7, " "), (9, "x"))]
    attempt = Attempts([dear[0], FAULT, dear[1]])
    end = asyncio.run(ask(attempt, attempt.clock.policy()))
    assert end == Asked(3, dear[1], None, (dear[0].usage, dear[1].usage))


@pytest.mark.parametrize(("queued_s", "attempts"), [(0.0, 3), (20.0, 5)])
def test_time_in_the_queue_does_not_count_against_the_deadline(
    queued_s: float, attempts: int
) -> None:
    attempt = Attempts([FAULT], Clock(each_s=10.0))
    policy = attempt.clock.policy(deadline_s=30.0, first_wait_s=0.0, max_retries=50)
    end = asyncio.run(ask(attempt, policy, lambda _: False, lambda: queued_s))
    assert end.attempts == attempts


# --- empty answers ---------------------------------------------------------------------------


def test_an_empty_answer_is_asked_for_once_more() -> None:
    attempt = Attempts([EMPTY, GOOD])
    assert asked(attempt, attempt.clock.policy()) == Asked(2, GOOD, None)


def test_answers_that_stay_empty_are_the_models() -> None:
    attempt = Attempts([EMPTY])
    assert asked(attempt, attempt.clock.policy()) == Asked(EMPTY_ATTEMPTS, EMPTY, None)


def test_without_retries_an_empty_answer_is_taken() -> None:
    attempt = Attempts([EMPTY])
    assert asked(attempt, attempt.clock.policy(max_retries=0)) == Asked(1, EMPTY, None)


def test_failures_before_do_not_count_as_empty_answers() -> None:
    attempt = Attempts([FAULT, EMPTY, FAULT, GOOD])
    assert asked(attempt, attempt.clock.policy()) == Asked(4, GOOD, None)


def test_empty_answers_use_up_retries() -> None:
    attempt = Attempts([FAULT, FAULT, EMPTY])
    assert asked(attempt, attempt.clock.policy(max_retries=2)) == Asked(3, EMPTY, None)


def test_a_cut_answer_is_not_asked_for_again() -> None:
    attempt = Attempts([CUT])
    assert asked(attempt, attempt.clock.policy()) == Asked(1, CUT, None)


# --- forgiven failures -----------------------------------------------------------------------


def test_forgiven_failures_use_up_nothing() -> None:
    down = ServerDown("giù")
    attempt = Attempts([*[down] * 20, FAULT, FAULT, GOOD])
    end = asked(
        attempt,
        attempt.clock.policy(max_retries=2),
        lambda failure: isinstance(failure, ServerDown),
    )
    assert end == Asked(3, GOOD, None)
    assert attempt.made == 23


def test_what_is_raised_instead_of_forgiving_is_the_end() -> None:
    too_long = RunFailure("troppo a lungo")

    def forgiven(_: AttemptFailed) -> bool:
        raise too_long

    attempt = Attempts([ServerDown("giù")])
    assert asked(attempt, attempt.clock.policy(), forgiven).failure is too_long
    assert attempt.made == 1


# --- waits -----------------------------------------------------------------------------------


def test_the_deadline_holds_over_attempts_and_waits() -> None:
    attempt = Attempts([FAULT], Clock(each_s=4.0))
    end = asked(attempt, attempt.clock.policy(max_retries=100, deadline_s=60.0))
    assert end.failure is FAULT
    assert 56 - 16 <= attempt.clock.now - 1_000 <= 60 + 4
    began_last = attempt.clock.now - 4.0
    assert began_last - 1_000 < 60


def test_nobody_waits_for_an_attempt_beyond_the_deadline() -> None:
    attempt = Attempts([FAULT])
    policy = attempt.clock.policy(deadline_s=30.0, first_wait_s=1e9, longest_wait_s=1e9)
    assert asked(attempt, policy).attempts == 1
    assert attempt.clock.slept == []


@given(
    attempts=st.integers(1, 60),
    first=st.floats(0.001, 10),
    longest=st.floats(0.001, 600),
    seed=st.integers(),
)
def test_jitter_is_full_and_bounded(attempts: int, first: float, longest: float, seed: int) -> None:
    bounds: list[tuple[float, float]] = []

    class Spy(random.Random):
        def uniform(self, a: float, b: float) -> float:
            bounds.append((a, b))
            return super().uniform(a, b)

    policy = RetryPolicy(first_wait_s=first, longest_wait_s=longest, random=Spy(seed))
    wait = policy.wait_s(attempts, FAULT)
    ((low, high),) = bounds
    assert low == 0
    assert high == pytest.approx(min(longest, first * 2 ** (attempts - 1)))
    assert 0 <= wait <= longest


@pytest.mark.parametrize("attempts", [0, 1, 1_024, 1_100, 10**6])
def test_any_number_of_attempts_has_a_wait(attempts: int) -> None:
    assert 0 <= RetryPolicy().wait_s(attempts, FAULT) <= RetryPolicy().longest_wait_s


def test_where_the_server_named_a_time_the_endpoint_waits_and_nothing_is_added() -> None:
    assert RetryPolicy().wait_s(3, TransientFailure("", retry_after_s=7.0)) == 0


@pytest.mark.parametrize("asked_s", [0.0, 1e-9, 0.02])
def test_a_server_that_asks_for_hardly_any_wait_gets_the_usual_one(asked_s: float) -> None:
    failure = TransientFailure("", status=429, retry_after_s=asked_s)
    assert RetryPolicy(random=random.Random(1)).wait_s(3, failure) > 0


# --- replies that were paid for and are none --------------------------------------------------


def test_a_generation_that_was_broken_off_is_asked_again() -> None:
    half = Reply(text="Procediamo", finish_reason="abort")
    attempt = Attempts([half, GOOD])
    assert asked(attempt, attempt.clock.policy()) == Asked(2, GOOD, None)


def test_replies_paid_for_in_vain_are_few() -> None:
    wasted = TransientFailure("illeggibile", status=200)
    wasted.billed = True
    attempt = Attempts([wasted])
    end = asyncio.run(ask(attempt, attempt.clock.policy(max_retries=50)))
    assert end.attempts == WASTED_ATTEMPTS
    assert end.billed == (Usage(),) * WASTED_ATTEMPTS  # of a cost nobody knows
