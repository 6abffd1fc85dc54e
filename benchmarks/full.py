"""What takes minutes: the challenge's whole test file, long stores, memory, a server that refuses."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from typing import Final

from benchmarks import measure
from benchmarks.scenarios import Bench, Figures, Scenario
from benchmarks.table import Target

WHOLE: Final = 3_167
"""Rows of the challenge's test file; both settings make 6,334 answers."""
SAMPLES: Final = 16
"""Of both settings of the whole file: some 100,000 answers."""
LIMITED: Final = 400
RATE: Final = 50.0
BURSTS: Final = (50.0, 5.0)
"""Servers differ in how much they let through at once: a second's worth, or hardly any."""
LENGTHS: Final = (1_000, 5_000, 10_000, 20_000)
LONG_ANSWER: Final = 4_000

Tell = Callable[[str, dict[str, float]], None]


def measure_all(bench: Bench, tell: Tell, targets: list[Target]) -> None:
    """Measure everything here, tell it, and add the targets it answers."""
    tell("The whole test file", _whole(bench, targets))
    tell("A long store", _stored(bench, targets))
    tell("Length of a run (50 ms / 128)", _lengths(bench, targets))
    for burst in BURSTS:
        title = f"A server that allows {RATE:g} a second, {burst:g} at once"
        tell(title, _limited(bench, burst, targets))


def _clean(bench: Bench) -> None:
    for name in ("out", "out-cached", "cache"):
        shutil.rmtree(bench.folder / name, ignore_errors=True)


def _whole(bench: Bench, targets: list[Target]) -> dict[str, float]:
    _clean(bench)
    with measure.serving() as endpoint:
        first = bench.again(WHOLE, endpoint, setting="both")
        cached = bench.again(WHOLE, endpoint, setting="both", out="out-cached")
        again = bench.again(WHOLE, endpoint, setting="both")
    scored = bench.score()
    targets += [
        Target("6,334 answers re-scored", scored.wall_s, 2.0, "s"),
        Target("6,334 answers re-run from cache", cached.wall_s, 3.0, "s"),
    ]
    return {
        "6,334 asked without any latency, s": first.wall_s,
        "6,334 asked, CPU ms a request": 1000 * first.cpu_s / (2 * WHOLE),
        "6,334 from cache, s": cached.wall_s,
        "6,334 finished, run again, s": again.wall_s,
        "6,334 scored, s": scored.wall_s,
    }


def _stored(bench: Bench, targets: list[Target]) -> dict[str, float]:
    _clean(bench)
    more = ["--name", "long", "--samples", str(SAMPLES)]
    with measure.serving() as endpoint:
        pass
    # a run that found no server has a header and no answers yet
    bench.again(WHOLE, endpoint, *more, "--wait-for-server", "0", setting="both", checked=False)
    lines = bench.store("long", WHOLE, SAMPLES)
    with measure.serving() as endpoint:
        ran = bench.again(WHOLE, endpoint, *more, setting="both")
        stats = endpoint.stats()
    resumed_s = stats["first_request"] - ran.started
    targets.append(
        Target(f"{lines:,} stored lines resumed (to first request)", resumed_s, 3.0, "s")
    )
    scored = bench.score()
    return {
        f"{lines:,} stored, start to first request, s": resumed_s,
        f"{lines:,} stored, whole process (scoring too), s": ran.wall_s,
        f"{lines:,} stored, peak MB": ran.peak_mb,
        f"{lines + 1:,} scored, s": scored.wall_s,
    }


def _lengths(bench: Bench, targets: list[Target]) -> dict[str, float]:
    measured: dict[int, Figures] = {}
    with measure.serving(0.05) as endpoint:
        for count in LENGTHS:
            _clean(bench)
            measured[count] = bench.run(Scenario(count, 128, 0.05), endpoint)
    longest = Scenario(LENGTHS[-1], 128, 0.05)
    with measure.serving(0.05, characters=LONG_ANSWER) as endpoint:
        _clean(bench)
        long_answers = bench.run(longest, endpoint)["peak_mb"]
    what = f"{longest.requests:,} answers of {LONG_ANSWER:,} characters"
    targets += [
        Target("10,000 requests: peak memory", measured[10_000]["peak_mb"], 150.0, "MB"),
        Target(f"{what}: peak memory", long_answers, 150.0, "MB"),
    ]
    values = {f"{what}, peak MB": long_answers}
    for count, figures in measured.items():
        values[f"{count:,} requests, peak MB"] = figures["peak_mb"]
        values[f"{count:,} requests, CPU ms a request"] = figures["cpu_ms"]
        values[f"{count:,} requests, whole process, s"] = figures["wall_s"]
    return values


def _limited(bench: Bench, burst: float, targets: list[Target]) -> dict[str, float]:
    _clean(bench)
    with measure.serving(0.05, RATE, burst) as endpoint:
        ran = bench.again(LIMITED, endpoint, checked=False)
        stats = endpoint.stats()
    span_s = stats["last_reply"] - stats["first_request"]
    name = f"{RATE:g} a second, {burst:g} at once"
    pace, lost = stats["ok"] / span_s, LIMITED - stats["ok"]
    targets += [
        Target(f"{name}: lost", lost, 0, ""),
        Target(f"{name}: pace", pace, 47, "/s", at_least=True),
        Target(f"{name}: refusals", stats["refused"], 19, ""),
    ]
    return {
        "answered": stats["ok"],
        "lost": lost,
        "refused": stats["refused"],
        "pace, answers a second": pace,
        "exit code": ran.code,
    }
