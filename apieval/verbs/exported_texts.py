"""A run's texts with their figures: lm-evaluation-harness's samples, and one table of all answers."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from apieval.rebus import harness, scoring
from apieval.rebus.parsers import official
from apieval.report import answer_table, harness_results
from apieval.report.harness_results import Task
from apieval.verbs.export_files import Exported, Part, named, order, refuse_begun, write
from apieval.verbs.results import StoredRun, dated, in_data_order, prompt_of
from apieval.wording import counted


def samples(folder: Path, out: Path, run: StoredRun) -> Exported:
    """Write a sample log for each setting and sample, and the figures of all."""
    refuse_begun(folder, run.spec.given)
    prompt, system = prompt_of(folder, run.header), run.header.get("system_prompt")
    sampling, created = run.spec.identity.get("body") or {}, set[str]()
    doc_ids = {rebus.id: n for n, rebus in enumerate(run.data.rebuses)}
    files: dict[Part, list[dict[str, Any]]] = {}
    failed = 0
    for response, rebus in in_data_order(folder, run.spec, run.selection()):
        tallies = scoring.scored(response, rebus).scores[official.NAME].tallies
        asked = [{"role": "system", "content": system}] if system else []
        asked.append({"role": "user", "content": prompt.build(rebus, response.setting)})
        line = harness.sample(doc_ids[rebus.id], rebus, response, tallies, asked, sampling)
        files.setdefault((response.setting, response.sample), []).append(line)
        failed += tallies is None
        created.add(response.created)
    if (came := dated(folder, created)) is None:
        return Exported((), ("there is no answer, and so no file",))
    date = harness_results.date_of(came[1])
    written, tasks = [], []
    for part in sorted(files, key=order):
        task = Task(named(harness.TASKS[part[0]], part, files), len(doc_ids), sampling)
        for line in files[part]:
            task.add(line)
        path = out / f"samples_{task.name}_{date}.jsonl"
        written.append(write(path, [json.dumps(line, ensure_ascii=False) for line in files[part]]))
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
    found = []
    for response, rebus in in_data_order(folder, run.spec, run.selection()):
        answer = scoring.scored(response, rebus, run.spec.given)
        part = order((response.setting, response.sample))
        found.append((part, answer_table.row(response, answer)))
    path = out / "answers.parquet"
    answer_table.write(path, [row for _, row in sorted(found, key=lambda pair: pair[0])])
    return Exported((path,), ())
