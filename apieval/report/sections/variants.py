"""One model asked in several ways: how far prompts move its figures, and what each step costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.rebus.metrics import HEADLINE, METRICS
from apieval.report.cells import NONE, figure, meaning
from apieval.report.cells import setting as named
from apieval.report.document import Document
from apieval.report.outline import Cell, Column, Row, Section, Table
from apieval.report.terminal import number
from apieval.results.comparison import GivenRun, PromptSpread, Spread, Steps

_PROMPTS: Final = (
    "How much the prompt alone changes the figures: the same model on the same rebuses. sd is over the "
    "prompts tried (n - 1), each with the same weight. Micro, official parser."
)
_STEPS: Final = (
    "The same model with more and more of the correct steps given at the beginning of its answer. "
    "The gain from one column to the next is what the step between them costs: the definitions, "
    "then the first pass; the rest is lost in the segmentation. Given steps are not "
    "measured. Micro, official parser, with 95 % intervals; bounds where answers are missing."
)
_GIVEN: Final[Mapping[str | None, str]] = {
    None: "nothing given",
    "definitions": "definitions given",
    "first-pass": "first pass given",
}


def prompts(document: Document) -> Section | None:
    """Return how far the figures of each model lie apart by prompt; None where there is one alone."""
    if not document.spread:
        return None
    tables = [_prompts(each) for each in document.spread]
    return Section("prompts", "What the prompt moves", paragraphs=[_PROMPTS], tables=tables)


def steps(document: Document) -> Section | None:
    """Return what each step costs; None where no run was begun with steps given."""
    if not document.steps:
        return None
    tables = [_steps(each) for each in document.steps]
    return Section("steps", "One step at a time", paragraphs=[_STEPS], tables=tables)


def _prompts(found: PromptSpread) -> Table:
    columns = [
        Column("metric", figures=False),
        *(Column(str(name), "by prompt") for name in found["prompts"]),
        *(Column(name) for name in ("range", "mean", "sd")),
    ]
    rows = [
        Row([Cell(METRICS[name].label), *_spread(spread)], strong=name == HEADLINE)
        for name in METRICS
        if (spread := found["metrics"][name]) is not None
    ]
    return Table(_caption(found, found["given"]), columns, rows)


def _spread(found: Spread) -> Sequence[Cell]:
    between = (found["range"], found["mean"], found["sd"])
    return [Cell(number(value)) for value in (*found["values"], *between)]


def _steps(found: Steps) -> Table:
    runs = found["runs"]
    columns = [Column("metric", figures=False), *(Column(_GIVEN[run["given"]]) for run in runs)]
    rows = [
        Row([Cell(METRICS[name].label), *_of_runs(runs, name)], strong=name == HEADLINE)
        for name in METRICS
        if any(run["metrics"][name] for run in runs)
    ]
    return Table(_caption(found), columns, rows, meaning(rows))


def _of_runs(runs: Sequence[GivenRun], metric: str) -> Iterator[Cell]:
    for run in runs:
        micro = run["metrics"][metric]
        yield Cell(NONE) if micro is None else figure(micro, bar="at_least" not in micro)


def _caption(found: PromptSpread | Steps, given: str | None = None) -> str:
    told = [found["model"], *([_GIVEN[given]] if given else []), named(found["setting"])]
    return ", ".join(told)
