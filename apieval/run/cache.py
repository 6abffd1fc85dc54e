"""The response cache: answers by what was asked, shared by all runs of this user.

diskcache over SQLite, with its two traps closed: nothing is ever evicted, and nothing is ever
pickled or unpickled (only text goes in, and a planted pickle is refused). Reading is inline, some
ten microseconds; writing happens in one thread, in batches, so that the event loop never waits.
A cache that fails is set aside with a warning: it saves money, it must not cost an answer.
"""

from __future__ import annotations

import json
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path
from typing import Any, Final

import diskcache
from diskcache.core import MODE_RAW
from pydantic import ValidationError

from apieval.errors import ConfigError
from apieval.files import NO_LOCKS, check_locks, is_there, ordinary
from apieval.records import Outcome, Request, Response
from apieval.signature import canonical_json, digest, is_hidden, public
from apieval.wording import in_words

GOOD: Final = frozenset({Outcome.OK, Outcome.TRUNCATED, Outcome.REFUSED})
"""Only these are worth keeping: asked again, the answer would be the same."""

GATHER_S: Final = 0.2
"""How long answers are gathered before they are written together: each commit lets every reader
forget the pages it knew. What a kill takes from here is stored with the run."""
_BATCH: Final = 100
_Waiting = tuple[str, str, Response]
"""Key, identity and answer."""
_SET: Final = f"""
INSERT INTO Cache (key, raw, store_time, access_time, mode, value)
SELECT column1, 1, now, now, {MODE_RAW}, column2
FROM (SELECT ? AS now) CROSS JOIN (VALUES {", ".join(["(?, ?)"] * _BATCH)})
WHERE column1 IS NOT NULL
ON CONFLICT (key, raw) DO UPDATE SET (store_time, access_time, mode, filename, value) =
(excluded.store_time, excluded.access_time, excluded.mode, NULL, excluded.value)
"""  # noqa: S608 # our own words
"""Time, then a batch of keys and values; a batch that is not full ends in NULLs, so that the
statement, which SQLite keeps with what it was given, is one and the same."""
_NO_HEADERS: Final = '"headers":{}'
_NO_LIMIT: Final = 2**62
MOST_WAITING: Final = 64 * 1024 * 1024
"""So many characters of answers may wait for the writer; usual ones come to a thousandth of it."""
SILENT_S: Final = 1.0
LOCKED_S: Final = 10.0
"""How long a write waits for another process's; a batch takes milliseconds."""
_FAULTS: Final = (sqlite3.Error, diskcache.Timeout, OSError, UnicodeError)


class TextDisk(diskcache.Disk):  # type: ignore[misc] # diskcache has no types
    """Keep text alone, inline in the database; refuse whatever would be pickled."""

    def put(self, key: object) -> tuple[Any, bool]:
        """Return the stored form of a key, which must be text."""
        if not isinstance(key, str):
            raise TypeError(f"a cache key is text, not {type(key).__name__}")
        return key, True

    def get(self, key: object, raw: bool) -> str:  # noqa: FBT001 # diskcache's signature
        """Return a key out of the database; one that is not text is shown, never unpickled."""
        return key if raw and isinstance(key, str) else repr(key)

    def store(self, value: object, read: bool, key: object = None) -> tuple[int, int, None, str]:  # noqa: FBT001 # diskcache's signature
        """Return the stored form of a value, which must be text."""
        del read, key
        if not isinstance(value, str):
            raise TypeError(f"a cached value is text, not {type(value).__name__}")
        return 0, MODE_RAW, None, value

    def fetch(self, mode: int, filename: object, value: object, read: bool) -> object:  # noqa: FBT001 # diskcache's signature
        """Return a stored value; one in any mode but plain text is not ours, and not there."""
        del filename, read
        return value if mode == MODE_RAW and isinstance(value, str) else None


