"""What speaks against a comparison: runs whose data, parsers, prompts or requests differ.

Different data or another version of the parser make a comparison meaningless: it is refused.
Different prompts or sampling may be what somebody wants to compare: they are warned of, loudly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from apieval.analysis.pairing import Scored
from apieval.schema import SETTINGS

Level = Literal["refusal", "warning", "note"]
ABSENT: Final = "none"


@dataclass(frozen=True, slots=True)
class Objection:
    """One thing that differs; only a `refusal` ends a comparison."""

    kind: str
    level: Level
    text: str


_PARTS: Final[Mapping[str, tuple[str, Level, str]]] = {
    "parser": ("parsers_differ", "refusal", "the versions of the parser differ"),
    "given": ("given_differ", "refusal", "the steps that were given differ"),
    "prompt": ("prompts_differ", "warning", "the prompts differ"),
    "sampling": ("sampling_differs", "warning", "the sampling parameters differ"),
    "dropped": ("dropped_differ", "warning", "the parameters left out of the request differ"),
    "subset": ("selections_differ", "warning", "the subsets asked differ"),
    "limit": ("selections_differ", "warning", "the limits (--limit) differ"),
    "n": ("selections_differ", "warning", "the numbers of rebuses asked differ"),
    "samples": (
        "samples_differ",
        "warning",
        "the numbers of samples differ, and each run's figures are the means over its own",
    ),
    "apieval": ("versions_differ", "note", "the versions of apieval that scored differ"),
}
"""By the part of a signature: what it is called, how much it weighs, what is said of it."""


def found(runs: Sequence[Scored]) -> Iterator[Objection]:
    """Yield everything that differs between runs, refusals first."""
    data = {run.name: run.digest for run in runs}
    if len(set(data.values())) > 1:
        yield Objection("data_differ", "refusal", _said("the data differ", data))
    for part, (kind, level, what) in _PARTS.items():
        for text in _differences(runs, part, what):
            yield Objection(kind, level, text)
    yield from _failures(runs)
    names = {run.name: _data_name(run) for run in runs}
    if len(set(names.values())) > 1 and len(set(data.values())) == 1:
        yield Objection("data_names_differ", "note", _said("the same data by other names", names))


def _failures(runs: Sequence[Scored]) -> Iterator[Objection]:
    """Tell of requests that failed in some runs alone: the rebuses that are left are not by chance."""
    for setting in SETTINGS:
        failed = {
            run.name: {
                (row, sample)
                for row, samples in run.rows[setting].items()
                for sample, tallies in samples.items()
                if tallies is None
            }
            for run in runs
            if setting in run.rows
        }
        if len({frozenset(each) for each in failed.values()}) > 1:
            counts = {name: f"{len(each):,}" for name, each in failed.items()}
            what = f"the failed requests differ in {setting}, and their rebuses are left out"
            yield Objection("failures_differ", "warning", _said(what, counts))


def _data_name(run: Scored) -> str:
    first = next(iter(run.signatures.values()))
    return first.get("data", ABSENT).rpartition("@")[0]


def _differences(runs: Sequence[Scored], part: str, what: str) -> Iterator[str]:
    """Yield what is said of one part: once where it differs alike in every setting."""
    apart = {}
    for setting in SETTINGS:
        values = {
            run.name: run.signatures[setting].get(part, ABSENT)
            for run in runs
            if setting in run.signatures
        }
        if len(set(values.values())) > 1:
            apart[setting] = values
    if len(apart) > 1 and len({tuple(values.items()) for values in apart.values()}) == 1:
        yield _said(what, next(iter(apart.values())))
        return
    for setting, values in apart.items():
        yield _said(f"{what} in {setting}", values)


def _said(what: str, values: Mapping[str, str]) -> str:
    return f"{what}: {'; '.join(f'{name!r} has {value}' for name, value in values.items())}"
