"""What a report says, gathered before any of it is written: the verb fills it, writers only read it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRun:
    """One run of a report: what was measured, what it was measured on, and what it took.

    `name` is what the run goes by among the others, as in a comparison; `header` the content of its
    `run.json`, None where answers were scored that another tool collected; so is `spending`, what the
    answers took (`analysis.spending`).
    """

    name: str
    folder: Path
    summary: Mapping[str, Any]
    header: Mapping[str, Any] | None
    spending: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report: its runs in the order they were named, and what they are side by side.

    `made` is the day, as YYYY-MM-DD; `comparison` is that of `apieval compare`, None for one run and
    where the runs cannot be compared, which then is among the `doubts`.
    """

    made: str
    runs: Sequence[ReportedRun]
    comparison: Mapping[str, Any] | None
    doubts: Sequence[str]
