"""Whoever watches a run: what is told, and when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from apieval.errors import AttemptFailed
from apieval.records import Response
from apieval.run.cost import Forecast, Spent


class Watcher:
    """Watch runs from their start to their end; this one watches in silence.

    Models that are run side by side have a watcher each, which `each` gives; what concerns them
    all is told to the one that gave them. Everything is told in one thread.
    """

    def each(self, models: Sequence[str]) -> Sequence[Watcher]:
        """Return who watches each of these models; here one and the same watches all."""
        return [self] * len(models)

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Take note of a run that begins: `total` requests, `stored` of them answered before."""

    def answered(self, response: Response) -> None:
        """Take note of an answer that is stored."""

    def paid(self, spent: Spent) -> None:
        """Take note of what the run has cost so far, its earlier commands included."""

    def stumbled(self, failure: AttemptFailed) -> None:
        """Take note of an attempt that failed and may be made again."""

    def pressed(self, in_flight: int, slots: int) -> None:
        """Take note, about once a second, of how hard the endpoint is pressed."""

    def waiting(self, in_flight: int, left_s: float) -> None:
        """Take note, about once a second, that a stopped run waits so long for what is on its way."""

    def confirmed(self, forecasts: Mapping[str, Forecast]) -> bool:
        """Say whether to begin what may cost so much, by model; once for all of them."""
        del forecasts
        return True

    def message(self, text: str) -> None:
        """Tell a person something."""

    def ended(self) -> None:
        """Take note that nothing more is asked."""
