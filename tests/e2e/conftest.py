"""Runs inside the test's process, so that a run costs no start of an interpreter."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from typer.testing import CliRunner

from apieval import one_run
from apieval.cli import app
from apieval.run import limiter
from apieval.run.retry import RetryPolicy
from tests.e2e.program import Done, Material, end_all, material

Inside = Callable[..., Done]


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    """Leave no program behind, and so no folder in use, where a test fails midway."""
    yield
    end_all()


@pytest.fixture
def inside() -> Inside:
    """Give the command line, in this process; nothing but an exit may leave it."""

    def call(*words: str | Path, **env: str) -> Done:
        result = CliRunner().invoke(app, list(map(str, words)), env=env)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Done(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing wait or slow down: how long and how much is tested where it is decided."""
    monkeypatch.setattr(limiter, "PROBE_S", 0.01)
    monkeypatch.setattr(limiter, "LESSONS", 0)
    monkeypatch.setattr(one_run, "RetryPolicy", partial(RetryPolicy, first_wait_s=0.001))


@pytest.fixture
def ten(tmp_path: Path) -> Material:
    return material(tmp_path / "ten.csv", 10)
