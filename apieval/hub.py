"""The challenge's dataset on the Hugging Face hub: downloaded once, checked, pinned, and then local.

Files lie in the cache folder that all tools of the hub share. Next to one lies a note of apieval's:
its commit, its hash, and whether its terms were shown. From the first download on this is the pin:
it is used until another revision is named.

The hub's own library downloads, in a process of its own (`hub_download`): it takes its addresses
and its offline mode from the environment when it is imported, and waits as long as a server asks.
The data is licensed for research, so it is no part of this package; its terms go with its figures.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from apieval.errors import ConfigError, DataError
from apieval.rebus import dataset, tables
from apieval.rebus.columns import CHALLENGE_SUBSETS, GOLD, QUESTION
from apieval.rebus.dataset import Dataset, Origin
from apieval.signature import digest_file

Say = Callable[[str], None]

REPOSITORY: Final = "gsarti/eureka-rebus-calamita-2024"
NAME: Final = "eureka-rebus-calamita-2024"
"""What the test file goes by in results."""
REVISION: Final = "main"
LICENCE: Final = "Verbalized Rebus Dataset License Agreement: non-commercial research use only"
ATTRIBUTION: Final = (
    "The rights to each rebus are its copyright holder's. The rebuses come from Eureka5, the "
    'collection of the Associazione Culturale "Biblioteca Enigmistica Italiana - G. Panini".'
)
NOTICE: Final = (
    f"{REPOSITORY} is for non-commercial research alone. {ATTRIBUTION} Say so where you publish "
    "figures; summary.json has the words."
)


@dataclass(frozen=True, slots=True)
class HubFile:
    """A file of the dataset: its name there, and how many rows it has."""

    name: str
    rows: int


TEST: Final = HubFile("test.csv", sum(count for _, count in CHALLENGE_SUBSETS))
TRAIN: Final = HubFile("train.csv", 80_158)


def check_contents(path: Path, file: HubFile) -> None:
    """Refuse a file that has not the seven columns and the rows it should have.

    Raises:
        DataError: saying what differs.
    """
    columns: set[str] = set()
    rows = 0
    try:
        for row in tables.read(path):
            columns = columns or set(row.cells)
            rows += 1
    except DataError as error:
        raise DataError(f"{file.name} of {REPOSITORY} cannot be used: {error}") from None
    wanted = {*QUESTION, *GOLD}
    differs = []
    if lacks := sorted(wanted - columns):
        differs.append(f"it has no column {', '.join(map(repr, lacks))}")
    if more := sorted(columns - wanted):
        differs.append(f"it has a column {', '.join(map(repr, more))} in addition to the seven")
    if rows != file.rows:
        differs.append(f"it has {rows:,} rows instead of {file.rows:,}")
    if differs:
        raise DataError(
            f"{file.name} of {REPOSITORY} is not the challenge's file: {'; '.join(differs)} "
            f"({path}). Name an earlier commit with `apieval data fetch --revision COMMIT`."
        )


_COMMIT: Final = re.compile("[0-9a-f]{40}")
_TRUE: Final = frozenset({"1", "ON", "YES", "TRUE"})
_SHORTEST: Final = 7
"""Hex digits that name a commit."""
AGAIN: Final = "`apieval data fetch --again`"


class Note(BaseModel):
    """What is noted of a downloaded file; fields of a later version are kept."""

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
        return self.dataset / f"apieval-{file.name}.json"

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
        check_contents(path, file)
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

    def show_terms_once(self, file: HubFile, say: Say) -> None:
        """Say on what terms the data may be used, and note that it was said."""
        note = self.note(file)
        if note is not None and note.terms_shown:
            return
        say(NOTICE)
        if note is not None:
            self._write(note.model_copy(update={"terms_shown": _now()}))

    def _write(self, note: Note) -> None:
        path = self.dataset / f"apieval-{note.file}.json"
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


def is_offline(environ: Mapping[str, str]) -> bool:
    """Say whether the environment forbids to ask the hub."""
    said = environ.get("HF_HUB_OFFLINE") or environ.get("TRANSFORMERS_OFFLINE") or ""
    return said.upper() in _TRUE


@dataclass(frozen=True, slots=True)
class Wanted:
    """A file of the dataset: its name and revision, and the hub's cache folder it goes to.

    `where` is the hub's address for people; `again` asks for it though it may be there.
    """

    file: str
    revision: str
    folder: str
    where: str
    again: bool = False

    def as_json(self) -> str:
        """Return it as one word of a command line."""
        return json.dumps(asdict(self))

    def failure(self, why: str) -> str:
        """Return what is said where it cannot be had."""
        return f"{self.file} cannot be fetched from {self.where}: {why}."

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Return what `as_json` made a word of."""
        return cls(**json.loads(text))


REMEDY: Final = (
    "Without the hub, give a copy of the file with --data PATH: `apieval data fetch` on a machine "
    "with a network downloads it and prints its path."
)
_QUIET: Final = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_XET": "1",  # which goes to other hosts, past what is watched here
    "HF_HUB_VERBOSITY": "error",
    "HF_DEBUG": "0",
}
_REVISION: Final = re.compile(r"[A-Za-z0-9](?:[\w-]|[./](?![./]))*", re.ASCII)


