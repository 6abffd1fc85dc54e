"""Several models at once, against real servers: none waits for another, none ends another."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

import pytest

import apieval
from apieval.cli import progress
from apieval.commands import run
from apieval.errors import RunFailure
from apieval.run import runner
from apieval.run.model import connected
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner, Plan, Reply, Seen, error, from_request
from tests.e2e.program import (
    Material,
    configure,
    end,
    figures,
    lines,
    material,
    model,
    on_terminal,
    plain,
    shown,
    start,
    stored,
    summary,
)

REGULAR: Final = ("--setting", "regular", "--cache", "off", "--yes")
TWO: Final = ("run", "one", "two", *REGULAR)
AT_ONCE: Final = 8
REFUSED: Final = error(401, {"error": {"message": "chiave rifiutata"}})


def folder(name: str, out: str = "results") -> Path:
    """Return the one run folder of a model."""
    (only,) = Path(out).glob(f"{name}-*")
    return only


def status(name: str) -> str:
    found: str = json.loads((folder(name) / "run.json").read_text("utf-8"))["status"]
    return found


def _held(seen: Seen) -> Manner:
    del seen
    return Manner.HOLD


def _held_after(count: int) -> Plan:
    return lambda seen: Manner.HOLD if seen.number > count else None


def _of(name: str, reply: Reply | Manner) -> Plan:
    """Let the requests for one model of a server meet a fault."""
    return lambda seen: reply if seen.body["model"] == name else None


@pytest.fixture
def hundred(tmp_path: Path) -> Material:
    return material(tmp_path / "hundred.csv", 100)


def _said(stream: IO[str] | None, *words: str) -> str:
    """Return what a stream says up to where it has said all these words."""
    assert stream is not None
    said = ""
    for line in stream:
        said += line
        if all(word in said for word in words):
            return said
    pytest.fail(f"it never said {words}: {said}")


def test_models_on_two_servers_do_not_wait_for_each_other(ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers, _held) as one, FaultServer(ten.answers, _held) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        process = start(*TWO, "--data", ten.path)
        one.wait_for_requests(AT_ONCE)
        two.wait_for_requests(AT_ONCE)  # while the other has not answered once
        one.release()
        two.release()
        done = end(process)
        assert done.code == 0, done.err
        assert (one.requests, two.requests) == (10, 10)
    assert status("one") == status("two") == "done"
    assert "side by side" in done.out


@pytest.mark.parametrize("shared", [True, False])
def test_models_at_one_address_share_its_limits(
    shared: bool, inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "forty.csv", 40)
    with (
        FaultServer(made.answers, latency_s=0.005) as server,
        FaultServer(made.answers, latency_s=0.005) as other,
    ):
        url = server.url if shared else other.url
        configure(
            tmp_path,
            one=model(server.url, limits={"concurrency": 3}),
            two=model(url, model="altro", limits={"concurrency": 8}),
        )
        done = inside(*TWO, "--data", made.path)
        assert done.code == 0, done.err
        assert server.most_flying == 3
        if shared:
            # nor does one wait until the other has ended
            assert {seen.body["model"] for seen in server.seen[:20]} == {"modello-prova", "altro"}
            assert server.requests == 80
        else:
            assert other.most_flying == 8


def test_a_refused_key_leaves_the_other_running(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "forty.csv", 40)
    with (
        FaultServer(made.answers, from_request(3, REFUSED)) as one,
        FaultServer(made.answers, latency_s=0.005) as two,
    ):
        configure(tmp_path, one=model(one.url, limits={"concurrency": 2}), two=model(two.url))
        done = inside(*TWO, "--data", made.path, "--json")
        assert (done.code, two.requests) == (3, 40), done.err
    first, second = json.loads(done.out)["runs"]
    assert (first["model"], first["status"]) == ("one", "stopped")
    assert first["usage"]["answers"] == len(stored(folder("one"))) == 2
    assert (second["model"], second["status"], second["partial"]) == ("two", "done", False)
    assert (status("one"), status("two")) == ("stopped", "done")
    told = done.err.splitlines()
    why = next(at for at, line in enumerate(told) if "chiave rifiutata" in line)
    assert told[why].startswith(("one: stopping: ", "one: stopped: "))
    assert why < told.index(next(line for line in told if line.startswith("two: 40 of 40")))
    assert done.err.count("to resume: ") == 1


def test_one_endpoint_that_wants_a_long_pause_of_one_model_alone(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    """A wait too long for a run ends it, and holds nobody else up."""
    busy = error(429, {"error": {"message": "domani"}}, retry_after="86400")
    with FaultServer(ten.answers, _of("occupato", busy)) as server:
        configure(tmp_path, one=model(server.url, model="occupato"), two=model(server.url))
        done = inside(*TWO, "--data", ten.path)
        assert (done.code, server.paid) == (3, 10), done.err
    assert (status("one"), status("two")) == ("stopped", "done")


@pytest.mark.usefixtures("measured")
def test_ctrl_c_stops_all_and_says_what_each_has_saved(
    inside: Inside, hundred: Material, tmp_path: Path
) -> None:
    words = (*TWO, "--data", hundred.path)
    with (
        FaultServer(hundred.answers, _held_after(30)) as one,
        FaultServer(hundred.answers, _held_after(20)) as two,
    ):
        configure(tmp_path, one=model(one.url), two=model(two.url))
        process = start(*words)
        one.wait_for_requests(30 + AT_ONCE)
        two.wait_for_requests(20 + AT_ONCE)
        process.send_signal(signal.SIGINT)
        said = _said(process.stderr, "one: stopping", "two: stopping")
        assert "one: stopping: 30 answers saved" in said
        assert "two: stopping: 20 answers saved" in said
        one.release()
        _said(process.stderr, "one: 38 of 100")
        process.send_signal(signal.SIGINT)
        done = end(process)
        assert done.code == 130
        assert plain(done.all)
        assert "two: interrupted, 20 of 100 answers saved: 8 requests on the way were" in done.err
        assert one.requests == len(stored(folder("one"))) == 30 + AT_ONCE
        given_up = [each for each in stored(folder("two")) if each["outcome"] == "failed"]
        assert len(given_up) == len(stored(folder("two"))) - 20 == AT_ONCE
        assert status("one") == status("two") == "interrupted"
        two.release()
        one.forget()
        two.forget()
        assert inside(*words).code == 0
        assert (one.requests, two.requests) == (100 - 30 - AT_ONCE, 80)
    assert status("one") == status("two") == "done"


def test_ctrl_c_twice_leaves_at_once(hundred: Material, tmp_path: Path) -> None:
    plans = (_held_after(30), _held_after(20))
    with (
        FaultServer(hundred.answers, plans[0]) as one,
        FaultServer(hundred.answers, plans[1]) as two,
    ):
        configure(tmp_path, one=model(one.url), two=model(two.url))
        process = start(*TWO, "--data", hundred.path)
        one.wait_for_requests(30 + AT_ONCE)
        two.wait_for_requests(20 + AT_ONCE)
        process.send_signal(signal.SIGINT)
        _said(process.stderr, "one: stopping", "two: stopping")
        process.send_signal(signal.SIGINT)
        done = end(process)
        assert (one.requests, two.requests) == (30 + AT_ONCE, 20 + AT_ONCE)
    assert done.code == 130
    assert plain(done.all)
    for name, answered in (("one", 30), ("two", 20)):
        outcomes = [each["outcome"] for each in stored(folder(name))]
        assert (outcomes.count("ok"), outcomes.count("failed")) == (answered, AT_ONCE)


def test_what_one_has_ended_stays_ended_when_the_other_is_interrupted(
    ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as one, FaultServer(ten.answers, _held) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        process = start(*TWO, "--data", ten.path)
        two.wait_for_requests(AT_ONCE)
        _said(process.stderr, "one: 10 of 10")
        process.send_signal(signal.SIGTERM)
        said = _said(process.stderr, "two: stopping")
        two.release()
        done = end(process)
        assert two.requests == AT_ONCE
    assert done.code == 130
    assert "one: stopping" not in said + done.err
    assert (status("one"), status("two")) == ("done", "interrupted")


def test_kill_9_with_two_models_and_the_figures_of_a_calm_run(
    inside: Inside, hundred: Material, tmp_path: Path
) -> None:
    words = (*TWO, "--data", hundred.path)
    with FaultServer(hundred.answers) as one, FaultServer(hundred.answers) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        assert inside(*words, "--out", "calm").code == 0
        one.forget(_held_after(40))
        two.forget(from_request(21, REFUSED))
        process = start(*words)
        one.wait_for_requests(40 + AT_ONCE)
        _said(process.stderr, "two: stopped: ")
        process.kill()
        assert end(process).code == -signal.SIGKILL
        assert (status("one"), status("two")) == ("running", "stopped")
        assert len(stored(folder("one"))) == 40
        kept = len(stored(folder("two")))
        assert kept == two.paid
        one.release()
        one.forget()
        two.forget()
        done = inside(*words)
        assert done.code == 0, done.err
        assert (one.requests, two.requests) == (60, 100 - kept)
    for name in ("one", "two"):
        assert figures(folder(name)) == figures(folder(name, "calm"))


def test_the_baseline_beside_a_server(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "baseline", "--data", ten.path, *REGULAR, "--json")
        assert (done.code, server.requests) == (0, 10), done.err
    runs = json.loads(done.out)["runs"]
    assert [(each["model"], each["status"]) for each in runs] == [
        ("local", "done"),
        ("baseline", "done"),
    ]
    for each in runs:
        assert each["figures"] == figures(folder(each["model"]))


def test_one_with_nothing_left_to_ask_is_scored_beside_the_others(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as one, FaultServer(ten.answers) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        assert inside("run", "one", "--data", ten.path, *REGULAR).code == 0
        done = inside(*TWO, "--data", ten.path)
        assert (done.code, one.requests, two.requests) == (0, 10, 10), done.err
    assert "one: 10 requests, 10 of them answered before" in done.err
    assert "forecast for all" not in done.err


@pytest.mark.parametrize(("cache", "paid"), [("cache", 10), ("off", 20)])
def test_one_model_by_two_names_is_paid_once(
    cache: str, paid: int, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers, latency_s=0.01) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", cache)
        done = inside("run", "one", "two", *words)
        assert (done.code, server.paid) == (0, paid), done.err
    assert figures(folder("one")) == figures(folder("two"))


@pytest.mark.usefixtures("measured")
def test_ctrl_c_ends_one_that_was_still_to_begin(ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers, _held_after(1)) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url))
        words = ("run", "one", "two", "--data", ten.path, "--setting", "regular")
        process = start(*words, "--cache", "cache", "--json")
        server.wait_for_requests(1 + AT_ONCE)
        process.send_signal(signal.SIGINT)
        said = _said(process.stderr, "two: stopping")
        assert "two: stopping: 0 answers saved, nothing is on its way" in said
        server.release()
        done = end(process)
        assert server.requests == 1 + AT_ONCE
    assert done.code == 130
    runs = json.loads(done.out)["runs"]
    assert [(each["status"], each["usage"]["answers"]) for each in runs] == [
        ("interrupted", 1 + AT_ONCE),
        ("interrupted", 0),
    ]


def test_ctrl_c_ends_one_that_has_no_connection_yet(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    @asynccontextmanager
    async def slow(_: object) -> AsyncIterator[None]:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(3600)
        yield

    monkeypatch.setattr(run, "connected", slow)
    configure(tmp_path, one=model("http://127.0.0.1:9/v1"))
    done = inside("run", "one", "--data", ten.path, *REGULAR)
    assert done.code == 130
    assert status("one") == "interrupted"


def test_an_end_from_elsewhere_is_an_interrupt_of_what_has_not_ended(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where signals reach no loop, asyncio cancels everything and raises the interrupt itself."""

    def cancelled(work: Any, _: object) -> None:  # noqa: ANN401 # a coroutine
        async def soon() -> None:
            task = asyncio.ensure_future(work)
            await asyncio.sleep(0.05)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

        asyncio.run(soon())
        raise KeyboardInterrupt

    monkeypatch.setattr("apieval.commands.side_by_side.drive", cancelled)
    with FaultServer(ten.answers, _held) as server:
        configure(tmp_path, one=model(server.url))
        assert inside("run", "one", "--data", ten.path, *REGULAR).code == 130
    assert status("one") == "interrupted"


