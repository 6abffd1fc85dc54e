from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from apieval import loading

PRESSED = """
import os, signal, sys
sys.argv = [sys.argv[1]]
class Pressing:
    def find_spec(self, name, path, target=None):
        if name == "pydantic_core._pydantic_core":  # which makes another exception of it
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Pressing())
from apieval.cli import main
"""


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pressed(program: str) -> subprocess.CompletedProcess[str]:
    """Press Ctrl-C where a program of that name has half imported ours."""
    return subprocess.run(
        [sys.executable, "-c", PRESSED, program],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_an_interrupt_while_loading_is_a_word_and_the_exit_code() -> None:
    done = pressed("/usr/local/bin/apieval")
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "apieval: interrupted\n")


def test_an_interrupt_of_another_program_is_that_programs() -> None:
    done = pressed("/usr/local/bin/notebook")
    assert done.returncode not in {0, 130}
    assert "Traceback" in done.stderr


@pytest.mark.parametrize(
    ("program", "ours"),
    [
        ("apieval", True),
        ("./bin/apieval", True),
        ("C:\\Scripts\\apieval.exe", True),
        ("C:\\Scripts\\apieval-script.py", True),
        ("/x/apieval/notebook", False),
        ("/x/my-apieval", False),
        ("-c", False),
        ("", False),
    ],
)
def test_a_program_is_ours_by_its_name(program: str, ours: bool) -> None:
    loading.guard(program)
    assert (signal.getsignal(signal.SIGINT) is loading._end) == ours
    loading.over()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.parametrize("handler", [signal.SIG_IGN, lambda *_: None])
def test_who_handles_it_otherwise_is_not_disturbed(handler: Any) -> None:  # noqa: ANN401 # a signal's
    signal.signal(signal.SIGINT, handler)
    loading.guard("apieval")
    loading.over()
    assert signal.getsignal(signal.SIGINT) is handler


def test_there_may_be_no_stderr(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []
    monkeypatch.setattr(os, "_exit", codes.append)
    loading._end(signal.SIGINT, None)
    assert capsys.readouterr().err == "apieval: interrupted\n"
    monkeypatch.setattr(sys, "stderr", None)
    loading._end(signal.SIGINT, None)
    assert codes == [130, 130]
