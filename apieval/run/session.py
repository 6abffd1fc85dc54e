"""The event loop of a run: started wherever we are, stopped in order by the user's signals."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager
from typing import Any


def drive(work: Coroutine[None, None, None]) -> None:
    """Run async work to its end, also where a loop is running already, as in a notebook."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work)
        return
    raised: list[BaseException] = []
    stops: list[Callable[[], object]] = []

    async def stoppable() -> None:
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        if task:
            stops.append(lambda: loop.call_soon_threadsafe(task.cancel))
        await work

    def target() -> None:
        try:
            asyncio.run(stoppable())
        except BaseException as error:  # noqa: BLE001 # handed to the caller's thread
            raised.append(error)

    thread = threading.Thread(target=target, name="apieval-run")
    thread.start()
    try:
        thread.join()
    except KeyboardInterrupt:  # nobody is left to collect what the thread would go on asking for
        for stop in stops:
            stop()
        thread.join()
        raise
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
