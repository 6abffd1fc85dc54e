"""The Python interface inside a running event loop, as in a notebook."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import apieval
from tests.e2e.faults import FaultServer, Manner
from tests.e2e.program import Material, configure, end, folder, model, stored


def test_run_works_inside_a_running_loop(ten: Material, tmp_path: Path) -> None:
    async def cell() -> list[apieval.Result]:
        return apieval.run(
            ["local"], apieval.RunOptions(data=str(ten.path), settings=("regular",), cache=None)
        )

    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        (result,) = asyncio.run(cell())
        assert (result.status, server.requests) == ("done", 10)
        assert result.folder == folder()
        (again,) = asyncio.run(cell())
        assert (again.status, server.requests) == ("done", 10)
    assert again.summary["figures"] == result.summary["figures"]


def test_run_works_without_a_loop_on_the_sample(tmp_path: Path) -> None:
    options = apieval.RunOptions(limit=2, cache=tmp_path / "cache")
    (result,) = apieval.run(["baseline"], options)
    assert result.status == "done"
    assert result.summary["outcomes"]["hints"]["ok"] == 6


@pytest.mark.usefixtures("no_waits")
def test_an_error_inside_a_loop_comes_out_as_it_is(ten: Material, tmp_path: Path) -> None:
    async def cell() -> list[apieval.Result]:
        options = apieval.RunOptions(data=str(ten.path), cache=None, wait_for_server_s=0)
        return apieval.run(["local"], options)

    with FaultServer(ten.answers, lambda _: Manner.DROP) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 0}))
        (result,) = asyncio.run(cell())
    assert result.status == "stopped"
    assert "no reply from" in (result.message or "")


def test_an_interrupted_cell_waits_for_what_is_on_its_way_and_sends_no_more(
    ten: Material, tmp_path: Path
) -> None:
    """Ctrl-C comes to the notebook's thread while the run's own waits for answers."""
    code = textwrap.dedent(
        """\
        import asyncio, apieval, sys
        class Told(apieval.Watcher):
            def message(self, text):
                print(text, flush=True)
        async def cell():
            options = apieval.RunOptions(data="ten.csv", settings=("regular",), cache=None)
            print(apieval.run(["local"], options, Told())[0].status, flush=True)
            sys.stdin.readline()  # the notebook lives on
        # not asyncio.run, whose own handler of Ctrl-C a notebook does not have
        loop = asyncio.new_event_loop()
        loop.run_until_complete(cell())
        loop.close()
        """
    )
    with FaultServer(ten.answers, lambda seen: Manner.HOLD if seen.number > 3 else None) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 2}))
        process = subprocess.Popen(
            (sys.executable, "-c", code),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=dict(os.environ),
        )
        server.wait_for_requests(5)
        process.send_signal(signal.SIGINT)
        assert process.stdout is not None
        stopping = next(line for line in process.stdout if line.startswith("stopping"))
        assert "3 answers saved" in stopping
        assert "for 2 requests on the way" in stopping
        server.release()
        done = end(process)
        assert done.out == "interrupted\n"
        assert server.requests == 5, "it went on asking"
    assert "Traceback" not in done.err
    assert len(stored(folder())) == 5
