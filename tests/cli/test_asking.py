"""The question before a run, read from a real terminal; the program's own is in test_terminal."""

from __future__ import annotations

import os
import pty
import signal
import sys
import threading
from collections.abc import Iterator

import pytest

from apieval.cli import output


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Give the end of a terminal that is typed into; the other one is stdin."""
    keyboard, terminal = pty.openpty()
    with os.fdopen(terminal, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        yield keyboard
    os.close(keyboard)


@pytest.mark.parametrize(
    ("typed", "answer"),
    [(b"y\n", True), (b"\n", True), (b"YES \n", True), (b"n\n", False), (b"No\n", False)],
)
def test_what_is_typed(typed: bytes, answer: bool, typing: int) -> None:
    os.write(typing, typed)
    assert output.confirmed("begin?") is answer


def test_what_is_neither_is_asked_again(typing: int, capfd: pytest.CaptureFixture[str]) -> None:
    os.write(typing, b"boh\nn\n")
    assert output.confirmed("begin?") is False
    assert capfd.readouterr().err == "begin? [Y/n]: answer y or n\nbegin? [Y/n]: "


def test_the_end_of_input_is_an_interrupt(typing: int) -> None:
    os.write(typing, b"\x04")
    with pytest.raises(KeyboardInterrupt):
        output.confirmed("begin?")


@pytest.mark.timeout(20)
@pytest.mark.usefixtures("typing")
def test_a_signal_ends_the_wait_whatever_its_handler_does() -> None:
    """One that the wait alone must notice, as it must one that comes just before it."""
    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    sender = threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGUSR1))
    try:
        sender.start()
        output._wait()
    finally:
        sender.join()
        signal.signal(signal.SIGUSR1, before)
