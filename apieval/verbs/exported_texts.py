"""A run's texts with their figures: lm-evaluation-harness's samples, and one table of all answers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from apieval.errors import StoreError
from apieval.rebus import harness, scoring
from apieval.rebus.parsers import official
from apieval.report import answer_table
from apieval.run import responses
from apieval.schema import Rebus, Response
from apieval.verbs.export_files import Exported, Part, named, order, refuse_begun, write
from apieval.verbs.results import StoredRun, prompt_of


def samples(folder: Path, out: Path, run: StoredRun) -> Exported:
    """Write a sample log for each setting and sample."""
    refuse_begun(folder, run.spec.given)
    prompt, system = prompt_of(folder, run.header), run.header.get("system_prompt")
    rows = _rows(run)
    files: dict[Part, dict[int, str]] = {}
    for response in responses.stored(folder):
        doc_id, rebus = _row(folder, run, rows, response)
        tallies = scoring.scored(response, rebus).scores[official.NAME].tallies
        asked = [{"role": "system", "content": system}] if system else []
        asked.append({"role": "user", "content": prompt.build(rebus, response.setting)})
        line = harness.line(doc_id, rebus, response, tallies, asked)
        files.setdefault((response.setting, response.sample), {})[doc_id] = line
    written = []
    for part in sorted(files, key=order):
        lines = files[part]
        path = out / f"samples_{named(harness.TASKS[part[0]], part, files)}.jsonl"
        written.append(write(path, [lines[doc_id] for doc_id in sorted(lines)]))
    return Exported(tuple(written), () if written else ("there is no answer, and so no file",))


def table(folder: Path, out: Path, run: StoredRun) -> Exported:
    """Write one table of all answers."""
    rows, found = _rows(run), []
    for response in responses.stored(folder):
        doc_id, rebus = _row(folder, run, rows, response)
        answer = scoring.scored(response, rebus, run.spec.given)
        place = (*order((response.setting, response.sample)), doc_id)
        found.append((place, answer_table.row(response, answer)))
    path = out / "answers.parquet"
    answer_table.write(path, [row for _, row in sorted(found, key=lambda pair: pair[0])])
    return Exported((path,), ())


def _rows(run: StoredRun) -> dict[str, tuple[int, Rebus]]:
    """Return the rows by their ids as text, each with its number."""
    return {str(rebus.id): (n, rebus) for n, rebus in enumerate(run.data.rebuses)}


def _row(
    folder: Path, run: StoredRun, rows: Mapping[str, tuple[int, Rebus]], response: Response
) -> tuple[int, Rebus]:
    if response.setting not in run.spec.settings or response.sample >= run.spec.samples:
        raise StoreError(
            f"{folder / responses.RESPONSES}: an answer to row {response.id!r} "
            f"({response.setting}, sample {response.sample}), which is not of this run."
        )
    if str(response.id) not in rows:
        raise StoreError(
            f"{folder / responses.RESPONSES}: an answer to row {response.id!r}, which the data "
            "does not have."
        )
    return rows[str(response.id)]
