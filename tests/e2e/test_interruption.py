"""Real processes, ended for real: by kill -9, Ctrl-C, SIGTERM, a full disk, a terminal gone."""

from __future__ import annotations

import errno
import json
import os
import random
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Final

import pytest

from apieval.run import runner
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner, Plan, Seen
from tests.e2e.program import (
    PROGRAM,
    STARTED,
    Done,
    Material,
    apieval,
    configure,
    end,
    end_all,
    figures,
    folder,
    material,
    model,
    on_terminal,
    plain,
    shown,
    start,
    stored,
    summary,
)
from tests.small_disk import mounted

RUN: Final = ("run", "local", "--setting", "regular", "--cache", "off", "--yes")
KILLS: Final = 5
AT_ONCE: Final = 8


@pytest.fixture
def hundred(tmp_path: Path) -> Material:
    return material(tmp_path / "hundred.csv", 100)


def _held_after(count: int) -> Plan:
    """Answer the first so many requests and keep the others waiting."""
    return lambda seen: Manner.HOLD if seen.number > count else None


def _wait_for_lines(process: subprocess.Popen[str], count: int) -> None:
    """Wait until so many answers are on the disk."""
    while process.poll() is None:
        found = list(Path("results").glob("*/responses.jsonl"))
        if found and found[0].read_bytes().count(b"\n") >= count:
            return
        time.sleep(0.01)
    pytest.fail(f"it ended before: {end(process).err}")


def test_kill_9_again_and_again_gives_the_figures_of_a_calm_run(
    inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "many.csv", 200)
    chance = random.Random(11)
    words = (*RUN, "--data", made.path)
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url))
        assert inside(*words, "--out", "calm").code == 0
    with FaultServer(made.answers, latency_s=0.005) as server:
        configure(tmp_path, local=model(server.url))
        for _ in range(KILLS):
            process = start(*words)
            server.wait_for_requests(server.requests + chance.randint(5, 30))
            process.kill()
            assert end(process).code == -signal.SIGKILL
            assert "Traceback" not in (folder() / "responses.jsonl").read_text(encoding="utf-8")
        done = inside(*words)
        assert done.code == 0, done.err
        assert server.paid <= 200 + KILLS * AT_ONCE
    assert len(stored(folder())) == 200
    calm, rough = figures(folder(Path("calm"))), figures(folder())
    assert rough == calm


@pytest.mark.parametrize("tail", [b'{"id":7,"setting":"reg', b'{"id":7,"text":"Verit\xc3', b"\n"])
def test_a_torn_last_line_is_mended_and_asked_again(
    tail: bytes, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    words = (*RUN, "--data", ten.path)
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        assert inside(*words).code == 0
        before = figures(folder())
        path = folder() / "responses.jsonl"
        whole = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(whole[:9]) + tail)
        again = inside(*words)
        assert again.code == 0
        assert server.requests == 11
    assert "holds 9 of the 10 answers that run.json notes" in again.err
    assert len(stored(folder())) == 10
    assert figures(folder()) == before


@pytest.mark.usefixtures("measured")
def test_ctrl_c_once_keeps_what_is_saved_and_says_how_to_go_on(
    inside: Inside, hundred: Material, tmp_path: Path
) -> None:  # B28 A
    words = (*RUN, "--data", hundred.path)
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words)
        server.wait_for_requests(30 + AT_ONCE)
        _wait_for_lines(process, 30)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = _read_until(process.stderr, "stopping")
        assert "30 answers saved, waiting up to 600 s for 8 requests on the way" in said
        server.release()
        done = end(process)
        assert done.code == 130
        assert "interrupted, 38 of 100 answers saved" in done.err
        assert "given up" not in done.err
        assert f"to resume: apieval {' '.join(map(str, words))}" in done.err
        assert plain(done.all)
        assert len(stored(folder())) == 38
        found = summary(folder())
        assert found["partial"]
        assert found["outcomes"]["regular"]["not_asked"] == 62
        header = json.loads((folder() / "run.json").read_text("utf-8"))
        assert (header["status"], header["message"]) == ("interrupted", None)

        server.forget()
        assert inside(*words).code == 0
        assert server.requests == server.paid == 62
    assert len(stored(folder())) == 100


