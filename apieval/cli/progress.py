"""The progress of runs on stderr: a live row per model on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Final

from rich.progress import (
    BarColumn,
    Progress,
    ProgressColumn,
    SpinnerColumn,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
)
from rich.table import Column
from rich.text import Text

from apieval.cli import output
from apieval.errors import AttemptFailed, ServerDown
from apieval.records import Response
from apieval.report.terminal import shortened, visible
from apieval.run.cost import Forecast, Spent, in_all
from apieval.run.watcher import Watcher
from apieval.wording import counted

RECENT_S: Final = 10.0
"""So long a failure is shown; its number stands in the last line too."""


class Counts:
    """Count the answers of one run; times are on the monotonic clock."""

    def __init__(
        self, total: int = 0, stored: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Begin with what is stored already."""
        self._clock = clock
        self.total, self.done = total, stored
        self.stumbles = 0
        self._outcomes: Counter[str] = Counter()
        self._cached = self._tokens = 0
        self._spent = Spent()
        self._last = self._pressure = self._stopping = ""
        self._stumbled = -RECENT_S
        self._waiting = False
        self.start()

    def start(self) -> None:
        """Count the time from now on: the first request is about to be sent."""
        self._since = self._looked = self._clock()
        self._waited = 0.0
        self._done_then = self.done

    @property
    def asked(self) -> bool:
        """Say whether anything was answered since."""
        return bool(self._outcomes)

    def answered(self, response: Response) -> None:
        """Take in an answer."""
        self.done += 1
        self._outcomes[response.outcome.value] += 1
        if response.cached:
            self._cached += 1
            return
        self._tokens += response.usage.completion_tokens or 0

    def paid(self, spent: Spent) -> None:
        """Take in what the run has cost so far, its earlier commands included."""
        self._spent = spent

    def stumbled(self, failure: Exception) -> None:
        """Take in a failed attempt."""
        self.stumbles += 1
        self._last, self._stumbled = visible(str(failure)), self._clock()

    def pressed(self, in_flight: int, slots: int) -> None:
        """Take in how hard the endpoint is pressed; with nothing on its way the run waits.

        It waits for a server, or until an endpoint may be used again; that time says nothing of
        how long the rest will take.
        """
        now = self._clock()
        self._waiting = not in_flight and self.done == self._done_then
        if self._waiting:
            self._waited += now - self._looked
        self._looked, self._done_then = now, self.done
        self._pressure = f"{in_flight:,} of {counted(slots, 'slot')}"

    def waiting(self, in_flight: int, left_s: float) -> None:
        """Take in what a stopped run waits for."""
        left = timedelta(seconds=round(left_s))
        self._stopping = (
            f"stopping: {counted(in_flight, 'request')} on the way, {left} left for them"
        )

    def state(self, *, over: bool = False) -> str:
        """Return what is worth knowing in a few words, the most important first.

        A failure is named while it is recent; how many there were, when all is `over`.
        """
        now = self._clock()
        took = max(now - self._since - self._waited, 1e-3)
        asked = sum(self._outcomes.values()) - self._cached  # the cache says nothing of the rate
        left = self.total - self.done
        parts = [f"{self.done:,} of {self.total:,}"]
        if self._stopping:
            parts[:0] = [] if over else [self._stopping]
        elif left and self._waiting and not over:
            parts.append("waiting")
        elif left and asked:
            parts.append(f"{timedelta(seconds=round(left * took / asked))} left")
        if self._spent.usd:
            most = "at most " if self._spent.lost else ""
            parts.append(f"{most}{self._spent.usd:,.4f} USD")
        parts += [f"{name} {count:,}" for name, count in sorted(self._outcomes.items())]
        if self._cached:
            parts.append(f"{self._cached:,} from cache")
        parts.append(f"{asked / took:,.1f}/s")
        if self._tokens:
            parts.append(f"{self._tokens / took:,.0f} tokens/s")
        if left and not self._stopping:
            parts.append(self._pressure)
        recent = self.stumbles and now - self._stumbled < RECENT_S
        if self.stumbles and (over or recent):
            last = f", the last: {self._last}" if recent else ""
            parts.append(f"{counted(self.stumbles, 'attempt')} failed{last}")
        return ", ".join(part for part in parts if part)


EVERY_S: Final = 10.0
"""Seconds between two plain lines, whosever they are."""
AFTER_S: Final = 2.0
"""So long a command that reads what is stored may take before it shows that it is at work."""


class Lines(Watcher):
    """Tell by plain lines how far runs are; begin them without a question."""

    def __init__(self) -> None:
        """Begin with no model."""
        self.rows: dict[str, Row] = {}

    def each(self, models: Sequence[str]) -> Sequence[Row]:
        """Return a row for each model; only where there are several, it says its name."""
        several = len(models) > 1
        self.rows = {name: Row(self, f"{name}: " if several else "") for name in models}
        return list(self.rows.values())

    def confirmed(self, forecasts: Mapping[str, Forecast]) -> bool:
        """Tell the forecast of each model, and of all."""
        for name, forecast in forecasts.items():
            self.rows[name].message(f"forecast: {forecast}")
        if len(forecasts) > 1:
            self.message(f"forecast for all: {in_all(forecasts.values())}")
        for name in forecasts:
            self.rows[name].counts.start()
        return True

    def message(self, text: str) -> None:
        """Print a line."""
        output.say(text)

    def moved(self, row: Row) -> None:
        """Tell how far a row is where its last line is old enough."""
        now = time.monotonic()
        if now - row.told >= EVERY_S * len(self.rows):
            row.told = now
            row.message(row.counts.state())

    def renewed(self, row: Row) -> None:
        """Take note of a new state of a row."""

    def over(self, row: Row) -> None:
        """Say how a row ended."""
        if row.counts.asked:
            row.message(row.counts.state(over=True))


