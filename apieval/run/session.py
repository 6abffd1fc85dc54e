"""The event loop of a run: started wherever we are, stopped in order by the user's signals."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from typing import Any


def drive(work: Coroutine[None, None, None], stop: Callable[[], None]) -> None:
    """Run async work to its end, also where a loop is running already, as in a notebook.

    There the work has a thread of its own, and the user's interrupt calls `stop` in its loop: as
    often as it comes, since a second one does not wait for what is on its way.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    raised: list[BaseException] = []
    loops: list[asyncio.AbstractEventLoop] = []

    async def known() -> None:
        loops.append(asyncio.get_running_loop())
        await work

    def target() -> None:
        try:
            asyncio.run(known())
        except BaseException as error:  # noqa: BLE001 # handed to the caller's thread
            raised.append(error)
        finally:
            over.set()

    # an event, since a thread whose join was interrupted passes for ended on Python 3.11
    over = threading.Event()
    threading.Thread(target=target, name="apieval-run").start()
    while not over.is_set():
        try:
            over.wait()
        except KeyboardInterrupt:
            for loop in loops:
                with suppress(RuntimeError):  # closed meanwhile: it is over
                    loop.call_soon_threadsafe(stop)
    if raised:
        raise raised[0]


@contextmanager
def stopping_on_signals(stop: Callable[[], None]) -> Iterator[None]:
    """Call `stop` on Ctrl-C, on SIGTERM and where the terminal is gone; in a running loop.

    Who had one of them ignored (`nohup`) is not disturbed by it.
    """
    loop = asyncio.get_running_loop()
    caught: dict[signal.Signals, Any] = {}
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        each = getattr(signal.Signals, name, None)  # Windows has no SIGHUP
        before = signal.getsignal(each) if each else None
        if each is None or before is signal.SIG_IGN:
            continue
        try:
            loop.add_signal_handler(each, stop)
        except (NotImplementedError, RuntimeError, ValueError):
            continue  # not the main thread, or Windows: the interpreter's own handler stays
        caught[each] = before
    try:
        yield
    finally:
        for each, before in caught.items():
            loop.remove_signal_handler(each)
            if before is not None:  # a handler that is not Python's own cannot be given back
                signal.signal(each, before)
