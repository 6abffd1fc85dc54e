"""A question on the terminal, which Ctrl-C ends whenever it comes.

Reading a line by itself loses an interrupt that comes just before it begins to wait: it would be
noticed with the next key alone. So it is waited for a line and for a signal at once.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from typing import Final

from apieval.cli import output

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
        output.say("answer y or n")


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
