"""What a command shows that takes its time: on a terminal alone, and nothing of it stays."""

from __future__ import annotations

import io
import sys
import threading
from contextlib import nullcontext

import pytest
from rich.console import Console

from apieval.cli import output, progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr(sys, "stderr", made)
    shown = Console(file=made, force_terminal=True, width=80, _environ={"TERM": "xterm"})
    monkeypatch.setattr(output, "console", lambda **_: shown)
    monkeypatch.setattr(output, "is_terminal", lambda _: True)
    monkeypatch.setattr(output, "listened_to", lambda _: nullcontext())  # no file is behind it
    return made


class _AtOnce:
    """A timer whose time has come when it is started."""

    daemon = False

    def __init__(self, after_s: float, begin: object) -> None:
        assert after_s == progress.AFTER_S
        self.start = begin

    def cancel(self) -> None:
        pass

    def join(self) -> None:
        pass


def test_what_takes_long_is_told_on_a_terminal(
    screen: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threading, "Timer", _AtOnce)
    with progress.working("verifying \x1b[31mrun"):
        pass
    assert "verifying \\x1b[31mrun" in screen.getvalue()


def test_what_is_done_at_once_shows_nothing(screen: Terminal) -> None:
    with progress.working("verifying run", after_s=3600):
        pass
    assert screen.getvalue() == ""


def test_a_pipe_is_told_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with progress.working("verifying run", after_s=0):
        pass
    assert capsys.readouterr() == ("", "")
