"""`apieval cache`: inspect, check and empty the response cache."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from apieval import evaluate
from apieval.cli import options, output
from apieval.cli.options import option
from apieval.cli.run_options import run_options
from apieval.commands.options import RunOptions
from apieval.errors import ConfigError
from apieval.wording import counted

_SHOWN: Final = 60
_BEFORE: Final = 20

app = typer.Typer(no_args_is_help=True, help="Inspect, check and empty the response cache.")


if TYPE_CHECKING:
    from apieval.run.cache import ResponseCache


def _open(choice: str | None) -> ResponseCache:
    from apieval.run.cache import ResponseCache  # noqa: PLC0415 # no other command needs it

    folder = options.cache_folder(choice)
    if folder is None:
        raise ConfigError("--cache off: name a folder, or leave the option out.")
    return ResponseCache(folder, output.say)


@app.command()
def stats(cache: options.CacheChoice = None, json: options.Json = False) -> None:
    """Show how many answers the cache holds and how large it is."""
    opened = _open(cache)
    found = opened.stats()
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "answers": found.answers, "bytes": found.bytes})
    else:
        output.line(
            f"{opened.folder}: {counted(found.answers, 'answer')}, {found.bytes / 1e6:,.1f} MB"
        )


@app.command()
def verify(cache: options.CacheChoice = None, json: options.Json = False) -> None:
    """Check that every answer belongs to its key; exit code 1 if one does not."""
    opened = _open(cache)
    damaged = list(opened.damaged())
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "damaged": damaged})
    else:
        output.line(f"{opened.folder}: {counted(len(damaged), 'damaged entry', 'damaged entries')}")
        for key in damaged:
            output.line(key)
    raise typer.Exit(1 if damaged else 0)


@app.command()
@run_options(
    "prompt_set",
    "concurrency",
    "timeout",
    "wait_for_server",
    "retry_truncated",
    "lexicon",
    "words",
    "max_cost",
    "fresh",
    "out",
    "name",
)
def why(
    model: Annotated[
        str, typer.Argument(help="A model by its name in providers.yaml.", metavar="MODEL")
    ],
    *,
    chosen: RunOptions,
    json: options.Json = False,
) -> None:
    """Show why a run's requests are not in the cache: how they differ from the nearest one."""
    missing = evaluate.why(model, chosen)
    first = next(missing, None)
    if json:
        differs = first[1] if first else None
        output.document({"all_cached": first is None, "first_differs": differs})
        return
    if first is None:
        output.line(f"every answer of {model} is in the cache")
        return
    request, differs = first
    output.line(f"row {request.id} ({request.setting}) is not in the cache")
    if differs is None:
        output.line("the cache is empty")
    for name, (stored, asked) in (differs or {}).items():
        output.line(f"{name}: {_apart(stored, asked)}")


def _apart(stored: object, asked: object) -> str:
    """Return two values that differ; of long ones what stands about their first difference."""
    texts = ["nothing" if value is None else str(value) for value in (stored, asked)]
    pairs = enumerate(zip(*texts, strict=False))
    same = next((at for at, (one, other) in pairs if one != other), 0)
    return "stored {}, asked {}".format(*(_short(text, same) for text in texts))


def _short(text: str, same: int) -> str:
    if len(text) <= _SHOWN:
        return text
    begin = max(0, min(same - _BEFORE, len(text) - _SHOWN))
    end = begin + _SHOWN
    shown = "..." * (begin > 0) + text[begin:end] + "..." * (end < len(text))
    return f"{shown} ({len(text):,} characters)"


@app.command()
def clear(
    cache: options.CacheChoice = None,
    yes: Annotated[bool, option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    json: options.Json = False,
) -> None:
    """Remove every cached answer; the answers in run folders are kept."""
    opened = _open(cache)
    count = opened.stats().answers
    question = f"Remove {counted(count, 'cached answer')} from {opened.folder}?"
    removed = opened.clear() if yes or typer.confirm(question, err=True) else 0
    opened.close()
    if json:
        output.document({"dir": str(opened.folder), "removed": removed})
    else:
        output.line(f"{opened.folder}: {counted(removed, 'answer')} removed")
