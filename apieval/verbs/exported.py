"""A run's answers written for other tools: the study's CSV, lm-evaluation-harness's samples, Parquet.

Each setting and sample has a file of its own where the layout cannot say which it is.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast

from apieval.errors import ConfigError, StoreError
from apieval.rebus import harness, scoring
from apieval.rebus.parsers import official
from apieval.report import answer_table, study_csv
from apieval.report.files import SCORES, SUMMARY
from apieval.run import responses
from apieval.schema import SETTINGS, Outcome, Prediction, Rebus, Response, RowId, Setting
from apieval.verbs.results import StoredRun, prompt_of, run_of
from apieval.verbs.verified_files import read_summary
from apieval.whole_file import replacing
from apieval.wording import counted

Format = Literal["csv", "lm-eval", "parquet"]
FOLDER: Final = "export"
"""Where the files go, in the run's folder, unless another is named."""
_WRONG: Final = (Outcome.TRUNCATED, Outcome.REFUSED)
_Part = tuple[Setting, int]


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were written, and what they cannot say."""

    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def export(
    folder: str | Path,
    format: Format,  # noqa: A002 # as the option
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    safe: bool = False,
) -> Exported:
    """Write a run's answers as `csv`, the study's layout, or as `lm-eval`, a sample log.

    `csv` also takes what `apieval score --out` wrote, and with `safe` keeps a spreadsheet from
    computing cells; `lm-eval`, and `parquet`, a table of texts, parts and figures, need the run's
    texts and its data file, `data` where that stands elsewhere now. The files go to `out`, else to `export` in the folder.

    Raises:
        ConfigError, DataError, StoreError: naming what cannot be exported, and the remedy.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise StoreError(f"{folder}: there is no such folder; name a run folder.")
    where = Path(out) if out else folder / FOLDER
    if format == "csv":
        if data is not None:
            raise ConfigError("--data is not of --format csv, which needs no data file.")
        return _study(folder, where, safe=safe)
    if safe:
        raise ConfigError("--safe is of --format csv; leave it out.")
    run = run_of(folder, data)
    run.check_data()
    return (_samples if format == "lm-eval" else _table)(folder, where, run)


def _refuse_begun(folder: Path, given: object) -> None:
    if given is not None:
        raise ConfigError(
            f"{folder}: these answers were begun with right steps (--given), which no other tool's "
            "layout can say; export a run without."
        )


def _study(folder: Path, out: Path, *, safe: bool) -> Exported:
    summary = read_summary(folder)
    if summary is None:
        raise StoreError(
            f"{folder}: no scores: there is no {SUMMARY}; `apieval score {folder}` writes it."
        )
    _refuse_begun(folder, summary.get("given"))
    files: dict[_Part, dict[RowId, Prediction]] = {}
    counts: Counter[str] = Counter()
    for part, row_id, outcome, parts in _official(folder / SCORES):
        counts["failed"] += outcome is Outcome.FAILED
        counts["wrong"] += outcome in _WRONG
        if outcome is not Outcome.FAILED:
            files.setdefault(part, {})[row_id] = parts
            counts["formulas"] += study_csv.formulas(row_id, parts)
    written = []
    for part in sorted(files, key=_order):
        ordered = sorted(files[part].items(), key=lambda pair: _place(pair[0]))
        lines = (study_csv.row(n, *each, safe=safe) for n, each in enumerate(ordered))
        path = out / f"answers_{_named(part[0], part, files)}.csv"
        written.append(_write(path, [study_csv.header(), *lines]))
    return Exported(tuple(written), tuple(_doubts(counts, safe=safe)))


def _official(path: Path) -> Iterator[tuple[_Part, RowId, Outcome, Prediction]]:
    """Yield what the official parser read, answer by answer."""
    names = tuple(Prediction.model_fields)
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, 1):
                try:
                    value = json.loads(line)
                    if value["parser"] == official.NAME:
                        parts = Prediction.model_validate({name: value[name] for name in names})
                        part = _part(value)
                        yield part, _row_id(value), Outcome(value["outcome"]), parts
                except (LookupError, TypeError, ValueError, RecursionError) as error:
                    said = " ".join(str(error).split())
                    raise StoreError(
                        f"{path}, line {number}: no score ({said}); write it anew with "
                        "`apieval score`."
                    ) from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _part(value: Mapping[str, Any]) -> _Part:
    if value["setting"] not in SETTINGS or type(value["sample"]) is not int:
        raise ValueError("no setting or sample")
    return cast("Setting", value["setting"]), value["sample"]


