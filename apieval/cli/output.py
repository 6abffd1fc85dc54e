"""Output to the screen: results to stdout, everything else and questions to stderr.

Text of models and data is printed as it is: rich's markup is never switched on for it. What the
console cannot show, and terminal control characters, are escaped.
"""

from __future__ import annotations

import errno
import io
import json
import os
import re
import select
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Final, TextIO

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.text import Text

from apieval.errors import StoreError
from apieval.report.terminal import LEAST, visible

WIDTH = 80
_NOBODY_LISTENS = frozenset({errno.EPIPE, errno.EIO, errno.EBADF})
_NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT})
_PIECE: Final = re.compile(r"(?<=: )(?:mv .+ && )?apieval [^`]*$|[^\s`]*`[^`]+`\S*|\S+")
"""What is never broken: a command to copy, at the end of a line or in backticks, and a word."""


def prepare() -> None:
    """Let no character end the program, whatever the console can show."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def is_terminal(stream: TextIO | None) -> bool:
    """Say whether a person sits at a stream; one closed from the start is None."""
    return stream is not None and stream.isatty()


class _Screen(Console):
    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, "nobody listens")  # not rich's exit


def console(*, stderr: bool = False) -> Console:
    """Return a console that takes text as it is; a pipe gets 80 columns and no colour."""
    width = None if is_terminal(sys.stderr if stderr else sys.stdout) else WIDTH
    return _Screen(stderr=stderr, markup=False, highlight=False, emoji=False, width=width)


@contextmanager
def listened_to(stream: TextIO | None) -> Iterator[None]:
    """Let a closed pipe or a terminal that is gone end nothing: what is paid for goes on."""
    try:
        yield
        if stream is not None:
            stream.flush()
    except OSError as error:
        gone = error.errno in _NOBODY_LISTENS or (stream is sys.stderr and error.errno in _NO_ROOM)
        if stream is None or not gone:
            raise StoreError(f"the output cannot be written: {error.strerror}.") from None
        # what the stream still holds must not fail again at the end of the program
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def wrapped(text: str, width: int) -> str:
    """Return a text in lines of so many cells, broken at blanks alone; it stays as long as it is.

    A command or a path that is too long for a line stands whole on its own.
    """
    return "\n".join(_wrapped(each, width) for each in text.split("\n"))


def _wrapped(line: str, width: int) -> str:
    if cell_len(line) <= width:
        return line
    characters, begin, end = list(line), 0, 0
    for piece in _PIECE.finditer(line):
        if line[begin:end].strip() and cell_len(line[begin : piece.end()]) > width:
            begin = piece.start()
            if line[begin - 1].isspace():
                characters[begin - 1] = "\n"
        end = piece.end()
    return "".join(characters)


def show(renderables: Iterable[RenderableType]) -> None:
    """Print results to stdout."""
    screen = console()
    # no figure is cut: a narrower terminal breaks the lines itself
    screen.width = max(screen.width, LEAST)
    with listened_to(sys.stdout):
        for renderable in renderables:
            # a line of text is never cut, and broken at blanks alone; only tables are folded
            if isinstance(renderable, Text) and is_terminal(sys.stdout):
                renderable.plain = wrapped(renderable.plain, console().width)
            screen.print(renderable, soft_wrap=isinstance(renderable, Text))


def line(text: str = "") -> None:
    """Print one line of results to stdout; a terminal gets it broken at blanks, a pipe as it is."""
    with listened_to(sys.stdout):
        print(_fitting(text, stderr=False))  # noqa: T201 # this is the place that prints


def say(text: str) -> None:
    """Print a message to stderr as `line` does to stdout; with no stderr at all, to nobody."""
    if sys.stderr is None:
        return
    with listened_to(sys.stderr):
        print(_fitting(text, stderr=True), file=sys.stderr)  # noqa: T201 # as above


def _fitting(text: str, *, stderr: bool) -> str:
    shown = visible(text)
    if not is_terminal(sys.stderr if stderr else sys.stdout):
        return shown
    return wrapped(shown, console(stderr=stderr).width)


def document(value: object) -> None:
    """Print one JSON document to stdout, never broken; ASCII, so that any console takes it."""
    with listened_to(sys.stdout):
        print(json.dumps(value, indent=2, allow_nan=False))  # noqa: T201 # as above


def failure(said: str, exit_code: int) -> None:
    """Print the one JSON document of a command that came to nothing, where there is room for it."""
    with suppress(StoreError):  # the failure may be that of stdout itself
        document({"error": said, "exit_code": exit_code})


_ANSWERS: Final = {"": True, "y": True, "yes": True, "n": False, "no": False}


def confirmed(question: str) -> bool:
    """Ask on stderr until the answer is yes or no; a mere line end is yes.

    Raises:
        KeyboardInterrupt: on Ctrl-C, and where the input ends.
    """
    while True:
        sys.stderr.write(f"{question} [Y/n]: ")
        sys.stderr.flush()
        _wait()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        answer = _ANSWERS.get(line.strip().lower())
        if answer is not None:
            return answer
        say("answer y or n")


def _wait() -> None:
    """Wait until a line is there to be read, or a signal has come, whose handler then runs."""
    if os.name != "posix":
        return
    woken, wake = os.pipe()
    try:
        os.set_blocking(wake, False)
        before = signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
        try:
            select.select([sys.stdin, woken], [], [])
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(woken)
        os.close(wake)
