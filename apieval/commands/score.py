"""`apieval score`: answers scored one at a time, written, summed up in a result, and audited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from apieval.analysis.audit import Audit
from apieval.analysis.figures import Collector
from apieval.analysis.server_signs import ServerSigns
from apieval.analysis.setup import Measured
from apieval.analysis.shared_answers import Side
from apieval.analysis.summary import Beside, Details, Usage, summarize
from apieval.analysis.usage import dates
from apieval.commands import datasets, read_scores
from apieval.errors import ConfigError, DataError, StoreError
from apieval.files import is_there
from apieval.rebus import prompts, scoring, window
from apieval.rebus.dataset import SAMPLE, Dataset, Selection
from apieval.rebus.metrics import told
from apieval.rebus.parsers import official
from apieval.rebus.prompts import Prompt
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import ItemScore, Rebus, Response, RunSpec
from apieval.report import files
from apieval.results.answers import RESPONSES, ItemKey
from apieval.results.folder import HEADER, RunFolder
from apieval.results.header import Header, PromptText
from apieval.results.summary import AnswersFile, Summary
from apieval.wording import counted

NOT_BEGUN: Final = "not begun, no request was sent"
"""The message of a run that the user did not want when asked."""


class Onlooker:
    """See every scored answer in turn, and add to the summary; this one adds nothing."""

    def add(self, answer: ScoredAnswer, beside: Beside) -> None:
        """Take in one answer, and by parser what stands beside its scores."""

    def end(self, summary: Summary) -> None:
        """Bring what was seen to the summary, which is whole but for that."""


_NOBODY: Final = Onlooker()


@dataclass(frozen=True, slots=True)
class Result:
    """What a run or a scoring came to.

    `status` is done, partial, stopped or interrupted; `message` says why it is not done.
    `folder` is None where nothing was written. `enough_usd` is the `--max-cost` that lets a run go
    on to its end, about, where it stopped for that alone; `cost` says what the run has cost in all. `moved_from` is where a run's folder was that
    somebody moved meanwhile. `saved` says how many answers are on the disk where no summary could be
    made of them.
    """

    model: str
    folder: Path | None
    status: str
    summary: Summary
    message: str | None = None
    enough_usd: float | None = None
    cost: str | None = None
    moved_from: Path | None = None
    saved: str | None = None

    @property
    def answers(self) -> int:
        """Return how many answers there are, where a model was asked for them."""
        usage = self.summary["usage"]
        return usage["answers"] if usage else 0

    def as_json(self) -> dict[str, Any]:
        """Return the summary with `model`, `dir` and `status`, as `--json` prints it."""
        where = str(self.folder) if self.folder else None
        return {**self.summary, "model": self.model, "dir": where, "status": self.status}


def result_of(model: str, folder: Path | None, summary: Summary) -> Result:
    """Return the result of a summary: done, or partial where an answer is missing."""
    if not summary["partial"]:
        return Result(model, folder, "done", summary)
    counts = summary["outcomes"].values()
    failed = sum(each["failed"] for each in counts)
    absent = sum(each["not_asked"] for each in counts)
    lacking = f"{counted(failed, 'request')} failed, {absent:,} not requested"
    message = f"{lacking}; every figure is partial"
    return Result(model, folder, "partial", summary, message)


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as its folder says, with the data file as it is now."""

    folder: RunFolder
    data: Dataset
    path: str

    @property
    def spec(self) -> RunSpec:
        """Return the specification."""
        return self.folder.spec

    @property
    def header(self) -> Header:
        """Return what the header says."""
        return self.folder.header

    def check_data(self) -> None:
        """Refuse another data file than the one that was asked.

        Raises:
            DataError: with both hashes.
        """
        then = self.header["data"]["digest"]
        if self.data.digest != then:
            raise DataError(
                f"{self.path}: not the data file of this run ({then} then, {self.data.digest} now); "
                "give the one it was run on with --data."
            )

    def selection(self) -> Selection:
        """Return the rows that were asked."""
        return self.data.select(self.spec.subsets or (), self.spec.limit)


def run_of(
    folder: RunFolder, data: str | Path | None = None, say: datasets.Say | None = None
) -> StoredRun:
    """Read a run's header and load its data file, `data` where it stands elsewhere now.

    `say` is told once of the terms that the challenge's data may be used on.

    Raises:
        DataError, StoreError: where one of them is not there or cannot be used.
    """
    then = folder.header["data"]
    path = str(data or then["path"])
    revision = None if data else then.get("revision")
    named = path in {SAMPLE, datasets.HUB}
    if data is None and not named and not is_there(Path(path)):
        raise DataError(f"{path}: this run's data file is not there; give it with --data.")
    loaded = datasets.at_hand(path, revision=revision, say=say)
    return StoredRun(folder, loaded, path)


