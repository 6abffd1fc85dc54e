"""Marks that stand on letters, piled up by the thousand: they would cover what stands above."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

KEPT: Final = 4
"""Marks that a letter keeps; no language puts more on one."""
_FIRST: Final = "\u0300"
_LAST: Final = 0x1E950
"""Behind all marks; selectors of variants, further on, are shown as escapes."""


def unpiled(text: str) -> str:
    """Return a text in which no letter has more than a few marks; how many there were is told."""
    if text.isascii() or max(text) < _FIRST:
        return text
    return _piled().sub(lambda found: f"{found[1]}[+{len(found[2]):,} marks]", text)


@cache
def _piled() -> re.Pattern[str]:
    marks = [c for c in map(chr, range(ord(_FIRST), _LAST)) if unicodedata.category(c)[0] == "M"]
    some = f"[{''.join(marks)}]"
    return re.compile(f"({some}{{{KEPT}}})({some}+)")
