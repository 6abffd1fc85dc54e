"""On a terminal: the question before a run that costs money, and its three answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.e2e.faults import FaultServer
from tests.e2e.program import Material, configure, folder, model, on_terminal, shown, stored


@pytest.mark.parametrize(
    ("typed", "code", "requests"), [(b"y\n", 0, 20), (b"n\n", 3, 0), (b"\x03", 130, 0)]
)
def test_a_run_that_costs_money_asks_first(
    typed: bytes, code: int, requests: int, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        price = {"input": 1, "output": 2}
        configure(tmp_path, local=model(server.url, price=price))
        words = ("run", "local", "--data", "ten.csv", "--cache", "off")
        process, terminal = on_terminal(*words, columns=200)
        screen = shown(terminal, until=b"begin?")
        assert b"about 0.02 USD, at most 0.05" in screen
        os.write(terminal, typed)
        screen += shown(terminal, until=None)
        os.close(terminal)
        assert (process.wait(), server.requests) == (code, requests), screen
    assert b"Traceback" not in screen
    assert len(stored(folder())) == requests
    header = json.loads((folder() / "run.json").read_text("utf-8"))
    assert header["status"] == {0: "done", 3: "stopped", 130: "interrupted"}[code]
