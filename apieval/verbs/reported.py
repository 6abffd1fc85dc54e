"""A report of runs: gathered from what their folders hold, and written in every form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from apieval.analysis.spending import Spending
from apieval.errors import ConfigError, DataError, StoreError
from apieval.rebus.parsers import official
from apieval.report import markdown
from apieval.report.document import Document, ReportedRun
from apieval.report.files import SUMMARY
from apieval.run import header, responses
from apieval.verbs.compared import compare
from apieval.verbs.scored import read_all
from apieval.verbs.verified_files import read_summary
from apieval.whole_file import replacing

FOLDER: Final = "report"
"""Where a report of several runs goes, beside the first of them, unless another folder is named."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The files of a report, and what speaks against it."""

    files: tuple[Path, ...]
    doubts: tuple[str, ...]


def report(folders: Sequence[str | Path], out: str | Path | None = None) -> Reported:
    """Write the report of one run, or of several side by side.

    `folders` are run folders, or what `score` wrote to its `out`. The files go to `out`; without
    it those of one run go to its folder, those of several to `report` beside the first.

    Raises:
        ConfigError, DataError, StoreError: naming file and remedy.
    """
    where = [Path(each) for each in folders]
    document = gathered(where)
    target = Path(out) if out else where[0] if len(where) == 1 else where[0].parent / FOLDER
    files = [_write(target / markdown.REPORT, "".join(f"{s}\n" for s in markdown.lines(document)))]
    return Reported(tuple(files), tuple(document.doubts))


def gathered(folders: Sequence[Path]) -> Document:
    """Return what the folders hold, brought together."""
    if not folders:
        raise ConfigError("name at least one run folder.")
    scored = read_all(folders, official.NAME, least=1)
    runs = [
        ReportedRun(
            name=each.name,
            folder=folder,
            summary=_summary(folder),
            header=header.read(folder),
            spending=_spending(folder),
        )
        for each, folder in zip(scored, folders, strict=True)
    ]
    comparison, doubts = _compared(folders)
    made = datetime.now(UTC).date().isoformat()
    return Document(made=made, runs=runs, comparison=comparison, doubts=doubts)


def _compared(folders: Sequence[Path]) -> tuple[dict[str, Any] | None, list[str]]:
    if len(folders) == 1:
        return None, []
    try:
        return compare(folders), []
    except (DataError, StoreError) as error:
        return None, [str(error)]


def _summary(folder: Path) -> dict[str, Any]:
    summary = read_summary(folder)
    if summary is None:
        raise StoreError(f"{folder}: there is no {SUMMARY}; `apieval score {folder}` writes it.")
    return summary


def _spending(folder: Path) -> dict[str, Any] | None:
    """Return what a run's answers took; None where there are none of its own."""
    if not (folder / responses.RESPONSES).is_file():
        return None
    made = Spending()
    for each in responses.stored(folder):
        made.add(each)
    return made.summary()


def _write(path: Path, text: str) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.write(text)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}.") from None
    return path