def _read_until(stream: IO[str], word: str) -> str:
    """Return what a stream says up to the line that holds a word."""
    said = ""
    for line in stream:
        said += line
        if word in line:
            return said
    pytest.fail(f"it never said {word!r}: {said}")


@pytest.mark.usefixtures("measured")
def test_ctrl_c_twice_leaves_at_once(
    inside: Inside, hundred: Material, tmp_path: Path
) -> None:  # B28 B
    words = (*RUN, "--data", hundred.path)
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words)
        server.wait_for_requests(30 + AT_ONCE)
        _wait_for_lines(process, 30)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        _read_until(process.stderr, "stopping")
        process.send_signal(signal.SIGINT)
        done = end(process)
        assert done.code == 130
        given_up = "8 requests on the way were given up, and may be billed"
        assert f"interrupted, 30 of 100 answers saved: {given_up}" in done.err
        assert json.loads((folder() / "run.json").read_text("utf-8"))["message"] == given_up
        assert plain(done.all)
        assert len(stored(folder())) == 38
        counts = summary(folder())["outcomes"]["regular"]
        assert [counts[each] for each in ("ok", "failed", "not_asked")] == [30, 8, 62]
        server.forget()
        server.release()
        assert inside(*words).code == 0
        assert server.requests == 70
    assert not summary(folder())["partial"]
    assert len(stored(folder())) == 100


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_stop_waits_for_what_is_on_its_way(
    number: signal.Signals, inside: Inside, hundred: Material, tmp_path: Path
) -> None:
    words = (*RUN, "--data", hundred.path)
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words)
        server.wait_for_requests(30 + AT_ONCE)
        _wait_for_lines(process, 30)
        process.send_signal(number)
        assert process.stderr is not None
        _read_until(process.stderr, "stopping")
        server.release()
        done = end(process)
        assert done.code == 130
        assert server.requests == 30 + AT_ONCE
        assert len(stored(folder())) == server.paid == 30 + AT_ONCE
        server.forget()
        assert inside(*words).code == 0
        assert server.requests == 100 - 30 - AT_ONCE


_HELD: Final = """
import sys
from apieval.cli.app import main
from apieval.commands import run, side_by_side

def wait():
    print("all is asked", file=sys.stderr, flush=True)
    sys.stdin.read()

def scoring(*args):
    wait()

async def closing(*args):
    import asyncio
    await at_once(*args)
    print("all is asked", file=sys.stderr, flush=True)
    await asyncio.Event().wait()

at_once = side_by_side._at_once
held = {"scoring": (run, "score_stored", scoring), "closing": (side_by_side, "_at_once", closing)}
setattr(*held[sys.argv.pop(1)])
main()
"""
"""The program, waiting at a place it else is at for an instant: after the last reply."""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
@pytest.mark.parametrize("where", ["scoring", "closing"])
def test_a_stop_after_the_last_reply_leaves_a_run_that_says_so(
    where: str, number: signal.Signals, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    words = (*RUN, "--data", str(ten.path))
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        process = subprocess.Popen(
            (sys.executable, "-c", _HELD, where, *words),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        STARTED.append(process)
        assert process.stderr is not None
        _read_until(process.stderr, "all is asked")
        process.send_signal(number)
        done = end(process)
        assert done.code == 130, done.err
        assert "every answer is saved: run the same command again" in done.err
        assert plain(done.all)
        header = json.loads((folder() / "run.json").read_text("utf-8"))
        assert header["status"] == "interrupted"
        assert "before its figures were written" in header["message"]
        assert inside(*words).code == 0
        assert server.requests == server.paid == 10
    assert json.loads((folder() / "run.json").read_text("utf-8"))["status"] == "done"
    assert not summary(folder())["partial"]


def test_ctrl_c_with_json_still_prints_one_document(hundred: Material, tmp_path: Path) -> None:
    words = (*RUN, "--data", hundred.path, "--json")
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words)
        server.wait_for_requests(30 + AT_ONCE)
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        server.release()
        done = end(process)
    assert done.code == 130
    (only,) = json.loads(done.out)["runs"]
    assert only["status"] == "interrupted"


def test_answers_that_came_while_the_program_slept_are_kept(ten: Material, tmp_path: Path) -> None:
    """Stopped for longer than its timeout (a closed laptop, Ctrl-Z), it reads what arrived first."""
    timeout_s = 1.0
    with FaultServer(ten.answers, lambda _: Manner.HOLD) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 10}))
        process = start(*RUN, "--data", ten.path, "--timeout", f"{timeout_s:g}")
        server.wait_for_requests(10)
        process.send_signal(signal.SIGSTOP)
        try:
            server.release()
            server.wait_for_answers(10)
            time.sleep(1.5 * timeout_s)
        finally:
            process.send_signal(signal.SIGCONT)
        done = end(process)
        assert done.code == 0, done.err
        assert server.requests == server.paid == 10
    assert [each["attempts"] for each in stored(folder())] == [1] * 10


