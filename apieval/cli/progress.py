"""How far a run is: a live line on a terminal, a plain line now and then elsewhere; on stderr."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

import typer
from rich.progress import BarColumn, Progress, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from apieval.cli import output
from apieval.errors import AttemptFailed, ServerDown
from apieval.report.terminal import visible
from apieval.run.money import Forecast
from apieval.run.watcher import Watcher
from apieval.schema import Response

EVERY_S: Final = 10.0
"""Seconds between two plain lines."""


class Lines(Watcher):
    """Tell by plain lines how far a run is; begin it without a question."""

    _since: float
    _told: float

    def __init__(self) -> None:
        """Begin with nothing done."""
        self._reset(0, 0)

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Say what is to be done."""
        self._reset(total, stored)
        before = f", {stored:,} of them answered before" if stored else ""
        self.message(f"{model}: {total:,} requests{before}, into {folder}")

    def confirmed(self, forecast: Forecast) -> bool:
        """Tell the forecast."""
        self.message(f"forecast: {forecast}")
        return True

    def answered(self, response: Response) -> None:
        """Count an answer; tell where the last line is old enough."""
        self.count(response)
        now = time.monotonic()
        if now - self._told >= EVERY_S:
            self._told = now
            self.message(self.state())

    def stumbled(self, failure: AttemptFailed) -> None:
        """Keep the last failure."""
        self._stumbles += 1
        self._last = visible(str(failure))
        if self._stumbles == 1 and not isinstance(failure, ServerDown):  # told of by the runner
            self.message(f"an attempt failed and is made again: {failure}")

    def pressed(self, in_flight: int, slots: int) -> None:
        """Keep how hard the endpoint is pressed."""
        self._pressure = f"{in_flight:,} of {slots:,} slots"

    def message(self, text: str) -> None:
        """Print a line."""
        output.say(text)

    def ended(self) -> None:
        """Say how it ended."""
        if self._outcomes:
            self.message(self.state())

    def count(self, response: Response) -> None:
        """Take an answer into the counts."""
        self.done += 1
        self._outcomes[response.outcome.value] += 1
        if response.cached:
            self._cached += 1
            return
        self._tokens += response.usage.completion_tokens or 0
        self._usd += response.cost_usd or 0.0

    def state(self) -> str:
        """Return what is worth knowing in a few words, the most important first."""
        took = max(time.monotonic() - self._since, 1e-3)
        asked = sum(self._outcomes.values()) - self._cached  # the cache says nothing of the rate
        left = self.total - self.done
        parts = [f"{self.done:,} of {self.total:,}"]
        if left and asked:
            parts.append(f"{timedelta(seconds=round(left * took / asked))} left")
        if self._usd:
            parts.append(f"{self._usd:,.4f} USD")
        parts += [f"{name} {count:,}" for name, count in sorted(self._outcomes.items())]
        if self._cached:
            parts.append(f"{self._cached:,} from cache")
        parts.append(f"{asked / took:,.1f}/s")
        if self._tokens:
            parts.append(f"{self._tokens / took:,.0f} tokens/s")
        if left:
            parts.append(self._pressure)
        if self._stumbles:
            parts.append(f"{self._stumbles:,} attempts failed, the last: {self._last}")
        return ", ".join(part for part in parts if part)

    def _reset(self, total: int, stored: int) -> None:
        self.total, self.done = total, stored
        self._outcomes: Counter[str] = Counter()
        self._cached = self._tokens = self._stumbles = 0
        self._usd = 0.0
        self._last = self._pressure = ""
        self._since = self._told = time.monotonic()


class Bar(Lines):
    """Show on a terminal how far a run is; ask before a run that costs money."""

    def __init__(self, *, ask: bool) -> None:
        """Draw nothing yet."""
        super().__init__()
        self._ask = ask
        self._progress = Progress(
            BarColumn(bar_width=10, table_column=Column(min_width=10)),
            # the one column that gives way, from its end: the count stands first
            TextColumn(
                "{task.description}",
                markup=False,
                table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
            ),
            expand=True,
            console=output.console(stderr=True),
            refresh_per_second=5,
            transient=True,
        )
        self._task: TaskID | None = None

    def confirmed(self, forecast: Forecast) -> bool:
        """Tell the forecast, ask where it costs money, then draw the bar."""
        super().confirmed(forecast)
        try:
            if (
                self._ask
                and forecast.at_stake
                and not typer.confirm("begin?", default=True, err=True)
            ):
                return False
        except typer.Abort:  # Ctrl-C, which is an interrupt here as anywhere in a run
            raise KeyboardInterrupt from None
        self._progress.start()
        self._task = self._progress.add_task(self.state(), total=self.total, completed=self.done)
        return True

    def answered(self, response: Response) -> None:
        """Move the bar."""
        self.count(response)
        if self._task is not None:
            self._progress.update(self._task, completed=self.done)

    def pressed(self, in_flight: int, slots: int) -> None:
        """Renew the words beside the bar."""
        super().pressed(in_flight, slots)
        if self._task is not None:
            self._progress.update(self._task, description=self.state())

    def message(self, text: str) -> None:
        """Print a line above the bar."""
        with output.listened_to(sys.stderr):
            self._progress.console.print(Text(visible(text)), soft_wrap=True)

    def ended(self) -> None:
        """Take the bar away and say how it ended."""
        self.close()
        super().ended()

    def close(self) -> None:
        """Leave the terminal as it was."""
        with output.listened_to(sys.stderr):
            self._progress.stop()
        if self._task is not None:
            self._progress.remove_task(self._task)
            self._task = None


@contextmanager
def progress(*, ask: bool) -> Iterator[Lines]:
    """Give the watcher that suits stderr; `ask` lets it put questions where somebody sits."""
    if not output.is_terminal(sys.stderr):
        yield Lines()
        return
    bar = Bar(ask=ask and output.is_terminal(sys.stdin))
    try:
        yield bar
    finally:
        bar.close()
