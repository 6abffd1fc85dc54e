"""`apieval data stats`: describe a data file with the study's figures."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from apieval.cli import options, output
from apieval.cli.data import arguments
from apieval.cli.options import option
from apieval.commands import data
from apieval.report import data_stats


def stats(
    path: arguments.File,
    against: arguments.Against = None,
    tokenizer: Annotated[
        Path | None,
        option(
            "--tokenizer",
            help="A model's tokenizer.json, or its folder: count tokens too.",
            metavar="PATH",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Describe a data file: words and lengths as in the study's table, keys, prompts.

    By subset: examples, unique words, words per example, lengths of words, first passes and
    solutions (means with the standard deviation of the population), how long the prompts are, and
    which words were unseen: in the training file (--against), else in the rows of the subset id.

    With --tokenizer also the tokens of prompts and right answers, and how many rows exceed the
    1,024 that the study keeps both within.
    """
    document = data.stats(path, against, tokenizer)
    if json:
        output.document(document)
    else:
        output.show(data_stats.render(document))