def _row_id(value: Mapping[str, Any]) -> RowId:
    if type(value["id"]) not in {int, str}:
        raise ValueError("no id")
    return cast("RowId", value["id"])


def _place(row_id: RowId) -> tuple[bool, int, str]:
    """Return what rows are put in order by: answers come in as they come."""
    number = isinstance(row_id, int)
    return not number, row_id if isinstance(row_id, int) else 0, str(row_id)


def _doubts(counts: Mapping[str, int], *, safe: bool) -> Iterator[str]:
    if n := counts["failed"]:
        yield f"{counted(n, 'failed request')} left out: there is no answer"
    if n := counts["wrong"]:
        yield (
            f"{counted(n, 'answer')} cut or refused, wrong here; the CSV cannot say so, and what it "
            "holds of them may be counted right"
        )
    if (n := counts["formulas"]) and safe:
        yield f"{counted(n, 'cell')} with an apostrophe before: read back they are other text"
    elif n:
        yield f"{counted(n, 'cell')} that a spreadsheet would compute (= + - @); --safe prevents it"


def _samples(folder: Path, out: Path, run: StoredRun) -> Exported:
    _refuse_begun(folder, run.spec.given)
    prompt, system = prompt_of(folder, run.header), run.header.get("system_prompt")
    rows = _rows(run)
    files: dict[_Part, dict[int, str]] = {}
    for response in responses.stored(folder):
        doc_id, rebus = _row(folder, rows, response)
        tallies = scoring.scored(response, rebus).scores[official.NAME].tallies
        asked = [{"role": "system", "content": system}] if system else []
        asked.append({"role": "user", "content": prompt.build(rebus, response.setting)})
        line = harness.line(doc_id, rebus, response, tallies, asked)
        files.setdefault((response.setting, response.sample), {})[doc_id] = line
    written = []
    for part in sorted(files, key=_order):
        lines = files[part]
        path = out / f"samples_{_named(harness.TASKS[part[0]], part, files)}.jsonl"
        written.append(_write(path, [lines[doc_id] for doc_id in sorted(lines)]))
    return Exported(tuple(written), ())


def _table(folder: Path, out: Path, run: StoredRun) -> Exported:
    rows, found = _rows(run), []
    for response in responses.stored(folder):
        doc_id, rebus = _row(folder, rows, response)
        answer = scoring.scored(response, rebus, run.spec.given)
        place = (*_order((response.setting, response.sample)), doc_id)
        found.append((place, answer_table.row(response, answer)))
    path = out / "answers.parquet"
    answer_table.write(path, [row for _, row in sorted(found, key=lambda pair: pair[0])])
    return Exported((path,), ())


def _rows(run: StoredRun) -> dict[str, tuple[int, Rebus]]:
    """Return the rows by their ids as text, each with its number."""
    return {str(rebus.id): (n, rebus) for n, rebus in enumerate(run.data.rebuses)}


def _row(
    folder: Path, rows: Mapping[str, tuple[int, Rebus]], response: Response
) -> tuple[int, Rebus]:
    if str(response.id) not in rows:
        raise StoreError(
            f"{folder / responses.RESPONSES}: an answer to row {response.id!r}, which the data "
            "does not have."
        )
    return rows[str(response.id)]


def _order(part: _Part) -> tuple[int, int]:
    return SETTINGS.index(part[0]), part[1]


def _named(name: str, part: _Part, among: Iterable[_Part]) -> str:
    """Return a file's name, with the number of the sample where there are several."""
    return f"{name}_{part[1]}" if any(sample for _, sample in among) else name


def _write(path: Path, lines: Iterable[str]) -> Path:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with replacing(path) as file:
            file.writelines(f"{line}\n" for line in lines)
    except OSError as error:
        raise StoreError(f"{path}: cannot be written: {error.strerror or error}.") from None
    return path