class Row(Watcher):
    """Follow one model, and have it shown."""

    def __init__(self, shown: Lines, label: str) -> None:
        """Begin with nothing done."""
        self._shown, self._label = shown, label
        self.counts = Counts()
        self.told = time.monotonic()

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Say what is to be done."""
        self.counts = Counts(total, stored)
        before = f", {stored:,} of them answered before" if stored else ""
        self._shown.message(f"{model}: {counted(total, 'request')}{before}, into {folder}")

    def answered(self, response: Response) -> None:
        """Count an answer."""
        self.counts.answered(response)
        self._shown.moved(self)

    def paid(self, spent: Spent) -> None:
        """Keep what the run has cost so far."""
        self.counts.paid(spent)

    def stumbled(self, failure: AttemptFailed) -> None:
        """Keep the last failure, and tell of the first."""
        self.counts.stumbled(failure)
        told = isinstance(failure, ServerDown)  # by the runner
        if self.counts.stumbles == 1 and not told:
            self.message(f"a request failed and is sent again: {failure}")

    def pressed(self, in_flight: int, slots: int) -> None:
        """Keep how hard the endpoint is pressed."""
        self.counts.pressed(in_flight, slots)
        self._shown.renewed(self)

    def waiting(self, in_flight: int, left_s: float) -> None:
        """Say what is waited for, and how long yet."""
        self.counts.waiting(in_flight, left_s)
        self._shown.moved(self)
        self._shown.renewed(self)

    def message(self, text: str) -> None:
        """Print a line, under the model's name where there are several."""
        self._shown.message(f"{self._label}{text}")

    def ended(self) -> None:
        """Have it said how it ended."""
        self._shown.over(self)


class Bar(Lines):
    """Show on a terminal how far runs are, a row each; ask before what costs money."""

    def __init__(self, *, ask: bool) -> None:
        """Draw nothing yet."""
        super().__init__()
        self._ask = ask
        self._progress = _bars(named=False)
        self._tasks: dict[Row, TaskID] = {}

    def each(self, models: Sequence[str]) -> Sequence[Row]:
        """Return a row for each model; where there are several, its name stands first."""
        self._progress = _bars(named=len(models) > 1)
        return super().each(models)

    def confirmed(self, forecasts: Mapping[str, Forecast]) -> bool:
        """Tell the forecast, ask once where it costs money, then draw the rows."""
        super().confirmed(forecasts)
        at_stake = any(each.at_stake for each in forecasts.values())
        if self._ask and at_stake and not output.confirmed("begin?"):
            return False
        width = max(_LEAST_NAME, self._progress.console.width // 4)
        self._progress.start()
        for name in forecasts:
            row = self.rows[name]
            row.counts.start()
            self._tasks[row] = self._progress.add_task(
                row.counts.state(),
                total=row.counts.total,
                completed=row.counts.done,
                name=shortened(name, width),
            )
        return True

    def moved(self, row: Row) -> None:
        """Move the row's bar."""
        if row in self._tasks:
            self._progress.update(self._tasks[row], completed=row.counts.done)

    def renewed(self, row: Row) -> None:
        """Renew the words beside the bar."""
        if row in self._tasks:
            self._progress.update(self._tasks[row], description=row.counts.state())

    def message(self, text: str) -> None:
        """Print a line above the rows."""
        with output.listened_to(sys.stderr):
            shown = output.wrapped(visible(text), self._progress.console.width)
            self._progress.console.print(Text(shown), soft_wrap=True)

    def over(self, row: Row) -> None:
        """Take the row away and say how it ended."""
        if row in self._tasks:
            self._progress.remove_task(self._tasks.pop(row))
        if not self._tasks:
            self.close()
        super().over(row)

    def close(self) -> None:
        """Leave the terminal as it was."""
        with output.listened_to(sys.stderr):
            self._progress.stop()
        while self._tasks:
            self._progress.remove_task(self._tasks.popitem()[1])


_LEAST_NAME: Final = 8


def _bars(*, named: bool) -> Progress:
    name = TextColumn("{task.fields[name]}", markup=False, table_column=Column(no_wrap=True))
    columns: list[ProgressColumn] = [
        BarColumn(bar_width=10, table_column=Column(min_width=10)),
        # the one column that gives way, from its end: the count stands first
        TextColumn(
            "{task.description}",
            markup=False,
            table_column=Column(ratio=1, no_wrap=True, overflow="ellipsis"),
        ),
    ]
    return Progress(
        *([name] if named else []),
        *columns,
        expand=True,
        console=output.console(stderr=True),
        refresh_per_second=5,
        transient=True,
    )


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


@contextmanager
def working(what: str, after_s: float = AFTER_S) -> Iterator[None]:
    """Show on a terminal what a command is at, and since when, once it has taken so long."""
    if not output.is_terminal(sys.stderr):
        yield
        return
    shown = Progress(
        SpinnerColumn(),
        TextColumn("{task.description}", markup=False),
        TimeElapsedColumn(),
        console=output.console(stderr=True),
        refresh_per_second=5,
        transient=True,
        redirect_stdout=False,
    )
    shown.add_task(visible(what), total=None)
    timer = threading.Timer(after_s, shown.start)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()  # else it could begin behind the end
        with output.listened_to(sys.stderr):
            shown.stop()
