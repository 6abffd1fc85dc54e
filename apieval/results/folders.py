"""Folders of runs: which of their folders are taken, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from apieval.errors import ApievalError, ConfigError
from apieval.files import is_folder
from apieval.results.checking import unreadable
from apieval.results.folder import RunFolder

PAGE: Final = "report.html"
ASIDE: Final = ".before-"
"""Stands between a run's name and the time at which it was set aside."""

Say = Callable[[str], None]
Check = Callable[[RunFolder], None]


def expanded(
    folders: Iterable[str | Path], check: Check, say: Say | None = None
) -> Iterator[RunFolder]:
    """Yield the folders, and of a folder of runs all runs in it that pass the check, by name.

    `check` raises where a run cannot be used; `say` is told which were taken, and which not and why.

    Raises:
        ConfigError: where a folder has runs, and none of them can be used.
    """
    for folder in map(RunFolder, map(Path, folders)):
        if folder.is_any or not is_folder(folder.path):
            yield folder
            continue
        within = sorted(each for each in _within(folder.path) if is_folder(each))
        if not any(RunFolder(each).is_any for each in within):
            yield folder  # whoever reads it says what it lacks
            continue
        yield from _taken(folder.path, map(RunFolder, within), check, say or (lambda _: None))


def _taken(path: Path, within: Iterable[RunFolder], check: Check, say: Say) -> list[RunFolder]:
    taken: list[RunFolder] = []
    others: list[str] = []
    for each in within:
        why = _objection(each, check)
        if why is None:
            taken.append(each)
        else:
            others.append(f"{each.path.name} ({why})")
    apart = f"{path}: not taken: {'; '.join(others)}"
    if not taken:
        raise ConfigError(apart)
    say(f"{path}: taken: {', '.join(each.path.name for each in taken)}")
    if others:
        say(apart)
    return taken


def _objection(folder: RunFolder, check: Check) -> str | None:
    """Return why a folder in a folder of runs is not taken, None where it is."""
    if folder.path.is_symlink():
        return "a symbolic link"
    if not folder.is_any:
        return "a report" if folder.has(PAGE) else "no run"
    if ASIDE in folder.path.name:
        return "set aside by --fresh"
    try:
        check(folder)
    except ApievalError as error:
        return str(error).rstrip(".")
    return None


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise unreadable(folder, error) from None
