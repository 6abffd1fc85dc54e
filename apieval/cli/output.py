"""What goes to the screen: results to stdout, everything else to stderr.

Text of models and data is printed as it is: rich's markup is never switched on for it, and what
the console cannot show is escaped instead of ending the program.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable

from rich.console import Console, RenderableType

WIDTH = 80


def prepare() -> None:
    """Let no character end the program, whatever the console can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def console(*, stderr: bool = False) -> Console:
    """Return a console that takes text as it is; a pipe gets 80 columns and no colour."""
    stream = sys.stderr if stderr else sys.stdout
    width = None if stream.isatty() else WIDTH
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False, width=width)


def show(renderables: Iterable[RenderableType]) -> None:
    """Print results to stdout."""
    screen = console()
    for renderable in renderables:
        screen.print(renderable)


def line(text: str = "") -> None:
    """Print one line of results to stdout, never cut or wrapped."""
    print(text)  # noqa: T201 # this is the place that prints


def say(text: str) -> None:
    """Print a message to stderr, never cut or wrapped."""
    print(text, file=sys.stderr, flush=True)  # noqa: T201 # this is the place that prints


def document(value: object) -> None:
    """Print one JSON document to stdout; ASCII, so that any console takes it."""
    line(json.dumps(value, indent=2, allow_nan=False))
