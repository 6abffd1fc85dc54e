"""A run's parsed parts in the study's CSV, a file for each setting and sample."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from os.path import lexists
from pathlib import Path
from typing import Any, Final, cast

from apieval.errors import StoreError
from apieval.rebus.parsers import official
from apieval.report import study_csv
from apieval.report.files import SCORES, SUMMARY
from apieval.run.header import HEADER
from apieval.schema import SETTINGS, Outcome, Prediction, RowId, Setting, row_order
from apieval.verbs.export_files import Exported, Part, named, order, refuse_begun, write
from apieval.verbs.score_lines import score_lines
from apieval.verbs.verified_files import read_summary
from apieval.wording import counted

_Read = tuple[Part, RowId, Outcome, Prediction]
_WRONG: Final = (Outcome.TRUNCATED, Outcome.REFUSED)


def study(folder: Path, out: Path, *, exact: bool) -> Exported:
    """Write what the official parser read, as `apieval score` has stored it.

    Raises:
        ConfigError, StoreError: naming what cannot be exported, and the remedy.
    """
    summary = read_summary(folder)
    if summary is None:
        remedy = (
            f"`apieval score {folder}` writes it" if lexists(folder / HEADER) else "name one run"
        )
        raise StoreError(f"{folder}: no scores: there is no {SUMMARY}; {remedy}.")
    refuse_begun(folder, summary.get("given"))
    files: dict[Part, dict[RowId, Prediction]] = {}
    counts: Counter[str] = Counter()
    for part, row_id, outcome, parts in _official(folder / SCORES):
        counts["failed"] += outcome is Outcome.FAILED
        counts["wrong"] += outcome in _WRONG
        if outcome is not Outcome.FAILED:
            files.setdefault(part, {})[row_id] = parts
            counts["formulas"] += study_csv.formulas(row_id, parts)
    written = []
    for part in sorted(files, key=order):
        ordered = sorted(files[part].items(), key=lambda pair: row_order(pair[0]))
        lines = (study_csv.row(n, *each, exact=exact) for n, each in enumerate(ordered))
        path = out / f"answers_{named(part[0], part, files)}.csv"
        written.append(write(path, [study_csv.header(exact=exact), *lines]))
    return Exported(tuple(written), tuple(_doubts(written, counts, exact=exact)))


def _official(path: Path) -> Iterator[_Read]:
    """Yield what the official parser read, answer by answer."""
    found = score_lines(path, _of_official)
    return (each for each in found if each is not None)


def _of_official(value: Mapping[str, Any]) -> _Read | None:
    if value["parser"] != official.NAME:
        return None
    parts = Prediction.model_validate({name: value[name] for name in Prediction.model_fields})
    return _part(value), _row_id(value), Outcome(value["outcome"]), parts


def _part(value: Mapping[str, Any]) -> Part:
    if value["setting"] not in SETTINGS or type(value["sample"]) is not int:
        raise ValueError("no setting or sample")
    return cast("Setting", value["setting"]), value["sample"]


def _row_id(value: Mapping[str, Any]) -> RowId:
    if type(value["id"]) not in {int, str}:
        raise ValueError("no id")
    return cast("RowId", value["id"])


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
