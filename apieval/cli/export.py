"""`apieval export`: a run's answers for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.report.eee.names import UNKNOWN, About, Relationship
from apieval.verbs.exported import Format


def export(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A run folder; for csv also what `apieval score --out` wrote.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    format: Annotated[  # noqa: A002 # as the option
        Format,
        option(
            "--format",
            help="csv is the study's layout, the parts that the official parser reads; lm-eval is "
            "lm-evaluation-harness's samples_*.jsonl, the texts; parquet is one table of all answers; "
            'eee is "Every Eval Ever" 0.3.0, one document of all figures and a file of items.',
        ),
    ],
    out: Annotated[
        Path | None,
        option("--out", help="Write the files there; RUN/export without it.", metavar="DIR"),
    ] = None,
    data: Annotated[
        str | None,
        option(
            "--data",
            help="The data file, where it is not where the run found it.",
            metavar="sample|hub|PATH",
        ),
    ] = None,
    exact: Annotated[
        bool,
        option(
            "--exact",
            help="csv: byte for byte the study's layout. Without it an apostrophe stands before what a "
            "spreadsheet would compute, and the ids are called safe_idx; `apieval score` reads the "
            "same text out of both.",
        ),
    ] = False,
    model_id: Annotated[
        str | None,
        option(
            "--model-id",
            help="eee: what the model is called everywhere; its name in the request without it.",
            metavar="DEVELOPER/MODEL",
        ),
    ] = None,
    organization: Annotated[
        str | None,
        option("--organization", help="eee: who evaluated; unknown without it.", metavar="NAME"),
    ] = None,
    relationship: Annotated[
        Relationship | None,
        option(
            "--relationship",
            help="eee: who evaluated, seen from the model's developer; other without it.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Write stored answers for other tools; nothing is asked.

    csv and lm-eval make a file for each setting and sample, which `apieval score` reads back with the
    same figures.
    """
    told = any(each is not None for each in (model_id, organization, relationship))
    about = About(model_id, organization or UNKNOWN, relationship or "other") if told else None
    done = evaluate.export(folder, format, out, data=data, exact=exact, about=about)
    for warning in done.warnings:
        output.say(f"warning: {warning}")
    if json:
        output.document({"files": [str(each) for each in done.files], "warnings": done.warnings})
    else:
        for path in done.files:
            output.line(str(path))
