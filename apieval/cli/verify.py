"""`apieval verify`: a folder's hashes and figures derived anew, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.report import verification


def verify(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A run folder, or what `apieval score --out` wrote.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    data: Annotated[
        str | None,
        option(
            "--data",
            help="The data file, where it is not where the run found it.",
            metavar="sample|PATH",
        ),
    ] = None,
    answers: Annotated[
        Path | None,
        option(
            "--answers",
            help="Of scores outside of a run: the run folder or the file that was scored.",
            metavar="PATH",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Derive hashes and figures anew from the stored answers; nothing is asked or written.

    The data file's hash, the prompts, the key of every answer, the specification's hash in the
    folder's name, scores, figures, signatures, counts and costs: of each it says whether it is what
    the files claim, and names every value that is not. The exit code is 0 where all holds that
    could be checked, 1 where something does not, 2 where nothing could be checked.
    """
    found = evaluate.verify(folder, data, answers)
    if json:
        output.document(found.as_json())
    else:
        output.show(verification.render(str(folder), found.checks))
    raise typer.Exit(0 if found.holds else 1)
