"""`apieval cache`: look into the response cache, check it, empty it."""

from __future__ import annotations

from typing import Annotated

import typer

from apieval.cli import options, output
from apieval.cli.options import option
from apieval.errors import ConfigError
from apieval.run.cache import ResponseCache

app = typer.Typer(no_args_is_help=True, help="Look into the response cache, check it, empty it.")


def _open(choice: str | None) -> ResponseCache:
    folder = options.cache_folder(choice)
    if folder is None:
        raise ConfigError("--cache off: name a folder, or leave the option out.")
    return ResponseCache(folder, output.say)


@app.command()
def stats(cache: options.CacheChoice = None, json: options.Json = False) -> None:
    """Say how many answers the cache holds, and how large it is."""
    opened = _open(cache)
    found = opened.stats()
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "answers": found.answers, "bytes": found.bytes})
    else:
        output.line(f"{opened.folder}: {found.answers:,} answers, {found.bytes / 1e6:,.1f} MB")


@app.command()
def verify(cache: options.CacheChoice = None, json: options.Json = False) -> None:
    """Check that every answer is the one its key says; exit 1 where one is not."""
    opened = _open(cache)
    damaged = list(opened.damaged())
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "damaged": damaged})
    else:
        output.line(f"{opened.folder}: {len(damaged)} damaged entries")
        for key in damaged:
            output.line(key)
    raise typer.Exit(1 if damaged else 0)


@app.command()
def clear(
    cache: options.CacheChoice = None,
    yes: Annotated[bool, option("--yes", "-y", help="Do not ask.")] = False,
    json: options.Json = False,
) -> None:
    """Remove every cached answer; runs keep theirs."""
    opened = _open(cache)
    count = opened.stats().answers
    if not yes:
        typer.confirm(f"Remove {count:,} paid answers from {opened.folder}?", abort=True, err=True)
    removed = opened.clear()
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "removed": removed})
    else:
        output.line(f"{opened.folder}: {removed:,} answers removed")
