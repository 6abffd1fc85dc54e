"""What stored answers come to: scored one at a time, written, and summed up in a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apieval.analysis.details import Details
from apieval.analysis.figures import Collector
from apieval.analysis.measured import Measured
from apieval.analysis.summary import Usage, summarize
from apieval.errors import StoreError
from apieval.rebus import scoring
from apieval.rebus.dataset import Selection
from apieval.rebus.prompts import length
from apieval.rebus.scoring import ScoredAnswer
from apieval.report import files
from apieval.run import header, responses
from apieval.schema import ItemScore, RunSpec
from apieval.wording import counted


@dataclass(frozen=True, slots=True)
class Result:
    """What a run or a scoring came to.

    `status` is done, partial, stopped or interrupted; `message` says why it is not done.
    `folder` is None where nothing was written.
    """

    model: str
    folder: Path | None
    status: str
    summary: dict[str, Any]
    message: str | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the summary with `model`, `dir` and `status`, as `--json` prints it."""
        where = str(self.folder) if self.folder else None
        return {**self.summary, "model": self.model, "dir": where, "status": self.status}


def result_of(model: str, folder: Path | None, summary: dict[str, Any]) -> Result:
    """Return the result of a summary: done, or partial where an answer is missing."""
    if not summary["partial"]:
        return Result(model, folder, "done", summary)
    counts = summary["outcomes"].values()
    failed = sum(each["failed"] for each in counts)
    absent = sum(each["not_asked"] for each in counts)
    lacking = f"{absent:,} {'has' if absent == 1 else 'have'} no answer"
    message = f"{counted(failed, 'request')} failed, {lacking}; every figure is partial"
    return Result(model, folder, "partial", summary, message)


def score_stored(
    folder: Path, out: Path | None, spec: RunSpec, selection: Selection
) -> dict[str, Any]:
    """Score a run's stored answers, one at a time, and write what came of it where `out` says.

    Raises:
        StoreError: where answers cannot be read, are of other data, or nothing can be written.
    """
    gold, usage = selection.by_id, Usage()

    def answers() -> Iterator[ScoredAnswer]:
        for response in responses.stored(folder):
            rebus = gold.get(str(response.id))
            foreign = response.setting not in spec.settings or response.sample >= spec.samples
            if rebus is None or foreign:
                raise StoreError(
                    f"{folder / responses.RESPONSES}: an answer to row {response.id!r} "
                    f"({response.setting}, sample {response.sample}), which is not of this run."
                )
            usage.add(response, length(rebus, response.setting))
            yield scoring.scored(response, rebus)

    known = header.read(folder) or {}
    measured = measured_of(spec, selection, known.get("dropped") or ())
    return write(out, measured, answers(), usage)


def measured_of(spec: RunSpec, selection: Selection, dropped: Sequence[str]) -> Measured:
    """Return what a run measures; `dropped` are parameters left out of its requests on purpose."""
    return Measured(
        spec.model,
        selection,
        spec.settings,
        spec.samples,
        {k: v for k, v in dict(spec.identity.get("body") or {}).items() if k != "model"},
        spec.prompts,
        dropped,
        identity=spec.identity,
    )


def nothing(spec: RunSpec, selection: Selection) -> dict[str, Any]:
    """Return the summary of a run whose answers cannot be read."""
    return write(None, Measured(spec.model, selection, spec.settings, spec.samples), (), Usage())


def write(
    out: Path | None, measured: Measured, answers: Iterable[ScoredAnswer], usage: Usage | None
) -> dict[str, Any]:
    """Collect scored answers into a summary, writing both as they come where there is a folder."""
    collector = Collector(
        measured.selection.rebuses, measured.settings, measured.samples, measured.parsers
    )
    details = Details(measured)

    def collect(write_score: Callable[[ItemScore], None]) -> None:
        for answer in answers:
            details.add(answer)
            for item in answer.scores.values():
                collector.add(item)
                write_score(item)

    if out is None:
        collect(lambda _: None)
        return summarize(measured, collector, usage, details)
    with files.writing_scores(out) as write_score:
        collect(write_score)
    summary = summarize(measured, collector, usage, details)
    files.write_summary(out, summary)
    return summary
