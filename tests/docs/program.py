"""Commands held against the real program without running them: names, options, kinds of values."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache
from typing import Any, Final

from typer.core import TyperGroup
from typer.main import get_group

from apieval.cli import app
from apieval.config.file import Providers
from tests.records import REPOSITORY

FOREIGN: Final = {"export", "vllm"}
"""Other people's programs: nothing here says whether their words are right."""
FOREIGN_OPTIONS: Final = {"--log_samples", "--strict", "--check", "--reasoning-parser"}
"""Options of other programs that a sentence names."""


@cache
def root() -> TyperGroup:
    group = get_group(app)
    assert isinstance(group, TyperGroup)
    return group


def find(words: Sequence[str]) -> tuple[Any, tuple[str, ...]]:
    """Return the command that the words name, and the words that are left."""
    command: Any = root()
    rest = list(words[1:])
    while isinstance(command, TyperGroup) and rest and not rest[0].startswith("-"):
        assert rest[0] in command.commands, f"there is no command {rest[0]!r}"
        command = command.commands[rest.pop(0)]
    return command, tuple(rest)


def options(command: Any) -> set[str]:  # noqa: ANN401 # typer's own classes differ
    found = {"--help", *(spelled for each in command.params for spelled in each.opts)}
    return found | {spelled for each in command.params for spelled in each.secondary_opts}


@cache
def all_options() -> frozenset[str]:
    def below(command: Any) -> Iterable[str]:  # noqa: ANN401 # as above
        yield from options(command)
        for each in getattr(command, "commands", {}).values():
            yield from below(each)

    return frozenset(below(root()))


def parse(words: Sequence[str]) -> dict[str, Any]:
    """Parse a command as the program does, down to its values; return them by name.

    Raises:
        UsageError: typer's, for what the program would refuse.
    """
    context: Any = root().make_context("apieval", list(words[1:]))
    command: Any = root()
    while isinstance(command, TyperGroup):
        name, command, rest = command.resolve_command(
            context, [*context._protected_args, *context.args]
        )
        context = command.make_context(name, rest, parent=context)
    return dict(context.params)


def check_spoken(words: Sequence[str]) -> None:
    """Hold what a sentence names against the program: the command and its options exist."""
    given = [re.split(r"[=,;.]", word)[0] for word in words if word.startswith("--")]
    if words[0] != "apieval":
        assert set(given) <= all_options() | FOREIGN_OPTIONS, f"no command has {given}"
        return
    command, _ = find(words)
    assert set(given) <= options(command), f"{words[1]} has no {set(given) - options(command)}"


def check_command(words: Sequence[str], providers: Providers) -> None:
    """Hold a command that is not run against the program that would run it."""
    program, *rest = words
    if program == "apieval":
        values = parse(words)
        for model in values.get("models") or []:
            providers.find(model)
    elif program == "make":
        makefile = (REPOSITORY / "Makefile").read_text(encoding="utf-8")
        targets = re.findall(r"^([a-z-]+):", makefile, flags=re.MULTILINE)
        asked = {word for word in rest if "=" not in word}
        assert asked <= set(targets), f"make has no target {asked - set(targets)}"
    elif program == "pip":
        named = ",".join(re.findall(r"\[(.*?)\]", " ".join(rest)))
        wanted = set(filter(None, named.split(",")))
        project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
        assert wanted <= set(project["optional-dependencies"]), f"there is no extra {wanted}"
    elif program == "python":
        assert (REPOSITORY / rest[0]).is_file(), f"there is no {rest[0]}"
    else:
        assert program in FOREIGN, f"{program!r}: no test knows this program"
