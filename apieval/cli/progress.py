"""How far a run is: a live line on a terminal, a plain line now and then elsewhere; on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeRemainingColumn
from rich.text import Text

from apieval.cli import output
from apieval.run.watcher import Watcher
from apieval.schema import Response

EVERY_S: Final = 10.0
"""Seconds between two plain lines."""


class Lines(Watcher):
    """Tell by plain lines how far a run is."""

    def __init__(self) -> None:
        """Begin with nothing done."""
        self.total = self.done = 0
        self.outcomes: Counter[str] = Counter()
        self.cached = 0
        self._since = self._told = 0.0

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Say what is to be done."""
        self.total, self.done, self.cached = total, stored, 0
        self.outcomes.clear()
        self._since = self._told = time.monotonic()
        before = f", {stored:,} of them answered before" if stored else ""
        self.message(f"{model}: {total:,} requests{before}, into {folder}")

    def answered(self, response: Response) -> None:
        """Count an answer; tell where the last line is old enough."""
        self.done += 1
        self.outcomes[response.outcome.value] += 1
        self.cached += response.cached
        now = time.monotonic()
        if now - self._told >= EVERY_S:
            self._told = now
            self.message(f"{self.done:,} of {self.total:,}; {self.state()}")

    def message(self, text: str) -> None:
        """Print a line."""
        output.say(text)

    def ended(self) -> None:
        """Say how it ended."""
        if self.outcomes:
            self.message(f"{self.done:,} of {self.total:,}; {self.state()}")

    def state(self) -> str:
        """Return rate and outcomes in a few words."""
        new = sum(self.outcomes.values())
        rate = new / max(time.monotonic() - self._since, 1e-3)
        counts = ", ".join(f"{name} {count:,}" for name, count in sorted(self.outcomes.items()))
        cached = f", {self.cached:,} from cache" if self.cached else ""
        return f"{rate:,.1f}/s; {counts or 'no answer yet'}{cached}"


class Bar(Lines):
    """Show on a terminal how far a run is: a bar, the rate, the time left, the outcomes."""

    def __init__(self) -> None:
        """Draw nothing yet."""
        super().__init__()
        self._progress = Progress(
            BarColumn(bar_width=None),
            TextColumn("{task.completed:,}/{task.total:,}", markup=False),
            TimeRemainingColumn(),
            TextColumn("{task.description}", markup=False),
            console=output.console(stderr=True),
            refresh_per_second=5,
            transient=True,
        )
        self._task: TaskID | None = None

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Draw the bar."""
        super().began(model, folder, total, stored)
        self._progress.start()
        self._task = self._progress.add_task("no answer yet", total=total, completed=stored)

    def answered(self, response: Response) -> None:
        """Move the bar."""
        self.done += 1
        self.outcomes[response.outcome.value] += 1
        self.cached += response.cached
        if self._task is not None:
            self._progress.update(self._task, completed=self.done, description=self.state())

    def message(self, text: str) -> None:
        """Print a line above the bar."""
        self._progress.console.print(Text(text), soft_wrap=True)

    def ended(self) -> None:
        """Take the bar away and say how it ended."""
        self._progress.stop()
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None
        super().ended()


@contextmanager
def progress() -> Iterator[Lines]:
    """Give the watcher that suits stderr; whatever happens, the terminal is left as it was."""
    watcher = Bar() if sys.stderr.isatty() else Lines()
    try:
        yield watcher
    finally:
        if isinstance(watcher, Bar):
            watcher.ended()
