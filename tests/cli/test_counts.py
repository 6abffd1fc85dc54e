"""The few words that say how far a run is: no old failures, no end foretold from waiting."""

from __future__ import annotations

from apieval.cli.progress import RECENT_S, Counts
from apieval.errors import ServerDown, TransientFailure
from tests.records import response


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def answered(counts: Counts, clock: Clock, times: int, each_s: float = 1.0) -> None:
    for number in range(times):
        clock.now += each_s
        counts.answered(response(id=number))
        counts.pressed(1, 8)


def test_a_failure_is_named_while_it_is_recent_and_counted_at_the_end() -> None:
    clock = Clock()
    counts = Counts(10, clock=clock)
    counts.stumbled(TransientFailure("HTTP 500 from there: ahi"))
    assert "1 attempt failed, the last: HTTP 500 from there: ahi" in counts.state()
    answered(counts, clock, 2, RECENT_S)
    assert "failed" not in counts.state()
    assert counts.state(over=True).endswith("1 attempt failed")
    counts.stumbled(TransientFailure("HTTP 502 from there"))
    assert "2 attempts failed, the last: HTTP 502 from there" in counts.state()


def test_while_a_run_waits_it_says_so_and_foretells_nothing() -> None:
    clock = Clock()
    counts = Counts(10, clock=clock)
    answered(counts, clock, 4)
    assert "0:00:06 left" in counts.state()
    for _ in range(60):
        clock.now += 1.0
        counts.pressed(0, 8)
    assert "waiting" in counts.state()
    assert "left" not in counts.state()
    assert "waiting" not in counts.state(over=True)
    answered(counts, clock, 1)
    assert "0:00:05 left" in counts.state(), "the minute of waiting is none of the rate's"
    assert "waiting" not in counts.state()
    assert "1.0/s" in counts.state()


def test_a_server_that_was_never_up_is_waited_for() -> None:
    clock = Clock()
    counts = Counts(3, clock=clock)
    clock.now += 1.0
    counts.stumbled(ServerDown("nothing listens at http://127.0.0.1:9"))
    counts.pressed(0, 8)
    said = counts.state()
    assert said.startswith("0 of 3, waiting")
    assert "left" not in said


def test_answers_that_come_between_two_looks_are_no_waiting() -> None:
    clock = Clock()
    counts = Counts(10, clock=clock)
    counts.pressed(1, 8)
    clock.now += 1.0
    counts.answered(response(id=1))
    counts.pressed(0, 8)
    assert "0:00:09 left" in counts.state()


def test_a_stopped_run_counts_down_and_foretells_no_end_of_the_rest() -> None:
    clock = Clock()
    counts = Counts(10, clock=clock)
    answered(counts, clock, 2)
    counts.waiting(3, 75.2)
    assert counts.state().startswith(
        "stopping: 3 requests on the way, 0:01:15 left for them, 2 of 10"
    )
    assert "left, ok" not in counts.state()
    assert counts.state(over=True).startswith("2 of 10, ok 2")
