"""JSON that is almost JSON: what models' servers write by hand, read as it is meant.

What is repaired is named; what cannot be read raises a ValueError, and nothing is made up.
"""

from __future__ import annotations

import json
import re
from typing import Any, Final

UNESCAPED: Final = "control characters that its JSON does not escape"
MISWRITTEN: Final = "escapes, commas or numbers that are no JSON"
_STRICT: Final = json.JSONDecoder()
_LENIENT: Final = json.JSONDecoder(strict=False)
_NO_JSON: Final = re.compile(
    r'"(?:[^"\\]++|\\.)*+"?|,(?=\s*[}\]])', re.DOTALL
)  # a string, or a comma before an end
_NO_ESCAPE: Final = re.compile(
    r'\\(?:(["\\/bfnrt]|u[0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(.))', re.DOTALL
)
_MOST_MENDED: Final = 1_000_000
"""No answer is longer, and what is longer is not searched letter by letter."""


def decoded(text: str, start: int, repaired: list[str]) -> tuple[Any, int]:
    """Return the JSON that begins there and where it ends, with what it does not write as JSON."""
    try:
        return _STRICT.raw_decode(text, start)
    except ValueError:
        pass
    try:
        found, said = _LENIENT.raw_decode(text, start), UNESCAPED
    except ValueError:
        found, said = _rewritten(text, start), MISWRITTEN
    if said not in repaired:
        repaired.append(said)
    return found


def _rewritten(text: str, start: int) -> tuple[Any, int]:
    """Return the JSON that begins there once escapes and commas are written as JSON has them."""
    if len(text) - start > _MOST_MENDED:
        raise ValueError
    pieces: list[str] = []
    shifts: list[tuple[int, int]] = []  # where the new text goes on, and how much shorter it is
    last, length = start, 0
    for found in _NO_JSON.finditer(text, start):
        whole = found.group()
        new = "" if whole == "," else _NO_ESCAPE.sub(_escape, whole)
        if new != whole:
            pieces += [text[last : found.start()], new]
            length += found.start() - last + len(new)
            last = found.end()
            shifts.append((length, last - start - length))
    value, end = json.JSONDecoder(strict=False, parse_int=_number).raw_decode(
        "".join((*pieces, text[last:]))
    )
    return value, start + end + next((by for at, by in reversed(shifts) if at <= end), 0)


def _number(digits: str) -> int | float:
    """Return a number; one of thousands of digits is none that Python would read as whole."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


def _escape(found: re.Match[str]) -> str:
    """Return an escape as JSON writes it; of what is none, the backslash is a character."""
    right, code, other = found.groups()
    if right:
        return found.group()
    if code:
        return f"\\u00{code}"
    return "'" if other == "'" else f"\\\\{other}"
