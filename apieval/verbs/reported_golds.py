"""The rebuses and gold steps of reported runs: their data files found, and told apart by their hash."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from apieval import data as datasets
from apieval.errors import ApievalError, DataError
from apieval.rebus.dataset import SAMPLE, Dataset
from apieval.rebus.scoring import PARSERS
from apieval.report.document import ReportedRun
from apieval.report.page.items import Gold
from apieval.schema import RowId
from apieval.verbs.results import run_of

_REMEDY = "give it with --data"
_TOLERANT = PARSERS["tolerant"]


@dataclass(frozen=True, slots=True)
class Golds:
    """Rows by the hash of their file and their id, and of which runs there are none, and why."""

    rows: Mapping[tuple[str, RowId], Gold]
    doubts: Sequence[str]


def golds_of(
    runs: Sequence[ReportedRun],
    data: str | Path | None = None,
    say: datasets.Say | None = None,
) -> Golds:
    """Return the rows of the data files that runs were made on, as far as they can be had.

    `data` is where the file of some run stands now.

    Raises:
        DataError: where it is the file of none of them, or cannot be read.
    """
    known: dict[str, Dataset] = {}
    digests = {run.summary["data"]["digest"] for run in runs}
    if data is not None:
        given = datasets.at_hand(data, gold_only=True, say=say)
        if given.digest not in digests:
            raise DataError(
                f"{data}: not the data file of any of these runs (it is {given.digest}, theirs "
                f"{', '.join(sorted(digests))}); give the one they were run on with --data."
            )
        known[given.digest] = given
    doubts = [doubt for run in runs if (doubt := _found(run, known, say))]
    rows = {
        (digest, rebus.id): Gold(rebus, _TOLERANT.gold(rebus).solution_words, order)
        for digest, found in known.items()
        for order, rebus in enumerate(found.rebuses)
    }
    return Golds(rows, doubts)


def _found(run: ReportedRun, known: dict[str, Dataset], say: datasets.Say | None) -> str | None:
    """Bring a run's data file to the known ones; return what to say where that is not possible."""
    about = run.summary["data"]
    if about["digest"] in known:
        return None
    lacking = f"{run.name}: its rebuses and gold steps are not shown"
    try:
        if run.header is not None:
            found = run_of(run.folder, say=say).data
        elif about["name"] == SAMPLE:
            found = datasets.at_hand(SAMPLE)
        else:
            return f"{lacking}: nothing says where its data file {about['name']!r} is; {_REMEDY}."
    except ApievalError as error:
        return f"{lacking}: {error}"
    if found.digest != about["digest"]:
        return f"{lacking}: its data file {about['name']!r} is another now; {_REMEDY} as it was."
    known[found.digest] = found
    return None
