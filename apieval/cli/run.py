"""`apieval run`: evaluate models, or resume a run that was begun before."""

from __future__ import annotations

import math
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

import typer

from apieval import evaluate
from apieval.analysis import variants
from apieval.cli import options, output
from apieval.cli.log import Log
from apieval.cli.options import option
from apieval.cli.progress import progress
from apieval.cli.run_options import BOUND, run_options
from apieval.commands.options import RunOptions
from apieval.commands.score import NOT_BEGUN, Result
from apieval.errors import ConfigError
from apieval.report import models_table, prompt_spread, terminal
from apieval.results.summary import total
from apieval.run.header import slug
from apieval.run.watcher import Watcher
from apieval.wording import counted

EXIT_CODES = {"done": 0, "partial": 1, "stopped": 3, "interrupted": 130}
_WORST_LAST = ("done", "partial", "stopped", "interrupted")


@run_options(after={"yes": "max_cost"})
def run(
    models: Annotated[
        list[str],
        typer.Argument(
            help="Names in providers.yaml, PROVIDER/MODEL, or http://HOST:PORT/v1#MODEL.",
            metavar="MODEL",
        ),
    ],
    *,
    chosen: RunOptions,
    yes: Annotated[
        bool,
        option(
            "--yes",
            "-y",
            group=options.MONEY,
            help="Begin without asking for confirmation of the cost.",
        ),
    ] = False,
    log: Annotated[
        Path | None,
        option("--log", help="Write every event to this file, as JSON lines.", metavar="FILE"),
    ] = None,
    json: options.Json = False,
) -> None:
    """Evaluate MODEL..., side by side; a run that was begun before is resumed.

    Example: apieval run openai/gpt-4o --data hub --limit 20 --max-cost 5

    Models at one address share its limits, the stricter of each kind. One that stops early leaves
    the others running; the exit code is the worst of all.

    Exit code 0: done. 1: some requests failed, the figures are partial. 2: usage or
    configuration. 3: stopped early, resumable, or declined before it began. 130: interrupted,
    resumable.
    """
    with progress(ask=not yes) as watcher, _logged(log, watcher) as logged:
        results = evaluate.run(models, chosen, logged)
    apart = variants.over_prompts(result.summary for result in results)
    if json:
        document = {"runs": [result.as_json() for result in results]}
        output.document({**document, **({"prompts": apart} if apart else {})})
    for result in results:
        _tell(result, table=not json)
    if len(results) > 1 and not json:
        output.show(models_table.render([each.summary for each in results]))
        output.show(prompt_spread.render(apart))
    if not json:
        _tell_of_report(results)
    _say_how_to_go_on(results)
    worst = max((result.status for result in results), key=_WORST_LAST.index)
    raise typer.Exit(EXIT_CODES[worst])


@contextmanager
def _logged(path: Path | None, watcher: Watcher) -> Iterator[Watcher]:
    """Give a watcher that also logs, where there is a file to log to."""
    if path is None:
        yield watcher
        return
    try:
        file = path.open("a", encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"--log {path}: cannot be written: {error.strerror}.") from None
    try:
        yield Log(file, watcher)
    finally:
        with suppress(OSError):  # told of when it was written
            file.close()


def _tell(result: Result, *, table: bool) -> None:
    if table and result.answers:
        output.show(terminal.render(result.summary, result.model))
    if table and result.folder:
        output.line(f"run folder: {result.folder}")
    if result.cost:
        (output.line if table else output.say)(f"cost of the run: {result.cost}")
    if result.status == "done":
        return
    if result.message == NOT_BEGUN:
        output.say(f"{result.model}: {result.message}")
        return
    requests = counted(sum(map(total, result.summary["outcomes"].values())), "answer")
    saved = result.saved or f"{result.answers:,} of {requests} saved"
    output.say(
        f"{result.model}: {result.status}, {saved}"
        + (f": {result.message}" if result.message else "")
    )


def _tell_of_report(results: Sequence[Result]) -> None:
    """Say which command makes a page of the runs that have answers, side by side."""
    folders = [str(each.folder) for each in results if each.folder and each.answers]
    if folders:
        output.line(f"report: {shlex.join(['apieval', 'report', *folders])}")


def _say_how_to_go_on(results: Sequence[Result]) -> None:
    """Say which command resumes; where the money stopped a run, with a bound that lets it."""
    if all(each.status == "done" or each.message == NOT_BEGUN for each in results):
        return
    words = [word for word in sys.argv[1:] if word != "--fresh"]  # which would start over
    short = [result.enough_usd for result in results if result.enough_usd is not None]
    other = any(each.status == "stopped" and each.enough_usd is None for each in results)
    first = "once that is mended, " if other else ""
    if short:
        first += "with room for about all that is left, "
        words = _with(words, BOUND, f"{math.ceil(100 * max(short)) / 100:.2f}")
    back, words = _to_where_it_is(results, words)
    output.say(f"{first}to resume: {back}{shlex.join(['apieval', *words])}")


def _to_where_it_is(results: Sequence[Result], words: list[str]) -> tuple[str, list[str]]:
    """Have a run whose folder was moved resumed where it is, or moved back before."""
    moved = [(each.folder, each.moved_from) for each in results if each.folder and each.moved_from]
    if len(results) == 1 and moved and (new := moved[0][0]).name == slug(new.name):
        return "", _with(_with(words, "--out", str(new.parent)), "--name", new.name)
    moves = (shlex.join(["mv", str(new), str(old)]) + " && " for new, old in moved)
    return "".join(moves), words


def _with(words: Sequence[str], name: str, value: str) -> list[str]:
    """Return a command's words with another value of an option."""
    kept = list(words)
    while name in kept:
        at = kept.index(name)
        del kept[at : at + 2]
    return [*(word for word in kept if not word.startswith(f"{name}=")), name, value]
