"""A program watched from inside: which sockets it opens, which files, whether it imports litellm.

Python imports `sitecustomize` before anything else; an audit hook there sees every connection and
every name that is looked up, whoever asks, and forbids what is not the server of the test.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_HOOK: Final = """\
import os, sys
_file = open(os.environ["WATCH_FILE"], "a", buffering=1)
_ports = os.environ["WATCH_PORTS"].split()
def _hook(event, args):
    if event == "import" and args[0] == "litellm":
        _file.write("import litellm\\n")
    elif event == "open" and str(args[0]).endswith((".env", "/credentials", "/config")):
        _file.write(f"open {args[0]}\\n")
    elif event in {"socket.connect", "socket.sendto"}:
        where = args[1]
        if where[0] == "127.0.0.1" and {"*", str(where[1])} & {*_ports}:
            return
        _file.write(f"{event} {where}\\n")
        raise PermissionError(f"forbidden: {where}")
    elif event in {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}:
        if args[0] in {"127.0.0.1", b"127.0.0.1"}:
            return
        _file.write(f"{event} {args[0]}\\n")
        raise PermissionError(f"forbidden: {args[0]}")
sys.addaudithook(_hook)
"""


@dataclass(frozen=True, slots=True)
class Watch:
    """A hook in a folder, and the file where it writes."""

    folder: Path

    def env(self, *urls: str) -> dict[str, str]:
        """Return the environment of a watched program that may ask these servers alone.

        A port of `*` is any of loopback's.
        """
        self.folder.mkdir(exist_ok=True)
        (self.folder / "sitecustomize.py").write_text(_HOOK, encoding="utf-8")
        self.file.write_text("", encoding="utf-8")
        ports = [url.rpartition(":")[2].partition("/")[0] for url in urls]
        path = os.pathsep.join(filter(None, (str(self.folder), os.environ.get("PYTHONPATH"))))
        watched = {"WATCH_FILE": str(self.file), "WATCH_PORTS": " ".join(ports)}
        return {**watched, "PYTHONPATH": path}

    @property
    def file(self) -> Path:
        """Return where the hook writes."""
        return self.folder / "seen.txt"

    @property
    def seen(self) -> set[str]:
        """Return what was noticed, each kind once."""
        return set(self.file.read_text(encoding="utf-8").splitlines())
