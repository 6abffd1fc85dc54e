"""A run's texts with their figures: lm-evaluation-harness's samples, and one table of all answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from apieval.errors import StoreError
from apieval.rebus import harness, scoring
from apieval.rebus.parsers import official
from apieval.report import answer_table, harness_results
from apieval.report.harness_results import Task
from apieval.run import responses
from apieval.schema import Rebus, Response
from apieval.verbs.export_files import Exported, Part, named, order, refuse_begun, write
from apieval.verbs.results import StoredRun, dated, prompt_of
from apieval.wording import counted


def samples(folder: Path, out: Path, run: StoredRun) -> Exported:
    """Write a sample log for each setting and sample, and the figures of all."""
    refuse_begun(folder, run.spec.given)
    prompt, system = prompt_of(folder, run.header), run.header.get("system_prompt")
    rows, sampling, created = _rows(run), run.spec.identity.get("body") or {}, set[str]()
    files: dict[Part, dict[int, dict[str, Any]]] = {}
    failed = 0
    for response in responses.stored(folder):
        doc_id, rebus = _row(folder, run, rows, response)
        tallies = scoring.scored(response, rebus).scores[official.NAME].tallies
        asked = [{"role": "system", "content": system}] if system else []
        asked.append({"role": "user", "content": prompt.build(rebus, response.setting)})
        line = harness.sample(doc_id, rebus, response, tallies, asked, sampling)
        files.setdefault((response.setting, response.sample), {})[doc_id] = line
        failed += tallies is None
        created.add(response.created)
    if (came := dated(folder, created)) is None:
        return Exported((), ("there is no answer, and so no file",))
    date = harness_results.date_of(came[1])
    written, tasks = [], []
    for part in sorted(files, key=order):
        task = Task(named(harness.TASKS[part[0]], part, files), len(rows), sampling)
        lines = [files[part][doc_id] for doc_id in sorted(files[part])]
        for line in lines:
            task.add(line)
        path = out / f"samples_{task.name}_{date}.jsonl"
        written.append(write(path, [json.dumps(line, ensure_ascii=False) for line in lines]))
        tasks.append(task)
    figures = harness_results.document(
        tasks,
        model=str(sampling.get("model", run.spec.model)),
        provider=run.spec.provider,
        data=run.spec.data,
        system=system,
        began=came[0],
        took_s=run.header.get("took_s"),
    )
    written.append(write(out / f"results_{date}.json", [figures]))
    return Exported(tuple(written), _without_figures(failed))


def _without_figures(failed: int) -> tuple[str, ...]:
    if not failed:
        return ()
    said = (
        f"{counted(failed, 'failed request')} without figures, which the harness's helpers expect"
    )
    return (f"{said} of every sample; resume the run first",)


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
