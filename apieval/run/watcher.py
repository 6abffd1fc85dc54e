"""Whoever watches a run: what is told, and when."""

from __future__ import annotations

from pathlib import Path

from apieval.errors import AttemptFailed
from apieval.run.money import Forecast
from apieval.schema import Response


class Watcher:
    """Watch a run from its start to its end; this one watches in silence."""

    def began(self, model: str, folder: Path, total: int, stored: int) -> None:
        """Take note of a run that begins: `total` requests, `stored` of them answered before."""

    def answered(self, response: Response) -> None:
        """Take note of an answer that is stored."""

    def stumbled(self, failure: AttemptFailed) -> None:
        """Take note of an attempt that failed and may be made again."""

    def pressed(self, in_flight: int, slots: int) -> None:
        """Take note, about once a second, of how hard the endpoint is pressed."""

    def confirmed(self, forecast: Forecast) -> bool:
        """Say whether a run that may cost so much is to begin."""
        del forecast
        return True

    def message(self, text: str) -> None:
        """Tell a person something."""

    def ended(self) -> None:
        """Take note that nothing more is asked."""
