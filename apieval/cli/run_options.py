"""The options of a run: one declaration each, for `run`, `check` and `cache why` alike."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Final

from apieval.cli.options import (
    HOW,
    MONEY,
    WHAT,
    CacheChoice,
    Config,
    Lexicon,
    Limit,
    Subset,
    Words,
    cache_folder,
    concurrency,
    option,
    params,
    shots,
)
from apieval.commands.options import TIMEOUT_S, RunOptions
from apieval.records import SETTINGS, Given, Setting

BOUND: Final = "--max-cost"
"""The option that bounds what a run costs; a message tells to raise it."""


class SettingChoice(StrEnum):
    """The settings as the command line names them."""

    REGULAR = "regular"
    HINTS = "hints"
    BOTH = "both"

    def settings(self) -> tuple[Setting, ...]:
        """Return the settings this choice stands for."""
        return tuple(each for each in SETTINGS if self is SettingChoice.BOTH or each == self.value)


@dataclass(frozen=True, slots=True)
class RunOption:
    """An option of the command line, and the field of `RunOptions` that it sets.

    `value` makes what the field takes of what typer gives.
    """

    name: str
    type: Any
    default: Any = None
    field: str | None = None
    value: Callable[[Any], Any] = lambda given: given

    @property
    def parameter(self) -> inspect.Parameter:
        """Return the parameter that typer makes the option of."""
        kind = inspect.Parameter.KEYWORD_ONLY
        return inspect.Parameter(self.name, kind, default=self.default, annotation=self.type)


def _texts(given: list[str] | None) -> tuple[str, ...]:
    return tuple(given or ())


RUN_OPTIONS: Final = (
    RunOption(
        "data",
        Annotated[
            str,
            option(
                "--data",
                group=WHAT,
                help="sample; hub, the challenge's test file, downloaded once; or a CSV, JSONL or Parquet "
                "file.",
                metavar="sample|hub|PATH",
            ),
        ],
        "sample",
    ),
    RunOption(
        "setting",
        Annotated[
            SettingChoice,
            option(
                "--setting",
                group=WHAT,
                help="regular: without length hints; hints: with them; or both.",
            ),
        ],
        SettingChoice.BOTH,
        field="settings",
        value=SettingChoice.settings,
    ),
    RunOption("subset", Subset, field="subsets", value=_texts),
    RunOption("limit", Limit),
    RunOption(
        "samples",
        Annotated[
            int,
            option(
                "--samples",
                group=WHAT,
                help="Answers to each rebus, drawn independently.",
                min=1,
                metavar="K",
            ),
        ],
        1,
    ),
    RunOption(
        "prompt",
        Annotated[
            Path | None,
            option(
                "--prompt",
                group=WHAT,
                help="A prompt template of your own (Jinja) instead of the challenge's.",
                metavar="FILE",
            ),
        ],
    ),
    RunOption(
        "prompt_set",
        Annotated[
            Path | None,
            option(
                "--prompt-set",
                group=WHAT,
                help="A folder of templates: one run for each, side by side.",
                metavar="DIR",
            ),
        ],
    ),
    RunOption(
        "shots",
        Annotated[
            str | None,
            option(
                "--shots",
                group=WHAT,
                help="The number of examples in the prompt, 0 to 5, or a data file of them; the challenge uses 2.",
                metavar="N|FILE",
                show_default=False,
            ),
        ],
        value=shots,
    ),
    RunOption(
        "given",
        Annotated[
            Given | None,
            option(
                "--given",
                group=WHAT,
                help="Begin each answer with the correct steps and measure only those that follow; such "
                "figures are never compared with others.",
                show_default=False,
            ),
        ],
    ),
    RunOption("config", Config),
    RunOption(
        "preset",
        Annotated[
            str | None,
            option(
                "--preset",
                group=HOW,
                help="Request settings of a published evaluation: calamita is the challenge's harness "
                "(256 tokens, stop at a blank line, temperature 0).",
                metavar="calamita",
            ),
        ],
    ),
    RunOption(
        "param",
        Annotated[
            list[str] | None,
            option(
                "--param",
                group=HOW,
                help="A parameter of the request, such as max_tokens=4096; repeatable.",
                metavar="NAME=VALUE",
            ),
        ],
        field="params",
        value=params,
    ),
    RunOption(
        "drop",
        Annotated[
            list[str] | None,
            option(
                "--drop",
                group=HOW,
                help="A parameter to leave out of the request; repeatable.",
                metavar="NAME",
            ),
        ],
        value=_texts,
    ),
    RunOption(
        "concurrency",
        Annotated[
            str | None,
            option(
                "--concurrency",
                group=HOW,
                help="Requests at once; by default the model's own limit, else auto.",
                metavar="auto|N",
                show_default=False,
            ),
        ],
        value=concurrency,
    ),
    RunOption(
        "timeout",
        Annotated[
            float,
            option(
                "--timeout",
                group=HOW,
                help="Seconds that one attempt may take.",
                min=0.001,
                metavar="S",
            ),
        ],
        TIMEOUT_S,
        field="timeout_s",
    ),
    RunOption(
        "wait_for_server",
        Annotated[
            float,
            option(
                "--wait-for-server",
                group=HOW,
                help="Seconds to wait for a server that is not up yet, or goes down.",
                min=0.0,
                metavar="S",
            ),
        ],
        120.0,
        field="wait_for_server_s",
    ),
    RunOption(
        "retry_truncated",
        Annotated[
            bool,
            option(
                "--retry-truncated",
                group=HOW,
                help="Send again what was truncated, for instance after raising a limit.",
            ),
        ],
        False,
    ),
    RunOption("lexicon", Lexicon),
    RunOption("words", Words),
    RunOption(
        "max_cost",
        Annotated[
            float | None,
            option(
                BOUND,
                group=MONEY,
                help="Stop before a run costs more than this; each model has its own budget.",
                min=0.0,
                metavar="USD",
            ),
        ],
        field="max_cost_usd",
    ),
    RunOption("cache", CacheChoice, value=cache_folder),
    RunOption(
        "fresh",
        Annotated[
            bool,
            option(
                "--fresh",
                group=MONEY,
                help="Start over and keep the earlier run beside the new one. Cached answers are "
                "still used: add --cache off to send, and pay for, every request again.",
            ),
        ],
        False,
    ),
    RunOption(
        "out",
        Annotated[Path, option("--out", help="The folder in which runs are kept.", metavar="DIR")],
        Path("results"),
    ),
    RunOption(
        "name",
        Annotated[
            str | None,
            option("--name", help="The run's folder name, instead of its own.", metavar="NAME"),
        ],
    ),
)
"""Every option of a run, in the order of `--help`; an entry and its field are all that one takes."""


def run_options(
    *without: str, after: Mapping[str, str] | None = None
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command the options of a run as its one argument `chosen`.

    `without` names those that it does not take. `after` says behind which of them an option of the
    command's own stands in `--help`; else it stands where the command's signature has it.
    """
    taken = [each for each in RUN_OPTIONS if each.name not in without]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        own = dict(inspect.signature(command, eval_str=True).parameters)
        moved = {behind: own.pop(name) for name, behind in (after or {}).items()}
        parameters: list[inspect.Parameter] = []
        for name, parameter in own.items():
            if name != "chosen":
                parameters.append(parameter)
                continue
            for each in taken:
                parameters.append(each.parameter)
                if each.name in moved:
                    parameters.append(moved[each.name])

        @wraps(command)
        def called(**given: Any) -> None:  # noqa: ANN401 # what typer makes of the options
            fields = {each.field or each.name: each.value(given.pop(each.name)) for each in taken}
            command(**given, chosen=RunOptions(**fields))

        keyword = inspect.Parameter.KEYWORD_ONLY
        only = [each.replace(kind=keyword) for each in parameters]
        called.__signature__ = inspect.Signature(only)  # type: ignore[attr-defined] # typer's way in
        called.__annotations__ = {each.name: each.annotation for each in only}
        return called

    return decorate
