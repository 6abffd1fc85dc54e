"""Figures by subset, and how far the subsets lie apart."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from apieval.rebus.columns import ALL
from apieval.rebus.metrics import HEADLINE, METRICS, shown_in
from apieval.report.cells import NONE, count, figure, gap, how_sure, meaning
from apieval.report.cells import setting as named
from apieval.report.document import ReportedRun
from apieval.report.outline import Cell, Column, Group, Row, Section, Table
from apieval.results.figures import BothGaps, Gap

_EXPLAINED: Final = (
    "A gap is the first subset's figure minus another's. A large gap on rebuses that a model may have "
    "seen suggests memorization; but the subsets also differ in other ways."
)


def section(run: ReportedRun, id: str) -> Section | None:  # noqa: A002 # what it is
    """Return the tables of the subsets; None where the data have none."""
    figures = run.summary["figures"]
    if all(len(by_subset) == 1 for by_subset in figures.values()):
        return None
    gaps = list(_gaps(run))
    return Section(
        id,
        "Subsets and gaps",
        paragraphs=[_EXPLAINED] if gaps else [],
        tables=[_subsets(run), *gaps],
        folded=True,
    )


def _subsets(run: ReportedRun) -> Table:
    figures = run.summary["figures"]
    rows: list[Row | Group] = []
    for setting, by_subset in figures.items():
        rows.append(Group(named(setting)))
        for subset, parsers in by_subset.items():
            cells = [
                figure(parsers["official"][metric]["micro"], bar=metric == HEADLINE)
                if metric in shown_in(setting)
                else Cell(NONE)
                for metric in METRICS
            ]
            n = count(parsers["official"][HEADLINE]["micro"]["n"])
            rows.append(Row([Cell(subset), *cells, n], strong=subset == ALL))
    columns = [
        Column("subset", figures=False),
        *(Column(METRICS[m].label) for m in METRICS),
        Column("n"),
    ]
    note = " ".join(("n: rebuses.", meaning(rows))).rstrip()
    return Table("By subset, official parser, micro", columns, rows, note)


def _gaps(run: ReportedRun) -> Iterator[Table]:
    for setting, pairs in run.summary["gaps"].items():
        if not pairs:
            continue
        parsers = list(next(iter(pairs.values())))
        columns = [
            Column("metric", figures=False),
            *(Column(parser, pair) for pair in pairs for parser in parsers),
        ]
        rows = [
            Row(
                [
                    Cell(METRICS[metric].label),
                    *(
                        gap(pairs[pair][parser][metric]["micro"])
                        for pair in pairs
                        for parser in parsers
                    ),
                ],
                strong=metric == HEADLINE,
            )
            for metric in shown_in(setting, run.summary["given"])
        ]
        sure = how_sure("at_least" in each for each in _all_of(pairs))
        caption = f"Gaps, {named(setting)}, percentage points with {sure}"
        yield Table(caption, columns, rows, meaning(rows))


def _all_of(pairs: Mapping[str, Mapping[str, Mapping[str, BothGaps]]]) -> Iterator[Gap]:
    for parsers in pairs.values():
        for metrics in parsers.values():
            yield from (both["micro"] for both in metrics.values())
