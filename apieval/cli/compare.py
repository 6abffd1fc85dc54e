"""`apieval compare`: runs compared rebus by rebus, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.report import comparison


def compare(
    folders: Annotated[
        list[Path],
        typer.Argument(
            help="Two or more run folders, folders that `apieval score --out` wrote, or a folder of them.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    parser: Annotated[
        str, option("--parser", help="The parser whose scores are compared.", metavar="NAME")
    ] = "official",
    baseline: Annotated[
        str | None,
        option(
            "--baseline",
            help="Compare every run with this one only: its model or folder.",
            metavar="NAME",
        ),
    ] = None,
    force: Annotated[
        bool, option("--force", help="Compare even if data or parser versions differ.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Compare runs on the rebuses they have in common; sends no requests.

    For every metric: the difference with its 95 % interval, a paired test (exact McNemar for whole
    first passes and solutions, sign-flip for the rest), adjusted after Holm over all tests of the
    tables, and the smallest difference that so many rebuses could have shown. Then which rebuses
    only one model solves, and a sentence in plain words.

    Runs on different data or parser versions are refused; different prompts or sampling give a
    warning.
    """
    document = evaluate.compare(
        folders, parser=parser, baseline=baseline, force=force, say=output.say
    )
    if json:
        for finding in document["findings"]:
            output.say(comparison.finding(finding))
        output.document(document)
    else:
        output.show(comparison.render(document))
