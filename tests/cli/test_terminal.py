"""On a terminal: the question before a run that costs money, and its three answers."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from apieval.run.store import OWNER
from tests.e2e.conftest import Inside
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
    if requests:
        assert len(stored(folder())) == requests
        assert json.loads((folder() / "run.json").read_text("utf-8"))["status"] == "done"
    else:
        assert b"not begun" in screen
        assert b"run folder" not in screen
        assert b"resume" not in screen, "there is nothing to resume"
        left = sorted(each.name for each in tmp_path.iterdir())
        assert left == ["providers.yaml", "ten.csv"], "an answer of no leaves nothing behind"


@pytest.mark.parametrize("words", [(), ("--fresh",)], ids=["resumed", "fresh"])
@pytest.mark.parametrize(("typed", "code"), [(b"n\n", 3), (b"\x03", 130)], ids=["n", "ctrl-c"])
def test_a_run_that_was_begun_before_is_left_as_it_was(
    words: tuple[str, ...],
    typed: bytes,
    code: int,
    inside: Inside,
    ten: Material,
    tmp_path: Path,
) -> None:
    def held() -> dict[str, bytes]:
        files = (each for each in Path("results").rglob("*") if each.is_file())
        # who took the lock last is nothing of the run's
        return {str(each): each.read_bytes() for each in files if each.name != OWNER}

    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, price={"input": 1, "output": 2}))
        run = ("run", "local", "--data", "ten.csv", "--cache", "off", "--name", "mine")
        assert inside(*run).code == 0
        answers = folder() / "responses.jsonl"
        answers.write_bytes(b"".join(answers.read_bytes().splitlines(keepends=True)[:5]))
        before, asked = held(), server.requests
        process, terminal = on_terminal(*run, *words, columns=200)
        screen = shown(terminal, until=b"begin?")
        os.write(terminal, typed)
        screen += shown(terminal, until=None)
        os.close(terminal)
        assert (process.wait(), server.requests) == (code, asked), screen
    assert b"Traceback" not in screen
    assert held() == before
