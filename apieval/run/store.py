r"""The folder of a run and its answers: the wall between asking and scoring.

`responses.jsonl` only grows: one line an answer, written and flushed the moment it arrives and
before anything is made of it. Lines end in `\n` and are split at `\n` alone. One process at a
time writes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, suppress
from datetime import UTC, datetime
from io import FileIO
from pathlib import Path
from typing import Final

from filelock import BaseFileLock, FileLock, SoftFileLock, Timeout

from apieval.errors import StoreError
from apieval.files import NO_LOCKS, is_there, not_ordinary, to_disk, to_disk_folder
from apieval.records import Outcome, Response
from apieval.results.answers import RESPONSES, ItemKey, key_of
from apieval.results.folder import HEADER
from apieval.results.folders import ASIDE
from apieval.run.responses import Kept, mend
from apieval.wording import counted

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

LOCK: Final = ".lock"
OWNER: Final = ".lock.owner"
MARKER: Final = ".lock.marker"
ASK_AGAIN: Final = frozenset({Outcome.FAILED, Outcome.EMPTY})
"""A failure is not the model's, and an empty answer may be a hiccup: a resumed run asks again."""


class Store:
    """One run's folder, open for writing."""

    def __init__(self, folder: Path, lock: BaseFileLock, kept: Kept, file: FileIO) -> None:
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
        self._broken: StoreError | None = None

    @property
    def spent_usd(self) -> float:
        """Return what all answers together cost, as far as that is known."""
        return self._kept.spent_usd

    @property
    def mean_tokens(self) -> tuple[float | None, float | None]:
        """Return how many tokens prompts and answers have on average, None where nobody counted."""
        return self._kept.prompts.value, self._kept.answers.value

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
                lock = _lock(folder, warn)
                undo.callback(lock.release)
                kept = mend(folder / RESPONSES, warn, ask_again)
                file = _opened(folder)
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
        key = key_of(response)
        self._replaced |= key in self._standing
        self.answered.add(key)
        self._kept.pay(response)

    def sync(self) -> None:
        """Bring what was written to the disk itself, so that not even a power cut can take it.

        Raises:
            StoreError: where the disk cannot; once it could not, nobody knows what is on it, whatever it
                says of the next time.
        """
        if self._unsynced and not self._broken:
            self._unsynced = False
            try:
                to_disk(self._file.fileno())
            except OSError as error:
                self._broken = StoreError(
                    f"{self.folder / RESPONSES}: cannot be brought to the disk: "
                    f"{error.strerror or error}; the answers of the last second may be lost with a "
                    "power cut. Put that right (room, quota, disk or network drive), then run the "
                    "same command again."
                )
        if self._broken:
            raise self._broken

    def check(self) -> None:
        """Make sure that what is written is still the run's file, and the folder where it was.

        Where the folder was moved, it is followed. Where the file was removed, or has another name, the
        answers are written anew where they belong, since they were paid for.

        Raises:
            StoreError: where that has happened, saying where the answers are.
        """
        path = self.folder / RESPONSES
        if _is_at(self._file.fileno(), path):
            return
        now = _path_of(self._file.fileno())
        if now and now.name == RESPONSES and is_there(now.with_name(HEADER)):
            self.folder = now.parent
            raise StoreError(
                f"{path.parent}: was moved to {self.folder} while the run wrote to it; every answer "
                "is there, and nothing more is sent."
            )
        raise StoreError(
            f"{path}: was removed or renamed while the run wrote to it; {self._written_anew(path)}"
        )

    def _written_anew(self, path: Path) -> str:
        """Write all answers to their place again; return what to say of that."""
        descriptor, answers = self._file.fileno(), counted(len(self.standing), "answer")
        try:
            self._lock.release()
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _lock(path.parent)
            anew = _opened(path.parent)
            there = set(path.read_bytes().splitlines(keepends=True))
            for line in _lines_of(descriptor):
                if line not in there:
                    anew.write(line)
            to_disk(anew.fileno())
        except (OSError, StoreError) as error:
            return f"its answers could not be written there anew: {error}"
        self._file.close()
        self._file, self._end = anew, anew.seek(0, os.SEEK_END)
        return f"all of its {answers} were written there anew, and nothing more is sent."

    @property
    def standing(self) -> set[ItemKey]:
        """Return whose answers are there, those that are asked for again included."""
        return self._standing | self.answered

    def tidy(self) -> None:
        """Leave one line a question, where answers took the place of others."""
        self.sync()
        if self._replaced:
            with suppress(OSError):  # no room: the next opening will
                mend(self.folder / RESPONSES, lambda _: None, ())

    def close(self) -> None:
        """Bring everything to the disk, close the file and let others at the run."""
        with suppress(StoreError):  # told when the figures were written
            self.sync()
        self._file.close()
        self._lock.release()


