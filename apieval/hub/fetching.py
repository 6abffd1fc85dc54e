"""Getting a file of the challenge's dataset, where it is not at hand already.

The hub's own library gets it, in a process of its own: the library takes its addresses, its
offline mode and its noise from the environment when it is imported, and waits as long as a server
asks it to. A process can be given another environment, and can be ended.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from apieval.errors import ConfigError, DataError
from apieval.hub.cache import HubCache, Kept, Note, is_offline
from apieval.hub.contents import REVISION, TEST, HubFile
from apieval.hub.wanted import Wanted

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

Download = Callable[[Wanted], Path]


def fetch(
    file: HubFile = TEST,
    revision: str | None = None,
    *,
    again: bool = False,
    environ: Mapping[str, str] = os.environ,
    progress: bool = False,
    say: Callable[[str], None] = lambda _: None,
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
        what = "the hub cannot be asked" if again else f"{file.name} is not in {cache.folder}"
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
        [sys.executable, "-P", "-m", "apieval.hub.download", wanted.as_json()],
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
