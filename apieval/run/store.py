r"""The folder of a run: its header and its answers, the wall between asking and scoring.

`responses.jsonl` only grows: one line an answer, written and flushed the moment it arrives and
before anything is made of it. Lines end in `\n` and are split at `\n` alone. On opening, a torn
last line is cut off, and lines of failures that will be asked again make room; every other line
keeps its bytes, unknown fields and all. `run.json` says what the run is, readable without rows.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Any, Final

from filelock import FileLock, Timeout
from pydantic import ValidationError

from apieval.errors import StoreError
from apieval.schema import Outcome, Response, RowId, RunSpec, Setting

FORMAT: Final = 1
HEADER: Final = "run.json"
RESPONSES: Final = "responses.jsonl"
DAMAGED: Final = "responses.damaged"
LOCK: Final = ".lock"
OWNER: Final = ".lock.owner"
ASK_AGAIN: Final = frozenset({Outcome.FAILED, Outcome.EMPTY})
"""A failure is not the model's, and an empty answer may be a hiccup: a resumed run asks again."""

ItemKey = tuple[RowId, Setting, int]


class Store:
    """One run's folder, open for writing."""

    def __init__(self, folder: Path, lock: FileLock, kept: _Kept, file: FileIO) -> None:
        """Use `Store.open`."""
        self.folder = folder
        self.answered = kept.answered
        self.spent_usd = kept.spent_usd
        self._lock = lock
        self._file = file
        self._end = file.seek(0, os.SEEK_END)
        self._unsynced = False

    @classmethod
    def open(
        cls,
        folder: Path,
        warn: Callable[[str], None] = lambda _: None,
        ask_again: Collection[Outcome] = ASK_AGAIN,
    ) -> Store:
        """Open a run's folder, making it where there is none, and mend what a kill left behind.

        Answers with an outcome in `ask_again` make room for new ones.

        Raises:
            StoreError: where the folder cannot be written, or another process is at this run.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo:
                lock = _lock(folder)
                undo.callback(lock.release)
                kept = _mend(folder, warn, ask_again)
                file = (folder / RESPONSES).open("ab", buffering=0)
                undo.pop_all()
        except OSError as error:
            raise StoreError(
                f"{folder}: the run folder cannot be written: {error.strerror or error}; "
                "make room or rights there, or name another with --out."
            ) from None
        return cls(folder, lock, kept, file)

    def append(self, response: Response) -> None:
        """Write one answer and flush it to the system; after that a kill cannot take it away.

        Raises:
            StoreError: where it cannot be written, as on a full disk.
        """
        line = memoryview(response.model_dump_json().encode() + b"\n")
        try:
            written = 0
            while written < len(line):
                written += self._file.write(line[written:])
        except OSError as error:
            with suppress(OSError):  # half a line would be cut off on opening anyway
                self._file.truncate(self._end)
            raise StoreError(
                f"{self.folder / RESPONSES}: cannot be written: {error.strerror or error}; "
                "make room, then run the same command again."
            ) from None
        self._end += len(line)
        self._unsynced = True
        self.answered.add((response.id, response.setting, response.sample))

    def sync(self) -> None:
        """Bring what was written to the disk itself, so that not even a power cut can take it."""
        if self._unsynced:
            self._unsynced = False
            with suppress(OSError):  # a disk that cannot: the next write will say so
                os.fsync(self._file.fileno())

    def close(self) -> None:
        """Bring everything to the disk, close the file and let others at the run."""
        self.sync()
        self._file.close()
        self._lock.release()


def read_header(folder: Path) -> dict[str, Any] | None:
    """Return a run's header, None where the folder has none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / HEADER
    try:
        header = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
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
        StoreError: where it cannot be renamed, or another process is at it.
    """
    if not folder.exists():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    old = folder.with_name(f"{folder.name}.before-{stamp}")
    try:
        _lock(folder).release()
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


def _lock(folder: Path) -> FileLock:
    """Take the run for this process; the lock goes with the process, however it ends."""
    lock = FileLock(folder / LOCK, blocking=False)
    owner = folder / OWNER
    try:
        lock.acquire()
    except Timeout:
        said = owner.read_text(encoding="utf-8").strip() if owner.exists() else "unknown"
        raise StoreError(
            f"{folder}: another process is at this run ({said}); wait for it, stop it, or give "
            "another --name."
        ) from None
    since = datetime.now(UTC).isoformat(timespec="seconds")
    owner.write_text(f"process {os.getpid()}, since {since}\n", encoding="utf-8")
    return lock


@dataclass(slots=True)
class _Kept:
    answered: set[ItemKey] = field(default_factory=set)
    spent_usd: float = 0.0


def _mend(folder: Path, warn: Callable[[str], None], ask_again: Collection[Outcome]) -> _Kept:
    """Leave only whole lines of answers that stand; return whose they are and what was paid."""
    path = folder / RESPONSES
    kept = _Kept()
    if not path.exists():
        return kept
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
            kept.spent_usd += 0.0 if response.cached else response.cost_usd or 0.0
            if response.outcome in ask_again or key in kept.answered:
                drop.add(number)
            else:
                kept.answered.add(key)
    if damaged:
        with (folder / DAMAGED).open("ab") as file:
            file.writelines(damaged)
    if drop or not whole:
        _rewrite(path, drop)
    return kept


def _rewrite(path: Path, drop: set[int]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    with path.open("rb") as old, fresh.open("wb") as new:
        for number, line in enumerate(old, start=1):
            if number not in drop:
                new.write(line if line.endswith(b"\n") else line + b"\n")
        new.flush()
        os.fsync(new.fileno())
    fresh.replace(path)
