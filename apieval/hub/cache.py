"""Where a file of the hub lies once it was fetched, and what is noted of it. No network.

The folder is the one every tool of the hub keeps its files in, so that what one of them fetched
is there for all. Beside a file lies a note of apieval's own: the commit it is of, the hash of its
bytes, and whether its terms were shown. From the first fetch on this is the pin, since the hash of
no commit was known when this was written: what was served then is used, until asked otherwise.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from apieval.errors import DataError
from apieval.hub.contents import (
    ATTRIBUTION,
    LICENCE,
    NOTICE,
    REPOSITORY,
    REVISION,
    HubFile,
    check,
)
from apieval.rebus.dataset import Origin
from apieval.signature import digest_file

_COMMIT: Final = re.compile("[0-9a-f]{40}")
_TRUE: Final = frozenset({"1", "ON", "YES", "TRUE"})
_SHORTEST: Final = 7
"""Hex digits that name a commit."""
AGAIN: Final = "`apieval data fetch --again`"


class Note(BaseModel):
    """What is noted of a fetched file; fields of a later version are kept."""

    model_config = ConfigDict(frozen=True, extra="allow", defer_build=True)

    format: int = 1
    repository: str = REPOSITORY
    file: str
    revision: str
    commit: str = Field(pattern=f"^{_COMMIT.pattern}$")
    digest: str
    rows: int
    fetched: str
    licence: str = LICENCE
    attribution: str = ATTRIBUTION
    terms_shown: str | None = None


@dataclass(frozen=True, slots=True)
class Kept:
    """A file of the hub on this machine, whose content is the one noted."""

    path: Path
    note: Note

    @property
    def origin(self) -> Origin:
        """Return what a report must say of where the data is from."""
        source = f"{REPOSITORY}, {self.note.file}"
        return Origin(source, self.note.commit, LICENCE, ATTRIBUTION)

    def is_of(self, revision: str) -> bool:
        """Say whether this is what a revision named; a branch named anew is the one fetched."""
        commit = len(revision) >= _SHORTEST and self.note.commit.startswith(revision)
        return commit or revision == self.note.revision


@dataclass(frozen=True, slots=True)
class HubCache:
    """The hub's cache folder, as far as the challenge's dataset goes."""

    folder: Path

    @classmethod
    def of(cls, environ: Mapping[str, str]) -> HubCache:
        """Return the folder that the environment names, by the hub's own variables."""
        home = environ.get("XDG_CACHE_HOME") or "~/.cache"
        hub = environ.get("HF_HOME") or f"{home}/huggingface"
        named = environ.get("HF_HUB_CACHE") or environ.get("HUGGINGFACE_HUB_CACHE") or f"{hub}/hub"
        return cls(Path(os.path.expandvars(named)).expanduser().absolute())

    @property
    def dataset(self) -> Path:
        """Return the dataset's folder."""
        return self.folder / f"datasets--{REPOSITORY.replace('/', '--')}"

    def note_of(self, file: HubFile) -> Path:
        """Return where the note of a file is, or would be."""
        return self.dataset / _note_name(file.name)

    def note(self, file: HubFile) -> Note | None:
        """Return what is noted of a file, None where it was never fetched.

        Raises:
            DataError: for a note that cannot be read.
        """
        path = self.note_of(file)
        try:
            return Note.model_validate_json(path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValidationError) as error:
            why = error.strerror if isinstance(error, OSError) else "it is no note of apieval's"
            raise DataError(f"{path}: cannot be read: {why}; remove it and fetch anew.") from None

    def kept(self, file: HubFile) -> Kept | None:
        """Return the file that is pinned, None where there is none.

        Raises:
            DataError: for a note that cannot be read, and for a file that is not the noted one.
        """
        note = self.note(file)
        if note is None:
            return None
        kept = Kept(self._snapshot(note.commit, file), note)
        return kept if self._is_noted(kept) else None

    def of_revision(self, file: HubFile, revision: str = REVISION) -> Kept | None:
        """Return the file as whatever tool of the hub fetched it, checked; None where none did.

        Raises:
            DataError: where it is not the challenge's.
        """
        commit = revision
        if not _COMMIT.fullmatch(revision):
            with suppress(OSError):
                commit = (self.dataset / "refs" / revision).read_text("utf-8").strip()
        path = self._snapshot(commit, file)
        if not _COMMIT.fullmatch(commit) or not path.is_file():
            return None
        return self.checked(path, file, revision)

    def checked(self, path: Path, file: HubFile, revision: str) -> Kept:
        """Return a file as it lies in a snapshot, with a note that is yet to be written.

        Raises:
            DataError: where it is not the challenge's.
        """
        check(path, file)
        return Kept(
            path,
            Note(
                file=file.name,
                revision=revision,
                commit=path.parent.name,
                digest=digest_file(path),
                rows=file.rows,
                fetched=_now(),
            ),
        )

    def pin(self, kept: Kept) -> Kept:
        """Note a file as the one to use; in a folder that cannot be written it is used all the same."""
        self._write(kept.note)
        return kept

    def show_terms_once(self, file: HubFile, say: Callable[[str], None]) -> None:
        """Say on what terms the data may be used, and note that it was said."""
        note = self.note(file)
        if note is not None and note.terms_shown:
            return
        say(NOTICE)
        if note is not None:
            self._write(note.model_copy(update={"terms_shown": _now()}))

    def _write(self, note: Note) -> None:
        path = self.dataset / _note_name(note.file)
        fresh = path.with_name(f".{path.name}.{os.getpid()}")
        with suppress(OSError):
            fresh.write_text(note.model_dump_json(indent=2) + "\n", "utf-8", newline="\n")
            fresh.replace(path)

    def _snapshot(self, commit: str, file: HubFile) -> Path:
        return self.dataset / "snapshots" / commit / file.name

    def _is_noted(self, kept: Kept) -> bool:
        try:
            digest = digest_file(kept.path)
        except FileNotFoundError:
            return False  # somebody emptied the hub's cache, and may fetch it again
        except OSError as error:
            raise DataError(f"{kept.path}: cannot be read: {error.strerror}.") from None
        if digest != kept.note.digest:
            raise DataError(
                f"{kept.path}: has changed since it was fetched ({kept.note.digest} then, {digest} "
                f"now); get it anew with {AGAIN}."
            )
        return True


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _note_name(file: str) -> str:
    return f"apieval-{file}.json"


def is_offline(environ: Mapping[str, str]) -> bool:
    """Say whether the environment forbids to ask the hub."""
    said = environ.get("HF_HUB_OFFLINE") or environ.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in _TRUE