@pytest.mark.parametrize("fault", [RunFailure("nessun parametro"), ValueError("un baco")])
def test_a_fault_of_one_leaves_the_others_their_answers(
    fault: Exception,
    inside: Inside,
    ten: Material,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    @asynccontextmanager
    async def faulty(prepared: Any) -> AsyncIterator[Any]:  # noqa: ANN401 # as the real one
        if prepared.name == "one":
            raise fault
        async with connected(prepared) as provider:
            yield provider

    monkeypatch.setattr(run, "connected", faulty)
    with FaultServer(ten.answers, latency_s=0.01) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url, model="altro"))
        done = inside(*TWO, "--data", ten.path)
        assert (done.code, status("one"), status("two")) == (3, "stopped", "done")
        own = "" if isinstance(fault, RunFailure) else "a fault of apieval's own: ValueError: "
        assert f"one: stopped, 0 of 10 answers saved: {own}{fault}" in done.err
        assert server.paid == 10
    assert len(stored(folder("two"))) == 10


def test_answers_that_were_removed_cost_the_other_model_nothing(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.05)

    def plan(seen: Seen) -> Manner | None:
        if seen.number == 5:
            (folder("one") / "responses.jsonl").unlink()
        return Manner.HOLD if seen.number > 2 else None

    with FaultServer(ten.answers, plan) as one, FaultServer(ten.answers) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        done = inside(*TWO, "--data", ten.path, "--json", "--timeout", "0.5")
    assert done.code == 3, done.err
    assert "was removed" in done.err
    first, second = json.loads(done.out)["runs"]
    assert (first["status"], first["usage"]["answers"], first["partial"]) == ("stopped", 2, True)
    assert second["status"] == "done"


