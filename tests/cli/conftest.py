"""The command line inside the test's process, and data to run it on."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.e2e.conftest import Inside, inside, no_waits, nothing_left_running, ten
from tests.e2e.faults import TRANSIENT, FaultServer, first
from tests.e2e.program import Material, configure, folder, model

__all__ = ["inside", "no_waits", "nothing_left_running", "ten"]


@pytest.fixture
def lacking(inside: Inside, ten: Material, tmp_path: Path) -> Path:
    """Return a run of both settings in which one request failed."""
    plan = first(99, TRANSIENT["500"], [ten.rebus(3)])
    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 0}))
        assert inside("run", "local", "--data", ten.path, "--cache", "off").code == 1
    return folder()