class _Database(diskcache.Cache):  # type: ignore[misc] # diskcache has no types
    """Close the connection of a database that cannot be opened, which diskcache leaves open."""

    def __init__(self, folder: Path, **settings: object) -> None:
        try:
            super().__init__(str(folder), **settings)
        except BaseException:
            self.close()
            raise


class CacheFailed(ConfigError):
    """Report a cache whose database cannot be opened: damaged, locked, or its disk full."""


@dataclass(frozen=True, slots=True)
class CacheStats:
    """How much a cache holds: answers, bytes on disk."""

    answers: int
    bytes: int


class ResponseCache:
    """Keep good answers on disk under the hash of everything that can change them."""

    def __init__(self, folder: Path, warn: Callable[[str], None] = lambda _: None) -> None:
        """Open a cache, making its folder where there is none.

        Raises:
            ConfigError: where the folder cannot be used; CacheFailed where its database cannot.
        """
        self.folder = folder
        self._warn = warn
        self._broken = False
        self._queue: queue.SimpleQueue[_Waiting | threading.Event | None] = queue.SimpleQueue()
        self._waiting: list[threading.Event] = []
        self._put = self._written = 0  # characters; each is written by one thread alone
        self._closing = threading.Event()
        self._cache = _open(folder, warn)
        self._writer = threading.Thread(target=self._write, name="apieval-cache", daemon=True)
        self._writer.start()

    def get(self, request: Request) -> Response | None:
        """Return the cached answer to a request, as this request's own; None where there is none."""
        try:
            entry = _entry(self._cache.get(request.key)) if not self._broken else None
        except _FAULTS as error:
            self._set_aside(error)
            return None
        if entry is None or request.identity not in {entry[0], _public(entry[0])}:
            return None
        row = {"id": request.id, "setting": request.setting, "sample": request.sample}
        return entry[1].model_copy(update={**row, "cached": True, "attempts": 0})

    def put(self, request: Request, response: Response) -> None:
        """Hand an answer to the writer; only a good one is kept, with its clear-text identity."""
        if response.outcome not in GOOD or self._broken:
            return
        size = _size(response)
        if self._put - self._written + size > MOST_WAITING and self._put > self._written:
            return  # huge ones, faster than the disk takes them: they are stored with the run
        self._put += size
        self._queue.put((request.key, request.identity, response))

    def flush(self) -> None:
        """Wait until what was put is there for who looks, as long as a write may take."""
        written = threading.Event()
        self._queue.put(written)
        written.wait(LOCKED_S)

    def close(self) -> None:
        """Write what is waiting and close the database."""
        self._closing.set()
        self._queue.put(None)
        self._writer.join()
        self._cache.close()

    def is_empty(self) -> bool:
        """Say whether there is no answer to be found."""
        try:
            return self._broken or not len(self._cache)
        except _FAULTS as error:
            self._set_aside(error)
            return True

    def stats(self) -> CacheStats:
        """Return how much the cache holds."""
        with self._readable():
            return CacheStats(answers=len(self._cache), bytes=self._cache.volume())

    def damaged(self) -> Iterator[str]:
        """Yield the key of every entry that is not what its key says: unreadable or another's."""
        with self._readable():
            keys = list(self._cache.iterkeys())
        for key in keys:
            entry = self._entry_at(key)
            if entry is None or not _made_of(key, entry[0]) or entry[1].key != key:
                yield str(key)

    def nearest(self, identity: str) -> dict[str, tuple[object, object]] | None:
        """Return how the stored question nearest to an identity differs from it, field by field.

        Each differing field comes with what is stored and what is asked; None for an empty cache.
        """
        asked = _fields(identity)
        best: dict[str, tuple[object, object]] | None = None
        with self._readable():
            keys = list(self._cache.iterkeys())
        for key in keys:
            entry = self._entry_at(key)
            stored = _fields(_public(entry[0])) if entry else {}
            if not stored:
                continue
            names = sorted(stored.keys() | asked.keys())
            pairs = {name: (stored.get(name), asked.get(name)) for name in names}
            differs = {name: pair for name, pair in pairs.items() if pair[0] != pair[1]}
            if best is None or len(differs) < len(best):
                best = differs
        return best

    def clear(self) -> int:
        """Remove every answer and return how many there were."""
        with self._readable():
            return int(self._cache.clear())

    def _entry_at(self, key: str) -> tuple[str, Response] | None:
        """Return what is stored under a key, None where it cannot be read."""
        try:
            return _entry(self._cache.get(key))
        except _FAULTS:
            return None

    @contextmanager
    def _readable(self) -> Iterator[None]:
        """Tell of a database that is damaged in its middle, which opening it does not show."""
        try:
            yield
        except _FAULTS as error:
            raise CacheFailed(
                f"the cache in {self.folder} is damaged ({in_words(error)}); remove that folder, or name "
                "another with --cache. Runs keep their answers."
            ) from None

    def _write(self) -> None:
        while batch := self._take():
            if not self._broken:  # each try could take as long as a lock is waited for
                try:
                    self._set(batch)
                except _FAULTS as error:
                    self._set_aside(error)
            self._written += sum(_size(response) for _, _, response in batch)
            while self._waiting:
                self._waiting.pop().set()
        with suppress(*_FAULTS):  # this thread's own connection
            self._cache.close()

    def _set(self, batch: list[_Waiting]) -> None:
        """Write answers as diskcache's `set` would, but all of them by one statement.

        `set` takes some five turns of Python's lock, and a busy event loop lets a thread wait 5 ms
        for each: the writer would fall behind for good, and what waits for it fill the memory.
        """
        rows = [(key, _value(identity, response)) for key, identity, response in batch]
        none = [None] * (2 * (_BATCH - len(rows)))
        values = [time.time(), *chain.from_iterable(rows), *none]
        self._cache._sql(_SET, values)  # noqa: SLF001 # this thread's connection

    def _take(self) -> list[_Waiting]:
        """Wait for one entry and return it with those soon behind it; none at the end."""
        batch: list[_Waiting] = []
        while len(batch) < _BATCH and (not batch or not self._queue.empty()):
            entry = self._queue.get()
            if entry is None:
                if batch:
                    self._queue.put(None)  # the end again, for the next round
                break
            if isinstance(entry, threading.Event):
                if batch:
                    self._waiting.append(entry)
                    break
                entry.set()
                continue
            if not batch and self._queue.qsize() < _BATCH:
                self._closing.wait(GATHER_S)
            batch.append(entry)
        return batch

    def _set_aside(self, error: BaseException) -> None:
        if not self._broken:
            self._broken = True
            self._warn(
                f"the cache in {self.folder} failed ({in_words(error)}); going on without it. "
                "Answers are still stored with the run."
            )


