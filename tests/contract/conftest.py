"""The server that most promises share, and what was measured, shown at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.contract.served import Vllm, serving
from tests.e2e.program import end_all

MEASURED = pytest.StashKey[list[str]]()


@pytest.fixture(autouse=True)
def nothing_left_running() -> Iterator[None]:
    yield
    end_all()


@pytest.fixture
def measured(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Give a place for a figure that is worth seeing, and is no test."""
    return request.config.stash.setdefault(MEASURED, []).append


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    found = terminalreporter.config.stash.get(MEASURED, [])
    if found:
        terminalreporter.section("measured")
        for line in found:
            terminalreporter.write_line(line)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("vllm")


@pytest.fixture(scope="module")
def tiny(shared: Path) -> Iterator[Vllm]:
    """Give the model of random weights, which is quick, served."""
    with serving(Vllm(shared)) as server:
        yield server
