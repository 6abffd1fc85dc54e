"""The options that several commands share, each also settable as `APIEVAL_<OPTION>`; their values."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from platformdirs import user_cache_path

from apieval.config.fields import MOST_AT_ONCE
from apieval.errors import ConfigError

WHAT: Final = "What"
HOW: Final = "How"
MONEY: Final = "Money"
FILES: Final = "Files and output"
"""The groups of options in `--help`, in this order."""


def option(*names: str, help: str, group: str = FILES, **more: Any) -> Any:  # noqa: A002, ANN401 # as typer.Option
    """Return a typer option that the environment can set too."""
    variable = "APIEVAL_" + names[0].lstrip("-").replace("-", "_").upper()
    return typer.Option(
        *names, help=help, envvar=variable, show_envvar=False, rich_help_panel=group, **more
    )


Config = Annotated[
    Path | None,
    option("--config", group=HOW, help="The providers.yaml to use.", metavar="FILE"),
]
Json = Annotated[bool, option("--json", help="Print one JSON document to stdout, nothing else.")]
Lexicon = Annotated[
    Path | None,
    option(
        "--lexicon",
        group=HOW,
        help="A two-column clue/answer CSV for the baseline, instead of its own. If the clues come from "
        "this dictionary, the score is a best case, not a competitor's result.",
        metavar="FILE",
    ),
]
Words = Annotated[
    Path | None,
    option(
        "--words",
        group=HOW,
        help="An Italian word list for the baseline: a word a line, or a word and its frequency.",
        metavar="FILE",
    ),
]
Subset = Annotated[
    list[str] | None,
    option("--subset", group=WHAT, help="Only this subset; repeatable.", metavar="id|ood|new"),
]
Limit = Annotated[
    int | None,
    option("--limit", group=WHAT, help="The first N rebuses of each subset.", min=1, metavar="N"),
]
CacheChoice = Annotated[
    str | None,
    option(
        "--cache",
        group=MONEY,
        help="The folder of the response cache, or off; by default the user's cache folder.",
        metavar="DIR|off",
        show_default=False,
    ),
]


def cache_folder(choice: str | None) -> Path | None:
    """Return the folder a `--cache` option stands for, None for off."""
    if choice == "off":
        return None
    return Path(choice) if choice else user_cache_path("apieval")


def concurrency(choice: str | None) -> int | Literal["auto"] | None:
    """Return what a `--concurrency` option stands for, None where it was not given.

    Raises:
        ConfigError: for anything else.
    """
    if choice is None or choice == "auto":
        return "auto" if choice else None
    if choice.isascii() and choice.isdecimal() and len(choice) <= len(str(MOST_AT_ONCE)):
        number = int(choice)
        if 0 < number <= MOST_AT_ONCE:
            return number
    raise ConfigError(f"--concurrency: give a number from 1 to {MOST_AT_ONCE:,}, or auto.")


def shots(choice: str | None) -> int | Path | None:
    """Return what a `--shots` option stands for: a number of examples, or a file of them."""
    if choice is None:
        return None
    return int(choice) if choice.isascii() and choice.isdecimal() else Path(choice)


def params(choices: list[str] | None) -> dict[str, Any]:
    """Return what `--param` options stand for; a value is JSON where it can be, else text.

    Raises:
        ConfigError: for one without `=`, and for a name given twice.
    """
    found: dict[str, Any] = {}
    for choice in choices or ():
        name, equals, value = choice.partition("=")
        if not equals:
            raise ConfigError(f"--param {choice!r}: write it as NAME=VALUE.")
        if name in found:
            raise ConfigError(f"--param {name} was given twice; give it once.")
        try:
            found[name] = json.loads(value)
        except (ValueError, RecursionError):
            found[name] = value
    return found
