"""The comparison of runs: every metric of every pair and setting, and all their tests together.

A difference is B's figure less A's, micro, over the rebuses that both answered, each run's over its
own samples, rebus by rebus. Of several runs each pair has rebuses in common of its own; the tests of
all pairs, settings and metrics are one family for Holm's adjustment.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations
from typing import Final, NamedTuple

from apieval.analysis import comparison_sentences, paired_tests
from apieval.analysis.figures import at_once
from apieval.analysis.intervals import CONFIDENCE, SEED, TRIALS, Interval
from apieval.analysis.paired_tests import ALPHA, POWER
from apieval.analysis.pairing import Both, Common, Objection, Scored, common, common_to_all
from apieval.rebus.metrics import HEADLINE, OF_REBUSES, shown_in
from apieval.records import SETTINGS, RowId, Setting
from apieval.results.comparison import (
    ComparedRun,
    Comparison,
    MacroDifference,
    MetricDifference,
    Pair,
    Solved,
)

FORMAT: Final = 1


def compare(
    runs: Sequence[Scored],
    parser: str,
    objections: Sequence[Objection] = (),
    baseline: str | None = None,
) -> Comparison:
    """Compare all runs with each other, or with the `baseline` alone; return the whole document."""
    compared = [
        _pair(a, b, setting)
        for setting in SETTINGS
        for a, b in _pairs(runs, baseline)
        if setting in a.rows and setting in b.rows
    ]
    tests = [metric for each in compared for metric in each["metrics"].values()]
    for metric, p in zip(tests, paired_tests.holm([each["p"] for each in tests]), strict=True):
        metric["p_holm"] = p
    for each in compared:
        each["sentence"] = comparison_sentences.of(each, len(tests))
    return {
        "format": FORMAT,
        "parser": parser,
        "confidence": CONFIDENCE,
        "alpha": ALPHA,
        "power": POWER,
        "trials": TRIALS,
        "seed": SEED,
        "tests": len(tests),
        "baseline": baseline,
        "findings": [
            {
                "kind": each.kind,
                "level": "note" if each.level == "note" else "warning",  # no refusal: forced
                "text": each.text,
            }
            for each in objections
        ],
        "runs": [_run(each) for each in runs],
        "common_to_all": {
            setting: common_to_all(runs, setting)
            for setting in SETTINGS
            if all(setting in run.rows for run in runs)
        },
        "comparisons": compared,
    }


def _pairs(runs: Sequence[Scored], baseline: str | None) -> Iterator[tuple[Scored, Scored]]:
    if baseline is None:
        yield from combinations(runs, 2)
        return
    first = next(run for run in runs if run.name == baseline)
    yield from ((first, run) for run in runs if run is not first)


def _run(run: Scored) -> ComparedRun:
    return {
        "name": run.name,
        "model": run.model,
        "dir": run.folder,
        "data": run.digest,
        "settings": list(run.rows),
        "signatures": run.signatures,
    }


def _pair(a: Scored, b: Scored, setting: Setting) -> Pair:
    shared = common(a, b, setting)
    measured = [name for name in shown_in(setting, a.given) if name in shown_in(setting, b.given)]
    return {
        "a": a.name,
        "b": b.name,
        "setting": setting,
        "rebuses": len(shared.rebuses),
        "answers": shared.answers,
        "left_out": dict(shared.left_out),
        "metrics": metrics(measured, shared) if shared.rebuses else {},
        "solved": _solved(shared.rebuses),
        "sentence": "",
        "answers_a": sum(len(each.a) for each in shared.rebuses),
        "answers_b": sum(len(each.b) for each in shared.rebuses),
    }


def _solved(rebuses: Sequence[Both]) -> Solved:
    """Return which rebuses only one solves; of several samples one that is right is enough.

    Of two runs with another number of samples as many of each are looked at, the first ones: more
    tries solve more.
    """
    found: dict[tuple[bool, bool], list[RowId]] = {
        (a, b): [] for a in (True, False) for b in (True, False)
    }
    for each in rebuses:
        tries = list(zip(each.a, each.b, strict=False))
        solved_a = any(a[HEADLINE].right for a, _ in tries)
        solved_b = any(b[HEADLINE].right for _, b in tries)
        found[solved_a, solved_b].append(each.id)
    return {
        "both": len(found[True, True]),
        "neither": len(found[False, False]),
        "only_a": {"count": len(found[True, False]), "ids": found[True, False]},
        "only_b": {"count": len(found[False, True]), "ids": found[False, True]},
    }


def metrics(names: Sequence[str], shared: Common) -> dict[str, MetricDifference]:
    """Return some metrics of a pair, which has rebuses in common, by their names."""
    return dict(zip(names, at_once(partial(metric, name, shared) for name in names), strict=True))


def metric(name: str, shared: Common) -> MetricDifference:
    """Return one metric of a pair: both figures, their difference, how sure it is, and the test."""
    scale = shared.scale
    sums = [_sum(name, each, scale) for each in shared.rebuses]
    total = sum(each[2] for each in sums)
    a, b = sum(each[0] for each in sums), sum(each[1] for each in sums)
    judged = _of_proportion(sums) if name in OF_REBUSES and shared.single else _of_words(sums)
    interval, macro_interval, how = judged
    samples = sum(each[5] for each in sums)
    share_a, share_b = (math.fsum(each[at] for each in sums) / samples for at in (3, 4))
    return {
        "a": a / total,
        "b": b / total,
        "difference": (b - a) / total,
        "low": interval[0],
        "high": interval[1],
        "n": sum(min(len(each.a), len(each.b)) * each.a[0][name].total for each in shared.rebuses),
        "macro": _difference(share_a, share_b, share_b - share_a, macro_interval),
        "p": how.p,
        "test": how.test,
        "interval": how.interval,
        "smallest": how.smallest,
        "discordance": how.discordance,
    }


def _difference(a: float, b: float, difference: float, interval: Interval) -> MacroDifference:
    return {"a": a, "b": b, "difference": difference, "low": interval[0], "high": interval[1]}


_Sum = tuple[int, int, int, float, float, int]
"""Of one rebus, `scale` times: the means of what A and B have right, of how many; those of both shares;
and the scale. Where all have `scale` samples these are plain sums."""


def _sum(name: str, rebus: Both, scale: int) -> _Sum:
    a, b = [each[name] for each in rebus.a], [each[name] for each in rebus.b]
    return (
        round(sum(each.right for each in a) * scale / len(a)),
        round(sum(each.right for each in b) * scale / len(b)),
        a[0].total * scale,
        sum(each.share for each in a) * (scale / len(a)),
        sum(each.share for each in b) * (scale / len(b)),
        scale,
    )


class _How(NamedTuple):
    """By which test and interval a difference was judged, and what could have been seen."""

    p: float
    test: str
    interval: str
    smallest: float | None
    discordance: float | None = None


_Judged = tuple[Interval, Interval, _How]


def _of_proportion(sums: Sequence[_Sum]) -> _Judged:
    both = sum(1 for a, b, *_ in sums if a and b)
    only_a = sum(1 for a, b, *_ in sums if a and not b)
    only_b = sum(1 for a, b, *_ in sums if b and not a)
    interval = paired_tests.newcombe(both, only_a, only_b, len(sums) - both - only_a - only_b)
    smallest = paired_tests.smallest_share(len(sums), only_a + only_b)
    return (
        interval,
        interval,
        _How(
            paired_tests.mcnemar(only_a, only_b),
            "mcnemar-exact",
            "newcombe-10",
            smallest and smallest[0],
            smallest and smallest[1],
        ),
    )


def _of_words(sums: Sequence[_Sum]) -> _Judged:
    differences = [b - a for a, b, *_ in sums]
    unit = math.gcd(*differences) or 1
    p, exact = paired_tests.sign_flip([each // unit for each in differences])
    interval, macro = paired_tests.bootstrap(
        [(b - a, total, round(y - x, 4), k) for a, b, total, x, y, k in sums]
    )
    return (
        interval,
        macro,
        _How(
            p,
            "sign-flip-exact" if exact else "sign-flip-sampled",
            "bootstrap",
            paired_tests.smallest_ratio([(b - a, total) for a, b, total, *_ in sums]),
        ),
    )
