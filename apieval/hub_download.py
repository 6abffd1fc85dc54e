"""The process that downloads one file from the hub: `python -m apieval.hub_download WANTED`.

It prints one JSON object, with the path or the error. The hub's library has the cache, the locks and
the resumption. Added here: the token goes to no other host, waiting has an end (even in a resolver
that never answers), the content has the hash that the hub names, and an error is one sentence.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from threading import Timer
from typing import Any, Final

import httpx2
from huggingface_hub import constants, get_token, hf_hub_download, set_client_factory
from huggingface_hub.errors import (
    FileMetadataError,
    GatedRepoError,
    HfHubHTTPError,
    LocalEntryNotFoundError,
    RemoteEntryNotFoundError,
    RepositoryNotFoundError,
    RevisionNotFoundError,
)

from apieval.errors import DataError
from apieval.hub import REPOSITORY, Wanted
from apieval.version import VERSION
from apieval.wording import in_words

REACH_S: Final = 3.0
"""So long may the hub's first word take; with all else that makes less than five seconds."""
PATIENCE_S: Final = 30.0
"""So long is a hub asked again that has too much to do."""
LONGEST_S: Final = 3_600.0
"""So long may the file itself take."""


class Watchdog:
    """Call `bite` with what was waited for, at the time that was last allowed."""

    def __init__(self, bite: Callable[[str], None]) -> None:
        self.waited_for = "nothing"
        self._bite = bite
        self._timer: Timer | None = None

    def allow(self, seconds: float) -> None:
        """Give so many seconds from now on."""
        self.cancel()
        self._timer = Timer(seconds, lambda: self._bite(self.waited_for))
        self._timer.daemon = True
        self._timer.start()

    def cancel(self) -> None:
        """Give all the time there is."""
        if self._timer:
            self._timer.cancel()


_TIMEOUT: Final = 408
_TOO_MANY: Final = 429
_BROKEN: Final = 500
_UNAUTHORIZED: Final = 401
_FORBIDDEN: Final = 403
_GIVEN: Final = "the token of HF_TOKEN or of the log-in"
_SHA1: Final = 40
_SHA256: Final = 64


class Hub:
    """The hub that is asked: what it may be told, what it said, and how long it is waited for."""

    def __init__(self, endpoint: str, watchdog: Watchdog) -> None:
        self.endpoint = endpoint
        self.hash: str | None = None
        """What it says the file's content is, as the last answer said it."""
        self.heard = False
        self.watchdog = watchdog
        self._origin = _origin(httpx2.URL(endpoint))
        self._patient = False

    def client(self) -> Client:
        """Return a client of the library's that goes by this."""
        return Client(self)

    def leave_token_out(self, request: httpx2.Request) -> None:
        """Take the token out of a request to any other host; the library trusts some of them."""
        if _origin(request.url) != self._origin:
            request.headers.pop("authorization", None)

    def hear(self, response: httpx2.Response) -> None:
        """Take note of an answer's head.

        Raises:
            DataError: where it asks for more patience than there is.
        """
        self.heard = True
        status, headers = response.status_code, response.headers
        if status in {_TIMEOUT, _TOO_MANY} or status >= _BROKEN:
            return self._hear_busy(status, headers.get("retry-after", ""))
        if headers.get(constants.HUGGINGFACE_HEADER_X_REPO_COMMIT):
            tag = headers.get(constants.HUGGINGFACE_HEADER_X_LINKED_ETAG) or headers.get("etag")
            self.hash = (tag or "").removeprefix("W/").strip('"')
        self._patient = False
        self.watchdog.waited_for = "it sends the file too slowly"
        return self.watchdog.allow(LONGEST_S)

    def _hear_busy(self, status: int, wait: str) -> None:
        self.watchdog.waited_for = _busy(status)
        if not self._patient:
            self._patient = True
            self.watchdog.allow(PATIENCE_S)
        if wait.isdecimal() and int(wait) > PATIENCE_S:
            raise DataError(f"it answers {status} and asks to wait {int(wait):,} s")


class Client(httpx2.Client):
    """The library's client, watched over."""

    def __init__(self, hub: Hub) -> None:
        super().__init__(
            follow_redirects=True,
            timeout=None,
            event_hooks={"request": [hub.leave_token_out], "response": [hub.hear]},
        )
        self._hub = hub

    def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:  # noqa: ANN401
        """Send a request, and take note of why it cannot be sent.

        Raises:
            DataError: where nobody is there from the start, which is not worth another attempt.
        """
        try:
            return super().send(request, **options)
        except httpx2.TransportError as error:
            why = f"it cannot be reached ({in_words(error)})"
            if isinstance(error, httpx2.ConnectError) and not self._hub.heard:
                raise DataError(why) from None
            self._hub.watchdog.waited_for = why
            raise


