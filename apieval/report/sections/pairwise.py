"""Every two runs held against each other: a matrix of differences a setting, and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.analysis.comparison_sentences import chance
from apieval.analysis.paired_tests import ALPHA
from apieval.rebus.metrics import HEADLINE, METRICS
from apieval.records import Setting
from apieval.report.cells import NONE, count, difference
from apieval.report.cells import setting as named
from apieval.report.document import Document
from apieval.report.outline import Cell, Column, Group, Row, Section, Table
from apieval.results.comparison import MetricDifference, Pair
from apieval.wording import counted

_MATRIX: Final = (
    "Row minus column, in percentage points of solution match (official parser, micro), with the "
    "95 % interval and p with Holm's correction over {tests}. Bold: p below 0.05."
)


def section(document: Document) -> Section | None:
    """Return the comparison of all pairs; None where there is none."""
    found = document.comparison
    if found is None:
        return None
    settings = list(dict.fromkeys(each["setting"] for each in found["comparisons"]))
    pairs = {s: [each for each in found["comparisons"] if each["setting"] == s] for s in settings}
    names = [run.name for run in document.runs if run.name not in document.apart]
    return Section(
        "comparison",
        "Pairwise comparison",
        paragraphs=[_MATRIX.format(tests=counted(found["tests"], "test"))],
        tables=[_matrix(setting, names, pairs[setting]) for setting in settings],
        parts=[
            Section(
                "comparison-all",
                "All metrics, pair by pair",
                tables=[_pair(each) for s in settings for each in pairs[s] if each["metrics"]],
                folded=True,
            )
        ],
    )


def _matrix(setting: Setting, names: Sequence[str], pairs: Sequence[Pair]) -> Table:
    by_names = {(each["a"], each["b"]): each for each in pairs}
    rows = [Row([Cell(one), *(_against(by_names, one, other) for other in names)]) for one in names]
    return Table(named(setting), [Column("", figures=False), *map(Column, names)], rows)


def _against(pairs: Mapping[tuple[str, str], Pair], one: str, other: str) -> Cell:
    """Return how much better one run is than another, whichever way round they were compared."""
    pair, turned = pairs.get((other, one)), False
    if pair is None:
        pair, turned = pairs.get((one, other)), True
    if pair is None or HEADLINE not in pair["metrics"]:
        return Cell(NONE)
    found = pair["metrics"][HEADLINE]
    if turned:
        found = found.copy()
        found["difference"] = -found["difference"]
        found["low"], found["high"] = -found["high"], -found["low"]
    cell = difference(found, shown=found["p_holm"] < ALPHA)
    return Cell(cell.text, f"{cell.detail}; p {chance(found['p_holm'])}", cell.strong)


def _pair(pair: Pair) -> Table:
    columns = [
        Column("metric", figures=False),
        *map(
            Column,
            (pair["a"], pair["b"], "second minus first (percentage points)", "p (Holm)", "n"),
        ),
    ]
    rows: list[Row | Group] = list(_rows(pair["metrics"]))
    solved = pair["solved"]
    left = sum(pair["left_out"].values())
    note = (
        f"{pair['sentence']} Both solve {solved['both']:,}, neither {solved['neither']:,}; "
        f"{counted(left, 'rebus', 'rebuses')} left out."
    )
    return Table(f"{pair['setting']}: {pair['a']} and {pair['b']}", columns, rows, note)


def _rows(metrics: Mapping[str, MetricDifference]) -> Iterator[Row]:
    for metric in METRICS:
        if (found := metrics.get(metric)) is None:
            continue
        shown = found["p_holm"] < ALPHA
        yield Row(
            [
                Cell(METRICS[metric].label),
                Cell(f"{found['a']:.3f}"),
                Cell(f"{found['b']:.3f}"),
                difference(found, shown=shown),
                Cell(chance(found["p_holm"]).removeprefix("= ")),
                count(found["n"]),
            ],
            strong=metric == HEADLINE,
        )
