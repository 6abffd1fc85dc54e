"""Two scored runs brought together: the rebuses both answered, and why the others are left out.

Rows are joined by id and setting, never by order, and each run is taken with all samples it has of a
rebus: of one with five samples and one with one the figures are those of their own summaries. A failed
request is no wrong answer: it is left out, and the rebus with it where no other answer is left.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apieval.analysis.shared_wrong import Side
from apieval.schema import Given, RowId, Setting, Tally

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
