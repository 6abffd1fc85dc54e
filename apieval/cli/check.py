"""`apieval check`: one request to a model, from end to end, before money is spent."""

from __future__ import annotations

from typing import Annotated

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.cli.run_options import run_options
from apieval.commands.options import RunOptions
from apieval.errors import ConfigError
from apieval.report import check_table, checks
from apieval.run.steps import Check, Step


@run_options(
    "prompt_set",
    "concurrency",
    "wait_for_server",
    "retry_truncated",
    "max_cost",
    "cache",
    "fresh",
    "out",
    "name",
    after={"row": "samples"},
)
def check(
    models: Annotated[
        list[str] | None,
        typer.Argument(
            help="Names in providers.yaml, PROVIDER/MODEL, or http://HOST:PORT/v1#MODEL.",
            metavar="MODEL",
            show_default=False,
        ),
    ] = None,
    everything: Annotated[
        bool, option("--all", group=options.WHAT, help="Every configured model, in one table.")
    ] = False,
    *,
    chosen: RunOptions,
    row: Annotated[
        str | None,
        option(
            "--row",
            group=options.WHAT,
            help="The row to send; by default the run's first.",
            metavar="ID",
        ),
    ] = None,
    full: Annotated[bool, option("--full", help="Shorten neither request nor answer.")] = False,
    json: options.Json = False,
) -> None:
    """Send MODEL one real request, once, and forecast the run.

    Example: apieval check openai/gpt-4o --data hub

    Shows the configuration, whether the key is set, the request as it goes over the wire, the
    answer, what the parser reads in it, and what the run with these options would take: requests,
    tokens, cost, time. One paid request for each model and server, which has as long as in a run;
    nothing is stored, the cache is not used, nothing is retried.

    Exit code 0: all is well; a warning, or a wrong solution, is no fault. 1: no answer (server
    down, timeout, rate limit), or one that is truncated, empty, refused or without a solution
    line. 2: usage, configuration or a key that is not set. 3: key refused, quota used up, unknown
    model, refused parameter, a window too small for max_tokens. Of several models, the highest.
    """
    if everything == bool(models):
        raise ConfigError("name the models to check, or say --all.")
    if everything:
        output.say(f"one request to each model, {chosen.timeout_s:g} s at most")
    told = _Told(full=full, silent=json or everything)
    found = evaluate.check(models or None, chosen, row=row, tell=told.step, say=output.say)
    worst = max(each.exit_code for each in found)
    if json:
        output.document({"exit_code": worst, "checks": [each.as_json() for each in found]})
    elif everything:
        output.show(check_table.table(found))
    else:
        told.end(found)
    raise typer.Exit(worst)


class _Told:
    """Print the steps of each model as they come, under its name."""

    def __init__(self, *, full: bool, silent: bool) -> None:
        self._full, self._silent, self._model = full, silent, ""

    def step(self, model: str, step: Step) -> None:
        """Print a step."""
        if self._silent:
            return
        if model != self._model:
            if self._model:
                output.line()
            output.line(model)
            self._model = model
        for line in checks.step(step, full=self._full):
            output.line(line)

    def end(self, found: list[Check]) -> None:
        """Print how each model's check ended."""
        for each in found:
            output.line(checks.verdict(each))
