r"""The folder of a run: its header and its answers, the wall between asking and scoring.

`responses.jsonl` only grows: one line an answer, written and flushed the moment it arrives and
before anything is made of it. Lines end in `\n` and are split at `\n` alone. On opening, a torn
last line is cut off, and lines of failures that will be asked again make room; every other line
keeps its bytes, unknown fields and all. `run.json` says what the run is, readable without rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, BinaryIO, Final

from pydantic import ValidationError

from apieval.errors import StoreError
from apieval.schema import Outcome, Response, RowId, RunSpec

FORMAT: Final = 1
HEADER: Final = "run.json"
RESPONSES: Final = "responses.jsonl"
DAMAGED: Final = "responses.damaged"
ASK_AGAIN: Final = frozenset({Outcome.FAILED, Outcome.EMPTY})
"""A failure is not the model's, and an empty answer may be a hiccup: a resumed run asks again."""

ItemKey = tuple[RowId, str, int]


class Store:
    """One run's folder, open for writing."""

    def __init__(self, folder: Path, answered: set[ItemKey], file: BinaryIO) -> None:
        """Use `Store.open`."""
        self.folder = folder
        self.answered = answered
        self._file = file

    @classmethod
    def open(cls, folder: Path, warn: Callable[[str], None] = lambda _: None) -> Store:
        """Open a run's folder, making it where there is none, and mend what a kill left behind.

        Raises:
            StoreError: where the folder cannot be written.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            answered = _mend(folder, warn)
            file = (folder / RESPONSES).open("ab")
        except OSError as error:
            raise StoreError(
                f"{folder}: the run folder cannot be written: {error.strerror or error}; "
                "make room or rights there, or name another with --out."
            ) from None
        return cls(folder, answered, file)

    def append(self, response: Response) -> None:
        """Write one answer and flush it to the system; after that a kill cannot take it away.

        Raises:
            StoreError: where it cannot be written, as on a full disk.
        """
        line = response.model_dump_json().encode() + b"\n"
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise StoreError(
                f"{self.folder / RESPONSES}: cannot be written: {error.strerror or error}; "
                "make room, then run the same command again."
            ) from None
        self.answered.add((response.id, response.setting, response.sample))

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_header(folder: Path) -> dict[str, Any] | None:
    """Return a run's header, None where the folder has none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / HEADER
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise StoreError(f"{path}: cannot be read: {error}.") from None
    if not isinstance(header, dict) or header.get("format") != FORMAT:
        raise StoreError(f"{path}: not the header of a run, or of a version this one cannot read.")
    return header


def write_header(folder: Path, header: dict[str, Any]) -> None:
    """Write a run's header whole or not at all; fields this version does not know are kept."""
    known = read_header(folder) or {}
    text = json.dumps({**known, **header}, ensure_ascii=False, indent=2) + "\n"
    try:
        replace(folder / HEADER, text.encode())
    except OSError as error:
        raise StoreError(f"{folder / HEADER}: cannot be written: {error.strerror}.") from None


def check_same_run(folder: Path, spec: RunSpec, data_digest: str) -> None:
    """Refuse a folder that holds another run, or this one on a data file that has changed since.

    Raises:
        StoreError: saying what differs, and the remedy.
    """
    header = read_header(folder)
    if header is None:
        return
    now, then = spec.model_dump(mode="json"), header.get("spec") or {}
    differs = sorted(name for name in now if now[name] != then.get(name))
    remedy = "give another --name, or start over with --fresh."
    if differs:
        what = "; ".join(f"{name}: {then.get(name)!r} then, {now[name]!r} now" for name in differs)
        raise StoreError(f"{folder}: holds another run ({what}); {remedy}")
    if (old := (header.get("data") or {}).get("digest")) != data_digest:
        raise StoreError(
            f"{folder}: the data file {spec.data!r} has changed since this run began "
            f"({old} then, {data_digest} now); {remedy}"
        )


def set_aside(folder: Path) -> Path | None:
    """Rename a run that is started over, since its answers were paid for; return where it is.

    Raises:
        StoreError: where it cannot be renamed.
    """
    if not folder.exists():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    old = folder.with_name(f"{folder.name}.before-{stamp}")
    try:
        folder.rename(old)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be renamed: {error.strerror}.") from None
    return old


def responses(folder: Path) -> Iterator[Response]:
    """Yield the answers of a run one at a time; a torn last line is no answer yet.

    Raises:
        StoreError: naming the line that cannot be read.
    """
    path = folder / RESPONSES
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                response = _read(line)
                if response is not None:
                    yield response
                elif line.endswith(b"\n"):
                    raise StoreError(f"{path}, line {number}: not an answer; mend or remove it.")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def replace(path: Path, content: bytes) -> None:
    """Put a file in place of another whole or not at all, whatever happens meanwhile."""
    fresh = path.with_name(f".{path.name}.new")
    with fresh.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def _read(line: bytes) -> Response | None:
    try:
        return Response.model_validate_json(line)
    except ValidationError:
        return None


def _mend(folder: Path, warn: Callable[[str], None]) -> set[ItemKey]:
    """Leave only whole lines of answers that stand, and return whose they are."""
    path = folder / RESPONSES
    if not path.exists():
        return set()
    kept: dict[ItemKey, None] = {}
    drop: set[int] = set()
    damaged: list[bytes] = []
    whole = True
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            whole = line.endswith(b"\n")
            response = _read(line)
            if response is None:
                drop.add(number)
                if whole:
                    damaged.append(line)
                    warn(f"{path}, line {number}: not an answer; set aside in {DAMAGED}.")
                continue
            key = (response.id, response.setting, response.sample)
            if response.outcome in ASK_AGAIN or key in kept:
                drop.add(number)
            else:
                kept[key] = None
    if damaged:
        with (folder / DAMAGED).open("ab") as file:
            file.writelines(damaged)
    if drop or not whole:
        _rewrite(path, drop)
    return set(kept)


def _rewrite(path: Path, drop: set[int]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    with path.open("rb") as old, fresh.open("wb") as new:
        for number, line in enumerate(old, start=1):
            if number not in drop:
                new.write(line if line.endswith(b"\n") else line + b"\n")
        new.flush()
        os.fsync(new.fileno())
    fresh.replace(path)
