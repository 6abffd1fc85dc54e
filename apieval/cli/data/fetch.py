"""`apieval data fetch`: download the challenge's data from the Hugging Face hub, once."""

from __future__ import annotations

import os
import sys
from enum import StrEnum
from typing import Annotated

from apieval.cli import options, output
from apieval.cli.options import option


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
