"""`apieval verify`: recompute a folder's hashes and figures, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output, progress
from apieval.cli.options import option
from apieval.report import verification


def verify(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A run folder, or the folder that `apieval score --out` wrote.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    data: Annotated[
        str | None,
        option(
            "--data",
            help="The data file, if it is no longer where the run found it.",
            metavar="sample|PATH",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        option(
            "--answers",
            help="For scores outside a run folder: the run folder or the file that was scored.",
            metavar="PATH",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Recompute hashes and figures from the stored answers; sends and writes nothing.

    Checks the data file's hash, the prompts, the key of every answer, the specification's hash in
    the folder's name, scores, figures, signatures, counts and costs, and names every value that
    differs from what the files claim. Keys and files that it compared with nothing are listed as
    unchecked.

    Exit code 0: all that could be checked holds. 1: something does not. 2: nothing could be
    checked.
    """
    with progress.working(f"verifying {folder}"):
        found = evaluate.verify(folder, data, answers)
    if json:
        output.document(found.as_json())
    else:
        output.show(verification.render(str(folder), found.checks))
    raise typer.Exit(0 if found.holds else 1 if found.checked else 2)
