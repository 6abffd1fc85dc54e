"""What stored answers come to: scored one at a time, written, and summed up in a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apieval.analysis.details import Details
from apieval.analysis.figures import Collector
from apieval.analysis.measured import Measured
from apieval.analysis.summary import Usage, summarize
from apieval.errors import ConfigError, StoreError
from apieval.rebus import prompts, scoring
from apieval.rebus.dataset import Selection
from apieval.rebus.metrics import told
from apieval.rebus.prompts import Prompt
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
    known = header.read(folder) or {}
    prompt = _prompt(folder, known.get("prompt") or {})

    def answers() -> Iterator[ScoredAnswer]:
        for response in responses.stored(folder):
            rebus = gold.get(str(response.id))
            foreign = response.setting not in spec.settings or response.sample >= spec.samples
            if rebus is None or foreign:
                raise StoreError(
                    f"{folder / responses.RESPONSES}: an answer to row {response.id!r} "
                    f"({response.setting}, sample {response.sample}), which is not of this run."
                )
            usage.add(response, prompt.length(rebus, response.setting))
            yield scoring.scored(response, rebus, spec.given)

    measured = Measured(
        spec.model,
        selection,
        spec.settings,
        spec.samples,
        {k: v for k, v in dict(spec.identity.get("body") or {}).items() if k != "model"},
        spec.prompts,
        known.get("dropped") or (),
        prompt_name=prompt.name,
        given=spec.given,
    )
    return write(out, measured, answers(), usage)


def _prompt(folder: Path, made: Mapping[str, Any]) -> Prompt:
    try:
        return prompts.restore(made)
    except (LookupError, TypeError, ConfigError) as error:
        raise StoreError(
            f"{folder / header.HEADER}: no prompt can be made of it: {error}"
        ) from None


def nothing(spec: RunSpec, selection: Selection) -> dict[str, Any]:
    """Return the summary of a run whose answers cannot be read."""
    return write(None, Measured(spec.model, selection, spec.settings, spec.samples), (), Usage())


def write(
    out: Path | None, measured: Measured, answers: Iterable[ScoredAnswer], usage: Usage | None
) -> dict[str, Any]:
    """Collect scored answers into a summary, writing both as they come where there is a folder."""
    collector = Collector(
        measured.selection.rebuses,
        measured.settings,
        measured.samples,
        measured.parsers,
        told(measured.given),
    )
    details = Details(measured)

    def collect(write_score: Callable[[ItemScore, Mapping[str, Any]], None]) -> None:
        for answer in answers:
            beside = details.add(answer)
            for item in answer.scores.values():
                collector.add(item)
                write_score(item, beside.get(item.parser, {}))

    if out is None:
        collect(lambda *_: None)
        return summarize(measured, collector, usage, details)
    with files.writing_scores(out) as write_score:
        collect(write_score)
    summary = summarize(measured, collector, usage, details)
    files.write_summary(out, summary)
    return summary
