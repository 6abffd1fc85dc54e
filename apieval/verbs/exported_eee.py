"""A run in the interchange format "Every Eval Ever": its document, and a file of its items."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from apieval.errors import ConfigError, StoreError
from apieval.rebus.scoring import ScoredAnswer
from apieval.report.eee import items
from apieval.report.eee.document import ItemsFile, Run, document
from apieval.report.eee.names import UNKNOWN, About, Names, names_of
from apieval.report.files import in_its_folder
from apieval.run.responses import RESPONSES, stored
from apieval.schema import Outcome
from apieval.signature import digest_lines
from apieval.verbs.export_files import Exported, refuse_begun, write
from apieval.verbs.results import Onlooker, StoredRun, dated, prompt_of, score_stored, source
from apieval.whole_file import replacing
from apieval.wording import counted


class _Items(Onlooker):
    """Write the records of every answer as it is scored."""

    def __init__(self, file: TextIO, asked: items.Asked) -> None:
        self._file, self._asked, self.failed, self.written = file, asked, 0, 0

    def add(self, answer: ScoredAnswer, beside: Mapping[str, Mapping[str, Any]]) -> None:
        """Write one answer's records; a failed request has no score, and so none."""
        response = answer.response
        if response is None or response.outcome is Outcome.FAILED:
            self.failed += 1
            return
        broke = [
            each["diagnosis"]["broke_first"] for each in beside.values() if "diagnosis" in each
        ]
        for line in items.lines(self._asked, response, answer, *broke):
            self._file.write(f"{line}\n")
            self.written += 1


def eee(folder: Path, out: Path, run: StoredRun, about: About) -> Exported:
    """Write a run's document and its items, below `out` where they belong among everybody's.

    Raises:
        ConfigError, StoreError: naming what cannot be exported, and the remedy.
    """
    refuse_begun(folder, run.spec.given)
    answers = source(folder / RESPONSES)["digest"]
    when = _last(folder)
    names = names_of(run.spec, f"{when.timestamp():.6f}", answers, _checked(about))
    prompt = prompt_of(folder, run.header)
    path = out / names.items
    with in_its_folder(path):
        with replacing(path) as file:
            onlooker = _Items(file, items.Asked(names, prompt, run.spec.prompts))
            summary = score_stored(folder, None, run.spec, run.selection(), onlooker)
        lines, digest = digest_lines(path)
    made = document(
        Run(run.spec, run.header, prompt, summary, when.isoformat()),
        names,
        about,
        ItemsFile(names.items, digest, lines),
    )
    text = json.dumps(made, ensure_ascii=False, indent=2, allow_nan=False)
    written = write(out / names.document, [text])
    return Exported((written, path), tuple(_doubts(names, about, summary, onlooker.failed)))


def _last(folder: Path) -> datetime:
    """Return when the last answer came."""
    came = (each.created for each in stored(folder) if each.outcome is not Outcome.FAILED)
    found = dated(folder, came)
    if found is None:
        raise StoreError(f"{folder}: no answer to export; the format wants one at least.")
    return found[1]


def _checked(about: About) -> About:
    developer, _, model = (about.model_id or "developer/model").partition("/")
    if not (developer.strip() and model.strip()):
        raise ConfigError(
            f"--model-id {about.model_id!r}: give DEVELOPER/MODEL, as meta-llama/Llama-3.1-8B-Instruct."
        )
    return about


def _doubts(names: Names, about: About, summary: Mapping[str, Any], failed: int) -> Iterator[str]:
    if summary["partial"]:
        yield "an answer is missing: every figure is partial, which only its details say"
    if failed:
        yield f"{counted(failed, 'failed request')} left out of the items: there is no answer"
    if names.developer == UNKNOWN:
        yield f"the model goes by {names.model_id}; --model-id says what everybody calls it"
    if about.organization == UNKNOWN:
        yield "nothing says who evaluated; --organization and --relationship do"
    if licence := summary["data"].get("licence"):
        yield f"the items hold rows of the data ({licence}); mind it where you publish them"
