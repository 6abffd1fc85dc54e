"""The content of `summary.json`: setup, figures, counts, findings and the further analyses (`PARTS`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, cast

from apieval.analysis import findings
from apieval.analysis.dependence import Dependence
from apieval.analysis.diagnosis_shares import Diagnoses
from apieval.analysis.figures import Collector, at_once, gaps
from apieval.analysis.format_loss import FormatLoss
from apieval.analysis.samples import Samples
from apieval.analysis.server_signs import ServerSigns
from apieval.analysis.setup import Measured
from apieval.analysis.signatures import signatures
from apieval.rebus.columns import ALL
from apieval.rebus.conversation import stops_too_soon
from apieval.rebus.cut_prompts import PromptCounts
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.rebus.window import Cuts
from apieval.records import HOLDS_KEY, Outcome, Rebus, Response, RowId, Setting
from apieval.results.folder import AnswerDiagnosis
from apieval.results.summary import (
    NO_PARTS,
    Figures,
    Finding,
    Outcomes,
    Parts,
    Served,
    ServedKind,
    Sum,
    Summary,
    UsageTotals,
    answered,
)

Beside = Mapping[str, Mapping[str, AnswerDiagnosis]]
"""By parser and part, what stands beside the scores of an answer."""


class Detail(Protocol):
    """One kind of thing the answers show."""

    def add(self, answer: ScoredAnswer) -> tuple[str, AnswerDiagnosis] | None:
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

    def add(self, answer: ScoredAnswer) -> Beside:
        """Take in one answer; return by parser what the parts say of it, by their names."""
        beside: dict[str, dict[str, AnswerDiagnosis]] = {}
        for name, part in self._parts.items():
            if (told := part.add(answer)) is not None:
                beside.setdefault(told[0], {})[name] = told[1]
        return beside

    def summary(self) -> Parts:
        """Return what all answers showed, by part."""
        made = at_once(part.summary for part in self._parts.values())
        return cast("Parts", dict(zip(self._parts, made, strict=True)))


FORMAT: Final = 1
SOLUTION: Final = "Soluzione:"
"""What every whole answer in the template holds."""


@dataclass(slots=True)
class Usage:
    """Tokens, money and servers of a run, added up one answer at a time.

    A sum is over the answers whose count is known, and says of how many it is.
    """

    answers: int = 0
    known: dict[str, int] = field(default_factory=dict)
    sums: dict[str, float] = field(default_factory=dict)
    served: Served = field(default_factory=dict)
    cached: int = 0
    without_solution: int = 0
    with_key: Counter[RowId] = field(default_factory=Counter)
    failures: Counter[str] = field(default_factory=Counter)
    prompts: PromptCounts = field(default_factory=PromptCounts)
    limit: int | None = None
    cuts: Cuts = field(default_factory=Cuts)

    def add(self, response: Response, characters: int | None = None) -> None:
        """Take in one answer, and how long its prompt was; what a cached one cost was paid before.

        `limit` is the limit of an answer's tokens that was sent.
        """
        if response.outcome is Outcome.FAILED:
            self.failures[response.error or findings.UNNAMED] += 1
            if response.cost_usd:  # empty answers before it were paid for all the same
                self.sums["cost_usd"] = self.sums.get("cost_usd", 0) + response.cost_usd
            return
        self.answers += 1
        self.cached += response.cached
        self.without_solution += SOLUTION not in response.text
        if (response.model_extra or {}).get(HOLDS_KEY):
            self.with_key[response.id] += 1
        if characters is not None:
            self.prompts.add(response.setting, characters, response.usage.prompt_tokens)
        if response.outcome is Outcome.TRUNCATED:
            self.cuts.add(self.limit, response.usage)
        counts = {**dict(response.usage), "cost_usd": response.cost_usd}
        if response.cached and response.cost_usd is not None:
            counts["cost_usd"] = 0.0
        for name, count in counts.items():
            if count is not None:
                self.known[name] = self.known.get(name, 0) + 1
                self.sums[name] = self.sums.get(name, 0) + count
        kinds: tuple[ServedKind, ...] = ("served_model", "system_fingerprint")
        for kind in kinds:
            who = getattr(response, kind) or findings.UNNAMED
            seen = self.served.setdefault(kind, {})
            seen[who] = seen.get(who, 0) + 1

    def totals(self) -> UsageTotals:
        """Return the sums: null where no answer's count is known, and `known_for` beside it."""
        return {
            "answers": self.answers,
            "from_cache": self.cached,
            "without_solution": self.without_solution,
            "prompt_tokens": self._sum("prompt_tokens"),
            "completion_tokens": self._sum("completion_tokens"),
            "reasoning_tokens": self._sum("reasoning_tokens"),
            "cached_tokens": self._sum("cached_tokens"),
            "cost_usd": self._sum("cost_usd"),
        }

    def findings(self, rebuses: Iterable[Rebus]) -> Iterator[Finding]:
        """Yield what the answers show besides their figures; `rebuses` are the rows in their order."""
        yield from findings.of_failures(self.failures)
        rows = [rebus.id for rebus in rebuses if rebus.id in self.with_key]
        yield from findings.of_keys(rows, self.with_key.total(), self.answers)
        cuts = self.prompts.found()
        yield from findings.of_run(self.served, cuts, self.without_solution, self.answers)

    def _sum(self, name: str) -> Sum:
        return {"sum": self.sums.get(name), "known_for": self.known.get(name, 0)}


