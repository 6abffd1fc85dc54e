from __future__ import annotations

import asyncio
import os
import signal
import threading
from collections.abc import Callable, Iterator

import pytest

from apieval.run.session import drive, stopping_on_signals

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def never() -> None:
    pytest.fail("nobody interrupted")


async def fails() -> None:
    await asyncio.sleep(0)
    raise ValueError("dentro")


def test_work_is_driven_to_its_end() -> None:
    done: list[threading.Thread] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(threading.current_thread())

    drive(work(), never)
    assert done == [threading.current_thread()]
    with pytest.raises(ValueError, match="dentro"):
        drive(fails(), never)


def test_where_a_loop_is_running_already_it_is_driven_beside_it() -> None:
    done: list[threading.Thread] = []

    async def work() -> None:
        await asyncio.sleep(0)
        done.append(threading.current_thread())

    async def notebook() -> None:
        drive(work(), never)
        with pytest.raises(ValueError, match="dentro"):
            drive(fails(), never)

    asyncio.run(notebook())
    assert len(done) == 1
    assert done[0] is not threading.current_thread()


def test_interrupts_beside_a_loop_stop_the_work_in_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[str] = []
    stops: list[threading.Thread] = []
    began, enough = threading.Event(), asyncio.Event()

    def stop() -> None:
        stops.append(threading.current_thread())
        if len(stops) == 2:
            enough.set()

    async def work() -> None:
        began.set()
        await enough.wait()
        ended.append("in order")
        raise KeyboardInterrupt

    wait, interrupts = threading.Event.wait, 2

    def waited(self: threading.Event, timeout: float | None = None) -> bool:
        nonlocal interrupts
        if interrupts and began.is_set() and threading.current_thread() is threading.main_thread():
            interrupts -= 1
            raise KeyboardInterrupt
        return wait(self, timeout if interrupts == 0 else 0.001)

    async def notebook() -> None:
        monkeypatch.setattr(threading.Event, "wait", waited)
        with pytest.raises(KeyboardInterrupt):
            drive(work(), stop)

    asyncio.run(notebook())
    assert ended == ["in order"]
    assert len(stops) == 2
    assert threading.current_thread() not in stops


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
