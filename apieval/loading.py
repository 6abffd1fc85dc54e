"""Ctrl-C while the program is still loading: a word and the exit code, and no traceback.

An exception would not do: what is imported meanwhile makes others of it. Where a program of another
name imports the package nothing is done, since the interrupt is that program's. This module is
imported before all others of ours.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Final

_PROGRAMS: Final = frozenset({"apieval", "apieval-script"})
_INTERRUPTED: Final = 130
"""As `errors.Interrupted` has it, which is not imported yet."""


def guard(program: str) -> None:
    """Let an interrupt end the program at once from now on, if it is ours by its path.

    Who has it ignored (`nohup`), or handled otherwise, is not disturbed.
    """
    name = program.replace("\\", "/").rpartition("/")[2].partition(".")[0]
    if name in _PROGRAMS and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def over() -> None:
    """Let an interrupt be an exception again: whoever is about to work will catch it."""
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: FrameType | None) -> None:
    del number, frame
    if sys.stderr is not None:
        sys.stderr.write("apieval: interrupted\n")
        sys.stderr.flush()
    os._exit(_INTERRUPTED)  # nothing is open yet


guard((getattr(sys, "argv", None) or [""])[0])
