"""A figure that is drawn and not yet printed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A drawn sheet, the name of its files, and its texts; `alt` says what is seen, for who cannot."""

    name: str
    title: str
    caption: str
    alt: str
    sheet: Sheet
