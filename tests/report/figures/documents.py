"""Documents to draw: of real summaries, made once, and changed copies of them."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from unittest.mock import patch

from apieval.analysis import dependence
from apieval.analysis.usage import Spending
from apieval.records import SETTINGS
from apieval.report.document import Document, ReportedRun
from apieval.report.figures import canvas, runs
from apieval.report.figures.runs import Shown
from tests.analysis.answers import answer, row
from tests.records import Json, response
from tests.report.views import summary

ROWS = [
    row(n, *["casa", "accademia", "ora"][: 1 + n % 3], subset=["id", "ood", "new"][n // 8])
    for n in range(24)
]


@cache
def _summary() -> Json:
    answers = [
        answer(
            each,
            setting=setting,
            word_guesses=each.word_guesses[: (n + (setting == "hints")) % 3],
            solution=each.solution if n % 4 else "**Verità nascosta**",
        )
        for setting in SETTINGS
        for n, each in enumerate(ROWS)
    ]
    with patch.object(
        dependence, "zipf_frequencies", return_value=None
    ):  # whether or not the extra is there
        return summary(ROWS, answers, settings=list(SETTINGS))


def whole_summary(**changes: object) -> Json:
    """Return a summary of both settings and three subsets, with all its parts."""
    return {**copy.deepcopy(_summary()), **changes}


def spending(scale: float = 1.0, *, priced: bool = True) -> Json:
    """Return what some answers took."""
    made = Spending()
    for n, setting in enumerate(SETTINGS * 10):
        made.add(
            response(
                id=n,
                setting=setting,
                latency_s=scale * (1 + n),
                usage={"completion_tokens": 100 + n},
                cost_usd=scale * 0.001 * (1 + n % 2) if priced else None,
            )
        )
    return made.summary()


def run(
    name: str = "my-llama",
    changed: Json | None = None,
    spent: Json | None = None,
) -> ReportedRun:
    """Return a run of a report."""
    return ReportedRun(
        name=name,
        folder=Path(),
        summary=whole_summary() if changed is None else changed,
        header=None,
        spending=spent,
    )


def document(*several: ReportedRun) -> Document:
    """Return a document of runs."""
    return Document(runs=several)


@contextmanager
def shown(*several: ReportedRun) -> Iterator[Shown]:
    """Give runs as they are drawn, while they can be."""
    with canvas.ready():
        yield runs.shown(document(*several))


def nothing() -> Json:
    """Return the summary of no rebus."""
    return summary([], [], settings=list(SETTINGS))
