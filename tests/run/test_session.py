from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from apieval.run.session import drive, stopping_on_signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


async def fails() -> None:
    await asyncio.sleep(0)
    raise ValueError("dentro")


def test_work_is_driven_to_its_end() -> None:
    done: list[threading.Thread] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(threading.current_thread())

    drive(work())
    assert done == [threading.current_thread()]
    with pytest.raises(ValueError, match="dentro"):
        drive(fails())


def test_where_a_loop_is_running_already_it_is_driven_beside_it() -> None:
    done: list[threading.Thread] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(threading.current_thread())

    async def notebook() -> None:
        drive(work())
        with pytest.raises(ValueError, match="dentro"):
            drive(fails())

    asyncio.run(notebook())
    assert len(done) == 1
    assert done[0] is not threading.current_thread()


def test_an_interrupt_beside_a_loop_ends_the_work(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    began = threading.Event()

    async def work() -> None:
        try:
            began.set()
            await asyncio.sleep(60)
        finally:
            ended.append("in order")

    join, interrupted = threading.Thread.join, False

    def joined(self: threading.Thread, timeout: float | None = None) -> None:
        nonlocal interrupted
        if self.name == "apieval-run" and not interrupted:
            interrupted = True
            began.wait()
            raise KeyboardInterrupt
        join(self, timeout)

    async def notebook() -> None:
        monkeypatch.setattr(threading.Thread, "join", joined)
        with pytest.raises(KeyboardInterrupt):
            drive(work())

    asyncio.run(notebook())
    assert ended == ["in order"]


@pytest.fixture
def hosts_own() -> Iterator[None]:
    """Let the program around us have a handler of its own, as a server or a notebook may."""
    before = signal.signal(signal.SIGTERM, lambda *_: pytest.fail("not ours to take"))
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("hosts_own")
@pytest.mark.parametrize("each", SIGNALS)
def test_signals_stop_in_order_and_are_given_back(each: signal.Signals) -> None:
    before = [signal.getsignal(one) for one in SIGNALS]

    async def work() -> None:
        stopped = asyncio.Event()
        with stopping_on_signals(stopped.set):
            for _ in range(2):
                os.kill(os.getpid(), each)
                await stopped.wait()
                stopped.clear()

    asyncio.run(work())
    assert [signal.getsignal(one) for one in SIGNALS] == before


def test_what_the_user_had_ignored_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:

        async def work() -> None:
            with stopping_on_signals(lambda: pytest.fail("stopped")):
                os.kill(os.getpid(), signal.SIGHUP)
                await asyncio.sleep(0.01)

        asyncio.run(work())
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def in_a_thread(work: Callable[[], None]) -> None:
    raised: list[BaseException] = []

    def target() -> None:
        try:
            work()
        except BaseException as error:  # noqa: BLE001 # handed on
            raised.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]


def test_outside_the_main_thread_signals_are_left_alone() -> None:
    before = [signal.getsignal(one) for one in SIGNALS]

    async def work() -> None:
        with stopping_on_signals(lambda: None):
            assert [signal.getsignal(one) for one in SIGNALS] == before

    in_a_thread(lambda: asyncio.run(work()))
