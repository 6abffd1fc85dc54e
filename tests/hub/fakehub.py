"""A Hugging Face hub of one dataset, on loopback, that fails as told and records what it is asked.

`revisions` are what branches, tags and commits name, `commits` the files of each. Faults are taken
in order, each by the next request of its method; a fault with `times` below 0 stays.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final, Self
from urllib.parse import unquote

from apieval.hub import REPOSITORY

COMMIT: Final = "c0ffee" + "0" * 34
LATER: Final = "beef" + "1" * 36
ALWAYS: Final = -1


def git_hash(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()  # noqa: S324 # git's


@dataclass(slots=True)
class Fault:
    """What a request gets instead of the file; `cut` sends so many bytes of it, then closes.

    `hang` answers nothing until the hub ends, `raw` answers bytes that need be no HTTP.
    """

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    method: str = "HEAD"
    times: int = 1
    cut: int | None = None
    hang: bool = False
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    method: str
    path: str
    headers: Mapping[str, str]


class FakeHub:
    """Listen on a free port of loopback as long as the context lasts."""

    def __init__(self, files: Mapping[str, bytes] | None = None, *faults: Fault) -> None:
        self.commits: dict[str, dict[str, bytes]] = {COMMIT: dict(files or {})}
        self.revisions = {"main": COMMIT}
        self.faults = list(faults)
        self.seen: list[Seen] = []
        self.over = threading.Event()

    def push(self, commit: str, **files: bytes) -> None:
        """Have a new commit on the main branch; `test` is test.csv."""
        self.commits[commit] = {f"{name}.csv": content for name, content in files.items()}
        self.revisions["main"] = commit

    def fault_for(self, method: str) -> Fault | None:
        for fault in self.faults:
            if fault.method == method and fault.times:
                fault.times -= 1
                return fault
        return None

    @property
    def asked(self) -> list[str]:
        return [seen.method for seen in self.seen]

    @property
    def authorized(self) -> list[str | None]:
        return [seen.headers.get("authorization") for seen in self.seen]

    def __enter__(self) -> Self:
        handler = type("Handler", (_Handler,), {"hub": self})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


class _Handler(BaseHTTPRequestHandler):
    hub: FakeHub
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        hub = self.hub
        headers = {name.lower(): value for name, value in self.headers.items()}
        hub.seen.append(Seen(self.command, self.path, headers))
        fault = hub.fault_for(self.command)
        if fault is None:
            self._file()
        elif fault.hang:
            hub.over.wait()
            self.close_connection = True
        elif fault.raw is not None:
            self.wfile.write(fault.raw)
            self.close_connection = True
        elif fault.cut is not None:
            self._file(cut=fault.cut)
        else:
            self._send(fault.status, fault.body, fault.headers)

    def do_HEAD(self) -> None:
        self.do_GET()

    def _file(self, cut: int | None = None) -> None:
        prefix = f"/datasets/{REPOSITORY}/resolve/"
        revision, _, name = self.path.removeprefix(prefix).partition("/")
        revision = unquote(revision)
        commit = self.hub.revisions.get(revision, revision)
        files = self.hub.commits.get(commit)
        if not self.path.startswith(prefix):
            self._send(404, b"", {"X-Error-Code": "RepoNotFound"})
        elif files is None:
            self._send(404, b"", {"X-Error-Code": "RevisionNotFound"})
        elif name not in files:
            self._send(404, b"", {"X-Error-Code": "EntryNotFound", "X-Repo-Commit": commit})
        else:
            etag = f'"{git_hash(files[name])}"'
            self._send(200, files[name], {"ETag": etag, "X-Repo-Commit": commit}, cut)

    def _send(
        self, status: int, body: bytes, headers: Mapping[str, str], cut: int | None = None
    ) -> None:
        start = 0
        if "Range" in self.headers and status == 200:
            start, status = int(self.headers["Range"].removeprefix("bytes=").rstrip("-")), 206
            headers = {**headers, "Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body) - start), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body[start:] if cut is None else body[start : start + cut])
        if cut is not None:
            self.close_connection = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""
