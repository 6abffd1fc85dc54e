"""An audit beside the scoring: the answers as they come, and other runs read from their folders."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from apieval.analysis.audit import Audit
from apieval.analysis.shared_wrong import Side
from apieval.rebus.dataset import Selection
from apieval.rebus.parsers import official
from apieval.rebus.scoring import ScoredAnswer
from apieval.verbs import scored
from apieval.verbs.results import Onlooker


class Auditor(Onlooker):
    """Audit every answer, and put what came of it into the summary as `audit`."""

    def __init__(self, selection: Selection, against: Sequence[Path]) -> None:
        """Read the runs that the answers are held against.

        Raises:
            ConfigError, StoreError: for folders without scores, or named twice.
        """
        self._audit = Audit(selection)
        self._others: list[Side] = []
        if against:
            runs = scored.read_all(against, official.NAME, least=1)
            self._others = [scored.with_texts(run) for run in runs]

    def add(self, answer: ScoredAnswer, beside: Mapping[str, Mapping[str, Any]]) -> None:
        """Take in one answer."""
        del beside
        self._audit.add(answer)

    def more(self, summary: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return what was found, and against which runs."""
        found = self._audit.findings(summary, self._others)
        return {"audit": {"against": [each.name for each in self._others], "findings": found}}
