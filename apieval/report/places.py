"""Where files stood, taken out of what is said in files that are passed on: their names remain."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from apieval.report.document import ReportedRun

_FOLDERS: Final = re.compile(
    r"(?<![\w.~:/\\-])(?:~|[A-Za-z]:)?[/\\](?:[^/\\\s:;,'\"()<>|]+[/\\])+(?=[^/\\\s])"
)
"""The folders of an absolute path; no address of a server begins so."""


def places(run: ReportedRun) -> list[str]:
    """Return what a message about a run may name: its folder and its data file."""
    data = ((run.header or {}).get("data") or {}).get("path")
    return [str(run.folder), str(run.folder.resolve()), *([data] if isinstance(data, str) else [])]


def nameless(text: str, places: Iterable[str | Path] = ()) -> str:
    """Return a text in which files and folders go by their names alone.

    `places` are those that it may name: unlike others they are known where they hold spaces.
    """
    for place in sorted({str(each) for each in places}, key=len, reverse=True):
        path = Path(place)
        if path.is_absolute() and path.name:
            text = text.replace(place, path.name)
    return _FOLDERS.sub("", text)
