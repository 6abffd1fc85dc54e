"""Two scored runs brought together: the rebuses both answered, and why the others are left out.

Rows are joined by id, setting and sample, never by order. A failed request is no wrong answer: its
rebus is left out, and said to be.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from apieval.analysis.shared_wrong import Side
from apieval.schema import Given, RowId, Setting, Tally

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
    """One rebus as A and B answered it: a pair of tallies for every sample that both have."""

    id: RowId
    answers: Sequence[tuple[Tallies, Tallies]]


@dataclass(frozen=True, slots=True)
class Common:
    """The rebuses two runs have in common in one setting, and how many are left out and why."""

    rebuses: Sequence[Both]
    left_out: Mapping[str, int]

    @property
    def answers(self) -> int:
        """Return how many answers of each run are compared."""
        return sum(len(each.answers) for each in self.rebuses)

    @property
    def single(self) -> bool:
        """Say whether every rebus has one answer of each run."""
        return all(len(each.answers) == 1 for each in self.rebuses)


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
            rebuses.append(Both(ids[name], found))
    known = len(rebuses) + reasons.total()
    reasons["missing_in_both"] = max(0, asked - known)
    return Common(rebuses, dict(reasons))


def _both(
    a: Mapping[int, Tallies | None] | None, b: Mapping[int, Tallies | None] | None
) -> list[tuple[Tallies, Tallies]] | str:
    """Return the samples of a rebus that both answered, or the reason why there are none."""
    if a is None or b is None:
        return "missing_in_a" if a is None else "missing_in_b"
    pairs = [
        (mine, its) for sample in a if (mine := a[sample]) and (its := b.get(sample)) is not None
    ]
    if not pairs:
        return _why_none(a.values(), b.values())
    if any(
        mine[name].total != its[name].total
        for mine, its in pairs
        for name in mine.keys() & its.keys()
    ):
        return "other_words"
    return pairs


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
