"""`python -m benchmarks`: the speed and memory of `apieval run`, beside bare loops of the same run.

Prints Markdown: absolute numbers, which differ from machine to machine, ratios against the bare
loops, which differ less, and the targets of DESIGN section 9. Nothing here is asserted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import statistics
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

from benchmarks import full, measure, table
from benchmarks.loops import KINDS
from benchmarks.scenarios import Bench, Figures, Scenario
from benchmarks.table import Target

STARTS: Final = 3
REQUESTS: Final = 2_000
FAST: Final = (0.05, 128)
SLOW: Final = (0.5, 512)


class Report:
    """What was measured so far; printed as it comes, kept for `--json`."""

    def __init__(self) -> None:
        """Begin with the machine alone."""
        machine = {
            "python": platform.python_version(),
            "platform": platform.platform(),
            "cpus": os.cpu_count(),
        }
        self.values: dict[str, Any] = {"machine": machine, "scenarios": {}}
        self.targets: list[Target] = []
        self.print(["# apieval: speed and memory", "", ", ".join(map(str, machine.values()))])

    def print(self, lines: Iterable[str]) -> None:
        """Print lines."""
        for line in lines:
            print(line, flush=True)

    def scenario(self, which: Scenario, measured: dict[str, Figures]) -> None:
        """Take in a scenario."""
        self.values["scenarios"][which.name] = {"ideal_s": which.ideal_s, **measured}
        self.print(table.scenario(which, measured))

    def numbers(self, title: str, values: dict[str, float]) -> None:
        """Take in single numbers."""
        self.values[title] = values
        self.print(table.numbers(title, values))

    def end(self, path: Path | None) -> None:
        """Tell the targets, and write everything where a file is named."""
        self.print(table.targets(self.targets))
        self.values["targets"] = [target.as_json() for target in self.targets]
        if path:
            path.write_text(json.dumps(self.values, indent=2) + "\n", encoding="utf-8")


def main() -> None:
    """Read the options and measure."""
    options = _options()
    report = Report()
    with tempfile.TemporaryDirectory(prefix="apieval-bench-") as name:
        folder = Path(name)
        bench = Bench(folder, _starts(folder, report))
        kinds = [kind for kind in KINDS if kind != "httpx" or options.httpx]
        for latency_s, concurrency in (SLOW, FAST):
            scenario = Scenario(options.requests, concurrency, latency_s)
            _headline(bench, scenario, kinds, options.repeat, report)
        with measure.serving() as endpoint:
            report.numbers("Afterwards", _afterwards(bench, options.requests, endpoint))
        if options.full:
            full.measure_all(bench, report.numbers, report.targets)
    report.end(options.json)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("--requests", type=int, default=REQUESTS, metavar="N", help="of the two scenarios")
    add("--repeat", type=int, default=3, metavar="N", help="the median of so many (default 3)")
    add("--httpx", action="store_true", help="httpx's own pool too (a minute and more)")
    add("--full", action="store_true", help="long runs, memory, a rate limit too (some minutes)")
    add("--json", type=Path, metavar="FILE", help="write everything measured there")
    return parser.parse_args()


def _starts(folder: Path, report: Report) -> float:
    """Measure starts that ask nothing; return the CPU seconds of an empty one."""
    measure.run([*measure.apieval(), "run", "--help"], folder)  # writes the bytecode
    commands = {"apieval --version": ["--version"], "apieval --help": ["--help"]}
    values, cpu = {}, []
    for what, words in commands.items():
        runs = [measure.run([*measure.apieval(), *words], folder) for _ in range(STARTS)]
        values[f"{what}, s"] = statistics.median(ran.wall_s for ran in runs)
        cpu.append(statistics.median(ran.cpu_s for ran in runs))
        values[f"{what}, CPU s"] = cpu[-1]
    report.numbers("Starts", values)
    report.targets.append(Target("apieval --help", values["apieval --help, s"], 0.4, "s"))
    return cpu[0]


def _headline(
    bench: Bench, scenario: Scenario, kinds: list[str], repeat: int, report: Report
) -> None:
    """Measure a scenario: the program and the loops in turn, so that all meet the same weather."""
    with measure.serving(scenario.latency_s) as endpoint:
        contenders: dict[str, Callable[[], Figures]] = {
            "apieval run": lambda: bench.run(scenario, endpoint)
        }
        for kind in kinds:
            contenders[f"{kind}, bare"] = lambda kind=kind: bench.loop(kind, scenario, endpoint)  # type: ignore[misc]
        rounds = [{who: once() for who, once in contenders.items()} for _ in range(repeat)]
    measured = {who: _median([each[who] for each in rounds]) for who in contenders}
    report.scenario(scenario, measured)
    mine, name = measured["apieval run"], scenario.name
    report.targets += [
        Target(f"{name}: span / ideal", mine["span_s"] / scenario.ideal_s, 1.3, ""),
        Target(f"{name}: start to first request", mine["first_s"], 0.8, "s"),
        Target(f"{name}: CPU a request, start included", mine["cpu_ms"], 1.0, "ms"),
    ]
    if (scenario.latency_s, scenario.concurrency) == FAST:
        report.targets.append(Target(f"{name}: whole process", mine["wall_s"], 3.0, "s"))


def _median(rounds: list[Figures]) -> Figures:
    return {name: statistics.median(each[name] for each in rounds) for name in rounds[0]}


def _afterwards(bench: Bench, count: int, endpoint: measure.Endpoint) -> dict[str, float]:
    """Measure what follows a run: the same from the cache, the same once more, its scoring."""
    cached = bench.again(count, endpoint, out="out-cached")
    again = bench.again(count, endpoint)
    values = {
        f"re-run from cache, {count:,}, s": cached.wall_s,
        f"re-run from cache, {count:,}, peak MB": cached.peak_mb,
        f"finished run again, {count:,}, s": again.wall_s,
        f"apieval score, {count:,}, s": bench.score().wall_s,
    }
    if asked := endpoint.stats()["requests"]:
        raise RuntimeError(f"{asked} requests were sent that had an answer")
    return values


if __name__ == "__main__":
    main()