def test_a_second_process_at_the_same_run_is_refused(
    inside: Inside, hundred: Material, tmp_path: Path
) -> None:
    words = (*RUN, "--data", hundred.path)
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words)
        server.wait_for_requests(30 + AT_ONCE)
        for more in ((), ("--fresh",)):
            second = inside(*words, *more)
            assert second.code == 2, second.err
            assert f"process {process.pid}, since 20" in second.err
            assert plain(second.all)
        assert server.requests == 30 + AT_ONCE
        server.release()
        assert end(process).code == 0
        assert server.requests == server.paid == 100
    assert len(stored(folder())) == 100


def test_two_processes_share_a_cache(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "many.csv", 60)
    words = ("--data", made.path, "--setting", "regular", "--cache", "cache", "--yes")
    with FaultServer(made.answers, latency_s=0.002) as server:
        configure(
            tmp_path,
            one=model(server.url),
            other=model(server.url, params={"temperature": 1}),
        )
        both = [start("run", name, *words) for name in ("one", "other")]
        assert [end(each).code for each in both] == [0, 0]
        assert server.requests == 120
        for name in ("one", "other"):
            done = inside("run", name, *words, "--out", "again")
            assert done.code == 0
            assert "60 from cache" in done.err
        assert server.requests == 120
    checked = json.loads(inside("cache", "verify", "--cache", "cache", "--json").out)
    assert checked["damaged"] == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """Give a folder of 128 KB."""
    with mounted(tmp_path / "disk", "128k") as disk:
        yield disk
        end_all()  # who still runs holds it


def test_a_full_disk_stops_the_run_and_it_goes_on_when_there_is_room(
    small_disk: Path, inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "many.csv", 100)
    words = ("run", "local", "--setting", "regular", "--data", made.path, "--out", small_disk)
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(64 * 1024))
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url))
        done = apieval(*words, "--cache", "off")
        assert done.code == 3, done.err
        assert "No space left on device" in done.err
        assert plain(done.all)
        run = folder(small_disk)
        kept = len(stored(run))
        assert 0 < kept < 100
        ballast.unlink()
        server.forget()
        subprocess.run(("mount", "-o", "remount,size=4m", str(small_disk)), check=True)  # noqa: S607
        done = inside(*words, "--cache", "off")
        assert done.code == 0, done.err
        assert server.requests == 100 - kept
    assert len(stored(run)) == 100
    assert not summary(run)["partial"]


