"""`apieval export`: a run's answers for other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output, progress
from apieval.cli.options import option
from apieval.commands.export import Format
from apieval.report.eee import UNKNOWN, About, Relationship


def export(
    folder: Annotated[
        Path,
        typer.Argument(
            help="A run folder; for csv also the folder that `apieval score --out` wrote.",
            metavar="RUN",
            show_default=False,
        ),
    ],
    format: Annotated[  # noqa: A002 # as the option
        Format,
        option(
            "--format",
            help="csv: the study's layout, the parts that the official parser reads; lm-eval: "
            "lm-evaluation-harness's samples_*.jsonl and results_*.json; parquet: one table of all "
            'answers; eee: "Every Eval Ever" 0.3.0, one document of all figures and a file of items.',
        ),
    ],
    out: Annotated[
        Path | None,
        option("--out", help="Write the files there; by default to RUN/export.", metavar="DIR"),
    ] = None,
    data: Annotated[
        str | None,
        option(
            "--data",
            help="The data file, if it is no longer where the run found it.",
            metavar="sample|hub|PATH",
        ),
    ] = None,
    exact: Annotated[
        bool,
        option(
            "--exact",
            help="csv: byte for byte the study's layout. Without it, cells that a spreadsheet would compute "
            "begin with an apostrophe, and the ids are called safe_idx; `apieval score` reads the "
            "same text from both.",
        ),
    ] = False,
    model_id: Annotated[
        str | None,
        option(
            "--model-id",
            help="eee: the model's public name; by default its name in the request.",
            metavar="DEVELOPER/MODEL",
        ),
    ] = None,
    organization: Annotated[
        str | None,
        option("--organization", help="eee: who evaluated; by default unknown.", metavar="NAME"),
    ] = None,
    relationship: Annotated[
        Relationship | None,
        option(
            "--relationship",
            help="eee: the evaluator's relation to the model's developer; by default other.",
        ),
    ] = None,
    json: options.Json = False,
) -> None:
    """Write stored answers for other tools; sends no requests.

    csv and lm-eval make a file for each setting and sample, which `apieval score` reads back with the
    same figures.
    """
    told = any(each is not None for each in (model_id, organization, relationship))
    about = About(model_id, organization or UNKNOWN, relationship or "other") if told else None
    with progress.working(f"exporting {folder}"):
        done = evaluate.export(folder, format, out, data=data, exact=exact, about=about)
    for warning in done.warnings:
        output.say(f"warning: {warning}")
    if json:
        output.document({"files": [str(each) for each in done.files], "warnings": done.warnings})
    else:
        for path in done.files:
            output.line(str(path))
