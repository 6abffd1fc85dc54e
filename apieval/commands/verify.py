"""What a folder's files claim, derived anew from what they hold; nothing is written.

This module decides what can be checked and of what; the checks of a run and those of scores stand
in `verify_run` and `verify_scores`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from os.path import lexists
from pathlib import Path
from typing import Any, Final

from apieval.analysis.claims import Check, State
from apieval.commands import verify_run, verify_scores
from apieval.errors import ConfigError, StoreError
from apieval.results.folder import HEADER, SUMMARY, RunFolder

FORMAT: Final = 1


@dataclass(frozen=True, slots=True)
class Verification:
    """What became of every check of a folder."""

    folder: Path
    checks: Sequence[Check]

    @property
    def holds(self) -> bool:
        """Say whether something was checked, and nothing of it speaks against the files."""
        return self.checked and all(each.state is not State.FAILS for each in self.checks)

    @property
    def checked(self) -> bool:
        """Say whether anything was held against anything."""
        return any(each.state is not State.UNCHECKED for each in self.checks)

    def as_json(self) -> dict[str, Any]:
        """Return the document that `--json` prints."""
        return {
            "format": FORMAT,
            "dir": str(self.folder),
            "holds": self.holds,
            "checks": [each.as_json() for each in self.checks],
        }


def verify(
    folder: str | Path, data: str | Path | None = None, answers: str | Path | None = None
) -> Verification:
    """Derive a folder's hashes and figures anew from its answers, and compare them with its files.

    `folder` is a run's, or one that `score` wrote to its `out`. A run knows its data and has its
    answers; of scores elsewhere `data` is the data file, and `answers` the run folder or file that
    was scored: without these less can be checked, and is said to be.

    Raises:
        ConfigError, DataError, StoreError: where there is nothing that could be checked.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise StoreError(f"{folder}: there is no such folder; name a run folder.")
    if lexists(folder / HEADER):
        if answers is not None:
            raise ConfigError(f"{folder}: a run has its answers; leave out --answers.")
        return Verification(folder, verify_run.checks(RunFolder(folder), data))
    if not lexists(folder / SUMMARY):
        raise StoreError(f"{folder}: neither a run ({HEADER}) nor scores ({SUMMARY}); name one.")
    given = None if answers is None else Path(answers)
    return Verification(folder, verify_scores.checks(RunFolder(folder), data, given))