def _open(folder: Path, warn: Callable[[str], None]) -> Any:  # noqa: ANN401 # diskcache has no types
    remedy = "name another folder with --cache, or --cache off"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for ending in ("", "-wal", "-shm", "-journal"):
            ordinary(folder / f"{diskcache.core.DBNAME}{ending}")
    except OSError as error:
        raise ConfigError(
            f"the cache in {folder} cannot be used ({in_words(error)}); {remedy}."
        ) from None
    try:
        check_locks(folder)
    except OSError as error:
        if error.errno in NO_LOCKS:
            raise CacheFailed(
                f"the cache in {folder} cannot be used: this file system has no locks "
                f"({error.strerror}); name a folder on a local disk with --cache, or --cache off."
            ) from None
    _wait_for_others(folder, warn)
    try:
        try:
            return _database(folder)
        except sqlite3.DatabaseError as error:
            if isinstance(error, sqlite3.OperationalError):
                raise  # locked, full, or not to be written: not damaged
            warn(f"the cache in {folder} is damaged ({in_words(error)}); kept as {_aside(folder)}")
            return _database(folder)
    except _FAULTS as error:
        raise CacheFailed(
            f"the cache in {folder} cannot be opened ({in_words(error)}); {remedy}."
        ) from None


def _wait_for_others(folder: Path, warn: Callable[[str], None]) -> None:
    """Wait until no other process holds the database, and not in silence; diskcache waits minutes.

    Raises:
        CacheFailed: where it is held for longer than any write takes.
    """
    path = folder / diskcache.core.DBNAME
    if not is_there(path) or not _is_held(path, SILENT_S):
        return
    held = f"the cache in {folder} is held by another process"
    warn(f"{held}; waiting up to {LOCKED_S:g} s")
    if _is_held(path, LOCKED_S):
        raise CacheFailed(f"{held}; end that, name another folder with --cache, or --cache off.")


