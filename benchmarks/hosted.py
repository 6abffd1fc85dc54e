"""`python -m benchmarks.hosted`: runs through litellm beside a bare loop of `litellm.acompletion`.

Program and loop take turns over the same requests. Starts are taken off: of the program a run of
one request, of the loop all before its first, since importing litellm takes longer than the rest.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

from benchmarks import data, measure, table
from benchmarks.loops import HOSTED_MODELS
from benchmarks.measure import HERE, Endpoint, Ran

LATENCY_S: Final = 0.05
AT_ONCE: Final = 64
FLIGHT: Final = 800
FLIGHT_S: Final = 5.0
"""Longer than it takes to send so many: a core sends 200 to 400 a second through litellm."""
BOUND: Final = 1.15

Figures = dict[str, float]


def main() -> None:
    """Measure every wire, then 800 requests in flight."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hosted")
    parser.add_argument("--requests", type=int, default=1_000, metavar="N")
    parser.add_argument("--repeat", type=int, default=3, metavar="N")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="apieval-bench-") as name:
        for wire in HOSTED_MODELS:
            rows = _beside(Path(name), wire, options.requests, options.repeat)
            for line in table.numbers(f"litellm, {wire}, 50 ms / {AT_ONCE}", rows):
                print(line, flush=True)
            most = _in_flight(Path(name), wire)
            for line in table.numbers(f"{FLIGHT} at once, {FLIGHT_S:g} s each, {wire}", most):
                print(line, flush=True)


def _beside(folder: Path, wire: str, requests: int, repeat: int) -> Figures:
    """Measure program and loop in turn; return the medians and their ratios."""
    mine, bare = [], []
    with measure.serving(LATENCY_S, wire=wire) as endpoint:
        _loop(folder, endpoint, wire, 1)  # writes the bytecode
        for _ in range(repeat):
            start = _run(folder, endpoint, wire, 1, 1)
            whole = _run(folder, endpoint, wire, requests, AT_ONCE)
            whole["cpu_s"] -= start["cpu_s"]
            mine.append(whole)
            bare.append(_loop(folder, endpoint, wire, requests))
    a, b = _medians(mine), _medians(bare)
    return {
        "apieval run, requests a second": requests / a["span_s"],
        "litellm, bare, requests a second": requests / b["span_s"],
        "apieval run, CPU ms a request (stored, cached, scored)": 1000 * a["cpu_s"] / requests,
        "litellm, bare, CPU ms a request": 1000 * b["cpu_s"] / requests,
        "time a request, apieval / bare": a["span_s"] / b["span_s"],
        "CPU a request, apieval / bare": a["cpu_s"] / b["cpu_s"],
        "target of both": BOUND,
    }


def _in_flight(folder: Path, wire: str) -> Figures:
    with measure.serving(FLIGHT_S, wire=wire) as endpoint:
        _run(folder, endpoint, wire, FLIGHT, FLIGHT)
        stats = endpoint.stats()
    return {
        "most in flight": stats["most_in_flight"],
        "answered": stats["ok"],
        f"span, s (ideal {FLIGHT_S:g})": stats["last_reply"] - stats["first_request"],
    }


def _medians(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def _run(folder: Path, endpoint: Endpoint, wire: str, requests: int, at_once: int) -> Figures:
    """Run the program from nothing on so many requests."""
    config, rows = folder / "providers.json", folder / f"rebuses-{requests}.csv"
    config.write_text(json.dumps(_providers(endpoint, wire)), encoding="utf-8")
    data.write(rows, requests)
    options = {
        "--config": config,
        "--data": rows,
        "--setting": "regular",
        "--concurrency": at_once,
        "--out": tempfile.mkdtemp(dir=folder),
        "--cache": tempfile.mkdtemp(dir=folder),
    }
    words = [str(word) for pair in options.items() for word in pair]
    endpoint.reset()
    return _figures(
        measure.run([*measure.apieval(), "run", "bench", *words, "--yes"], folder), endpoint
    )


def _loop(folder: Path, endpoint: Endpoint, wire: str, requests: int) -> Figures:
    bodies = folder / f"bodies-{requests}.jsonl"
    data.write_bodies(bodies, requests)
    words = [str(HERE / "loops.py"), f"litellm {wire}", _address(endpoint, wire), str(bodies)]
    endpoint.reset()
    ran = measure.run([sys.executable, *words, str(AT_ONCE)], folder)
    took = json.loads(ran.stdout)
    return {"span_s": took["loop_s"], "cpu_s": took["loop_cpu_s"]}


def _figures(ran: Ran, endpoint: Endpoint) -> Figures:
    stats = endpoint.stats()
    return {"span_s": stats["last_reply"] - stats["first_request"], "cpu_s": ran.cpu_s}


def _address(endpoint: Endpoint, wire: str) -> str:
    return endpoint.url.removesuffix("/v1") if wire == "anthropic" else endpoint.url


def _providers(endpoint: Endpoint, wire: str) -> dict[str, Any]:
    api_base = _address(endpoint, wire)
    model = {"provider": "litellm", "model": HOSTED_MODELS[wire], "api_base": api_base}
    return {"version": 1, "models": {"bench": model}}


if __name__ == "__main__":
    main()
