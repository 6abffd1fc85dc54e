"""More requests at once than this process may have files open, for real: under `ulimit -n`."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.faults import FaultServer
from tests.e2e.program import PROGRAM, STARTED, Done, configure, end, material, model, plain, stored

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux"), reason="as Linux counts files"
)
_UNFITTED: Final = """
import sys
from apieval.commands import side_by_side
side_by_side.fit_open_files = lambda *_: None
from apieval.cli.app import main
sys.argv[0] = "apieval"
main()
"""
"""The program as it would be if it never looked at its limit."""


def _under(
    soft: int, hard: int, *words: str | Path, program: tuple[str, ...] = (str(PROGRAM),)
) -> Done:
    limits = f"ulimit -Sn {soft}; ulimit -Hn {hard}"
    process = subprocess.Popen(
        ("bash", "-c", f'{limits}; exec "$@"', "-", *program, *map(str, words)),  # noqa: S607
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    STARTED.append(process)
    return end(process)


def _statuses() -> set[str]:
    headers = Path("results").glob("*/run.json")
    return {json.loads(each.read_text("utf-8"))["status"] for each in headers}


@pytest.mark.parametrize("cache", ["cache", "off"])
def test_below_a_hard_limit_the_slots_are_held_and_a_line_says_so(
    cache: str, tmp_path: Path
) -> None:
    made = material(tmp_path / "many.csv", 200)
    with FaultServer(made.answers, latency_s=0.2) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 400}))
        words = ("run", "local", "--data", made.path, "--setting", "regular", "--cache", cache)
        done = _under(128, 128, *words)
        assert done.code == 0, done.err
        assert "this process may have 128 files open (ulimit -n)" in done.err
        assert "where 400 were allowed for" in done.err
        assert plain(done.all)
        assert server.requests == server.paid == 200
        assert 10 <= server.most_flying < 128
    (run,) = Path("results").iterdir()
    assert {each["attempts"] for each in stored(run)} == {1}
    assert _statuses() == {"done"}


def test_the_soft_limit_is_raised_as_far_as_it_may_be(tmp_path: Path) -> None:
    if resource.getrlimit(resource.RLIMIT_NOFILE)[1] < 1_024:
        pytest.skip("the limit of this machine is too low")
    made = material(tmp_path / "many.csv", 200)
    with FaultServer(made.answers, latency_s=0.5) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 200}))
        words = ("run", "local", "--data", made.path, "--setting", "regular", "--cache", "off")
        done = _under(96, 1_024, *words)
        assert done.code == 0, done.err
        assert "ulimit" not in done.err
        assert server.most_flying > 96


def test_the_limit_holds_for_all_models_together(tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 60)
    with FaultServer(made.answers, latency_s=0.2) as one, FaultServer(made.answers) as two:
        configure(
            tmp_path,
            one=model(one.url, limits={"concurrency": 500}),
            two=model(two.url, limits={"concurrency": "auto"}),
            solver={"provider": "embedded"},
        )
        words = ("run", "one", "two", "solver", "--data", made.path, "--cache", "cache", "--yes")
        done = _under(160, 160, *words)
        assert done.code == 0, done.err
        assert "this process may have 160 files open" in done.err
        assert plain(done.all)
        assert (one.paid, two.paid) == (120, 120)
    assert _statuses() == {"done"}


def test_want_of_files_is_no_attempt_and_costs_no_answer(tmp_path: Path) -> None:
    made = material(tmp_path / "many.csv", 150)
    with FaultServer(made.answers, latency_s=0.2) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 150, "max_retries": 0}))
        words = ("run", "local", "--data", made.path, "--setting", "regular", "--cache", "off")
        done = _under(44, 44, *words, program=(sys.executable, "-c", _UNFITTED))
        assert done.code == 0, done.err
        assert (
            "open no more files or connections (see ulimit -n): fewer requests at once" in done.err
        )
        assert plain(done.all)
        assert server.requests == server.paid == 150
    (run,) = Path("results").iterdir()
    assert {each["attempts"] for each in stored(run)} == {1}
    assert _statuses() == {"done"}
