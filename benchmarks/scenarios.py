"""One measurement each: `apieval run` and the bare loops, every one in a process of its own.

A measurement is a mapping from name to number; a name's ending is its unit: `_s` seconds, `_ms`
milliseconds, `_mb` 10^6 bytes.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks import data, measure
from benchmarks.measure import HERE, Endpoint, Ran
from benchmarks.server import ANSWER

Figures = dict[str, float]

SETTINGS: Final = ("regular", "hints")
_REPLY: Final = {"reasoning": None, "finish_reason": "stop", "outcome": "ok", "error": None}
_SERVED: Final = {"served_model": data.MODEL, "system_fingerprint": None, "cost_usd": None}
_MADE: Final = {"attempts": 1, "created": "2026-01-01T00:00:00.000+00:00", "cached": False}


@dataclass(frozen=True, slots=True)
class Scenario:
    """So many requests, so many of them at once, to a server that takes so long for each."""

    requests: int
    concurrency: int
    latency_s: float

    @property
    def name(self) -> str:
        """Return latency and concurrency in a few words."""
        return f"{self.latency_s * 1000:g} ms / {self.concurrency}"

    @property
    def ideal_s(self) -> float:
        """Return the span of a client that costs nothing."""
        return self.requests * self.latency_s / self.concurrency


@dataclass(frozen=True, slots=True)
class Bench:
    """A folder to measure in: data files, configuration, and what runs leave behind.

    `start_cpu_s` is the CPU of a start that does nothing.
    """

    folder: Path
    start_cpu_s: float

    def run(self, scenario: Scenario, endpoint: Endpoint) -> Figures:
        """Measure a run from nothing: cache and run folder are made anew, and left behind."""
        for name in ("out", "cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        endpoint.reset()
        ran = self.again(scenario.requests, endpoint, concurrency=scenario.concurrency)
        net_s = max(0.0, ran.cpu_s - self.start_cpu_s)
        return _figures(ran, net_s, endpoint.stats(), scenario.requests)

    def loop(self, kind: str, scenario: Scenario, endpoint: Endpoint) -> Figures:
        """Measure a bare loop over the same requests."""
        endpoint.reset()
        bodies = self._made("bodies", "jsonl", scenario.requests)
        url = f"{endpoint.url}/chat/completions"
        words = [str(HERE / "loops.py"), kind, url, str(bodies), str(scenario.concurrency)]
        ran = measure.run([sys.executable, *words], self.folder)
        net_s = json.loads(ran.stdout)["loop_cpu_s"]
        return _figures(ran, net_s, endpoint.stats(), scenario.requests)

    def again(
        self,
        count: int,
        endpoint: Endpoint,
        *more: str,
        out: str = "out",
        setting: str = "regular",
        concurrency: int = 128,
        checked: bool = True,
    ) -> Ran:
        """Run the program on so many rebuses, with what is there of run folder and cache."""
        config = self.folder / "providers.json"
        config.write_text(json.dumps(_providers(endpoint)), encoding="utf-8")
        options = {
            "--config": config,
            "--data": self._made("rebuses", "csv", count),
            "--setting": setting,
            "--concurrency": concurrency,
            "--out": self.folder / out,
            "--cache": self.folder / "cache",
        }
        words = [str(word) for pair in options.items() for word in pair]
        command = [*measure.apieval(), "run", "bench", *words, "--yes", *more]
        return measure.run(command, self.folder, checked=checked)

    def score(self) -> Ran:
        """Score the run that was left behind."""
        (folder,) = (path.parent for path in (self.folder / "out").glob("*/run.json"))
        command = [*measure.apieval(), "score", str(folder)]
        return measure.run(command, self.folder)

    def store(self, name: str, rows: int, samples: int) -> int:
        """Make a run folder with all answers but the very last one; return how many there are."""
        folder = self.folder / "out" / name
        places = [(i, s, k) for s in SETTINGS for i in range(rows) for k in range(samples)]
        with (folder / "responses.jsonl").open("w", encoding="utf-8") as file:
            for place in places[:-1]:
                line = json.dumps(_line(*place), ensure_ascii=False, separators=(",", ":"))
                file.write(line + "\n")
        return len(places) - 1

    def _made(self, what: str, ending: str, count: int) -> Path:
        path = self.folder / f"{what}-{count}.{ending}"
        if not path.exists():
            (data.write if ending == "csv" else data.write_bodies)(path, count)
        return path


def _figures(ran: Ran, net_s: float, stats: Mapping[str, Any], requests: int) -> Figures:
    """Put what the system and the server say of a run into one measurement."""
    if stats["ok"] != requests:
        raise RuntimeError(f"the server gave {stats['ok']} answers, not {requests}: {stats}")
    return {
        "first_s": stats["first_request"] - ran.started,
        "span_s": stats["last_reply"] - stats["first_request"],
        "wall_s": ran.wall_s,
        "cpu_ms": 1000 * ran.cpu_s / requests,
        "cpu_net_ms": 1000 * net_s / requests,
        "peak_mb": ran.peak_mb,
        "server_cpu_ms": 1000 * stats["cpu_s"] / requests,
    }


def _providers(endpoint: Endpoint) -> dict[str, Any]:
    model = {
        "provider": "openai-compatible",
        "base_url": endpoint.url,
        "model": data.MODEL,
        "cache_identity": "bench",  # whatever the port
    }
    return {"version": 1, "models": {"bench": model}}


def _line(row: int, setting: str, sample: int) -> dict[str, Any]:
    """Return an answer as `responses.jsonl` holds it."""
    usage = {"prompt_tokens": 700, "completion_tokens": 210, "total_tokens": 910}
    return {
        "id": row,
        "setting": setting,
        "sample": sample,
        "key": f"sha256:{row:064x}",
        "text": ANSWER,
        **_REPLY,
        **_SERVED,
        "usage": {**usage, "reasoning_tokens": None, "cached_tokens": None},
        "latency_s": 0.05,
        **_MADE,
    }
