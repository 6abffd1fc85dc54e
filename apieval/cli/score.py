"""`apieval score`: score stored answers, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output, progress
from apieval.cli.options import option
from apieval.cli.run import EXIT_CODES
from apieval.commands.score import Result
from apieval.errors import ApievalError
from apieval.records import Setting
from apieval.report import audit as audited
from apieval.report import details as detailed
from apieval.report import terminal


def score(
    path: Annotated[
        Path,
        typer.Argument(
            help="A run folder, a folder of them, raw answers (.jsonl of ids and texts), "
            "lm-evaluation-harness's samples_*.jsonl, or the study's parsed CSV.",
            metavar="PATH",
        ),
    ],
    data: Annotated[
        str | None,
        option(
            "--data",
            group=options.WHAT,
            help="The data file the answers are of; hub is the challenge's, downloaded before.",
            metavar="sample|hub|PATH",
        ),
    ] = None,
    setting: Annotated[
        Setting | None,
        option(
            "--setting",
            group=options.WHAT,
            help="The setting of answers that do not name theirs; by default regular.",
        ),
    ] = None,
    subset: options.Subset = None,
    limit: options.Limit = None,
    id_field: Annotated[
        str,
        option(
            "--id-field",
            group=options.WHAT,
            help="The field of the row's id in raw answers.",
            metavar="NAME",
        ),
    ] = "id",
    text_field: Annotated[
        str,
        option(
            "--text-field",
            group=options.WHAT,
            help="The field of the text in raw answers.",
            metavar="NAME",
        ),
    ] = "text",
    details: Annotated[
        bool,
        option(
            "--details",
            group=options.HOW,
            help="Show why answers are wrong, and what accuracy depends on.",
        ),
    ] = False,
    audit: Annotated[
        bool,
        option("--audit", group=options.HOW, help="Look for what would discredit the figures."),
    ] = False,
    against: Annotated[
        list[Path] | None,
        option(
            "--against",
            group=options.HOW,
            help="A run folder, or the folder that `apieval score --out` wrote: audit whether wrong "
            "answers are the same as there; repeatable.",
            metavar="RUN",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        option(
            "--out",
            help="Write scores.jsonl and summary.json there, of several runs to a folder each.",
            metavar="DIR",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Score stored answers; sends no requests and opens no connection.

    Example: apieval score results

    Exit code 0: done. 1: requests failed, the figures are partial. 2: nothing could be scored, or
    not every run. 3, 130: the run was stopped early or interrupted.
    """
    if setting is None and path.suffix.lower() == ".csv":
        output.say(f"{path.name}: a CSV does not say its setting; taken as regular (--setting).")
    runs = evaluate.runs_in(path, output.say)
    results: list[Result] = []
    code = 0
    for run in runs:
        try:
            with progress.working(f"scoring {run}"):
                result = evaluate.score(
                    run,
                    data,
                    setting=setting,
                    id_field=id_field,
                    text_field=text_field,
                    subsets=tuple(subset or ()),
                    limit=limit,
                    out=out / run.name if out and run != path else out,
                    say=output.say,
                    against=tuple(against or ()) if audit or against else None,
                )
        except ApievalError as error:
            if runs == [path]:
                raise
            output.say(f"{run}: not scored: {error}")
            code = error.exit_code
            continue
        results.append(result)
        if not json:
            _show(result, details=details)
        if result.status != "done":
            output.say(f"{result.status}: {result.message or 'answers are missing'}")
    if json:
        output.document({"runs": [each.as_json() for each in results]})
    raise typer.Exit(max([code, *(EXIT_CODES[each.status] for each in results)]))


def _show(result: Result, *, details: bool) -> None:
    output.show(terminal.render(result.summary, result.model, hint=not details))
    if details:
        output.show(detailed.render(result.summary))
    if "audit" in result.summary:
        output.show(audited.render(result.summary["audit"]))
