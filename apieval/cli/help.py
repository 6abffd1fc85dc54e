"""How `--help` looks: options in groups, flags without a type, paragraphs that the terminal wraps."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Final

from typer._click import Context  # typer.Context is a subclass
from typer._click.core import Parameter
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

MANY: Final = 10
"""From this number on the options of a command stand in groups."""


class _Argument(TyperArgument):
    """An argument whose name says what it is; its type in Python would not."""

    def display_type_rich(self, ctx: Context) -> str:
        """Return no type."""
        del ctx
        return ""


class Command(TyperCommand):
    """A command with such a help."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Return the parameters, `--help` among them, as they are to be shown."""
        return _readable(super().get_params(ctx))


class Group(TyperGroup):
    """A group of commands with such a help."""

    def get_params(self, ctx: Context) -> list[Parameter]:
        """Return the parameters, `--help` among them, as they are to be shown."""
        return _readable(super().get_params(ctx))


def _readable(parameters: Sequence[Parameter]) -> list[Parameter]:
    options = [each for each in parameters if isinstance(each, TyperOption)]
    last = options[-2].rich_help_panel if len(options) > MANY else None
    for option in options:
        if option.is_flag:
            option.metavar = ""
        if last is None or option is options[-1]:  # --help, which typer adds
            option.rich_help_panel = last
    for each in parameters:
        if type(each) is TyperArgument:
            each.__class__ = _Argument  # typer makes them itself
    return list(parameters)


def flowing(command: Callable[..., object] | None) -> str:
    """Return what a command's docstring says, a paragraph a line: the terminal wraps it anew."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(each.replace("\n", " ") for each in paragraphs)
