"""What things are called in a report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

METRICS: Final[Mapping[str, str]] = {
    "word_guess_accuracy": "Word guesses",
    "word_guess_length_accuracy": "Word guess lengths",
    "first_pass_accuracy": "First pass",
    "solution_word_accuracy": "Solution words",
    "solution_word_length_accuracy": "Solution word lengths",
    "solution_match": "Solution match",
}
PARSERS: Final[Mapping[str, str]] = {
    "official": "official",
    "tolerant": "tolerant",
    "tolerant-lenient": "tolerant, lenient",
}
SETTINGS: Final[Mapping[str, str]] = {"regular": "regular", "hints": "hints"}
EXPLAINED: Final[Mapping[str, str]] = {
    "regular": "without length hints",
    "hints": "every clue ends with the length of its word",
}
OUTCOMES: Final[Mapping[str, str]] = {
    "ok": "whole",
    "truncated": "cut at the length limit",
    "empty": "empty",
    "refused": "refused",
    "failed": "failed",
    "not_asked": "not requested",
}


def setting(name: str) -> str:
    """Return a setting's name with what it means."""
    return f"{name}: {EXPLAINED[name]}" if name in EXPLAINED else name