def _fill(disk: Path) -> None:
    """Take the last byte, also while somebody else writes."""
    with (disk / "ballast").open("ab", buffering=0) as ballast:
        for size in (64 * 1024, 1024, 1):
            with suppress(OSError):
                while ballast.write(bytes(size)) == size:
                    pass


def _offered(done: Done) -> list[str]:
    """Return the words of the command that the program offers."""
    (line,) = [line for line in done.err.splitlines() if "to resume: " in line]
    _, _, command = line.partition("to resume: apieval ")
    assert command, line
    return shlex.split(command)


@pytest.mark.parametrize("how", ["renamed", "moved with its parent", "removed", "file removed"])
def test_a_folder_that_goes_away_meanwhile_costs_no_answer(
    how: str, inside: Inside, hundred: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.02)
    words = [*RUN, "--data", str(hundred.path)]
    monkeypatch.setattr("sys.argv", ["apieval", *words])

    def plan(seen: Seen) -> None:
        if seen.number != 30:
            return
        if how == "renamed":
            folder().rename("results/un-altro-nome")
        elif how == "moved with its parent":
            Path("altrove").mkdir()
            Path("results").rename("altrove/risultati")
        elif how == "removed":
            shutil.rmtree(folder(), ignore_errors=True)  # a file may be written anew meanwhile
        else:
            (folder() / "responses.jsonl").unlink()

    with FaultServer(hundred.answers, plan, latency_s=0.02) as server:
        configure(tmp_path, local=model(server.url))
        done = inside(*words)
        assert done.code == 3, done.err
        assert (
            "was moved to" if "move" in how[:5] or how == "renamed" else "was removed"
        ) in done.err
        run = folder(Path("altrove/risultati") if how.startswith("moved") else Path("results"))
        assert f"run folder: {run.absolute() if 'moved to' in done.err else run}" in done.out
        assert len(stored(run)) == server.paid == server.requests < 100
        header = json.loads((run / "run.json").read_text("utf-8"))
        assert header["status"] == "stopped"
        assert summary(run)["outcomes"]["regular"]["ok"] == server.paid
        again = inside(*_offered(done))
        assert again.code == 0, again.err
        assert server.requests == server.paid == 100
        assert len(stored(run)) == 100


@pytest.mark.parametrize("how", ["a line added", "a line broken", "replaced", "a folder"])
def test_answers_that_another_hand_damaged_are_counted_as_they_are_on_the_disk(
    how: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    def plan(seen: Seen) -> None:
        path = folder() / "responses.jsonl"
        if seen.number != 8:
            return
        whole = path.read_bytes()
        if how == "a line added":
            path.write_bytes(whole + b"un appunto\n")
        elif how == "a line broken":
            path.write_bytes(whole.replace(b'{"id"', b"{'id'", 1))
        else:
            path.unlink()
            path.mkdir() if how == "a folder" else path.write_bytes(b"un appunto\n")

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 1}))
        done = inside(*RUN, "--data", str(ten.path))
    assert done.code == 3, done.err
    assert plain(done.all)
    if how == "a folder":
        assert "stopped, how many of 10 answers are saved is not known: " in done.err
    else:
        lines = (folder() / "responses.jsonl").read_bytes().splitlines()
        there = sum(line.startswith(b'{"id"') for line in lines)
        assert there > 5
        assert f"stopped, {there} of 10 answers saved: " in done.err


