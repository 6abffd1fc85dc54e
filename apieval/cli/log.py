"""`--log FILE`: what happens in a run as JSON lines, for a machine or for later."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TextIO

from apieval.errors import AttemptFailed
from apieval.records import Response
from apieval.run.cost import Forecast, Spent
from apieval.run.watcher import Watcher


class Log(Watcher):
    """Write every event of a run as one line, and hand it on to another watcher."""

    def __init__(self, file: TextIO, inner: Watcher, model: str | None = None) -> None:
        """Use an open file; whoever opened it closes it. Every line names the model, if any."""
        self._file = file
        self._inner = inner
        self._model = model
        self._broken = False

    def each(self, models: Sequence[str]) -> Sequence[Log]:
        """Return a log for each model, into the same file."""
        inner = self._inner.each(models)
        return [Log(self._file, *pair) for pair in zip(inner, models, strict=True)]

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Log the beginning."""
        self._write("began", dir=str(folder), requests=total, stored=stored)
        self._inner.began(model, folder, total, stored)

    def confirmed(self, forecasts: Mapping[str, Forecast]) -> bool:
        """Log the forecasts and what was said to them."""
        said = self._inner.confirmed(forecasts)
        for model, forecast in forecasts.items():
            self._write("forecast", model=model, forecast=str(forecast), confirmed=said)
        return said

    def answered(self, response: Response) -> None:
        """Log an answer, without its text."""
        shown = ("id", "setting", "sample", "outcome", "attempts", "latency_s", "cost_usd", "error")
        self._write("answered", **response.model_dump(mode="json", include=set(shown)))
        self._inner.answered(response)

    def paid(self, spent: Spent) -> None:
        """Pass on what the run has cost so far: the answers' lines tell of it."""
        self._inner.paid(spent)

    def stumbled(self, failure: AttemptFailed) -> None:
        """Log a failed attempt."""
        self._write("attempt failed", status=failure.status, error=str(failure))
        self._inner.stumbled(failure)

    def pressed(self, in_flight: int, slots: int) -> None:
        """Log how hard the endpoint is pressed."""
        self._write("pressed", in_flight=in_flight, slots=slots)
        self._inner.pressed(in_flight, slots)

    def waiting(self, in_flight: int, left_s: float) -> None:
        """Log what a stopped run waits for."""
        self._write("waiting", in_flight=in_flight, left_s=round(left_s))
        self._inner.waiting(in_flight, left_s)

    def message(self, text: str) -> None:
        """Log a message."""
        self._write("message", text=text)
        self._inner.message(text)

    def ended(self) -> None:
        """Log the end."""
        self._write("ended")
        self._inner.ended()

    def _write(self, event: str, **facts: Any) -> None:  # noqa: ANN401 # any JSON value
        time = datetime.now(UTC).isoformat(timespec="milliseconds")
        whose = {"model": self._model} if self._model else {}
        try:
            self._file.write(json.dumps({"time": time, "event": event, **whose, **facts}) + "\n")
            self._file.flush()
        except OSError as error:  # a log that cannot be written must not cost an answer
            if not self._broken:
                self._broken = True
                self._inner.message(f"--log {self._file.name}: {error.strerror}; not all is logged")
