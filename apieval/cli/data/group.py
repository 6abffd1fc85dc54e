"""`apieval data`: the commands for data files by name."""

from __future__ import annotations

import typer

from apieval.cli.data import fetch

app = typer.Typer(no_args_is_help=True, help="Get the challenge's data.")

app.command("fetch")(fetch.fetch)
