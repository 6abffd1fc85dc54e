"""An end to waiting, whatever is waited in: a resolver that never answers can be left in no other way."""

from __future__ import annotations

from collections.abc import Callable
from threading import Timer
from typing import Final

START_S: Final = 120.0
"""So long may the library take to be imported, from a network's file system."""
REACH_S: Final = 3.0
"""So long may the hub's first word take; with all else that makes less than five seconds."""
PATIENCE_S: Final = 30.0
"""So long is a hub asked again that has too much to do."""
LONGEST_S: Final = 3_600.0
"""So long may the file itself take."""


class Watchdog:
    """Call `bite` with what was waited for, at the time that was last allowed."""

    def __init__(self, bite: Callable[[str], None]) -> None:
        self.waited_for = "nothing"
        self._bite = bite
        self._timer: Timer | None = None

    def allow(self, seconds: float) -> None:
        """Give so many seconds from now on."""
        self.cancel()
        self._timer = Timer(seconds, lambda: self._bite(self.waited_for))
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Give all the time there is."""
        if self._timer:
            self._timer.cancel()
