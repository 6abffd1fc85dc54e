"""What every export has in common: the files it came to, their order, their names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from apieval.errors import ConfigError
from apieval.records import SETTINGS, Setting, well_formed
from apieval.report.files import write_text

Part = tuple[Setting, int]
"""A setting and a sample: they have a file of their own where the layout cannot say which it is."""


@dataclass(frozen=True, slots=True)
class Exported:
    """The files that were written, and what they cannot say."""

    files: tuple[Path, ...]
    warnings: tuple[str, ...]


def refuse_begun(folder: Path, given: object) -> None:
    """Refuse answers that were begun for the model, where the layout has no word for it.

    Raises:
        ConfigError: for these.
    """
    if given is not None:
        raise ConfigError(
            f"{folder}: these answers were begun with right steps (--given), which no other tool's "
            "layout can say; export a run without."
        )


def order(part: Part) -> tuple[int, int]:
    """Return what parts are put in order by."""
    return SETTINGS.index(part[0]), part[1]


def named(name: str, part: Part, among: Iterable[Part]) -> str:
    """Return a file's name, with the number of the sample where there are several."""
    return f"{name}_{part[1]}" if any(sample for _, sample in among) else name


def write(path: Path, lines: Iterable[str]) -> Path:
    """Write lines to a file, whole or not at all, and return its path.

    Raises:
        StoreError: where it cannot be written.
    """
    return write_text(path, (f"{well_formed(line)}\n" for line in lines))
