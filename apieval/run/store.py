r"""The folder of a run and its answers: the wall between asking and scoring.

`responses.jsonl` only grows: one line an answer, written and flushed the moment it arrives and
before anything is made of it. Lines end in `\n` and are split at `\n` alone. One process at a
time writes.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from apieval.errors import StoreError
from apieval.run.header import HEADER
from apieval.run.responses import RESPONSES, Kept, mend
from apieval.schema import Outcome, Response

LOCK: Final = ".lock"
OWNER: Final = ".lock.owner"
ASIDE: Final = ".before-"
"""Stands between a run's name and the time at which it was set aside."""
ASK_AGAIN: Final = frozenset({Outcome.FAILED, Outcome.EMPTY})
"""A failure is not the model's, and an empty answer may be a hiccup: a resumed run asks again."""


class Store:
    """One run's folder, open for writing."""

    def __init__(self, folder: Path, lock: FileLock, kept: Kept, file: FileIO) -> None:
        """Use `Store.open`."""
        self.folder = folder
        self.answered = kept.answered
        self._kept = kept
        self._standing = kept.standing
        self._replaced = False
        self._lock = lock
        self._file = file
        self._end = file.seek(0, os.SEEK_END)
        self._unsynced = False

    @property
    def spent_usd(self) -> float:
        """Return what all answers together cost, as far as that is known."""
        return self._kept.spent_usd

    @property
    def unpriced(self) -> int:
        """Return how many answers were paid without anybody knowing how much."""
        return self._kept.unpriced

    @property
    def last_created(self) -> str | None:
        """Return when the last answer of the commands before was stored, as its line says."""
        return self._kept.last_created

    @classmethod
    def open(
        cls,
        folder: Path,
        warn: Callable[[str], None] = lambda _: None,
        ask_again: Collection[Outcome] = ASK_AGAIN,
    ) -> Store:
        """Open a run's folder, making it where there is none, and mend what a kill left behind.

        Answers with an outcome in `ask_again` are asked for again, and stand until then.

        Raises:
            StoreError: where the folder cannot be written, or another process is at this run.
        """
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with ExitStack() as undo:
                lock = _lock(folder)
                undo.callback(lock.release)
                kept = mend(folder / RESPONSES, warn, ask_again)
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
        key = (response.id, response.setting, response.sample)
        self._replaced |= key in self._standing
        self.answered.add(key)
        self._kept.pay(response)

    def sync(self) -> None:
        """Bring what was written to the disk itself, so that not even a power cut can take it."""
        if self._unsynced:
            self._unsynced = False
            with suppress(OSError):  # a disk that cannot: the next write will say so
                os.fsync(self._file.fileno())

    def check(self) -> None:
        """Make sure that what is written is still the run's file.

        Raises:
            StoreError: where somebody has removed it, and answers would go nowhere.
        """
        if os.fstat(self._file.fileno()).st_nlink == 0:
            raise StoreError(f"{self.folder / RESPONSES}: was removed; nothing more is asked.")

    def tidy(self) -> None:
        """Leave one line a question, where answers took the place of others."""
        self.sync()
        if self._replaced:
            with suppress(OSError):  # no room: the next opening will
                mend(self.folder / RESPONSES, lambda _: None, ())

    def close(self) -> None:
        """Bring everything to the disk, close the file and let others at the run."""
        self.sync()
        self._file.close()
        self._lock.release()


def check_free(folder: Path) -> None:
    """Refuse a run that another process is at, before anything else is begun.

    Raises:
        StoreError: naming the process.
    """
    if folder.is_dir():
        with suppress(OSError):  # a folder that cannot be written is told of on opening
            _lock(folder).release()


def check_has_header(folder: Path) -> None:
    """Refuse a folder whose answers nobody can say the run of.

    Raises:
        StoreError: where there are answers and no header.
    """
    if (folder / RESPONSES).exists() and not (folder / HEADER).exists():
        raise StoreError(
            f"{folder}: holds answers, but no {HEADER} that says of what; give another --name, or "
            "start over with --fresh."
        )


def set_aside(folder: Path) -> Path | None:
    """Rename a run that is started over, since its answers were paid for; return where it is.

    Raises:
        StoreError: where it cannot be renamed, or another process is at it.
    """
    if not folder.exists():
        return None
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    old = folder.with_name(f"{folder.name}{ASIDE}{stamp}")
    try:
        _lock(folder).release()
        folder.rename(old)
    except OSError as error:
        raise StoreError(f"{folder}: cannot be renamed: {error.strerror}.") from None
    return old


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
