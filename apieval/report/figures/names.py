"""Names as they can be drawn: one line, no mark that turns it, no character the font lacks.

Names come from configurations, servers and files, and may hold anything.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from typing import Final

from apieval.records import well_formed
from apieval.report.figures import canvas
from apieval.report.terminal import shortened, visible

WIDEST: Final = 22
"""How many letters of a name find room beside a figure."""
_LACKING: Final = "□"
_NAMELESS: Final = "(no name)"


def told(name: str) -> str:
    """Return a name for a caption: one line, made visible, without what is no character."""
    line = visible(" ".join(well_formed(name).split()))
    return "".join("�" if unicodedata.category(c) == "Cn" else c for c in line) or _NAMELESS


def drawable(name: str, width: int = WIDEST) -> str:
    """Return a name for a figure, shortened in its middle; what the font lacks is a box.

    Marks that stand on letters are left out where there is no letter with them: piled up they
    would cover what stands above.
    """
    composed = unicodedata.normalize("NFC", told(name))
    kept = (c for c in composed if unicodedata.category(c) not in {"Mn", "Me", "Cf"})
    has = canvas.glyphs()
    return shortened("".join(c if ord(c) in has else _LACKING for c in kept), width)


def apart(names: Sequence[str]) -> list[str]:
    """Return names for a figure that all differ: those drawn alike have a number."""
    drawn = [drawable(name) for name in names]
    return [
        f"{drawable(name, WIDEST - 4)} ({at})" if drawn.count(drawn[at - 1]) > 1 else drawn[at - 1]
        for at, name in enumerate(names, start=1)
    ]
