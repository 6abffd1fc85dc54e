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
    with _handled(lambda *_: loop.call_soon_threadsafe(stop)):
        yield


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """Have SIGTERM, and a terminal that is gone, interrupt as Ctrl-C does, not end the process.

    A program that handles them in its own way goes on doing so.
    """
    with _handled(signal.default_int_handler, signal.SIG_DFL):
        yield


@contextmanager
def undisturbed() -> Iterator[None]:
    """Let no second signal interrupt what is about to be said of the first; it must be short."""
    with _handled(signal.SIG_IGN, signal.default_int_handler):
        yield


@contextmanager
def _handled(handler: Any, instead_of: Any = None) -> Iterator[None]:  # noqa: ANN401 # as signal's
    """Have the signals that end a program go to a handler, each that is not ignored.

    With `instead_of` only those that went there. There is no moment at which one of them would end
    the process, as there is where the loop's own handlers are removed.
    """
    caught: dict[signal.Signals, Any] = {}
    try:
        for name in ("SIGINT", "SIGTERM", "SIGHUP"):
            each = getattr(signal.Signals, name, None)  # Windows has no SIGHUP
            before = signal.getsignal(each) if each else None
            if each is None or before is signal.SIG_IGN or instead_of not in (None, before):
                continue
            caught[each] = before
            try:
                signal.signal(each, handler)
            except ValueError:  # not the main thread: the interpreter's own handler stays
                del caught[each]
        yield
    finally:
        for each, before in caught.items():
            # a handler that is not Python's own cannot be given back
            signal.signal(each, signal.SIG_DFL if before is None else before)
