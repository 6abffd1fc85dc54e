"""The runs of a document as they are drawn: which of them, under which name, with which look."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apieval.rebus.columns import ALL
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official
from apieval.records import SETTINGS
from apieval.report.cells import how_sure
from apieval.report.document import Document, ReportedRun
from apieval.report.figures import names, style
from apieval.report.figures.spots import at
from apieval.wording import counted

PARTIAL: Final = "*"
"""Behind the name of a run that lacks answers."""
TOLD: Final = 5
"""Of so many runs texts say the numbers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One run: `label` is its name as it is drawn, `told` as captions say it."""

    label: str
    told: str
    look: style.Look
    summary: Mapping[str, Any]
    spending: Mapping[str, Any]

    @property
    def partial(self) -> bool:
        """Say whether answers are missing."""
        return bool(self.summary.get("partial"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What is drawn: the runs, the settings any of them has, and what captions must say of it."""

    runs: Sequence[Drawn]
    settings: Sequence[str]
    note: str

    @property
    def alone(self) -> bool:
        """Say whether there is one run."""
        return len(self.runs) == 1

    @property
    def sure(self) -> str:
        """Return what lines about a marker are: intervals, bounds, or both."""
        return how_sure(run.partial for run in self.runs)

    def caption(self, *sentences: str) -> str:
        """Return a caption: whose figures they are, what they are, and what is to be known."""
        whose = [f"{self.runs[0].told}."] if self.alone else []
        return " ".join(each for each in (*whose, *sentences, self.note) if each)

    def rest(self) -> Iterator[str]:
        """Yield that there are runs of which texts do not say the numbers."""
        if (more := len(self.runs) - TOLD) > 0:
            yield f"{counted(more, 'run')} more: see the table."


def shown(document: Document) -> Shown:
    """Return the runs of a document that are drawn; of too many the first by the headline."""
    runs, notes = list(document.runs), []
    if len(runs) > (most := len(style.RUNS)):
        notes.append(f"Of {len(runs)} runs the first {most} by solution match are shown.")
        runs = sorted(runs, key=_headline, reverse=True)[:most]
    if any(run.summary.get("partial") for run in runs):
        notes.append(
            f"Runs with {PARTIAL} lack answers: shares are of those there are, and dotted lines end at "
            "what a figure can still become."
        )
    labels = names.apart([run.name for run in runs])
    drawn = [
        Drawn(
            label=label + PARTIAL * bool(run.summary.get("partial")),
            told=names.told(run.name),
            look=look,
            summary=run.summary,
            spending=run.spending or {},
        )
        for run, label, look in zip(runs, labels, style.RUNS, strict=False)
    ]
    settings = [each for each in SETTINGS if any(each in run.summary["settings"] for run in runs)]
    return Shown(runs=drawn, settings=settings, note=" ".join(notes))


def _headline(run: ReportedRun) -> float:
    """Return the run's share of solutions in its first setting; what is unknown comes last."""
    first = run.summary["settings"][0]
    micro = at(run.summary, "figures", first, ALL, official.NAME, HEADLINE, "micro") or {}
    value = micro.get("answered", micro.get("value"))
    return -1.0 if value is None else value
