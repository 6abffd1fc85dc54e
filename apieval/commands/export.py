"""`apieval export`: the study's CSV, lm-evaluation-harness's samples, Parquet, Every Eval Ever."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

from apieval.commands.export_files import Exported, Part, named, order, refuse_begun, write
from apieval.commands.score import StoredRun, dated, in_data_order, prompt_of, run_of
from apieval.errors import ConfigError, StoreError
from apieval.files import is_folder
from apieval.rebus import harness, scoring
from apieval.rebus.parsers import official
from apieval.records import Outcome, Prediction, RowId, row_order
from apieval.report import answer_table, harness_results, study_csv
from apieval.report.eee import About
from apieval.report.harness_results import Task
from apieval.results.folder import RunFolder, prediction_of
from apieval.wording import counted

_WRONG: Final = (Outcome.TRUNCATED, Outcome.REFUSED)


def study(folder: RunFolder, out: Path, *, exact: bool) -> Exported:
    """Write what the official parser read, as `apieval score` has stored it.

    Raises:
        ConfigError, StoreError: naming what cannot be exported, and the remedy.
    """
    refuse_begun(folder.path, folder.summary["given"])
    files: dict[Part, dict[RowId, Prediction]] = {}
    counts: Counter[str] = Counter()
    for line in folder.scores((official.NAME,)):
        if line["outcome"] is Outcome.FAILED:
            counts["failed"] += 1
            continue
        counts["wrong"] += line["outcome"] in _WRONG
        parts = prediction_of(line)
        files.setdefault((line["setting"], line["sample"]), {})[line["id"]] = parts
        counts["formulas"] += study_csv.formulas(line["id"], parts)
    written = []
    for part in sorted(files, key=order):
        ordered = sorted(files[part].items(), key=lambda pair: row_order(pair[0]))
        lines = (study_csv.row(n, *each, exact=exact) for n, each in enumerate(ordered))
        path = out / f"answers_{named(part[0], part, files)}.csv"
        written.append(write(path, [study_csv.header(exact=exact), *lines]))
    return Exported(tuple(written), tuple(_doubts(written, counts, exact=exact)))


def _doubts(written: Sequence[Path], counts: Mapping[str, int], *, exact: bool) -> Iterator[str]:
    if not written:
        yield "there is no answer, and so no file"
    if n := counts["failed"]:
        yield f"{counted(n, 'failed request')} left out: there is no answer"
    if n := counts["wrong"]:
        yield (
            f"{counted(n, 'answer')} cut or refused, wrong here; the CSV cannot say so, and what it "
            "holds of them may be counted right"
        )
    if (n := counts["formulas"]) and exact:
        yield f"{counted(n, 'cell')} that a spreadsheet would compute (= + - @); leave --exact out"
    elif n:
        yield (
            f"{counted(n, 'cell')} with an apostrophe before what a spreadsheet would compute; "
            "`apieval score` reads them without, other tools need --exact"
        )


def samples(out: Path, run: StoredRun) -> Exported:
    """Write a sample log for each setting and sample, and the figures of all."""
    folder, system = run.folder, run.header["system_prompt"]
    refuse_begun(folder.path, run.spec.given)
    prompt = prompt_of(folder.path, run.header["prompt"])
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
    if (came := dated(folder.path, created)) is None:
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
        took_s=run.header["took_s"],
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


def table(out: Path, run: StoredRun) -> Exported:
    """Write one table of all answers."""
    found = []
    for response, rebus in in_data_order(run.folder, run.spec, run.selection()):
        answer = scoring.scored(response, rebus, run.spec.given)
        part = order((response.setting, response.sample))
        found.append((part, answer_table.row(response, answer)))
    path = out / "answers.parquet"
    answer_table.write(path, [row for _, row in sorted(found, key=lambda pair: pair[0])])
    return Exported((path,), ())


__all__ = ["Exported", "Format", "export"]

Format = Literal["csv", "lm-eval", "parquet", "eee"]
FOLDER: Final = "export"
"""Where the files go, in the run's folder, unless another is named."""


def export(
    folder: str | Path,
    format: Format,  # noqa: A002 # as the option
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    exact: bool = False,
    about: About | None = None,
) -> Exported:
    """Write a run's answers in the layout of another tool.

    `csv` is the study's, of parsed parts, and also takes what `apieval score --out` wrote. No
    spreadsheet computes its cells, and `apieval.score` reads the text as it was; with `exact` it is
    the study's byte for byte. `lm-eval` is a sample log, `parquet` a table of texts, parts and
    figures, `eee` the interchange format "Every Eval Ever"; they need the run's texts and its data
    file, `data` where that stands elsewhere now. `about` is what an `eee` document says besides.
    The files go to `out`, else to `export` in the folder.

    Raises:
        ConfigError, DataError, StoreError: naming what cannot be exported, and the remedy.
    """
    found = RunFolder(Path(folder))
    if not is_folder(found.path):
        raise StoreError(f"{folder}: there is no such folder; name a run folder.")
    where = Path(out) if out else found.path / FOLDER
    if about is not None and format != "eee":
        raise ConfigError("--model-id, --organization and --relationship are of --format eee.")
    if format == "csv":
        if data is not None:
            raise ConfigError("--data is not of --format csv, which needs no data file.")
        return study(found, where, exact=exact)
    if exact:
        raise ConfigError("--exact is of --format csv; leave it out.")
    run = run_of(found, data)
    run.check_data()
    if format == "eee":
        # no other command or format pays for it
        from apieval.commands import export_eee  # noqa: PLC0415

        return export_eee.eee(where, run, about or About())
    written = samples if format == "lm-eval" else table
    return written(where, run)
