from __future__ import annotations

import asyncio
import errno
import os
import socket
from contextlib import suppress
from itertools import pairwise
from typing import Final

import pytest

from apieval.errors import (
    AttemptFailed,
    ItemFailure,
    LocalShortage,
    TransientFailure,
    Unexpected,
)
from apieval.records import Reply, Request
from apieval.run.retry import LATE_S, AwakeTimeout, attempt_within
from tests.run.virtual import VirtualLoop, now, virtual


def test_what_takes_longer_ends_at_the_limit() -> None:
    async def work() -> None:
        began = now()
        with pytest.raises(TimeoutError):
            async with AwakeTimeout(5.0):
                await asyncio.sleep(60)
        assert now() - began == pytest.approx(5.0)

    virtual(work())


def test_what_is_done_in_time_is_left_alone() -> None:
    async def work() -> None:
        async with AwakeTimeout(5.0):
            await asyncio.sleep(4)
        await asyncio.sleep(10)

    virtual(work())


def test_other_ends_pass_through() -> None:
    async def work() -> None:
        with pytest.raises(ValueError, match="own"):
            async with AwakeTimeout(5.0):
                raise ValueError("own")

        async def long() -> None:
            async with AwakeTimeout(5.0):
                await asyncio.sleep(60)

        task = asyncio.ensure_future(long())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    virtual(work())


LIMIT_S: Final = 5.0


def dozed(seconds: float, work_s: float, again_s: float = 0.0) -> tuple[bool, float]:
    """Let the process sleep, then work so long; return whether it was let, and how long it had."""
    had: list[tuple[bool, float]] = []

    async def work() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualLoop)
        done, woken = False, 0.0
        with suppress(TimeoutError):
            async with AwakeTimeout(LIMIT_S):
                loop.doze(seconds)
                woken = now()
                await asyncio.sleep(0.001)
                loop.doze(again_s)
                await asyncio.sleep(work_s)
                done = True
        had.append((done, now() - woken))

    virtual(work())
    return had[0]


@pytest.mark.parametrize("seconds", [LIMIT_S + 0.1, 2 * LIMIT_S, 100_000.0])
def test_what_came_while_the_process_slept_is_still_taken(seconds: float) -> None:
    done, _ = dozed(seconds, 0.05)
    assert done


def test_what_was_slept_past_the_limit_is_given_once_more() -> None:
    done, had_s = dozed(LIMIT_S + 2, 60.0)
    assert not done
    assert had_s == pytest.approx(2.0)


def test_after_a_night_nobody_waits_for_another() -> None:
    done, had_s = dozed(30_000.0, 60.0)
    assert not done
    assert had_s == pytest.approx(LIMIT_S)


def test_a_process_that_sleeps_again_and_again_comes_to_an_end() -> None:
    done, had_s = dozed(30_000.0, 60.0, again_s=100.0)
    assert not done
    assert had_s == pytest.approx(100.0, abs=0.1)


def test_a_timer_that_is_a_little_late_is_no_sleep() -> None:
    done, had_s = dozed(LIMIT_S + LATE_S / 2, 1.0)
    assert not done
    assert had_s < 0.01


def _chained(*errors: BaseException) -> BaseException:
    """Return the last error, each the context of the next, as libraries wrap what they catch."""
    for inner, outer in pairwise(errors):
        outer.__context__ = inner
    return errors[-1]


def _billed(failure: AttemptFailed) -> AttemptFailed:
    failure.billed = True
    return failure


NO_FILES: Final = OSError(errno.EMFILE, os.strerror(errno.EMFILE))


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (_chained(NO_FILES, TransientFailure("no reply")), LocalShortage),
        (_chained(NO_FILES, ValueError(), KeyError(), TransientFailure("no reply")), LocalShortage),
        (_chained(OSError(errno.ENFILE, ""), TransientFailure("no reply")), LocalShortage),
        (_chained(OSError(errno.ECONNRESET, ""), TransientFailure("no reply")), TransientFailure),
        (_chained(socket.gaierror(-2, ""), TransientFailure("no such name")), TransientFailure),
        (_chained(NO_FILES, _billed(TransientFailure("cut"))), TransientFailure),
        (_chained(NO_FILES, ItemFailure("unreadable")), ItemFailure),
        (NO_FILES, Unexpected),
    ],
    ids=repr,
)
def test_a_shortage_of_files_before_anything_was_sent_is_told_apart(
    error: BaseException, kind: type[AttemptFailed]
) -> None:
    class Short:
        async def attempt(self, request: Request) -> Reply:
            raise error

        async def aclose(self) -> None:
            pass

    asked = Request(id=0, setting="regular", sample=0, messages=(), identity="", key="")
    with pytest.raises(AttemptFailed) as caught:
        asyncio.run(attempt_within(1.0, Short(), asked))
    assert type(caught.value) is kind
