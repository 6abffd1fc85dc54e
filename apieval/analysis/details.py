"""What the answers show besides the six metrics: each kind of it a part, fed one answer at a time.

A part stands in `summary.json` under its name. It keeps counts, not answers: a run may have a
hundred thousand of them. What it says of one answer stands beside its scores in `scores.jsonl`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from apieval.analysis.at_once import at_once
from apieval.analysis.dependence import Dependence
from apieval.analysis.diagnoses import Diagnoses
from apieval.analysis.format_loss import FormatLoss
from apieval.analysis.measured import Measured
from apieval.analysis.samples import Samples
from apieval.rebus.scoring import ScoredAnswer


class Detail(Protocol):
    """One kind of thing the answers show."""

    def add(self, answer: ScoredAnswer) -> tuple[str, Mapping[str, Any]] | None:
        """Take in one answer, good or failed; return what to say of it, and on which parser's line."""

    def summary(self) -> Any:  # noqa: ANN401 # whatever JSON says it best
        """Return what all answers showed, as it stands in `summary.json`."""


PARTS: Final[Mapping[str, Callable[[Measured], Detail]]] = {
    "format_loss": FormatLoss,
    "diagnosis": Diagnoses,
    "dependence": Dependence,
    "over_samples": Samples,
}


class Details:
    """All parts together."""

    def __init__(self, measured: Measured) -> None:
        """Begin with no answer."""
        self._parts = {name: part(measured) for name, part in PARTS.items()}

    def add(self, answer: ScoredAnswer) -> dict[str, dict[str, Any]]:
        """Take in one answer; return by parser what the parts say of it, by their names."""
        beside: dict[str, dict[str, Any]] = {}
        for name, part in self._parts.items():
            if (told := part.add(answer)) is not None:
                beside.setdefault(told[0], {})[name] = told[1]
        return beside

    def summary(self) -> dict[str, Any]:
        """Return what all answers showed, by part."""
        made = at_once(part.summary for part in self._parts.values())
        return dict(zip(self._parts, made, strict=True))
