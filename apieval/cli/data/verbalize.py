"""`apieval data verbalize`: make a data file of printed rebuses and crossword clues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.commands import verbalize as verbalized
from apieval.rebus.verbalize import Wish
from apieval.report import verbalized as view


def verbalize(  # one parameter an option
    rebuses: Annotated[
        Path,
        typer.Argument(
            help="A table of rebuses: PRIMALET, FRASE, and optionally TIPO and ANNO.",
            metavar="REBUSES",
            show_default=False,
        ),
    ],
    clues: Annotated[
        list[Path],
        option("--clues", help="A table of Clue and Answer; repeatable.", metavar="FILE"),
    ],
    out: Annotated[Path, option("--out", help="The data file to write (.csv).", metavar="FILE")],
    against: Annotated[
        Path | None,
        option(
            "--against",
            help="A training file, or a list of words (.txt): rebuses made of its words are id, others "
            "ood; rebuses it contains are dropped.",
            metavar="FILE",
        ),
    ] = None,
    new_since: Annotated[
        int | None,
        option(
            "--new-since",
            help="Rebuses from this year (ANNO) on are new.",
            metavar="YEAR",
            min=1,
            max=9999,
        ),
    ] = None,
    min_words: Annotated[
        int, option("--min-words", help="The smallest number of hidden words.", metavar="N", min=1)
    ] = 2,
    seed: Annotated[
        int, option("--seed", help="The seed of the drawing of clues.", metavar="N")
    ] = 0,
    overwrite: Annotated[
        bool, option("--overwrite", help="Replace the file if it exists.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a data file from printed rebuses and crossword clues, as the study made its own.

    Regular rebuses are kept if every hidden word has a clue; a clue is drawn for each word. The
    same tables and the same seed give the same file, whatever the order of their rows. It passes
    `apieval data verify` (with the same --against) without an error.

    Elements of a first pass (PRIMALET) are separated by - or blanks; those with a lower-case letter
    are the hidden words. Words match answers as they are written, except for case.
    """
    document = verbalized.verbalize(
        rebuses,
        clues,
        out,
        against=against,
        wish=Wish(min_words, seed, new_since),
        overwrite=overwrite,
    )
    if json:
        output.document(document)
    else:
        output.show(view.render(document))