def score_stored(
    folder: RunFolder,
    out: Path | None,
    spec: RunSpec,
    selection: Selection,
    known: Header,
    onlooker: Onlooker = _NOBODY,
) -> Summary:
    """Score a run's stored answers, one at a time, and write what came of it where `out` says.

    `known` is the run's header. The `onlooker` sees every answer too.

    Raises:
        StoreError: where answers cannot be read, are of other data, or nothing can be written.
    """
    limit = window.limit_of(spec.identity.get("body"))
    usage = Usage(limit=limit[1] if limit else None)
    prompt = prompt_of(folder.path, known["prompt"])

    def answers() -> Iterator[ScoredAnswer]:
        for response, rebus in in_data_order(folder, spec, selection):
            usage.add(response, prompt.length(rebus, response.setting))
            yield scoring.scored(response, rebus, spec.given)

    measured = measured_of(spec, selection, known, folder.answers_file)
    return write(out, measured, answers(), usage, onlooker)


def in_data_order(
    folder: RunFolder, spec: RunSpec, selection: Selection
) -> Iterator[tuple[Response, Rebus]]:
    """Yield a run's stored answers with their rows: as they were asked, however they came.

    Raises:
        StoreError: where they cannot be read, and for one that was not asked.
    """
    gold = selection.by_id
    rows = {name: place for place, name in enumerate(gold)}

    def place(question: ItemKey) -> int:
        row, setting, sample = question
        if str(row) not in rows or setting not in spec.settings or sample >= spec.samples:
            raise StoreError(
                f"{folder.path / RESPONSES}: an answer to row {row!r} "
                f"({setting}, sample {sample}), which is not of this run."
            )
        at = spec.settings.index(setting) * len(rows) + rows[str(row)]
        return at * spec.samples + sample

    for response in folder.responses(place):
        yield response, gold[str(response.id)]


def measured_of(
    spec: RunSpec, selection: Selection, known: Header, answers: AnswersFile | None = None
) -> Measured:
    """Return what a run measures; `known` is its header, `answers` the file of its answers."""
    return Measured(
        spec.model,
        selection,
        spec.settings,
        spec.samples,
        {k: v for k, v in dict(spec.identity.get("body") or {}).items() if k != "model"},
        spec.prompts,
        known["dropped"],
        prompt_name=known["prompt"]["name"],
        given=spec.given,
        identity=spec.identity,
        responses=answers,
        coverage=known["coverage"],
    )


def dated(folder: Path, created: Iterable[str]) -> tuple[datetime, datetime] | None:
    """Return when the first and the last of a run's answers came, None of none.

    Raises:
        StoreError: where an answer does not say it.
    """
    try:
        return dates(created)
    except ValueError as error:
        path = folder / RESPONSES
        raise StoreError(f"{path}: `created` of an answer is no date: {error}; mend it.") from None


def prompt_of(folder: Path, made: PromptText) -> Prompt:
    """Return the prompt of a run, made again of what its header says.

    Raises:
        StoreError: where that makes none.
    """
    try:
        return prompts.restore(made)
    except ConfigError as error:  # a template of the user's that is none
        raise StoreError(f"{folder / HEADER}: no prompt can be made of it: {error}") from None


def nothing(spec: RunSpec, selection: Selection) -> Summary:
    """Return the summary of a run whose answers cannot be read."""
    return write(None, Measured(spec.model, selection, spec.settings, spec.samples), (), Usage())


def write(
    out: Path | None,
    measured: Measured,
    answers: Iterable[ScoredAnswer],
    usage: Usage | None,
    onlooker: Onlooker = _NOBODY,
) -> Summary:
    """Collect scored answers into a summary, writing both as they come where there is a folder."""
    collector = Collector(
        measured.selection.rebuses,
        measured.settings,
        measured.samples,
        measured.parsers,
        told(measured.given),
    )
    details, signs = Details(measured), ServerSigns(measured)

    def collect(write_score: Callable[[ItemScore, Mapping[str, object]], None]) -> None:
        for answer in answers:
            beside = details.add(answer)
            signs.add(answer)
            onlooker.add(answer, beside)
            for item in answer.scores.values():
                collector.add(item)
                write_score(item, beside.get(item.parser, {}))

    def summed() -> Summary:
        summary = summarize(measured, collector, usage, details, signs)
        onlooker.end(summary)
        return summary

    if out is None:
        collect(lambda *_: None)
        return summed()
    with files.writing_scores(out) as write_score:
        collect(write_score)
    summary = summed()
    files.write_summary(out, summary)
    return summary


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
            runs = read_scores.read_all([*map(RunFolder, against)], official.NAME, least=1)
            self._others = [read_scores.with_texts(run) for run in runs]

    def add(self, answer: ScoredAnswer, beside: Beside) -> None:
        """Take in one answer."""
        del beside
        self._audit.add(answer)

    def end(self, summary: Summary) -> None:
        """Say what was found, and against which runs."""
        found = self._audit.findings(summary, self._others)
        summary["audit"] = {"against": [each.name for each in self._others], "findings": found}
