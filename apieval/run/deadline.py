"""A limit on the time an attempt may take, of which time that this process slept is no part.

A process that is stopped (SIGSTOP, Ctrl-Z, a debugger, a suspended virtual machine) wakes with all of
its timers due, and with whatever arrived meanwhile still unread in its sockets. A limit that were
kept to the letter would throw away answers that came in time, and are paid.
"""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from types import TracebackType
from typing import Final

from apieval.errors import AttemptFailed, LocalShortage, TransientFailure
from apieval.providers.base import Provider, unexpected
from apieval.schema import Reply, Request

_SHORTAGES: Final = {errno.EMFILE, errno.ENFILE, errno.ENOBUFS}
_NO_FILES: Final = "this machine lets the process open no more files or connections (see ulimit -n)"
LATE_S: Final = 0.05
"""A timer later than this was slept through; those of a busy loop are some milliseconds late."""


class AwakeTimeout:
    """Limit the time of what is inside, in seconds; what was slept past the limit is given once more.

    No more than `seconds` of it in all, so that nothing hangs for ever, and after a night nobody
    waits for another one. As of `asyncio.timeout`, a TimeoutError comes out where the time is over.
    """

    __slots__ = ("_due", "_limit", "_loop", "_more_s", "_timer")

    def __init__(self, seconds: float) -> None:
        """Begin with `async with`."""
        self._more_s = seconds
        self._limit = asyncio.timeout(None)

    async def __aenter__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._due = self._loop.time() + self._more_s
        self._timer = self._loop.call_at(self._due, self._over)
        await self._limit.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._timer.cancel()
        await self._limit.__aexit__(kind, error, traceback)

    def _over(self) -> None:
        now = self._loop.time()
        late_s = now - self._due
        if late_s <= LATE_S or self._more_s <= 0:
            self._limit.reschedule(now)
            return
        more_s = min(late_s, self._more_s)
        self._more_s -= more_s
        self._due = now + more_s
        self._timer = self._loop.call_at(self._due, self._over)


async def attempt_within(
    seconds: float, provider: Provider, request: Request, remedy: str = ""
) -> Reply:
    """Attempt once under a limit on the whole of it, which no client's own timeout is.

    Raises:
        AttemptFailed: whatever went wrong; `remedy` is said behind what took too long.
    """
    try:
        async with AwakeTimeout(seconds):
            return await provider.attempt(request)
    except TimeoutError:
        late = TransientFailure(f"no whole reply within {seconds:g} s{remedy}")
        late.billed = True
        raise late from None
    except AttemptFailed as error:
        # with a reply there may be a shortage too, and that was sent, and is paid
        unsent = isinstance(error, TransientFailure) and not (error.billed or error.unsettled)
        if unsent and _is_short(error):
            raise LocalShortage(_NO_FILES) from error
        raise
    except BaseException as error:
        if ends_all(error):
            raise
        raise unexpected(error) from error


def _is_short(error: BaseException | None) -> bool:
    """Say whether this machine had no descriptor for a connection, whatever was made of that.

    A name that cannot be looked up for want of one says nothing of it: there it is tried.
    """
    while error is not None:
        if isinstance(error, OSError):
            if error.errno in _SHORTAGES:
                return True
            if isinstance(error, socket.gaierror):
                return _none_left()
        error = error.__cause__ or error.__context__
    return False


def _none_left() -> bool:
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
    except OSError as error:
        return error.errno in _SHORTAGES
    return False


def ends_all(error: BaseException) -> bool:
    """Say whether an exception is the user's or the event loop's word, and no fault of one item.

    A cancellation is one where this task was told to end, not where a library cancelled itself; nor is
    what a library raises beyond all exceptions (a panic of Rust's, an exit) the end of a run.
    """
    if isinstance(error, BaseExceptionGroup):
        return any(map(ends_all, error.exceptions))
    if isinstance(error, asyncio.CancelledError):
        task = asyncio.current_task()
        return task is None or task.cancelling() > 0
    return isinstance(error, KeyboardInterrupt | GeneratorExit)
