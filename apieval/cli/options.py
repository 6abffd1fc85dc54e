"""The options that several commands share, each also settable as `APIEVAL_<OPTION>`."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import typer
from platformdirs import user_cache_path

from apieval.config.fields import MOST_AT_ONCE
from apieval.errors import ConfigError
from apieval.records import SETTINGS, Given, Setting

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


class SettingChoice(StrEnum):
    """The settings as the command line names them."""

    REGULAR = "regular"
    HINTS = "hints"
    BOTH = "both"

    def settings(self) -> tuple[Setting, ...]:
        """Return the settings this choice stands for."""
        return tuple(each for each in SETTINGS if self is SettingChoice.BOTH or each == self.value)


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
Data = Annotated[
    str,
    option(
        "--data",
        group=WHAT,
        help="sample; hub, the challenge's test file, downloaded once; or a CSV, JSONL or Parquet "
        "file.",
        metavar="sample|hub|PATH",
    ),
]
SettingOption = Annotated[
    SettingChoice,
    option(
        "--setting", group=WHAT, help="regular: without length hints; hints: with them; or both."
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
Samples = Annotated[
    int,
    option(
        "--samples",
        group=WHAT,
        help="Answers to each rebus, drawn independently.",
        min=1,
        metavar="K",
    ),
]
Prompt = Annotated[
    Path | None,
    option(
        "--prompt",
        group=WHAT,
        help="A prompt template of your own (Jinja) instead of the challenge's.",
        metavar="FILE",
    ),
]
Shots = Annotated[
    str | None,
    option(
        "--shots",
        group=WHAT,
        help="The number of examples in the prompt, 0 to 5, or a data file of them; the challenge uses 2.",
        metavar="N|FILE",
        show_default=False,
    ),
]
GivenOption = Annotated[
    Given | None,
    option(
        "--given",
        group=WHAT,
        help="Begin each answer with the correct steps and measure only those that follow; such "
        "figures are never compared with others.",
        show_default=False,
    ),
]
Preset = Annotated[
    str | None,
    option(
        "--preset",
        group=HOW,
        help="Request settings of a published evaluation: calamita is the challenge's harness "
        "(256 tokens, stop at a blank line, temperature 0).",
        metavar="calamita",
    ),
]
Param = Annotated[
    list[str] | None,
    option(
        "--param",
        group=HOW,
        help="A parameter of the request, such as max_tokens=4096; repeatable.",
        metavar="NAME=VALUE",
    ),
]
Drop = Annotated[
    list[str] | None,
    option(
        "--drop",
        group=HOW,
        help="A parameter to leave out of the request; repeatable.",
        metavar="NAME",
    ),
]
Timeout = Annotated[
    float,
    option(
        "--timeout",
        group=HOW,
        help="Seconds that one attempt may take.",
        min=0.001,
        metavar="S",
    ),
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
