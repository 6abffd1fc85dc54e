"""Processes started and measured from outside: wall time, CPU, peak memory, and the server's view.

Times are on the monotonic clock, which all processes of a machine share. CPU and memory are the
system's own account of a child that has ended (`wait4`), what it started and waited for included.
"""

from __future__ import annotations

import http.client
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
_KB_OR_BYTES: Final = 1 if sys.platform == "darwin" else 1024
_TAIL: Final = 2000


@dataclass(frozen=True, slots=True)
class Ran:
    """A process that has ended; `started` is a time, the rest are seconds and 10^6 bytes."""

    started: float
    wall_s: float
    cpu_s: float
    peak_mb: float
    code: int
    stdout: str


def run(command: Sequence[str], folder: Path, *, checked: bool = True) -> Ran:
    """Run a command in a folder to its end and measure it.

    Raises:
        RuntimeError: with the end of its stderr, where `checked` and the exit code is not 0.
    """
    stdout, stderr = folder / "stdout", folder / "stderr"
    with stdout.open("wb") as out, stderr.open("wb") as err:
        started = time.monotonic()
        child = subprocess.Popen(  # noqa: S603 # our own words, no shell
            command,
            cwd=folder,
            env=_environment(),
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=err,
        )
        _, status, used = os.wait4(child.pid, 0)
        wall_s = time.monotonic() - started
    child.returncode = code = os.waitstatus_to_exitcode(status)
    if checked and code:
        said = stderr.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
        raise RuntimeError(f"{' '.join(command)}: exit code {code}\n{said}")
    return Ran(
        started=started,
        wall_s=wall_s,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=used.ru_maxrss * _KB_OR_BYTES / 1e6,
        code=code,
        stdout=stdout.read_text(encoding="utf-8", errors="replace"),
    )


def apieval() -> list[str]:
    """Return the words that start the program: the script of this environment, as a user does."""
    script = Path(sys.executable).with_name("apieval")
    if script.exists():
        return [str(script)]
    return [sys.executable, "-c", "from apieval.cli import main; main()"]


def _environment() -> dict[str, str]:
    """Return our environment without what could change a run; this checkout is found first."""
    changes = ("APIEVAL_", "PYTHONDONTWRITEBYTECODE")  # compiling takes longer than starting
    kept = {k: v for k, v in os.environ.items() if not k.startswith(changes)}
    return {**kept, "PYTHONPATH": str(ROOT)}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The server in its own process."""

    port: int

    @property
    def url(self) -> str:
        """Return the API's base address."""
        return f"http://127.0.0.1:{self.port}/v1"

    def reset(self) -> None:
        """Let the server count from nothing."""
        self._get("/reset")

    def stats(self) -> dict[str, Any]:
        """Return the server's counters and times."""
        return self._get("/stats")

    def _get(self, path: str) -> dict[str, Any]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            connection.request("GET", path)
            value: dict[str, Any] = json.loads(connection.getresponse().read())
        finally:
            connection.close()
        return value


@contextmanager
def serving(
    latency_s: float = 0.0,
    rate: float | None = None,
    burst: float | None = None,
    *,
    characters: int = 0,
    wire: str = "openai",
) -> Iterator[Endpoint]:
    """Run the server as long as it is used; it refuses what is beyond a rate and a burst."""
    command = [sys.executable, str(HERE / "server.py"), "--latency", str(latency_s)]
    command += ["--characters", str(characters), "--wire", wire]
    command += ["--rate", str(rate)] if rate else []
    command += ["--burst", str(burst)] if burst else []
    server = subprocess.Popen(  # noqa: S603 # our own words, no shell
        command, stdout=subprocess.PIPE, text=True
    )
    try:
        line = server.stdout.readline() if server.stdout else ""
        yield Endpoint(int(line))
    finally:
        server.terminate()
        server.communicate()
