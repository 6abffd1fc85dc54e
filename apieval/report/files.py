"""`scores.jsonl` and `summary.json`: the figures for other tools."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TextIO

from apieval.errors import StoreError
from apieval.rebus.metrics import METRICS
from apieval.schema import ItemScore

SCORES: Final = "scores.jsonl"
SUMMARY: Final = "summary.json"
_LINE: Final = json.JSONEncoder(ensure_ascii=False)


def score_line(score: ItemScore) -> str:
    """Return one line of `scores.jsonl`: parts, values rounded to 4 decimals, counts, reading."""
    tallies = score.tallies
    return _LINE.encode(
        {
            "id": score.id,
            "setting": score.setting,
            "sample": score.sample,
            "subset": score.subset,
            "parser": score.parser,
            "outcome": score.outcome.value,
            "word_guesses": score.prediction.word_guesses,
            "first_pass": score.prediction.first_pass,
            "solution_words": score.prediction.solution_words,
            "solution": score.prediction.solution,
            **{name: tallies[name].share if tallies else None for name in METRICS},
            "counts": {n: [t.right, t.total] for n, t in tallies.items()} if tallies else None,
            **_reading(score),
        }
    )


def _reading(score: ItemScore) -> dict[str, Any]:
    """Return what a parser says of its reading, where it says anything."""
    if not score.status:
        return {}
    return {
        "status": score.status,
        "why": score.why,
        "seen_through": score.seen_through,
        "seen": score.seen,
    }


@contextmanager
def writing_scores(folder: Path) -> Iterator[Callable[[ItemScore], None]]:
    """Give a function that writes scores; the file takes its place at the end, whole.

    Raises:
        StoreError: where the folder cannot be written.
    """
    fresh = folder / f".{SCORES}.{os.getpid()}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with fresh.open("w", encoding="utf-8", newline="\n") as file:
            yield lambda score: _line(file, score)
        fresh.replace(folder / SCORES)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}.") from None


def _line(file: TextIO, score: ItemScore) -> None:
    file.write(f"{score_line(score)}\n")


def write_summary(folder: Path, summary: dict[str, Any]) -> None:
    """Write `summary.json` whole or not at all.

    Raises:
        StoreError: where the folder cannot be written.
    """
    text = json.dumps(summary, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    fresh = folder / f".{SUMMARY}.{os.getpid()}"
    try:
        fresh.write_text(text, encoding="utf-8", newline="\n")
        fresh.replace(folder / SUMMARY)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be written: {error.strerror or error}.") from None
