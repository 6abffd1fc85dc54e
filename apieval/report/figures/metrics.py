"""What figures call the metrics, and those that stand for all where there is room for few."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FEW: Final[Mapping[str, str]] = {
    "word_guess_accuracy": "word guesses",
    "first_pass_accuracy": "first pass",
    "solution_match": "solution",
}
EVERY: Final[Mapping[str, str]] = {
    "word_guess_accuracy": "word guesses",
    "word_guess_length_accuracy": "word guess lengths",
    "first_pass_accuracy": "first pass",
    "solution_word_accuracy": "solution words",
    "solution_word_length_accuracy": "solution word lengths",
    "solution_match": "solution",
}


def chosen(*, alone: bool) -> Mapping[str, str]:
    """Return the metrics of a figure: of one run every one, a row each; of several a panel a few."""
    return EVERY if alone else FEW
