"""Every item of reported runs: scores, answers and gold rows joined by row, setting and sample."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from apieval import data as datasets
from apieval.report.document import ReportedRun
from apieval.report.files import SCORES
from apieval.report.page.items import Answer, AnsweredRun, Held, Items, Key
from apieval.results.answers import RESPONSES
from apieval.results.folder import RunFolder
from apieval.schema import Response
from apieval.verbs.reported_answers import answers_of
from apieval.verbs.reported_golds import golds_of
from apieval.whole_file import is_there
from apieval.wording import counted

_TOOK: Final = (
    "finish_reason",
    "served_model",
    "system_fingerprint",
    "cost_usd",
    "latency_s",
    "attempts",
    "error",
    "created",
)


def gathered(
    runs: Sequence[ReportedRun],
    data: str | Path | None = None,
    say: datasets.Say | None = None,
) -> Items:
    """Return all items of some runs; `data` is where their data file stands now.

    What cannot be had is left out, and said: gold rows without the data file, raw answers where
    only scores are left.

    Raises:
        DataError: where `data` is the file of none of the runs.
        StoreError: for scores or answers that cannot be read, naming file and line.
    """
    golds = golds_of(runs, data, say)
    held, doubts, remarks = Held(), list(golds.doubts), list[str]()
    answered = []
    for run in runs:
        digest = run.summary["data"]["digest"]
        answers = dict(answers_of(run.folder / SCORES, digest, golds.rows.get))
        texts = run.folder / RESPONSES
        there = is_there(texts)
        if there:
            doubts += _texts(run, answers, held)
        else:
            remarks.append(_without(run))
        answered.append(
            AnsweredRun(
                name=run.name,
                texts=f"{run.folder.resolve().name}/{RESPONSES}" if there else None,
                given=run.summary.get("given"),
                answers=answers,
            )
        )
    names = {run.summary["data"]["digest"]: str(run.summary["data"]["name"]) for run in runs}
    return Items(
        runs=answered,
        golds=golds.rows,
        data=names,
        doubts=doubts,
        remarks=remarks,
        room=held.room,
    )


def _without(run: ReportedRun) -> str:
    source = (run.summary.get("responses") or {}).get("file")
    where = f"; they were scored from {source}" if source else ""
    return (
        f"{run.name}: raw answers, tokens and latency are not shown, since there is no {RESPONSES} "
        f"in its folder{where}."
    )


def _texts(run: ReportedRun, answers: Mapping[Key, Answer], held: Held) -> Iterator[str]:
    """Bring the texts to a run's answers, and say what does not fit."""
    digest, stray = run.summary["data"]["digest"], 0
    for response in RunFolder(run.folder).responses():
        key = Key(digest, response.id, response.setting, response.sample)
        answer = answers.get(key)
        if answer is None:
            stray += 1
            continue
        answer.took = _took(response)
        held.add(answer, response.text, response.reasoning)
    if stray:
        yield (
            f"{run.name}: {counted(stray, 'answer')} not shown, since they have no scores; "
            f"`apieval score {run.folder}` scores them."
        )


def _took(response: Response) -> dict[str, Any]:
    """Return what an answer took, what is unknown left out."""
    took: dict[str, Any] = {name: getattr(response, name) for name in _TOOK}
    took.update(response.usage.model_dump(exclude={"total_tokens"}))
    if response.cached:
        took["cached"] = True
    return {name: value for name, value in took.items() if value not in {None, ""}}