def test_figures_that_cannot_be_written_are_told(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url, model="altro"))
        words = (*TWO, "--data", ten.path)
        assert inside(*words).code == 0
        (folder("one") / "summary.json").unlink()
        (folder("one") / "summary.json").mkdir()
        done = inside(*words, "--json")
    assert done.code == 3
    first, second = json.loads(done.out)["runs"]
    assert (first["status"], first["figures"]) == ("stopped", summary(folder("two"))["figures"])
    assert second["status"] == "done"
    assert "one: stopped, 10 of 10 answers saved" in done.err
    assert "cannot be written" in done.err


def test_a_pipe_gets_a_line_now_and_then_with_the_models_name(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(progress, "EVERY_S", 0.0)
    with FaultServer(ten.answers) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url, model="altro"))
        done = inside(*TWO, "--data", ten.path, "--log", "log.jsonl")
    assert done.code == 0
    for name in ("one", "two"):
        counts = [line for line in done.err.splitlines() if line.startswith(f"{name}: ")]
        assert [f"{name}: {n} of 10" for n in range(1, 11)] == [
            line.partition(",")[0] for line in counts if " of 10, " in line
        ][:10]
    assert "forecast for all: 20 requests" in done.err
    events = lines(Path("log.jsonl"))
    for name in ("one", "two"):
        mine = [each["event"] for each in events if each.get("model") == name]
        assert (mine[0], mine[-1]) == ("began", "ended")
        assert mine.count("answered") == 10
        assert mine.count("forecast") == 1
    assert all("model" in each for each in events if each["event"] != "message")


