"""The six metrics of one run: both settings, both parsers, intervals, and what hints change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apieval.analysis.figures import Aggregation
from apieval.analysis.paired_tests import ALPHA
from apieval.rebus.columns import ALL
from apieval.rebus.dataset import SAMPLE_CALLED
from apieval.rebus.metrics import HEADLINE, METRICS, told
from apieval.report.cells import PARSERS, count, difference, figure, how_sure, is_partial, meaning
from apieval.report.document import ReportedRun
from apieval.report.outline import Cell, Column, Row, Section, Table
from apieval.results.comparison import HintsEffect
from apieval.results.summary import Summary
from apieval.wording import counted

_SHOWN: Final = ("official", "tolerant")
_EVERY: Final = tuple(PARSERS)
_EXPLAINED: Final = (
    "Micro is correct words over all words, as in the paper. Macro is the mean over rebuses of each "
    "one's share, rounded to four decimals, as in the CALAMITA harness. The lenient level ignores "
    "accents."
)


def tables(run: ReportedRun) -> list[Table]:
    """Return the table of the six metrics."""
    return [_table(run, "micro", _SHOWN, effect=True)]


def folded(run: ReportedRun, id: str) -> Section:  # noqa: A002 # what it is
    """Return the other aggregation, and the third reading."""
    return Section(
        id,
        "The other aggregation (macro) and the lenient level",
        paragraphs=[_EXPLAINED],
        tables=[_table(run, "macro", _EVERY, effect=False)],
        folded=True,
    )


def _table(
    run: ReportedRun, aggregation: Aggregation, shown: Sequence[str], *, effect: bool
) -> Table:
    summary = run.summary
    found = run.effect if effect else None
    names = _parsers(summary, shown)
    columns = [
        Column("metric", figures=False),
        *(Column(PARSERS[parser], setting) for setting in summary["settings"] for parser in names),
        *([Column("percentage points", "hints minus regular")] if found else []),
        Column("n"),
    ]
    rows = [
        Row(
            [
                Cell(METRICS[metric].label),
                *_cells(summary, metric, aggregation, names),
                *_effect(found, metric),
                _n(summary, metric, aggregation),
            ],
            strong=metric == HEADLINE,
        )
        for metric in METRICS
        if metric not in told(summary["given"])
    ]
    note = " ".join(each for each in (_note(found, aggregation), meaning(rows)) if each)
    return Table(_caption(run, aggregation), columns, rows, note)


def _caption(run: ReportedRun, aggregation: Aggregation) -> str:
    rebuses = counted(run.summary["data"]["n"], "rebus", "rebuses")
    sure = how_sure(is_partial(run.summary, each) for each in run.summary["settings"])
    of = f" of {SAMPLE_CALLED}" if run.of_sample else ""
    return f"{run.name}: the six metrics, {aggregation}, over {rebuses}{of}, with {sure}"


def _parsers(summary: Summary, shown: Sequence[str]) -> list[str]:
    first = next(iter(summary["figures"].values()))[ALL]
    return [name for name in shown if name in first]


def _cells(
    summary: Summary, metric: str, aggregation: Aggregation, names: Sequence[str]
) -> Iterator[Cell]:
    for setting in summary["settings"]:
        for parser in names:
            found = summary["figures"][setting][ALL][parser][metric][aggregation]
            yield figure(found, bar=parser == names[0])


def _effect(found: HintsEffect | None, metric: str) -> list[Cell]:
    if found is None:
        return []
    change = found["metrics"][metric]
    return [difference(change, shown=change["p_holm"] < ALPHA)]


def _n(summary: Summary, metric: str, aggregation: Aggregation) -> Cell:
    by_setting = summary["figures"].values()
    return count(max(each[ALL]["official"][metric][aggregation]["n"] for each in by_setting))


def _note(found: HintsEffect | None, aggregation: Aggregation) -> str:
    n = "n: words, of first pass and solution match rebuses."
    if aggregation == "macro":
        n = "n: rebuses."
    if found is None:
        return n
    left = f", {found['left_out']:,} left out" if found["left_out"] else ""
    return (
        f"{n} Differences are percentage points over {counted(found['rebuses'], 'rebus', 'rebuses')} answered in "
        f"both settings{left}; bold: significant by a paired test, p below 0.05 with Holm's correction over "
        f"{counted(found['tests'], 'test')}."
    )
