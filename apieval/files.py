"""A file put in place of another whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import errno
import os
import re
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Final, TextIO

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

_NUMBERS: Final = count()
"""Two threads may write the same file."""
_LEFT: Final = re.compile(r"\.\d+(-\d+)?")
_NO_SYNC: Final = {errno.EINVAL, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP}
NO_LOCKS: Final = {errno.ENOLCK, *_NO_SYNC}
"""What a file system says that has no locks: some network drives, some that are in user space."""
_SETTLED_S: Final = 5.0
"""A file is held from an instant after it was made, and until one before it takes its place."""


def is_there(path: Path) -> bool:
    """Say whether there is anything of that name, as far as can be seen."""
    return _mode(path) != 0


def is_folder(path: Path) -> bool:
    """Say whether there is a folder of that name, as far as can be seen."""
    return stat.S_ISDIR(_mode(path))


def ordinary(path: Path) -> Path:
    """Return the path of a file that lies in its folder and can be opened without waiting for anybody.

    Raises:
        OSError: for a pipe or a device, and for a link to what lies elsewhere.
    """
    mode = _mode(path)
    if path.is_symlink() and _leads_out(path):
        raise OSError(errno.ELOOP, "a symbolic link out of its folder, which is not followed")
    if mode and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):  # a folder's own error says more
        raise OSError(errno.EINVAL, "a pipe or a device, not a file")
    return path


def not_ordinary(folder: Path) -> OSError | None:
    """Return what is wrong with the first thing in a folder that is no file or folder of its own.

    Whoever was handed such a folder would write over what is theirs elsewhere, or wait for ever.

    Raises:
        OSError: where the folder cannot be read.
    """
    for path in sorted(folder.iterdir()):
        try:
            ordinary(path)
        except OSError as error:
            return OSError(error.errno, error.strerror, str(path))
    return None


def _leads_out(link: Path) -> bool:
    try:
        return link.resolve(strict=True).parent != link.parent.resolve()
    except (OSError, RuntimeError):  # to nothing, or in a circle: writing would make it
        return True


def _mode(path: Path) -> int:
    """Return the mode of a file, 0 where there is none, or none that can be seen."""
    try:
        return path.stat().st_mode
    except (OSError, ValueError):  # too long, or with NUL in it
        return 0


@contextmanager
def replacing(path: Path) -> Iterator[TextIO]:
    r"""Give a file for UTF-8 text, lines ended by `\n`, that takes the place of `path` at the end.

    Where the writing fails nothing takes its place, and nothing is left beside it.

    Raises:
        OSError: where the folder cannot be written.
    """
    with _beside(path) as fresh, fresh.open("x", encoding="utf-8", newline="\n") as file:
        _mark(file.fileno())
        yield file
        file.flush()
        to_disk(file.fileno())


@contextmanager
def replacing_bytes(path: Path) -> Iterator[BinaryIO]:
    """Give a file for bytes that takes the place of `path` at the end, as `replacing` does."""
    with _beside(path) as fresh, fresh.open("xb") as file:
        _mark(file.fileno())
        yield file
        file.flush()
        to_disk(file.fileno())


@contextmanager
def _beside(path: Path) -> Iterator[Path]:
    """Give the name of a new file, which takes the place of `path` unless something fails."""
    _clear(path)
    fresh = path.with_name(f".{path.name}.{os.getpid()}-{next(_NUMBERS)}")
    try:
        fresh.unlink(missing_ok=True)  # a dead process may have had this number
        yield fresh
        fresh.replace(path)
        to_disk_folder(path.parent)
    except BaseException:
        fresh.unlink(missing_ok=True)
        raise


def _clear(path: Path) -> None:
    """Remove what processes left that were killed while they wrote this file."""
    with suppress(OSError):
        for left in path.parent.glob(f".{escape(path.name)}.*"):
            if _LEFT.fullmatch(left.name.removeprefix(f".{path.name}")) and _forsaken(left):
                left.unlink(missing_ok=True)


def _forsaken(left: Path) -> bool:
    """Say whether nobody writes to a file: whoever does holds it, and has since it was made."""
    if time.time() - left.stat().st_mtime < _SETTLED_S:
        return False
    if fcntl is None:
        return True  # no file that is open can be removed there
    with left.open("rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return True


def _mark(file: int) -> None:
    """Hold a file that is being written, as long as it is open."""
    if fcntl is not None:
        with suppress(OSError):  # not every network file system can
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)


def check_locks(folder: Path) -> None:
    """Make sure that files of a folder can be locked, as databases need it.

    Raises:
        OSError: one of `NO_LOCKS` where the file system has none; others where nothing can be written.
    """
    if fcntl is not None:
        with TemporaryFile(dir=folder) as probe:
            fcntl.lockf(probe, fcntl.LOCK_EX | fcntl.LOCK_NB)


def to_disk(descriptor: int) -> None:
    """Bring an open file to the disk itself, where its file system knows of such a thing.

    Raises:
        OSError: where it cannot: what was written since the last time may be lost.
    """
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_SYNC:
            raise


def to_disk_folder(folder: Path) -> None:
    """Bring a folder's list of names to the disk, without which a new file is lost in a power cut.

    Raises:
        OSError: as for a file.
    """
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return  # Windows, or a folder that may be written and not read
    try:
        to_disk(descriptor)
    finally:
        os.close(descriptor)
