"""Two scored runs brought together: common rebuses, why others are left out, what forbids comparing.

Rows are joined by id and setting, never by order, and each run is taken with all samples it has of a
rebus: the figures are those of its own summary. A failed request is no wrong answer: it is left out,
and the rebus with it where no other answer is left.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from apieval.analysis.shared_answers import Side
from apieval.records import SETTINGS, Given, RowId, Setting, Tally

MOST_SCALE: Final = 1_000_000
"""Means of samples are counted in parts of no more than that: rounding moves no digit that is shown."""
Tallies = Mapping[str, Tally]
Rows = Mapping[str, Mapping[int, Tallies | None]]
"""By the text of an id, then by sample: what was right. None is a failed request."""

REASONS: Final = (
    "missing_in_a",
    "missing_in_b",
    "missing_in_both",
    "failed_in_a",
    "failed_in_b",
    "failed_in_both",
    "no_common_sample",
    "other_words",
)
"""Why a rebus is left out; `other_words`: the two have another number of words of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scored:
    """What one parser made of one run's answers, and what it was made from.

    `name` is what the run goes by in a comparison; `signatures` are the parts by setting, `ids` the
    rows' ids as they are by their text; `given` is how far the answers were begun, `side` what the
    answers say.
    """

    name: str
    model: str
    folder: str
    digest: str
    rebuses: int
    signatures: Mapping[Setting, Mapping[str, str]]
    rows: Mapping[Setting, Rows]
    ids: Mapping[str, RowId]
    given: Given | None = None
    side: Side | None = None


@dataclass(frozen=True, slots=True)
class Both:
    """One rebus as A and B answered it: the tallies of each one's samples, in their order."""

    id: RowId
    a: Sequence[Tallies]
    b: Sequence[Tallies]


@dataclass(frozen=True, slots=True)
class Common:
    """The rebuses two runs have in common in one setting, and how many are left out and why."""

    rebuses: Sequence[Both]
    left_out: Mapping[str, int]

    @property
    def answers(self) -> int:
        """Return how many answers of each run are compared, of the run that has fewer."""
        return sum(min(len(each.a), len(each.b)) for each in self.rebuses)

    @property
    def single(self) -> bool:
        """Say whether every rebus has one answer of each run."""
        return all(len(each.a) == len(each.b) == 1 for each in self.rebuses)

    @property
    def scale(self) -> int:
        """Return a number that the samples of every rebus divide, or a large one where none does.

        Times that, the mean of a rebus's samples is a whole number.
        """
        counts = {len(side) for each in self.rebuses for side in (each.a, each.b)}
        return min(math.lcm(*counts), MOST_SCALE)


def common(a: Scored, b: Scored, setting: Setting) -> Common:
    """Bring the answers of two runs together, rebus by rebus, in the order of A."""
    return joined(a.rows[setting], b.rows[setting], a.ids, max(a.rebuses, b.rebuses))


def joined(rows_a: Rows, rows_b: Rows, ids: Mapping[str, RowId], asked: int) -> Common:
    """Bring two sets of answers to the same rebuses together; `asked` is how many there should be."""
    rebuses, reasons = [], Counter(dict.fromkeys(REASONS, 0))
    for name in dict.fromkeys((*rows_a, *rows_b)):
        found = _both(rows_a.get(name), rows_b.get(name))
        if isinstance(found, str):
            reasons[found] += 1
        else:
            rebuses.append(Both(ids[name], *found))
    known = len(rebuses) + reasons.total()
    reasons["missing_in_both"] = max(0, asked - known)
    return Common(rebuses, dict(reasons))


def _both(
    a: Mapping[int, Tallies | None] | None, b: Mapping[int, Tallies | None] | None
) -> tuple[list[Tallies], list[Tallies]] | str:
    """Return the answers of each to a rebus, or the reason why it cannot be compared."""
    if a is None or b is None:
        return "missing_in_a" if a is None else "missing_in_b"
    if not any(mine and b.get(sample) for sample, mine in a.items()):
        return _why_none(a.values(), b.values())
    ours, theirs = ([each[at] for at in sorted(each)] for each in (a, b))
    mine, its = [each for each in ours if each], [each for each in theirs if each]
    words = [{name: tally.total for name, tally in each.items()} for each in (*mine, *its)]
    if any(
        each[name] != words[0][name] for each in words for name in each.keys() & words[0].keys()
    ):
        return "other_words"
    return mine, its


def _why_none(a: Iterable[Tallies | None], b: Iterable[Tallies | None]) -> str:
    if any(a):
        return "no_common_sample" if any(b) else "failed_in_b"
    return "failed_in_a" if any(b) else "failed_in_both"


def common_to_all(runs: Sequence[Scored], setting: Setting) -> int:
    """Return how many rebuses every run answered in a setting."""
    answered = (
        {name for name, samples in run.rows[setting].items() if any(samples.values())}
        for run in runs
        if setting in run.rows
    )
    return len(set.intersection(*answered))


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