def test_a_log_that_takes_nothing_costs_no_model_an_answer(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url, model="altro"))
        done = inside(*TWO, "--data", ten.path, "--log", "/dev/full")
        assert (done.code, server.paid) == (0, 20), done.err
    for name in ("one", "two"):  # once each
        assert done.err.count(f"{name}: --log /dev/full: No space left on device") == 1


@pytest.mark.parametrize("columns", [120, 40, 12])
def test_a_terminal_shows_a_row_for_each_model(
    columns: int, hundred: Material, tmp_path: Path
) -> None:
    names = ("primo-modello-dal-nome-assai-lungo-v1", "primo-modello-dal-nome-assai-lungo-v2")
    with (
        FaultServer(hundred.answers, _held_after(30)) as one,
        FaultServer(hundred.answers, _held_after(20)) as two,
    ):
        configure(tmp_path, **{names[0]: model(one.url), names[1]: model(two.url)})
        words = ("run", *names, "--data", "hundred.csv", *REGULAR)
        process, terminal = on_terminal(*words, columns=columns)
        one.wait_for_requests(30 + AT_ONCE)
        two.wait_for_requests(20 + AT_ONCE)
        screen = b""
        if columns == 120:
            screen = shown(terminal, until=b"20 of 100")
            if b"30 of 100" not in screen:
                screen += shown(terminal, until=b"30 of 100")
            rows = screen.decode()
            assert "assai-lungo-v1" in rows
            assert "assai-lungo-v2" in rows
        one.release()
        two.release()
        screen += shown(terminal, until=None)
        os.close(terminal)
        assert process.wait() == 0, screen
    assert b"Traceback" not in screen
    assert screen.rfind(b"\x1b[?25h") > screen.rfind(b"\x1b[?25l")  # the cursor is shown again
    for name in names:
        found = figures(folder(name))["regular"]["all"]["official"]
        for metric in ("word_guess_accuracy", "first_pass_accuracy", "solution_match"):
            assert f"{found[metric]['micro']['value']:.3f}".encode() in screen


