"""`apieval data`: download, verify, describe and make data files."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.commands import data
from apieval.commands import verbalize as verbalized
from apieval.rebus.verbalize import Wish
from apieval.report import data_checks, data_stats
from apieval.report import verbalized as view


class FileChoice(StrEnum):
    """The files of the challenge's dataset as the command line names them."""

    TEST = "test"
    TRAIN = "train"


def fetch(
    file: Annotated[
        FileChoice, option("--file", help="The test file, or the training file.")
    ] = FileChoice.TEST,
    revision: Annotated[
        str | None,
        option(
            "--revision",
            help="The commit, tag or branch to use from now on; by default the one downloaded before, "
            "the first time the newest.",
            metavar="REV",
        ),
    ] = None,
    again: Annotated[
        bool, option("--again", help="Download anew, even if the file is here already.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Download the challenge's data from the Hugging Face hub, check it, and print its path.

    The downloaded revision is pinned: --data hub uses it from then on, without network, until you
    name another revision here. It lies in the hub's own cache folder. HF_HOME, HF_ENDPOINT,
    HF_TOKEN and HF_HUB_OFFLINE are respected.
    """
    from apieval import hub  # noqa: PLC0415 # no other command needs it

    chosen = hub.TRAIN if file is FileChoice.TRAIN else hub.TEST
    kept = hub.fetch(
        chosen,
        revision,
        again=again,
        progress=output.is_terminal(sys.stderr),
        say=output.say,
    )
    hub.HubCache.of(os.environ).show_terms_once(chosen, output.say)
    note = kept.note
    if json:
        shown = note.model_dump(exclude={"format", "terms_shown"})
        output.document({"path": str(kept.path), **shown})
        return
    output.line(str(kept.path))
    output.say(f"{note.file}: {note.rows:,} rows, commit {note.commit}, {note.digest}")


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


def verify(path: File, against: Against = None, json: options.Json = False) -> None:
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


def stats(
    path: File,
    against: Against = None,
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


app = typer.Typer(no_args_is_help=True, help="Download, check, describe and make data files.")

app.command("fetch")(fetch)
app.command("verify")(verify)
app.command("stats")(stats)
app.command("verbalize")(verbalize)
