"""What figures call the metrics, and those that stand for all where there is room for few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from apieval.rebus.metrics import HEADLINE
from apieval.report.cells import METRICS

EVERY: Final[Mapping[str, str]] = {metric: name.lower() for metric, name in METRICS.items()}
FEW: Final[Mapping[str, str]] = {
    metric: EVERY[metric] for metric in ("word_guess_accuracy", "first_pass_accuracy", HEADLINE)
}
STEPS: Final[Mapping[str, str]] = {
    metric: name for metric, name in EVERY.items() if "length" not in metric
}
"""What is made one after another; lengths are no step."""


def chosen(*, alone: bool) -> Mapping[str, str]:
    """Return the metrics of a figure: of one run every one, a row each; of several a panel a few."""
    return EVERY if alone else FEW
