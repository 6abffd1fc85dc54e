"""Several runs in one table a setting: ranks, figures with intervals, and rows of reference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apieval.analysis.comparison_sentences import rank
from apieval.rebus.columns import ALL
from apieval.rebus.dataset import SAMPLE_CALLED
from apieval.rebus.metrics import HEADLINE, METRICS, shown_in
from apieval.records import SETTINGS, Setting
from apieval.report import published
from apieval.report.cells import NONE, figure, how_sure, is_partial, meaning
from apieval.report.cells import setting as named
from apieval.report.document import Document, ReportedRun
from apieval.report.outline import Cell, Column, Group, Row, Section, Table
from apieval.report.terminal import number

HOW: Final = (
    "A rank is a range: after all runs that solve significantly more, before all that solve "
    "significantly less, by paired exact tests on the rebuses that both answered, p below "
    "0.05 with Holm's correction over all tests of this report. Bold: significantly better than every other ranked run."
)
_DICTIONARY: Final = (
    "Dictionary baseline: a best case if the clues come from its dictionary; not ranked"
)
_BEGUN: Final = "With given steps that the others had to find; not ranked"


def section(document: Document) -> Section:
    """Return the leaderboard."""
    settings = [each for each in SETTINGS if _asked(document, each)]
    return Section(
        "leaderboard",
        "Leaderboard",
        paragraphs=[_said(document)],
        tables=[_table(document, setting) for setting in settings],
    )


def _asked(document: Document, setting: str) -> bool:
    return any(setting in run.summary["settings"] for run in document.runs)


def _said(document: Document) -> str:
    if document.doubts:
        return "The runs cannot be compared, so none has a rank; see Warnings."
    return HOW if document.ranks else "Only one run can be ranked, so there are no ranks."


def reference() -> Section:
    """Return the published figures alone, as they stand beside one run."""
    columns = [
        Column("model", figures=False),
        *(Column(METRICS[m].label) for m in published.METRICS),
    ]
    rows = [
        Row(
            [Cell(f"{each.model}, {each.how}"), *(Cell(f"{v:.2f}") for v in each.figures)],
            aside=True,
        )
        for each in published.ROWS
    ]
    return Section(
        "published",
        "Published figures, for reference",
        paragraphs=[f"{published.LABEL}."],
        tables=[Table("Figures of the study", columns, rows)],
        folded=True,
    )


def _table(document: Document, setting: Setting) -> Table:
    there = [run for run in document.runs if setting in run.summary["settings"]]
    alike = [run for run in document.runs if run.name not in document.apart]
    models = [run for run in there if run.name in document.ranked]
    others = [run for run in there if run in alike and run not in models]
    begun = [run for run in there if run.name in document.apart]
    metrics = [HEADLINE, *(each for each in shown_in(setting) if each != HEADLINE)]
    columns = [
        Column("model", figures=False),
        Column("rank"),
        Column(METRICS[HEADLINE].label, "official parser"),
        *(Column(METRICS[each].label, "official parser") for each in metrics[1:]),
        Column(METRICS[HEADLINE].label, "tolerant"),
    ]
    rows: list[Row | Group] = [
        _row(document, run, setting, metrics) for run in _ordered(models, setting)
    ]
    for what, beside in ((_DICTIONARY, others), (_BEGUN, begun)):
        if beside:
            rows.append(Group(what))
            rows += [_row(document, run, setting, metrics, aside=True) for run in beside]
    first = setting == next(each for each in SETTINGS if _asked(document, each))
    if first and not document.of_sample:
        rows += [Group(published.LABEL), *_published(metrics)]
    sure = how_sure(is_partial(run.summary, setting) for run in there)
    lacking = [run.name for run in document.runs if run not in there]
    absent = f"Not requested in this setting: {', '.join(lacking)}." if lacking else ""
    note = " ".join(each for each in (meaning(rows), absent) if each)
    of = f", {SAMPLE_CALLED}" if document.of_sample else ""
    return Table(f"{named(setting)}{of}, micro, with {sure}", columns, rows, note)


def _ordered(runs: Sequence[ReportedRun], setting: Setting) -> list[ReportedRun]:
    def value(run: ReportedRun) -> float:
        micro = run.summary["figures"][setting][ALL]["official"][HEADLINE]["micro"]
        found = micro.get("answered", micro["value"])
        return -1.0 if found is None else float(found)

    return sorted(runs, key=lambda run: -value(run))


def _row(
    document: Document,
    run: ReportedRun,
    setting: Setting,
    metrics: Sequence[str],
    *,
    aside: bool = False,
) -> Row:
    figures = run.summary["figures"][setting][ALL]
    best = document.best.get(setting, {})
    place = document.ranks.get(setting, {}).get(run.name)
    cells = [
        figure(
            figures["official"][each]["micro"],
            strong=best.get(each) == run.name,
            bar=each == HEADLINE,
        )
        for each in metrics
    ]
    tolerant = figures.get("tolerant")
    return Row(
        [
            Cell(run.name),
            Cell(rank(place) if place and not aside else NONE),
            *cells,
            figure(tolerant[HEADLINE]["micro"]) if tolerant else Cell(NONE),
        ],
        aside=aside,
    )


def _published(metrics: Sequence[str]) -> Iterator[Row]:
    for each in published.ROWS:
        found = dict(zip(published.METRICS, each.figures, strict=True))
        cells = [Cell(number(found.get(metric), 2)) for metric in metrics]
        yield Row([Cell(f"{each.model}, {each.how}"), Cell(NONE), *cells, Cell(NONE)], aside=True)