def fetch(
    file: HubFile = TEST,
    revision: str | None = None,
    *,
    again: bool = False,
    environ: Mapping[str, str] = os.environ,
    progress: bool = False,
    say: Say = lambda _: None,
) -> Kept:
    """Return a file of the dataset, from the hub only where it is not on this machine yet.

    What was fetched once stays pinned: it is taken without asking anybody, until another
    `revision` is named, or `again` asks what the hub has now. `progress` shows a bar on stderr;
    `say` is told before the hub is asked.

    Raises:
        ConfigError: for a revision or an address of the hub that can be none.
        DataError: where the file cannot be had, or is not the challenge's.
    """
    if revision is not None and not _REVISION.fullmatch(revision):
        raise ConfigError(f"--revision {revision!r}: give a commit, a tag or a branch of the hub.")
    cache = HubCache.of(environ)
    at_hand = None if again else at_hand_in(cache, file, revision)
    if at_hand is not None:
        return at_hand
    note = cache.note(file)
    where = _address(environ)
    if is_offline(environ):
        what = "the hub cannot be reached" if again else f"{file.name} is not in {cache.folder}"
        raise DataError(f"HF_HUB_OFFLINE is set, and {what}; unset it. {REMEDY}")
    say(f"fetching {file.name} from {where}")
    named = revision or REVISION
    asked = note.commit if note and not revision and not again else named
    wanted = Wanted(file.name, asked, str(cache.folder), where, again=again)
    path = _in_own_process(wanted, environ, progress=progress)
    return cache.pin(_as_noted(cache.checked(path, file, named), note))


def at_hand_in(
    cache: HubCache, file: HubFile = TEST, revision: str | None = None, *, pin: bool = True
) -> Kept | None:
    """Return a file that is on this machine, None where it is not; nobody is asked.

    `pin` makes one that another tool fetched the one to use from now on.

    Raises:
        DataError: where it has changed since it was fetched, or is not the challenge's.
    """
    kept = cache.kept(file)
    if kept is not None and (revision is None or kept.is_of(revision)):
        return kept
    if revision is None and cache.note(file) is not None:
        return None  # pinned, and gone: no other takes its place unasked
    found = cache.of_revision(file, revision or REVISION)
    return cache.pin(found) if found and pin else found


def _as_noted(fetched: Kept, note: Note | None) -> Kept:
    """Return what was fetched, with what was noted before; one commit has one content."""
    if note is None:
        return fetched
    now = fetched.note
    if note.commit == now.commit and note.digest != now.digest:
        raise DataError(
            f"{fetched.path}: the hub serves other content under the commit {now.commit} than "
            f"before ({note.digest} then, {now.digest} now). Remove it and its note, "
            f"apieval-{now.file}.json, to take what it serves now."
        )
    kept = now.model_copy(update={"terms_shown": note.terms_shown})
    return Kept(fetched.path, kept)


def _address(environ: Mapping[str, str]) -> str:
    """Return the hub's address for people, without what may be secret in it.

    Raises:
        ConfigError: for an address that can be none.
    """
    given = environ.get("HF_ENDPOINT")
    if not given:
        return "the Hugging Face hub"
    try:
        parts = urlsplit(given)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ConfigError("HF_ENDPOINT: not the address of a hub; write it as https://HOST.")
    return f"the hub at {parts.hostname}{port}"


def _in_own_process(wanted: Wanted, environ: Mapping[str, str], *, progress: bool) -> Path:
    bars = {} if progress else {"HF_HUB_DISABLE_PROGRESS_BARS": "1"}
    done = subprocess.run(  # noqa: S603 # our own module
        [sys.executable, "-P", "-m", "apieval.hub_download", wanted.as_json()],
        env={**environ, **_QUIET, **bars},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=None if progress else subprocess.PIPE,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    try:
        said = json.loads(done.stdout)
        path, error = said["path"], said["error"]
    except (ValueError, LookupError, TypeError):
        last = (done.stderr or "").strip().rpartition("\n")[2] or f"exit code {done.returncode}"
        raise DataError(
            f"{wanted.file} was not fetched: the download ended before its time ({last}). {REMEDY}"
        ) from None
    if error is not None:
        raise DataError(f"{error} {REMEDY}")
    return Path(path)


def load(say: Say | None) -> Dataset:
    """Read the file, fetched where it is not on this machine.

    Raises:
        DataError: where it cannot be had.
    """
    return _read(fetch(say=say or (lambda _: None)), say)


def at_hand(revision: str | None, say: Say | None) -> Dataset:
    """Read the file of a commit, or the pinned one, as it lies on this machine.

    Raises:
        DataError: where it does not.
    """
    return _read(kept(revision), say)


def kept(revision: str | None = None) -> Kept:
    """Return the file of a commit, or the pinned one, as it lies on this machine.

    Raises:
        DataError: where it does not.
    """
    cache = HubCache.of(os.environ)
    found = at_hand_in(cache, TEST, revision, pin=revision is None)
    if found is None:
        of = f" of the commit {revision}" if revision else ""
        more = f" --revision {revision}" if revision else ""
        raise DataError(
            f"--data hub: {TEST.name}{of} is not in {cache.folder}, and scoring uses no network; get "
            f"it with `apieval data fetch{more}`, or give a file with --data PATH."
        )
    return found


def _read(kept: Kept, say: Say | None) -> Dataset:
    if say:
        HubCache.of(os.environ).show_terms_once(TEST, say)
    return dataset.load(kept.path, name=NAME, origin=kept.origin)