def _origin(url: httpx2.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port


def _busy(status: int) -> str:
    return f"it answers {status}; try again later"


def transfer(wanted: Wanted, watchdog: Watchdog) -> Path:
    """Get a file into the hub's cache folder and return its path there.

    Raises:
        DataError: saying in one sentence why it cannot be had; never with the token in it.
    """
    token = _token(wanted)
    endpoint = (os.environ.get("HF_ENDPOINT") or constants.ENDPOINT).rstrip("/")
    hub = Hub(endpoint, watchdog)
    set_client_factory(hub.client)
    reach = float(os.environ.get("HF_HUB_ETAG_TIMEOUT") or REACH_S)
    watchdog.waited_for = (
        f"it does not answer within {reach:g} s; HF_HUB_ETAG_TIMEOUT (in seconds) gives it more"
    )
    watchdog.allow(reach)
    try:
        path = Path(_download(wanted, endpoint, token))
    except DataError as error:
        why = str(error)
    except (httpx2.HTTPError, httpx2.InvalidURL, OSError, ValueError) as error:
        why = _why(error, wanted, has_token=token is not None)
    else:
        _check_content(path, wanted, hub.hash)
        return path
    said = wanted.failure(why)
    raise DataError(said.replace(token, "***") if token else said) from None


def _token(wanted: Wanted) -> str | None:
    """Return the token of the environment or of a log-in; the library would show a malformed one."""
    try:
        token = get_token()
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise DataError(wanted.failure(f"{_GIVEN} cannot be read: {why}")) from None
    if token is not None and not (token.isascii() and token.isprintable() and " " not in token):
        raise DataError(wanted.failure(f"{_GIVEN} holds a character that none can have"))
    return token


def _download(wanted: Wanted, endpoint: str, token: str | None) -> str:
    return hf_hub_download(
        REPOSITORY,
        wanted.file,
        repo_type="dataset",
        revision=wanted.revision,
        cache_dir=wanted.folder,
        force_download=wanted.again,
        endpoint=endpoint,
        token=token or False,
        library_name="apieval",
        library_version=VERSION,
    )


def _why(error: Exception, wanted: Wanted, *, has_token: bool) -> str:
    """Return in a sentence's second half why a file was not fetched."""
    while isinstance(error, LocalEntryNotFoundError | ValueError) and isinstance(
        error.__cause__, Exception
    ):
        error = error.__cause__  # the library's own summary says less
    if isinstance(error, HfHubHTTPError):
        return _refused(error, wanted, has_token=has_token)
    if isinstance(error, FileMetadataError):
        return (
            "what answers is no hub; some networks want a log-in in a browser first, and "
            "HF_ENDPOINT must be a hub's address"
        )
    if isinstance(error, httpx2.HTTPError | httpx2.InvalidURL):
        return f"the connection failed ({in_words(error)})"
    if isinstance(error, OSError) and error.errno is not None:
        return f"{wanted.folder} cannot be written: {error.strerror}; HF_HOME names another folder"
    return f"the download is incomplete ({error})".replace("\n", " ")


def _refused(error: HfHubHTTPError, wanted: Wanted, *, has_token: bool) -> str:
    status = error.response.status_code
    if isinstance(error, RevisionNotFoundError):
        return f"{REPOSITORY} has no revision {wanted.revision!r}"
    if isinstance(error, RemoteEntryNotFoundError):
        return f"{REPOSITORY} has no {wanted.file} at the revision {wanted.revision!r}"
    if isinstance(error, GatedRepoError) or status in {_UNAUTHORIZED, _FORBIDDEN}:
        return _locked(status, is_gated=isinstance(error, GatedRepoError), has_token=has_token)
    if isinstance(error, RepositoryNotFoundError):
        return f"it has no {REPOSITORY}, or hides it"
    return _busy(status) if status >= _BROKEN or status == _TOO_MANY else f"it answers {status}"


def _locked(status: int, *, is_gated: bool, has_token: bool) -> str:
    terms = f"; its page there wants its terms agreed to ({REPOSITORY})" if is_gated else ""
    if has_token:
        return f"it refuses {_GIVEN} ({status}){terms}"
    return f"it wants a token ({status}){terms}; set HF_TOKEN"


def _check_content(path: Path, wanted: Wanted, expected: str | None) -> None:
    """Hold a file against the hash the hub gives it, where that is one of its content.

    Raises:
        DataError: where it is another's. What came is removed, since it would be taken for whole.
    """
    hashed = _HASHES.get(len(expected or ""))
    if hashed is None or hashed(path.read_bytes()) == expected:
        return
    blob = path.resolve()
    if path.is_symlink() and blob.name != expected:  # the library keeps what it has of a commit
        raise DataError(
            wanted.failure(
                f"it serves other content under the commit {path.parent.name} than lies here; "
                f"remove {path} to take it"
            )
        )
    path.unlink()
    blob.unlink(missing_ok=True)
    raise DataError(
        wanted.failure("the content is not what the hub announced; something in between changes it")
    )


def _git_hash(content: bytes) -> str:
    """Return how git names a file: the hub does for all that are not large."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


_HASHES: Final[dict[int, Callable[[bytes], str]]] = {_SHA1: _git_hash, _SHA256: _sha256}


def say(*, path: Path | None = None, error: str | None = None) -> None:
    """Print how it ended."""
    sys.stdout.write(json.dumps({"path": None if path is None else str(path), "error": error}))
    sys.stdout.flush()


def main(words: list[str]) -> int:
    """Get the file; return the exit code."""
    wanted = Wanted.from_json(words[0])

    def give_up(waited_for: str) -> None:
        say(error=wanted.failure(waited_for))
        os._exit(0)  # whatever the process is waiting in

    watchdog = Watchdog(give_up)
    try:
        path = transfer(wanted, watchdog)
    except DataError as error:
        say(error=str(error))
    except KeyboardInterrupt:
        return 130  # told of by the process that waits for this one
    else:
        say(path=path)
    finally:
        watchdog.cancel()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
