"""`scores.jsonl` read line by line: whatever is made of a line, one that is no score is named."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Final, TypeVar

from apieval.errors import StoreError
from apieval.run.header import HEADER
from apieval.signature import finite
from apieval.whole_file import ordinary

T = TypeVar("T")
ANEW: Final = "write it anew with `apieval score`."
_SHOWN: Final = 80


def score_lines(
    path: Path, made_of: Callable[[Any], T], skip: Callable[[bytes], bool] = lambda _: False
) -> Iterator[T]:
    r"""Yield what `made_of` makes of each line; those to `skip` are not even parsed.

    Lines are split at `\n` alone.

    Raises:
        StoreError: naming the file, and the line that is no JSON or that `made_of` refuses by a
            AttributeError, LookupError, TypeError or ValueError.
    """
    with opened(path) as file:
        for number, line in enumerate(file, 1):
            if skip(line):
                continue
            try:
                made = made_of(json.loads(line, parse_constant=finite, parse_float=finite))
            except (AttributeError, LookupError, TypeError, ValueError, RecursionError) as error:
                raise no_score(path, f", line {number}", error) from None
            yield made


def no_score(path: Path, where: str, error: Exception) -> StoreError:
    """Return the error that says what is no score, `where` in its file, and the remedy."""
    return StoreError(f"{path}{where}: no score ({why(error)}); {ANEW}")


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open a file that `apieval score` wrote.

    Raises:
        StoreError: where it is not there or cannot be read, with the remedy.
    """
    try:
        with ordinary(path).open("rb") as file:
            yield file
    except FileNotFoundError:
        raise StoreError(f"{path}: there is no such file; {_how(path.parent)}.") from None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _how(folder: Path) -> str:
    """Return how a folder comes to have scores."""
    if (folder / HEADER).exists():
        return f"`apieval score {folder}` writes it"
    return "name a run folder, or what `apieval score ANSWERS --out` wrote"


def why(error: Exception) -> str:
    """Return in few words why something is not what a score or a summary is."""
    if isinstance(error, json.JSONDecodeError | UnicodeDecodeError):
        return "not whole JSON in UTF-8"
    said = f"no {error}" if isinstance(error, KeyError) else str(error)
    return " ".join(said.split())[:_SHOWN]
