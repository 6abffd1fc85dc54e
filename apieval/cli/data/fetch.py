"""`apieval data fetch`: get the challenge's data from the Hugging Face hub, once."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated, Final

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.hub import fetch as hub
from apieval.hub.cache import HubCache
from apieval.hub.contents import TEST, TRAIN


class FileChoice(StrEnum):
    """The files of the challenge's dataset as the command line names them."""

    TEST = "test"
    TRAIN = "train"


_FILES: Final = {FileChoice.TEST: TEST, FileChoice.TRAIN: TRAIN}


def fetch(
    file: Annotated[
        FileChoice, option("--file", help="The test file, or the one to train on.")
    ] = FileChoice.TEST,
    revision: Annotated[
        str | None,
        option(
            "--revision",
            help="The commit, tag or branch to use from now on; without it the one fetched before, "
            "the first time the newest.",
            metavar="REV",
        ),
    ] = None,
    again: Annotated[
        bool, option("--again", help="Ask the hub though the file is here, and use what it has.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Get the challenge's data from the Hugging Face hub, check it, and print its path.

    What was fetched once is pinned: --data hub uses it from then on, without network, until
    another revision is named here. It lies in the hub's own cache folder. HF_HOME, HF_ENDPOINT,
    HF_TOKEN and HF_HUB_OFFLINE are respected.
    """
    kept = hub.fetch(
        _FILES[file],
        revision,
        again=again,
        progress=output.is_terminal(sys.stderr),
        say=output.say,
    )
    HubCache.of(os.environ).show_terms_once(_FILES[file], output.say)
    if json:
        output.document(
            {"path": str(kept.path), **kept.note.model_dump(exclude={"format", "terms_shown"})}
        )
        return
    note = kept.note
    output.line(str(kept.path))
    output.say(f"{note.file}: {note.rows:,} rows, commit {note.commit}, {note.digest}")