def _opened(folder: Path) -> FileIO:
    """Open a run's file of answers for writing at its end; a new one is there after a power cut."""
    new = not is_there(folder / RESPONSES)
    # read again where it was removed
    file: FileIO = (folder / RESPONSES).open("a+b", buffering=0)
    if new:
        to_disk_folder(folder)
        to_disk_folder(folder.parent)
    return file


def _is_at(descriptor: int, path: Path) -> bool:
    """Say whether an open file is the one at a path.

    Some network drives number a file anew at every look: there its size and time must do.
    """
    mine = os.fstat(descriptor)
    try:
        there = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True  # cannot be seen just now: writing will tell
    same = (there.st_size, there.st_mtime_ns) == (mine.st_size, mine.st_mtime_ns)
    return os.path.samestat(mine, there) or (same and mine.st_nlink > 0)


def _path_of(descriptor: int) -> Path | None:
    """Return where an open file is now, as far as the system tells."""
    with suppress(OSError, ValueError):
        if sys.platform == "darwin":
            return Path(
                os.fsdecode(fcntl.fcntl(descriptor, 50, bytes(1024)).rstrip(b"\0"))
            )  # F_GETPATH
        now = Path(f"/proc/self/fd/{descriptor}").readlink()
        return now if _is_at(descriptor, now) else None
    return None


def _lines_of(descriptor: int) -> Iterator[bytes]:
    """Yield the lines of an open file from its beginning, also where it has no name any more."""
    os.lseek(descriptor, 0, os.SEEK_SET)
    with os.fdopen(os.dup(descriptor), "rb") as file:
        yield from file


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


def _lock(folder: Path, warn: Callable[[str], None] = lambda _: None) -> BaseFileLock:
    """Take the run for this process; the lock goes with the process, however it ends.

    Where the file system has no locks, a file marks the run as taken: it is there or not for all
    machines alike, and what a process left that was killed on this machine counts for nothing.
    """
    if odd := not_ordinary(folder):
        raise StoreError(f"{odd.filename}: {odd.strerror}; remove it, or give another --name.")
    lock: BaseFileLock = FileLock(folder / LOCK, blocking=False, fallback_to_soft=False)
    owner, marker = folder / OWNER, SoftFileLock(folder / MARKER, blocking=False)
    try:
        try:
            lock.acquire()
        except OSError as error:
            if error.errno not in NO_LOCKS:
                raise
            marker.acquire()
            lock = marker
            warn(
                f"{folder}: this file system has no locks ({error.strerror}); the file {MARKER} marks "
                "the run as in use instead. Where a machine dies it is left behind: remove it then."
            )
        if lock is not marker and is_there(folder / MARKER):  # of a machine that has no locks there
            with marker:
                pass
    except Timeout:
        lock.release()
        said = owner.read_text(encoding="utf-8").strip() if owner.exists() else "unknown"
        raise StoreError(
            f"{folder}: another process is at this run ({said}); wait for it, stop it, or give "
            "another --name."
        ) from None
    since = datetime.now(UTC).isoformat(timespec="seconds")
    owner.write_text(f"process {os.getpid()}, since {since}\n", encoding="utf-8")
    return lock