def summarize(
    measured: Measured,
    collector: Collector,
    usage: Usage | None,
    details: Details | None = None,
    signs: ServerSigns | None = None,
) -> Summary:
    """Return the content of `summary.json`; `partial` where an answer is missing or failed."""
    data = measured.selection.data
    outcomes = {each: _outcomes(measured, collector.outcomes[each]) for each in measured.settings}
    missing = sum(each["failed"] + each["not_asked"] for each in outcomes.values())
    made = at_once([collector.figures, details.summary if details else lambda: NO_PARTS])
    figures, parts = cast("tuple[Figures, Parts]", made)
    return {
        "format": FORMAT,
        "model": measured.model,
        "data": {
            "name": data.name,
            "digest": data.digest,
            "n": len(measured.selection.rebuses),
            **data.published,
        },
        "settings": list(measured.settings),
        "samples": measured.samples,
        "prompt": measured.prompt,
        "given": measured.given,
        "partial": missing > 0,
        "outcomes": outcomes,
        "usage": usage.totals() if usage else None,
        "served": usage.served if usage else None,
        "responses": measured.responses,
        "coverage": measured.coverage,
        "findings": [
            *measured.findings,
            *(usage.findings(measured.selection.rebuses) if usage else ()),
            *findings.of_texts(collector.seen, sum(map(answered, outcomes.values()))),
            *(signs.findings() if signs else ()),
            *findings.of_request(
                outcomes.values(),
                measured.sampling,
                measured.dropped,
                usage.cuts if usage else None,
            ),
            *findings.of_stops(_stops(measured)),
            *_many_blanks(outcomes, figures),
            *findings.of_dictionary(measured.coverage),
            *findings.of_data(data.name, dictionary=bool(measured.coverage)),
        ],
        "signatures": signatures(measured),
        "along_key": _along_key(measured),
        "figures": figures,
        "gaps": gaps(figures),
        "format_loss": parts["format_loss"],
        "diagnosis": parts["diagnosis"],
        "dependence": parts["dependence"],
        "over_samples": parts["over_samples"],
    }


def _stops(measured: Measured) -> Iterator[str]:
    rebuses, given = measured.selection.rebuses, measured.given
    return stops_too_soon(measured.sampling or {}, rebuses, given)


def blanks(
    outcomes: Mapping[Setting, Outcomes], figures: Figures
) -> Iterator[tuple[Setting, Finding]]:
    """Yield what is to be said of blank answers, by setting."""
    for setting, counts in outcomes.items():
        micro = figures[setting][ALL][official.NAME][HEADLINE]["micro"]
        if micro["n"]:
            blank = counts["empty"] + counts["refused"]
            answers = micro["n"] - counts["failed"] - counts["not_asked"]
            solved = round((micro["value"] or 0) * micro["n"])
            yield from ((setting, f) for f in findings.of_blanks(setting, blank, answers, solved))


def _many_blanks(outcomes: Mapping[Setting, Outcomes], figures: Figures) -> Iterator[Finding]:
    return (each for _, each in blanks(outcomes, figures) if each["level"] == "warning")


def _along_key(measured: Measured) -> dict[str, int]:
    """Return by parser in how many rows it compares other solution words than the data has."""
    rebuses = measured.selection.rebuses
    return {
        name: sum(PARSERS[name].gold(rebus) is not rebus for rebus in rebuses)
        for name in measured.parsers
    }


def _outcomes(measured: Measured, counts: Mapping[str, int]) -> Outcomes:
    return {
        "ok": counts.get("ok", 0),
        "truncated": counts.get("truncated", 0),
        "empty": counts.get("empty", 0),
        "refused": counts.get("refused", 0),
        "failed": counts.get("failed", 0),
        "not_asked": measured.expected - sum(counts.values()),
    }
