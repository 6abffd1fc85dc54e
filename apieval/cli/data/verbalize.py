"""`apieval data verbalize`: make a data file of printed rebuses and crossword clues."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.rebus.verbalize import Wish
from apieval.report import verbalized as view
from apieval.verbs import verbalized


def verbalize(  # one parameter an option
    rebuses: Annotated[
        Path,
        typer.Argument(
            help="A table of rebuses: PRIMALET, FRASE, and if it has them TIPO and ANNO.",
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
            help="A training file, or a list of words (.txt): rebuses of its words are id, others "
            "ood; those it has are dropped.",
            metavar="FILE",
        ),
    ] = None,
    new_since: Annotated[
        int | None,
        option(
            "--new-since",
            help="Rebuses of this year (ANNO) and later are new.",
            metavar="YEAR",
            min=1,
            max=9999,
        ),
    ] = None,
    min_words: Annotated[
        int, option("--min-words", help="The least number of hidden words.", metavar="N", min=1)
    ] = 2,
    seed: Annotated[int, option("--seed", help="Another seed draws other clues.")] = 0,
    overwrite: Annotated[
        bool, option("--overwrite", help="Write over a file that is there already.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Make a data file of printed rebuses and crossword clues, as the study made its own.

    Kept are regular rebuses whose hidden words all have a clue; a clue is drawn for each word. The
    same tables and the same seed give the same file, whatever the order of their rows. It passes
    `apieval data verify` (with the same --against) without an error.

    Elements of a first pass (PRIMALET) are separated by - or blanks; those with a lower-case letter
    are the hidden words. Words match answers as they are written but for case.
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
