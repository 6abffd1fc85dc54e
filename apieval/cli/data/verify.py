"""`apieval data verify`: check a data file against every rule of the task."""

from __future__ import annotations

import typer

from apieval.cli import options, output
from apieval.cli.data import arguments
from apieval.commands import data
from apieval.report import data_checks


def verify(
    path: arguments.File, against: arguments.Against = None, json: options.Json = False
) -> None:
    """Check every row of a data file against the rules of the game.

    Errors break the game, or make right answers count wrong; warnings are quirks, such as solutions
    with an apostrophe, duplicates, and a clue that contains its word inside a longer one. With
    --against also: what the training file contains, and whether its words make a row id or ood.

    Exit code 0: no error. 1: at least one error. 2: the file cannot be read.
    """
    document = data.verify(path, against)
    if json:
        output.document(document)
    else:
        output.show(data_checks.render(document))
    raise typer.Exit(1 if document["errors"] else 0)
