"""`apieval compare`: runs held against each other, rebus by rebus, offline."""

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
            help="Run folders, or what `apieval score --out` wrote; two or more.",
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
            help="Compare all with this run alone: its model or folder.",
            metavar="NAME",
        ),
    ] = None,
    force: Annotated[
        bool, option("--force", help="Compare also where data or parser versions differ.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Compare runs on the rebuses they have in common; nothing is asked.

    For every metric: the difference with its 95 % interval, a paired test (exact McNemar for whole
    first passes and solutions, sign-flip for the rest), adjusted after Holm over all tests of the
    tables, and the smallest difference so many rebuses could have shown. Then which rebuses one
    model alone solves, and a sentence in plain words.

    Runs of different data or parser versions are refused; different prompts or sampling are
    warned of.
    """
    document = evaluate.compare(folders, parser=parser, baseline=baseline, force=force)
    if json:
        for finding in document["findings"]:
            output.say(comparison.finding(finding))
        output.document(document)
    else:
        output.show(comparison.render(document))
