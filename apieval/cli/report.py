"""`apieval report`: results for people, in files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output, progress
from apieval.cli.options import option
from apieval.commands.options import FIGURES, Items


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, folders that `apieval score --out` wrote, or folders of them.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        option(
            "--out",
            help="Write the files there; by default to the run's folder, of several runs to `report` "
            "beside the first.",
            metavar="DIR",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        option(
            "--data",
            help="The data file, if it is no longer where the runs found it.",
            metavar="FILE",
        ),
    ] = None,
    items: Annotated[
        Items,
        option("--items", help="Which rebuses the page shows one by one."),
    ] = "all",
    json: options.Json = False,
) -> None:
    """Write the report of one run, or of several side by side; sends no requests.

    Example: apieval report results

    `report.html` is one page that needs no other file and no network; `report.md` says the same for
    GitHub, `table.tex` is for a paper (booktabs), `table.csv` has a row for every figure, and
    `figures` has the drawings as SVG, PNG and PDF.

    Of several runs the report has ranks, each a range of places, and compares every pair; runs that
    cannot be compared stand side by side without ranks, and the report says why.
    """
    with progress.working("writing the report"):
        done = evaluate.report(folders, out, data=data, items=items, say=output.say)
    for doubt in done.doubts:
        output.say(f"WARNING: {doubt}")
    if json:
        output.document({"files": [str(each) for each in done.files], "warnings": done.doubts})
    else:
        for path in dict.fromkeys(map(_named, done.files)):
            output.line(str(path))


def _named(path: Path) -> Path:
    """Return what a file is told by: the figures, three files each, by their folder."""
    return path.parent if path.parent.name == FIGURES else path