def test_a_disk_that_cannot_be_synced_stops_the_run(
    inside: Inside, hundred: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As an EIO, a quota or a network drive has it: the file's own sync fails, from the second on."""
    monkeypatch.setattr(runner, "SYNC_EVERY_S", 0.02)
    real, calls = os.fsync, 0

    def fails(descriptor: int) -> None:
        nonlocal calls
        if Path(f"/proc/self/fd/{descriptor}").readlink().name == "responses.jsonl":
            calls += 1
            if calls > 1:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
        real(descriptor)

    with FaultServer(hundred.answers, latency_s=0.02) as server:
        configure(tmp_path, local=model(server.url))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fails)
            done = inside(*RUN, "--data", hundred.path)
        assert done.code == 3, done.err
        assert "cannot be brought to the disk: Input/output error" in done.err
        header = json.loads((folder() / "run.json").read_text("utf-8"))
        assert header["status"] == "stopped"
        assert "Input/output error" in header["message"]
        assert server.requests < 100
        assert inside(*RUN, "--data", hundred.path).code == 0
        assert server.requests == server.paid == 100


def test_a_sync_that_fails_at_the_very_end_is_told(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(descriptor: int) -> None:
        if Path(f"/proc/self/fd/{descriptor}").readlink().name == "responses.jsonl":
            raise OSError(errno.EDQUOT, os.strerror(errno.EDQUOT))

    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        with monkeypatch.context() as patch:
            patch.setattr(os, "fsync", fails)
            done = inside(*RUN, "--data", ten.path)
        assert done.code == 3, done.err
        assert f"cannot be brought to the disk: {os.strerror(errno.EDQUOT)}" in done.err
        assert inside(*RUN, "--data", ten.path).code == 0
        assert server.requests == 10


def test_a_disk_that_gets_full_under_the_cache_loses_no_answer(
    small_disk: Path, hundred: Material, tmp_path: Path
) -> None:
    subprocess.run(("mount", "-o", "remount,size=1m", str(small_disk)), check=True)  # noqa: S607
    words = ("run", "local", "--setting", "regular", "--data", hundred.path)
    with FaultServer(hundred.answers, _held_after(8)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words, "--cache", small_disk / "cache")
        server.wait_for_requests(8 + AT_ONCE)
        _fill(small_disk)
        server.release()
        done = end(process)
        assert done.code == 0, done.err
        assert server.requests == 100
    assert "going on without it" in done.err
    assert plain(done.all)
    assert len(stored(folder())) == 100


@pytest.mark.parametrize("fault", ["full", "damaged"])
def test_a_cache_that_cannot_be_opened_is_gone_without(
    fault: str, small_disk: Path, ten: Material, tmp_path: Path
) -> None:
    cache = small_disk / "cache"
    cache.mkdir()
    if fault == "damaged":
        (cache / "cache.db").write_bytes(b"no database " * 500)
    else:
        _fill(small_disk)
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        done = apieval("run", "local", "--data", ten.path, "--cache", cache)
        assert (done.code, server.requests) == (0, 20), done.err
    assert str(cache) in done.err
    assert len(stored(folder())) == 20


@pytest.mark.parametrize("closed", ["stdout", "stderr", "both"])
def test_nobody_listening_ends_no_run(closed: str, ten: Material, tmp_path: Path) -> None:
    gone = {"stdout": " | true", "stderr": " 2>&1 >/dev/null | true", "both": " 2>&1 | true"}
    with FaultServer(ten.answers, lambda _: Manner.HOLD) as server:
        configure(tmp_path, local=model(server.url))
        command = f"'{PROGRAM}' {' '.join(RUN)} --data ten.csv{gone[closed]}"
        process = subprocess.Popen(
            ("bash", "-c", f"set -o pipefail; {command}"),  # noqa: S607
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        server.wait_for_requests(AT_ONCE)  # by now the reader is gone
        server.release()
        done = end(process)
    assert "Traceback" not in done.err
    assert "BrokenPipe" not in done.err
    assert len(stored(folder())) == 10
    assert not summary(folder())["partial"]


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_closed_streams_end_no_run(closed: str, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        command = f"'{PROGRAM}' {' '.join(RUN)} --data ten.csv {closed}"
        done = subprocess.run(
            ("bash", "-c", command),  # noqa: S607
            capture_output=True,
            encoding="utf-8",
            check=False,
        )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert not summary(folder())["partial"]


@pytest.mark.usefixtures("measured")
def test_a_terminal_that_goes_away_stops_the_run_in_order(
    hundred: Material, tmp_path: Path
) -> None:
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process, terminal = on_terminal(*RUN, "--data", "hundred.csv", "--log", "log")
        server.wait_for_requests(30 + AT_ONCE)
        os.close(terminal)  # the kernel sends SIGHUP
        while "stopping" not in Path("log").read_text(encoding="utf-8"):
            time.sleep(0.01)
        server.release()
        assert process.wait() == 130
    kept = stored(folder())
    assert len(kept) == 30 + AT_ONCE
    assert json.loads((folder() / "run.json").read_text("utf-8"))["status"] == "interrupted"


@pytest.mark.usefixtures("measured")
def test_a_terminal_shows_a_bar_and_is_left_as_it_was(hundred: Material, tmp_path: Path) -> None:
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process, terminal = on_terminal(*RUN, "--data", "hundred.csv", columns=120)
        screen = shown(terminal, until=b"30 of 100")
        server.release()
        screen += shown(terminal, until=None)
        os.close(terminal)
        assert process.wait() == 0
    assert b"solution_match" in screen
    assert screen.rfind(b"\x1b[?25h") > screen.rfind(b"\x1b[?25l")  # the cursor is shown again
    assert b"Traceback" not in screen


_LOCKLESS: Final = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
static int refused(void) { errno = atoi(getenv("NO_LOCKS")); return -1; }
int flock(int fd, int how) { return refused(); }
#define WRAP(name) int name(int fd, int what, ...) { \\
    va_list more; va_start(more, what); void *arg = va_arg(more, void *); va_end(more); \\
    if (what == F_SETLK || what == F_SETLKW || what == F_OFD_SETLK || what == F_OFD_SETLKW) \\
        return refused(); \\
    int (*real)(int, int, ...) = dlsym(RTLD_NEXT, #name); \\
    return real(fd, what, arg); }
WRAP(fcntl)
WRAP(fcntl64)
"""


@pytest.fixture(scope="session")
def lockless(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Give a library under which no file system has locks, as `LD_PRELOAD` takes it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None or not sys.platform.startswith("linux"):
        pytest.skip("there is no compiler here, or no LD_PRELOAD")
    made = tmp_path_factory.mktemp("lockless") / "lockless.so"
    words = (compiler, "-shared", "-fPIC", "-x", "c", "-", "-o", str(made), "-ldl")
    subprocess.run(words, input=_LOCKLESS, encoding="utf-8", check=True)
    return str(made)


@pytest.mark.usefixtures("measured")
@pytest.mark.parametrize("code", [errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS, errno.EINVAL])
def test_a_file_system_without_locks_is_told_and_worked_on(
    lockless: str, code: int, hundred: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("COVERAGE_PROCESS_CONFIG", "COVERAGE_PROCESS_START"):  # its database wants locks
        monkeypatch.delenv(name, raising=False)
    without = {"LD_PRELOAD": lockless, "NO_LOCKS": str(code)}
    words = ("run", "local", "--setting", "regular", "--data", hundred.path, "--cache", "cache")
    with FaultServer(hundred.answers, _held_after(30)) as server:
        configure(tmp_path, local=model(server.url))
        process = start(*words, **without)
        server.wait_for_requests(30 + AT_ONCE)
        second = apieval(*words, **without)
        assert second.code == 2
        assert f"process {process.pid}, since" in second.err
        process.kill()
        said = end(process).err
        assert f"has no locks ({os.strerror(code)}); name a folder on a local disk" in said
        assert "the file .lock.marker marks the run as in use instead" in said
        server.release()
        server.forget()
        done = apieval(*words, **without)  # what the killed one left counts for nothing
        assert done.code == 0, done.err
        assert plain(done.all)
    assert len(stored(folder())) == 100
