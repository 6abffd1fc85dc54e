"""The runs of a document as they are drawn: which of them, under which name, with which look."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar, cast

from apieval.rebus.columns import ALL
from apieval.rebus.metrics import HEADLINE, METRICS
from apieval.rebus.parsers import official
from apieval.records import SETTINGS, Setting, well_formed
from apieval.report.cells import how_sure
from apieval.report.document import Document, ReportedRun
from apieval.report.figures import canvas, style
from apieval.report.terminal import shortened, visible
from apieval.results.comparison import SettingUsage, UsageSpread
from apieval.results.figures import BothGaps, Figure, Found, Group, MetricLoss
from apieval.results.summary import Summary

EVERY: Final[Mapping[str, str]] = {name: each.label.lower() for name, each in METRICS.items()}
FEW: Final[Mapping[str, str]] = {
    metric: EVERY[metric] for metric in ("word_guess_accuracy", "first_pass_accuracy", HEADLINE)
}
STEPS: Final[Mapping[str, str]] = {
    metric: name for metric, name in EVERY.items() if "length" not in metric
}
"""What is made one after another; lengths are no step."""
PARTIAL: Final = "*"
"""Behind the name of a run that lacks answers."""
WIDEST: Final = 22
"""How many letters of a name find room beside a figure."""
_LACKING: Final = "□"
_NAMELESS: Final = "(no name)"
DESCRIBED: Final = 5
"""Of so many runs texts say the numbers."""


_T = TypeVar("_T")


def _in(tree: Mapping[Setting, _T] | None, setting: str) -> _T | None:
    return (tree or {}).get(cast("Setting", setting))


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """One run: `label` is its name as it is drawn, `name` as captions say it."""

    label: str
    name: str
    look: style.Look
    summary: Summary
    spending: Mapping[Setting, SettingUsage]

    def micro(self, setting: str, metric: str) -> Figure | None:
        """Return the figure of a metric: official parser, all subsets, micro."""
        by_subset = _in(self.summary["figures"], setting)
        both = by_subset[ALL][official.NAME].get(metric) if by_subset else None
        return both["micro"] if both else None

    def gaps(self, setting: str) -> Mapping[str, Mapping[str, Mapping[str, BothGaps]]]:
        """Return the gaps of a setting, by pair of subsets."""
        return _in(self.summary["gaps"], setting) or {}

    def loss(self, setting: str, metric: str) -> MetricLoss | None:
        """Return the format loss of a metric over all subsets."""
        found = _in(self.summary["format_loss"], setting)
        return found[ALL]["metrics"].get(metric) if found else None

    def first_errors(self, setting: str) -> Mapping[str, Found]:
        """Return the share of answers by the step of their first error."""
        found = _in(self.summary["diagnosis"], setting)
        return found[ALL]["broke_first"] if found else {}

    def groups(self, setting: str, metric: str, on: str) -> Sequence[Group]:
        """Return the groups of what a metric may depend on."""
        found = (_in(self.summary["dependence"], setting) or {}).get(official.NAME, {})
        blocks = found.get(metric, {})
        return blocks[on]["groups"] or () if on in blocks else ()

    def spread(self, setting: str, measure: str) -> UsageSpread | None:
        """Return how a measure is spread over the answers of a setting, None of none."""
        usage: Mapping[str, Any] | None = _in(self.spending, setting)
        found: UsageSpread | None = usage[measure] if usage else None
        return found if found and found["n"] else None

    @property
    def partial(self) -> bool:
        """Say whether answers are missing."""
        return bool(self.summary["partial"])


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
    def metrics(self) -> Mapping[str, str]:
        """Return the metrics that are drawn: of one run every one, a row each; of several a panel a few."""
        return EVERY if self.alone else FEW

    @property
    def sure(self) -> str:
        """Return what lines about a marker are: intervals, bounds, or both."""
        return how_sure(run.partial for run in self.runs)

    def caption(self, *sentences: str) -> str:
        """Return a caption: whose figures they are, what they are, and what is to be known."""
        whose = [f"{self.runs[0].name}."] if self.alone else []
        return " ".join(each for each in (*whose, *sentences, self.note) if each)

    def rest(self) -> Iterator[str]:
        """Yield that there are runs of which texts do not say the numbers."""
        if (more := len(self.runs) - DESCRIBED) > 0:
            yield f"{more:,} more {'run' if more == 1 else 'runs'}: see the table."


def shown(document: Document) -> Shown:
    """Return the runs of a document that are drawn; of too many the first by the headline."""
    runs, notes = list(document.runs), []
    if len(runs) > (most := len(style.RUNS)):
        notes.append(f"Of {len(runs)} runs the first {most} by solution match are shown.")
        runs = sorted(runs, key=_headline, reverse=True)[:most]
    if any(run.summary["partial"] for run in runs):
        notes.append(
            f"Runs with {PARTIAL} lack answers: shares are of those there are, and dotted lines end at "
            "what a figure can still become."
        )
    labels = distinct([run.name for run in runs])
    drawn = [
        Drawn(
            label=label + PARTIAL * bool(run.summary["partial"]),
            name=captioned(run.name),
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
    micro = run.summary["figures"][first][ALL][official.NAME][HEADLINE]["micro"]
    value = micro.get("answered", micro["value"])
    return -1.0 if value is None else value


def captioned(name: str) -> str:
    """Return a name for a caption: one line, made visible, without what is no character."""
    line = visible(" ".join(well_formed(name).split()))
    return "".join("�" if unicodedata.category(c) == "Cn" else c for c in line) or _NAMELESS


def drawable(name: str, width: int = WIDEST) -> str:
    """Return a name for a figure, shortened in its middle; what the font lacks is a box.

    Marks that stand on letters are left out where there is no letter with them: piled up they
    would cover what stands above.
    """
    composed = unicodedata.normalize("NFC", captioned(name))
    kept = (c for c in composed if unicodedata.category(c) not in {"Mn", "Me", "Cf"})
    has = canvas.glyphs()
    return shortened("".join(c if ord(c) in has else _LACKING for c in kept), width)


def distinct(names: Sequence[str]) -> list[str]:
    """Return names for a figure that all differ: those drawn alike have a number."""
    drawn = [drawable(name) for name in names]
    return [
        f"{drawable(name, WIDEST - 4)} ({at})" if drawn.count(drawn[at - 1]) > 1 else drawn[at - 1]
        for at, name in enumerate(names, start=1)
    ]
