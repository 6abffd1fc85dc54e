"""The commands for data files: check one against every rule, describe one; no model is asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from apieval.commands.datasets import located
from apieval.errors import DataError
from apieval.rebus import check_file, dataset, describe, training
from apieval.rebus.columns import ALL
from apieval.rebus.dataset import DataFile
from apieval.rebus.rules import LEVELS, RULES, Finding
from apieval.rebus.training import Training
from apieval.records import Rebus
from apieval.results.data import DataCheck, DataDocument, DataStats, DataTable, Violations

FORMAT: Final = 1
MOST_LISTED: Final = 10_000
"""Findings of one rule that are listed; all are counted, and a hostile file has no end of them."""
MOST_SUBSETS: Final = 100
ID_ROWS: Final = "id rows"


def verify(data: str | Path, against: Path | None = None) -> DataCheck:
    """Hold a data file against every rule of the task, and against a training file.

    Raises:
        DataError: for a file that cannot be read, or lacks a column.
    """
    with located(data) as (path, name):
        file = dataset.survey(path, name)
        seen = training.read(against) if against else None
        found = _Found()
        found.take(check_file.check(file, seen))
    return {**_head(file, seen), **found.as_json()}


def stats(
    data: str | Path, against: Path | None = None, tokenizer: Path | None = None
) -> DataStats:
    """Describe a data file by the study's figures, and by what a run of it asks.

    Without a training file, unseen words are those that no row of the subset `id` has.

    Raises:
        DataError: for a file that cannot be read, or lacks a column.
        ConfigError: for a tokenizer that cannot be used.
    """
    counter = describe.counter(tokenizer) if tokenizer else None
    with located(data) as (path, name):
        file = dataset.survey(path, name)
        seen = training.read(against) if against else None
        known = seen or _id_rows(file)
        rows = describe.counted(_of_few_subsets(file), counter)
        subsets = describe.describe(rows, known)
    used = subsets[ALL]["examples"]
    return {
        **_head(file, seen),
        "left_out": file.layout.rows - used,
        "unseen_in": known.name if known else None,
        "tokenizer": str(tokenizer) if tokenizer else None,
        "subsets": subsets,
    }


def _head(file: DataFile, seen: Training | None) -> DataDocument:
    against: DataTable | None = (
        {"name": seen.name, "digest": seen.digest, "rows": seen.rows} if seen else None
    )
    return {
        "format": FORMAT,
        "data": {"name": file.name, "digest": file.digest, "rows": file.layout.rows},
        "against": against,
    }


def _id_rows(file: DataFile) -> Training | None:
    """Return what the rows of the subset `id` have, None where there are none."""
    known = Training(ID_ROWS)
    for rebus in file.rebuses():
        if rebus.subset == "id":
            known.add(rebus.word_guesses, rebus.first_pass, rebus.solution)
    return known if known.rows else None


def _of_few_subsets(file: DataFile) -> Iterator[Rebus]:
    seen: set[str | None] = set()
    for rebus in file.rebuses():
        seen.add(rebus.subset)
        if len(seen) > MOST_SUBSETS:
            raise DataError(
                f"{file.path}: more than {MOST_SUBSETS} subsets, one of them {rebus.subset!r}; "
                "is `subset` the right name for this column?"
            )
        yield rebus


class _Found:
    """Findings: listed as far as there is room, and counted."""

    def __init__(self) -> None:
        self._listed: list[Finding] = []
        self._counts: Counter[str] = Counter()
        self._rows: dict[str, set[int]] = {level: set() for level in LEVELS}

    def take(self, findings: Iterable[Finding]) -> None:
        """Take in all findings of a file."""
        for finding in findings:
            self._counts[finding.rule] += 1
            self._rows[finding.level].add(finding.line)
            if self._counts[finding.rule] <= MOST_LISTED:
                self._listed.append(finding)

    def as_json(self) -> Violations:
        counts = {
            level: sum(n for rule, n in self._counts.items() if RULES[rule].level == level)
            for level in LEVELS
        }
        return {
            "errors": counts["error"],
            "warnings": counts["warning"],
            "rows_with_errors": len(self._rows["error"]),
            "rows_with_warnings": len(self._rows["warning"]),
            "rules": {
                name: {"level": rule.level, "says": rule.says, "findings": self._counts[name]}
                for name, rule in RULES.items()
            },
            "findings": [
                {"row": f.row, "line": f.line, "rule": f.rule, "level": f.level, "text": f.text}
                for f in self._listed
            ],
            "not_listed": sum(self._counts.values()) - len(self._listed),
        }
