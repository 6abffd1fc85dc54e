"""`apieval report`: results for people, in files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option


def report(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Run folders, or what `apieval score --out` wrote.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    out: Annotated[
        Path | None,
        option(
            "--out",
            help="Write the files there; without it into the run's folder, of several runs into "
            "`report` beside the first.",
            metavar="DIR",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Write the report of one run, or of several side by side; nothing is asked."""
    done = evaluate.report(folders, out)
    for doubt in done.doubts:
        output.say(f"WARNING: {doubt}")
    if json:
        output.document({"files": [str(each) for each in done.files], "warnings": done.doubts})
    else:
        for path in done.files:
            output.line(str(path))
