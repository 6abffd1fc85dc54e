"""The process that gets one file from the hub and ends: `python -m apieval.hub.download WANTED`.

It prints one JSON object, the path or the error.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

from apieval.errors import DataError
from apieval.hub.wanted import Wanted
from apieval.hub.watchdog import START_S, Watchdog


def say(*, path: Path | None = None, error: str | None = None) -> None:
    """Print how it ended."""
    sys.stdout.write(json.dumps({"path": None if path is None else str(path), "error": error}))
    sys.stdout.flush()


def main(words: list[str]) -> int:
    """Get the file; return the exit code."""
    wanted = Wanted.from_json(words[0])

    def give_up(waited_for: str) -> None:
        say(error=wanted.failure(waited_for))
        os._exit(0)  # whatever the process is waiting in

    watchdog = Watchdog(give_up)
    watchdog.waited_for = "the hub's library could not be loaded in time"
    watchdog.allow(START_S)
    try:
        from apieval.hub.transfer import transfer  # noqa: PLC0415 # the library: 0.3 s

        path = transfer(wanted, watchdog)
    except DataError as error:
        say(error=str(error))
    except KeyboardInterrupt:
        return 130  # told of by the process that waits for this one
    else:
        say(path=path)
    finally:
        watchdog.cancel()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
