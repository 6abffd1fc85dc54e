"""What a report is asked with, and what comes of it; `reported` makes it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

Items = Literal["none", "wrong", "all"]
ITEMS: Final[tuple[Items, ...]] = ("none", "wrong", "all")
"""Which rebuses the page shows one by one."""
FIGURES: Final = "figures"
"""The folder of the drawings, beside the page."""


@dataclass(frozen=True, slots=True)
class Reported:
    """The files of a report, and what speaks against it."""

    files: tuple[Path, ...]
    doubts: tuple[str, ...]
