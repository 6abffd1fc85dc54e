"""A file put in place of another whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO, TextIO


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    r"""Give a file for UTF-8 text, lines ended by `\n`, that takes the place of `path` at the end.

    Where the writing fails nothing takes its place, and nothing is left beside it.

    Raises:
        OSError: where the folder cannot be written.
    """
    with _beside(path) as fresh, fresh.open("w", encoding="utf-8", newline="\n") as file:
        yield file
        _to_disk(file)


@contextmanager
def replacing_bytes(path: Path) -> Iterator[BinaryIO]:
    """Give a file for bytes that takes the place of `path` at the end, as `replacing` does."""
    with _beside(path) as fresh, fresh.open("wb") as file:
        yield file
        _to_disk(file)


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Give the name of a new file, which takes the place of `path` unless something fails."""
    fresh = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        yield fresh
        fresh.replace(path)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _to_disk(file: IO[str] | IO[bytes]) -> None:
    file.flush()
    os.fsync(file.fileno())
