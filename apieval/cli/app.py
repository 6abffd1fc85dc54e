"""The command line's frame: the commands by name, and the one place where an error ends."""

from __future__ import annotations

import gc
import os
from typing import Annotated

import typer
from typer._click import Context  # typer.Context is a subclass, invoke takes any
from typer._click.exceptions import UsageError

from apieval import loading
from apieval.cli import (
    cache,
    check,
    compare,
    data,
    export,
    models,
    output,
    report,
    run,
    score,
    serve,
    verify,
)
from apieval.cli.help import Command, Group, flowing
from apieval.errors import ApievalError, Interrupted
from apieval.version import VERSION


class Door(Group):
    """Turn apieval's own exceptions into a message on stderr and their exit code.

    With `--json` the message is a document on stdout too, since whoever reads that expects one.
    """

    def invoke(self, ctx: Context) -> object:
        """Invoke the command; a fault of the user's gives no traceback."""
        loading.over()
        as_json = "--json" in ctx.args or _set_in_environment("APIEVAL_JSON")
        try:
            return super().invoke(ctx)
        except UsageError as error:
            error.message = error.message.replace("Value error, ", "")  # pydantic's, not typer's
            if as_json:
                output.failure(error.format_message(), error.exit_code)
            raise
        except ApievalError as error:
            said, code = str(error), error.exit_code
        except KeyboardInterrupt as stop:
            said, code = str(stop) or "interrupted", Interrupted.exit_code
        output.say(f"apieval: {said}")
        if as_json:
            output.failure(said, code)
        raise typer.Exit(code)


def _set_in_environment(variable: str) -> bool:
    return os.environ.get(variable, "").lower() in {"1", "true", "t", "yes", "y", "on"}


app = typer.Typer(
    cls=Door,
    no_args_is_help=True,
    add_completion=False,
    # locals in a traceback may hold a key
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(value: bool) -> None:  # typer's callback
    if value:
        output.line(f"apieval {VERSION}")
        raise typer.Exit


def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_version, is_eager=True)
    ] = False,
) -> None:
    """Measure how well language models solve verbalized Italian rebuses.

    Every option can also be set in the environment, as APIEVAL_<OPTION>: --max-cost as
    APIEVAL_MAX_COST.
    """


app.command("run")(run.run)
app.command("check")(check.check)
app.command("score")(score.score)
app.command("compare")(compare.compare)
app.command("report")(report.report)
app.command("verify")(verify.verify)
app.command("export")(export.export)
app.command("models")(models.models)
app.command("serve-baseline")(serve.serve)
app.add_typer(cache.app, name="cache", cls=Group)
app.add_typer(data.app, name="data", cls=Group)


app.callback(help=flowing(root))(root)
for each in (app, cache.app, data.app):
    for registered in each.registered_commands:
        registered.help, registered.cls = flowing(registered.callback), Command


def main() -> None:
    """Run the command line."""
    output.prepare()
    _tune()
    app(prog_name="apieval")


def _tune() -> None:
    """Have the interpreter do only what this program needs, while it is ours alone.

    A run makes and drops a few hundred objects an answer, hardly any of them in cycles: the
    collector's default rounds cost a tenth of its time. numpy's linear algebra, which is not
    used, would start a thread for every core, and each waits busily for a while. pydantic would look
    through every installed package for plug-ins of its own.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
