"""The arguments that the commands for data files share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval.cli.options import option

File = Annotated[
    str,
    typer.Argument(
        help="sample, or a CSV, JSONL or Parquet file.", metavar="sample|PATH", show_default=False
    ),
]
Against = Annotated[
    Path | None,
    option(
        "--against",
        help="A training file: show which words and rebuses of this file it contains. It needs the "
        "columns word_guesses, first_pass and solution, or is a list of words (.txt).",
        metavar="FILE",
    ),
]
