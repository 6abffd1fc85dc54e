"""`apieval data`: the commands for data files by name."""

from __future__ import annotations

import typer

from apieval.cli.data import fetch, stats, verbalize, verify

app = typer.Typer(no_args_is_help=True, help="Download, check, describe and make data files.")

app.command("fetch")(fetch.fetch)
app.command("verify")(verify.verify)
app.command("stats")(stats.stats)
app.command("verbalize")(verbalize.verbalize)
