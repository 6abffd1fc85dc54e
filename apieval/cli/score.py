"""`apieval score`: score stored answers, offline."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.cli.run import EXIT_CODES
from apieval.report import audit as audited
from apieval.report import details as detailed
from apieval.report import terminal
from apieval.schema import Setting


def score(
    path: Annotated[
        Path,
        typer.Argument(
            help="A run folder, raw answers (.jsonl of ids and texts), lm-evaluation-harness's "
            "samples_*.jsonl, or the study's parsed CSV."
        ),
    ],
    data: Annotated[
        str | None,
        option(
            "--data",
            help="The data file the answers are of; hub is the challenge's, fetched before.",
            metavar="sample|hub|PATH",
        ),
    ] = None,
    setting: Annotated[
        Setting | None,
        option(
            "--setting", help="The setting of answers that do not say theirs; regular without it."
        ),
    ] = None,
    id_field: Annotated[
        str, option("--id-field", help="What raw answers call the row's id.", metavar="NAME")
    ] = "id",
    text_field: Annotated[
        str, option("--text-field", help="What raw answers call the text.", metavar="NAME")
    ] = "text",
    subset: options.Subset = None,
    limit: options.Limit = None,
    out: Annotated[
        Path | None,
        option("--out", help="Write scores.jsonl and summary.json there.", metavar="DIR"),
    ] = None,
    details: Annotated[
        bool, option("--details", help="Show why answers are wrong, and what that depends on.")
    ] = False,
    audit: Annotated[
        bool, option("--audit", help="Say what speaks against the figures, and show it.")
    ] = False,
    against: Annotated[
        list[Path] | None,
        option(
            "--against",
            help="A run folder, or what `apieval score --out` wrote: audit whether wrong answers "
            "are the same as there; repeatable.",
            metavar="RUN",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Score stored answers; nothing is asked and no connection opened."""
    result = evaluate.score(
        path,
        data,
        setting=setting,
        id_field=id_field,
        text_field=text_field,
        subsets=tuple(subset or ()),
        limit=limit,
        out=out,
        say=output.say,
        against=tuple(against or ()) if audit or against else None,
    )
    if setting is None and path.suffix.lower() == ".csv":
        output.say(f"{path.name}: a CSV does not say its setting; taken as regular (--setting).")
    if json:
        output.document({"runs": [result.as_json()]})
    else:
        output.show(terminal.render(result.summary, result.model))
        if details:
            output.show(detailed.render(result.summary))
        if "audit" in result.summary:
            output.show(audited.render(result.summary["audit"]))
    if result.status != "done":
        output.say(f"{result.status}: {result.message or 'answers are missing'}")
    raise typer.Exit(EXIT_CODES[result.status])
