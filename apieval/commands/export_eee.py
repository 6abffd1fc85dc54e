"""A run in the interchange format "Every Eval Ever": its document, and a file of its items."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from apieval.analysis.summary import Beside
from apieval.commands.export_files import Exported, refuse_begun, write
from apieval.commands.score import Onlooker, StoredRun, dated, prompt_of, score_stored
from apieval.errors import ConfigError, StoreError
from apieval.files import replacing
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Outcome
from apieval.report.eee import DOCUMENT, ITEMS, UNKNOWN, About, Evaluation, document, items
from apieval.report.files import in_its_folder
from apieval.results.summary import Summary
from apieval.signature import digest_lines
from apieval.wording import counted


class _Items(Onlooker):
    """Write the items of every answer as it is scored."""

    def __init__(self, file: TextIO, run: Evaluation) -> None:
        self._file, self._run, self.failed = file, run, 0

    def add(self, answer: ScoredAnswer, beside: Beside) -> None:
        """Write one answer's items; a failed request has no score, and so none."""
        response = answer.response
        if response is None or response.outcome is Outcome.FAILED:
            self.failed += 1
            return
        found = [each["diagnosis"] for each in beside.values() if "diagnosis" in each]
        first_error = found[0]["broke_first"] if found else None
        self._file.writelines(
            f"{line}\n" for line in items(self._run, response, answer, first_error)
        )


def eee(out: Path, run: StoredRun, about: About) -> Exported:
    """Write a run's document and its items, below `out` where they belong among everybody's.

    Raises:
        ConfigError, StoreError: naming what cannot be exported, and the remedy.
    """
    folder = run.folder
    refuse_begun(folder.path, run.spec.given)
    came = (each.created for each in folder.responses() if each.outcome is not Outcome.FAILED)
    dates = dated(folder.path, came)
    if dates is None:
        raise StoreError(f"{folder.path}: no answer to export; the format wants one at least.")
    developer, _, model = (about.model_id or "developer/model").partition("/")
    if not (developer.strip() and model.strip()):
        raise ConfigError(
            f"--model-id {about.model_id!r}: give DEVELOPER/MODEL, as meta-llama/Llama-3.1-8B-Instruct."
        )
    evaluation = Evaluation(
        spec=run.spec,
        header=run.header,
        prompt=prompt_of(folder.path, run.header["prompt"]),
        last=dates[1],
        answers=folder.answers_file["digest"],
        about=about,
    )
    path = out / evaluation.file(ITEMS)
    with in_its_folder(path):
        with replacing(path) as file:
            onlooker = _Items(file, evaluation)
            summary = score_stored(folder, None, run.spec, run.selection(), run.header, onlooker)
        lines, digest = digest_lines(path)
    made = document(evaluation, summary, lines, digest)
    text = json.dumps(made, ensure_ascii=False, indent=2, allow_nan=False)
    written = write(out / evaluation.file(DOCUMENT), [text])
    return Exported((written, path), tuple(_warnings(evaluation, summary, onlooker.failed)))


def _warnings(run: Evaluation, summary: Summary, failed: int) -> Iterator[str]:
    if summary["partial"]:
        yield "an answer is missing: every figure is partial, which only its details say"
    if failed:
        yield f"{counted(failed, 'failed request')} left out of the items: there is no answer"
    if run.model_id.startswith(f"{UNKNOWN}/"):
        yield f"the model goes by {run.model_id}; --model-id says what everybody calls it"
    if run.about.organization == UNKNOWN:
        yield "nothing says who evaluated; --organization and --relationship do"
    if licence := summary["data"].get("licence"):
        yield f"the items hold rows of the data ({licence}); mind it where you publish them"
