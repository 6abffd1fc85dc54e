"""`scores.jsonl` and `summary.json`: the figures for other tools."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Final, TextIO

from apieval.errors import StoreError
from apieval.files import replacing, replacing_bytes
from apieval.rebus.metrics import METRICS
from apieval.records import ItemScore, Tally
from apieval.results.folder import SCORES, SUMMARY

_LINE: Final = json.JSONEncoder(ensure_ascii=False)


def score_line(score: ItemScore, beside: Mapping[str, object] | None = None) -> str:
    """Return one line of `scores.jsonl`: parts, values rounded to 4 decimals, counts, reading.

    `beside` is what the details say of the answer.
    """
    said = _LINE.encode(
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
        }
    )
    figures = _figures(None if score.tallies is None else tuple(score.tallies.items()))
    more = {**_reading(score), **(beside or {})}
    return (
        f"{said[:-1]}, {figures}, {_LINE.encode(more)[1:]}" if more else f"{said[:-1]}, {figures}}}"
    )


@lru_cache(maxsize=1 << 12)
def _figures(tallies: tuple[tuple[str, Tally], ...] | None) -> str:
    """Return what a line says of values and counts, without braces: few are unlike all others."""
    known = dict(tallies or ())
    values = {name: t.share if (t := known.get(name)) else None for name in METRICS}
    counts = {name: [t.right, t.total] for name, t in known.items()} or None
    return _LINE.encode({**values, "counts": counts})[1:-1]


def _reading(score: ItemScore) -> dict[str, object]:
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
def writing_scores(folder: Path) -> Iterator[Callable[[ItemScore, Mapping[str, object]], None]]:
    """Give a function that writes scores; the file takes its place at the end, whole.

    Raises:
        StoreError: where the folder cannot be written.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with replacing(folder / SCORES) as file:
            yield lambda score, beside: _line(file, score, beside)
    except OSError as error:
        raise _unwritten(folder, error) from None


def _line(file: TextIO, score: ItemScore, beside: Mapping[str, object]) -> None:
    file.write(f"{score_line(score, beside)}\n")


def write_text(path: Path, parts: Iterable[str]) -> Path:
    """Write a text file whole or not at all, in a folder that is made where there is none.

    Raises:
        StoreError: where it cannot be written.
    """
    with in_its_folder(path), replacing(path) as file:
        file.writelines(parts)
    return path


def write_bytes(path: Path, content: bytes) -> Path:
    """Write a file of bytes as `write_text` writes one of text."""
    with in_its_folder(path), replacing_bytes(path) as file:
        file.write(content)
    return path


@contextmanager
def in_its_folder(path: Path) -> Iterator[None]:
    """Make a file's folder, and say which file it is where it cannot be written.

    Raises:
        StoreError: for any error of the system's while the file is written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        raise _unwritten(path, error) from None


def _unwritten(path: Path, error: OSError) -> StoreError:
    why = error.strerror or error
    return StoreError(f"{path}: cannot be written: {why}; name another folder with --out.")


def write_summary(folder: Path, summary: Mapping[str, object]) -> None:
    """Write `summary.json` whole or not at all.

    Raises:
        StoreError: where the folder cannot be written.
    """
    text = json.dumps(summary, ensure_ascii=False, indent=2, allow_nan=False) + "\n"
    try:
        with replacing(folder / SUMMARY) as file:
            file.write(text)
    except OSError as error:
        raise _unwritten(folder, error) from None
