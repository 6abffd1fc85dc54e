"""A clean room for every test: no keys, no options, no proxy, a home and a folder of its own."""

from __future__ import annotations

import os
import re
import signal
import sys
from collections.abc import Iterator
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import settings

# Under `nohup` the hang-up is ignored, behind `&` in a script Ctrl-C, and whoever is started here
# would ignore them too.
if hasattr(signal, "SIGHUP"):
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)

# Without bytecode every program that a test starts would compile all of its modules anew.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

LITELLM: Final = {
    "test_hosted.py",
    "test_hosted_alone.py",
    "test_llmock.py",
    "test_secrets.py",
    "test_a_hosted_model_is_checked_alike",
    "test_what_litellm_would_send_is_shown_without_being_sent",
}
"""The files and tests that import litellm, which takes as long as hundreds of other tests."""


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> Any:  # noqa: ANN401 # xdist's
    """Share out whole files, what imports litellm to one worker."""
    if config.getvalue("dist") != "loadfile":
        return None
    scheduler = import_module("xdist.scheduler").LoadFileScheduling(config, log)

    def room(nodeid: str) -> str:
        file, _, test = nodeid.partition("::")
        if "browser/" in file:
            return "browser"  # one browser for all of them
        return "litellm" if {Path(file).name, test} & LITELLM else file

    scheduler._split_scope = room
    return scheduler


# No test asserts a timing, and the same tests run the same examples everywhere.
settings.register_profile("apieval", deadline=None, derandomize=True)
settings.load_profile("apieval")


_numbers = count()


@pytest.fixture
def tmp_path(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """Give a folder of the test's own, without the search and the link that pytest's own costs."""
    name = re.sub(r"\W", "_", request.node.name)[:30]
    path = tmp_path_factory.getbasetemp() / f"{name}-{next(_numbers)}"
    path.mkdir()
    return path


MEASURED: Final = "COVERAGE_PROCESS_CONFIG"
"""By this variable a program that is started measures its own coverage."""


@pytest.fixture
def measured(monkeypatch: pytest.MonkeyPatch, clean_environment: None) -> None:
    """Measure what the test starts: what no call in the test's own process shows."""
    if _measuring is not None:
        monkeypatch.setenv(MEASURED, _measuring)


_measuring = os.environ.get(MEASURED)


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in list(os.environ):
        own = name.upper().startswith(("APIEVAL_", "HF_", "HUGGING"))
        if own or name.upper().endswith(("_API_KEY", "PROXY")):
            monkeypatch.delenv(name)
    # measuring a program takes half as long again as running it
    monkeypatch.delenv(MEASURED, raising=False)
    # neither is made here: who needs one makes it, and the folder stays empty for the test
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home" / ".cache"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def untraced() -> Iterator[None]:
    """Let a test of sheer volume run at full speed; its branches are measured in other tests."""
    tracer = sys.gettrace()
    sys.settrace(None)
    yield
    sys.settrace(tracer)