@pytest.mark.parametrize(("typed", "code", "paid"), [(b"y\n", 0, 20), (b"n\n", 3, 0)])
def test_the_question_is_asked_once_for_all(
    typed: bytes, code: int, paid: int, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(
            tmp_path,
            one=model(server.url, price={"input": 10, "output": 20}),
            two=model(server.url, price={"input": 10, "output": 20}, model="altro"),
        )
        words = ["run", "one", "two", "--data", "ten.csv", "--setting", "regular", "--cache", "off"]
        process, terminal = on_terminal(*words, "--max-cost", "5", columns=120)
        screen = shown(terminal, until=b"begin?")
        assert b"one: forecast: 10 requests" in screen
        assert b"two: forecast: 10 requests" in screen
        assert b"forecast for all: 20 requests" in screen
        assert b"--max-cost 5 USD holds for each model" in screen
        assert server.requests == 0
        os.write(terminal, typed)
        screen += shown(terminal, until=None)
        os.close(terminal)
        assert (process.wait(), server.paid) == (code, paid), screen
    assert screen.count(b"begin?") == 1
    if paid:
        assert {status("one"), status("two")} == {"done"}
    else:
        assert not Path("results").exists()


def test_two_models_in_a_notebook(ten: Material, tmp_path: Path) -> None:
    async def cell() -> list[apieval.Result]:
        options = apieval.RunOptions(data=str(ten.path), settings=("regular",), cache=None)
        return apieval.run(["one", "two", "baseline"], options)

    with FaultServer(ten.answers) as one, FaultServer(ten.answers, lambda _: REFUSED) as two:
        configure(tmp_path, one=model(one.url), two=model(two.url))
        results = asyncio.run(cell())
    assert [(each.model, each.status) for each in results] == [
        ("one", "done"),
        ("two", "stopped"),
        ("baseline", "done"),
    ]


def test_of_two_folders_the_second_cannot_be_opened_and_nothing_is_asked(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url, model="altro"))
        assert inside("run", "two", "--data", ten.path, *REGULAR).code == 0
        (folder("two") / "responses.jsonl").unlink()
        (folder("two") / "responses.jsonl").mkdir()
        done = inside(*TWO, "--data", ten.path)
        assert (done.code, server.requests) == (2, 10), done.err
    assert not (folder("one") / "run.json").exists()
