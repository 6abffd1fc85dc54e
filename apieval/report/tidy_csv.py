"""`table.csv`: a row a figure, for R, pandas and spreadsheets.

Names come from models and files: a cell that a spreadsheet would take for a formula has an
apostrophe before it. Figures are written whole, as `summary.json` has them; what is
none is empty. Where answers are missing there is no `value`, since a missing answer is no wrong
one: `at_least`, `at_most` and `answered` stand for it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from apieval.analysis.figures import AGGREGATIONS
from apieval.analysis.signatures import fingerprint
from apieval.rebus.cells import guarded
from apieval.report.document import Document, ReportedRun
from apieval.report.study_csv import quoted
from apieval.report.terminal import visible
from apieval.results.figures import Figure

TABLE: Final = "table.csv"
COLUMNS: Final = (
    "run",
    "model",
    "setting",
    "subset",
    "parser",
    "metric",
    "aggregation",
    "value",
    "low",
    "high",
    "n",
    "at_least",
    "at_most",
    "answered",
    "signature",
)
_WHOLE: Final = ("value", "low", "high")
"""What only a figure of all answers has."""
_FIGURES: Final = ("value", "low", "high", "n", "at_least", "at_most", "answered")


def lines(document: Document) -> Iterator[str]:
    """Yield the lines of the file, without their ends."""
    yield ",".join(COLUMNS)
    for run in document.runs:
        for row in _rows(run):
            yield _line(row)


def _rows(run: ReportedRun) -> Iterator[list[Any]]:
    summary = run.summary
    for setting, subsets in summary["figures"].items():
        for subset, parsers in subsets.items():
            for parser, metrics in parsers.items():
                mark = fingerprint(summary["signatures"][setting][parser])
                for metric, both in metrics.items():
                    for aggregation in AGGREGATIONS:
                        names = (run.name, summary["model"], setting, subset, parser, metric)
                        figures = [_figure(both[aggregation], name) for name in _FIGURES]
                        yield [
                            *(guarded(visible(name)) for name in names),
                            aggregation,
                            *figures,
                            mark,
                        ]


def _figure(found: Figure, name: str) -> Any:  # noqa: ANN401 # a number or none
    return None if name in _WHOLE and "at_least" in found else found.get(name)


def _line(cells: list[Any]) -> str:
    return ",".join("" if each is None else quoted(str(each)) for each in cells)