def _is_held(path: Path, wait_s: float) -> bool:
    """Say whether another process holds a database for longer than so many seconds."""
    try:
        with closing(sqlite3.connect(path, timeout=wait_s)) as connection:
            connection.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    except sqlite3.Error:  # damaged: told on opening
        return False
    return False


def _database(folder: Path) -> Any:  # noqa: ANN401 # diskcache has no types
    return _Database(
        folder,
        timeout=LOCKED_S,
        disk=TextDisk,
        eviction_policy="none",
        cull_limit=0,  # nothing expires: not even looked for
        # pages are read and written once: holding on to 64 MB of them, and mapping as many, helps
        # nobody
        sqlite_cache_size=512,
        sqlite_mmap_size=0,
        size_limit=_NO_LIMIT,
        statistics=0,
    )


def _aside(folder: Path) -> Path:
    """Rename a database that is damaged, so that a fresh one takes its place; return where it is."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
    old = folder / f"{diskcache.core.DBNAME}.damaged-{stamp}"
    for suffix in ("-wal", "-shm"):
        (folder / f"{diskcache.core.DBNAME}{suffix}").unlink(missing_ok=True)
    (folder / diskcache.core.DBNAME).rename(old)
    return old


def _public(identity: str) -> str:
    """Return an identity without what headers say, which version 0.1 wrote out."""
    if _NO_HEADERS in identity:  # as almost always: nothing is parsed for it
        return identity
    whole = _loaded(identity)
    return canonical_json(public(whole)) if whole.get("headers") else identity


def _made_of(key: str, identity: str) -> bool:
    """Say whether a key is an identity's, as far as can be told where headers are hashes."""
    return digest(identity) == key or is_hidden(_loaded(identity))


def _loaded(identity: str) -> dict[str, Any]:
    try:
        whole = json.loads(identity)
    except (ValueError, RecursionError):
        return {}
    return whole if isinstance(whole, dict) else {}


def _size(response: Response) -> int:
    """Return about how much memory an answer takes."""
    return len(response.text) + len(response.reasoning or "")


def _fields(identity: str) -> dict[str, object]:
    """Return an identity's fields, those of objects inside by dotted names; none for no identity."""
    fields: dict[str, object] = {}
    for name, value in _loaded(identity).items():
        inner = value if isinstance(value, dict) else None
        if inner is None:
            fields[name] = value
        else:
            fields.update({f"{name}.{key}": each for key, each in inner.items()})
    return fields


def _value(identity: str, response: Response) -> str:
    """Return what is cached: an answer, and in clear text what was asked."""
    return f'{{"identity":{json.dumps(identity)},"response":{response.model_dump_json()}}}'


def _entry(value: object) -> tuple[str, Response] | None:
    """Return identity and answer of a cached value, None where it is no such thing."""
    if not isinstance(value, str):
        return None
    try:
        entry = json.loads(value)
        return str(entry["identity"]), Response.model_validate(entry["response"])
    except (ValueError, LookupError, TypeError, RecursionError, ValidationError):
        return None
