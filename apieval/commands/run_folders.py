"""Folders of runs: which of their folders are taken, and why the others are not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from apieval.commands import read_scores
from apieval.errors import ApievalError, ConfigError, StoreError
from apieval.files import is_folder, is_there
from apieval.report.files import PAGE, SCORES, SUMMARY
from apieval.results.answers import RESPONSES
from apieval.run import header

Say = Callable[[str], None]
Check = Callable[[Path], None]
OF_A_RUN: Final = (header.HEADER, RESPONSES, SUMMARY, SCORES)


def expanded(folders: Iterable[str | Path], check: Check, say: Say | None = None) -> Iterator[Path]:
    """Yield the folders, and of a folder of runs all runs in it that pass the check, by name.

    `check` raises where a run cannot be used; `say` is told which were taken, and which not and why.

    Raises:
        ConfigError: where a folder has runs, and none of them can be used.
    """
    for folder in map(Path, folders):
        if _is_run(folder) or not is_folder(folder):
            yield folder
            continue
        within = sorted(each for each in _within(folder) if is_folder(each))
        if not any(map(_is_run, within)):
            yield folder  # whoever reads it says what it lacks
            continue
        yield from _taken(folder, within, check, say or (lambda _: None))


def _taken(folder: Path, within: Iterable[Path], check: Check, say: Say) -> list[Path]:
    taken: list[Path] = []
    others: list[str] = []
    for each in within:
        why = _objection(each, check)
        if why is None:
            taken.append(each)
        else:
            others.append(f"{each.name} ({why})")
    apart = f"{folder}: not taken: {'; '.join(others)}"
    if not taken:
        raise ConfigError(apart)
    say(f"{folder}: taken: {', '.join(each.name for each in taken)}")
    if others:
        say(apart)
    return taken


def _objection(folder: Path, check: Check) -> str | None:
    """Return why a folder in a folder of runs is not taken, None where it is."""
    if folder.is_symlink():
        return "a symbolic link"
    if not _is_run(folder):
        return "a report" if is_there(folder / PAGE) else "no run"
    if header.ASIDE in folder.name:
        return "set aside by --fresh"
    try:
        check(folder)
    except ApievalError as error:
        return str(error).rstrip(".")
    return None


def with_scores(parser: str) -> Check:
    """Return the check of what needs the scores of a run, by that parser."""

    def check(folder: Path) -> None:
        if not (is_there(folder / SUMMARY) and is_there(folder / SCORES)):
            raise StoreError(f"not scored: `apieval score {folder}`")
        read_scores.check(folder, parser)

    return check


def with_answers(folder: Path) -> None:
    """Check that a run has answers to be scored.

    Raises:
        StoreError: where it has none, or nobody can say what they are of.
    """
    if not is_there(folder / RESPONSES):
        raise StoreError(f"no {RESPONSES}")
    if header.read(folder) is None:
        raise StoreError(f"no {header.HEADER}")


def _is_run(folder: Path) -> bool:
    return any(is_there(folder / name) for name in OF_A_RUN)


def _within(folder: Path) -> list[Path]:
    try:
        return list(folder.iterdir())
    except OSError as error:
        raise StoreError(f"{folder}: cannot be read: {error.strerror}.") from None
