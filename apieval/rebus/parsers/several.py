"""What is said of a value beside it: a correction counts as its last word, an alternative as no answer.

Which of several values is meant is told by words alone, never by which would be right.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

ARROW: Final = re.compile(
    r" ?(?:[=-]{1,2}+>|[\u2192\u21d2\u27f6\u27a1\u279c\u21a6\u2b95\u274c\u2717\u2718]\ufe0f?) ?"
)
_TAKES_BACK: Final = (
    r"(?:anzi(?: no)?|o meglio|o piuttosto|correzione|correggo|mi correggo|correggiamo|rettific[ao]|errata corrige|edit|intendevo|"
    r"volevo dire|pardon|ops|oops|(?:no,? )?aspetta(?:te)?|no,? (?:anzi|scusa(?:te)?|meglio|ripensandoci)|"
    r"scusa(?:te)?(?:,? (?:no|intendevo|volevo dire))?|(?:ri)?pensandoci(?: bene| meglio)?|(?:no,? )?wait(?:,? no)?|no wait|actually|i mean|or rather|"
    r"make that|correction|scratch that|hmm+,? no)"
)
_CORRECTS: Final = re.compile(
    rf"(?:^|[ ,;:.!?…(–—-])(?P<sure>{_TAKES_BACK})(?=[ ,:;.!…–—-])[ ,:;.!…–—-]{{1,6}}+"
    r"|[,;:.!?…(–—-] ?no[,:;.!…]{1,3}+ (?=\S)",
    re.IGNORECASE,
)
_ELSE: Final = re.compile(
    r"[ ,;:.(–—-]{0,4}+(?:(?:e|ma|and|but) )?(?:oppure|in alternativa|alternativ[ae](?:mente)?|o|od|or|or else"
    r"|either|altrimenti|possibile anche|eventualmente|o(?:ppure)? forse|forse|magari|maybe|perhaps|or maybe|possibly|alternatively"
    r"|an alternative|un'altra (?:possibilità|opzione|soluzione)|potrebbe (?:anche )?essere|vs\.?|alt\.?)"
    r"(?: anche| è| sarebbe| is)?(?: ?[:,] ?| )(?=[^\W\d_]{2})",
    re.IGNORECASE,
)
_ALTERNATIVE: Final = re.compile(
    r"(?:e |ma |and )?(?:oppure|in alternativa|alternativ[ae](?:mente)?|alternatively|an alternative(?: solution)?"
    r"|(?:un'|un )?altra (?:possibile )?(?:soluzione|possibilità|opzione|lettura|parola)(?: possibile)?"
    r"|(?:soluzione|risposta|parola|lettura) alternativa|altrimenti|or|or maybe|o forse|o anche"
    r"|another (?:possible )?(?:solution|option|possibility)|other option|alternative solution)"
    r"(?: (?:è|sarebbe|potrebbe essere|is|could be|may be))?(?: ?[:,] ?| )",
    re.IGNORECASE,
)
_CORRECTION: Final = re.compile(
    rf"(?:no[,.:!…]{{1,3}}+ ?)?(?:{_TAKES_BACK}|no(?=[,.:!…]))[ ,:;.!…–—-]{{1,6}}+", re.IGNORECASE
)
_WITHDRAWN: Final = re.compile(
    r"(?:no|wait|aspetta|hmm+|anzi|ops|oops|però|ma|but|tuttavia|purtroppo)[ ,.:!…-].{0,200}?"
    r"(?:non (?:torna|va|funziona|quadra|combacia|corrisponde|rispetta|è (?:giust|corrett|possibil))|sbagli|errat"
    r"|riprov|rivedi|ricontroll|riconsider|doesn't|does not|not (?:right|correct)|wrong|let me)",
    re.IGNORECASE,
)
_LINE: Final = 300
"""A line that is longer is prose, and takes nothing back."""


class Correction(NamedTuple):
    """What a text is corrected to; a `no` alone may say another thing, and is not `sure`."""

    text: str
    sure: bool


def corrected(text: str) -> Correction | None:
    """Return what stands behind the last word that takes back what is before it; None without one."""
    last = None
    for last in _CORRECTS.finditer(text):  # noqa: B007 # the last one
        pass
    if last is None or not text[: last.start()].strip():
        return None
    rest = text[last.end() :].strip()
    again = _CORRECTION.match(rest)
    return Correction(rest[again.end() :] if again else rest, bool(last["sure"] or again))


def after_arrow(text: str) -> tuple[str, str] | None:
    """Return what stands before and behind the last arrow of a text; None without one."""
    last = None
    for last in ARROW.finditer(text):  # noqa: B007 # the last one
        pass
    if last is None or not last.start():
        return None
    return text[: last.start()].strip(), text[last.end() :].strip()


def another(text: str) -> str | None:
    """Return what a remark offers instead of a value; None where it offers nothing."""
    found = _ELSE.match(text)
    return text[found.end() :] if found else None


def alternative(line: str) -> str | None:
    """Return what a line offers instead of what stands before it; None where it is no such line."""
    line = line.lstrip("([ ")
    found = _ALTERNATIVE.match(line) if len(line) < _LINE else None
    return line[found.end() :].strip(" )]") if found else None


def correction(line: str) -> str | None:
    """Return what a line corrects what stands before it to, be it nothing; None where it is none."""
    found = _CORRECTION.match(line) if len(line) < _LINE else None
    return line[found.end() :].strip() if found else None


def withdraws(line: str) -> bool:
    """Return whether a line takes back what stands before it, and says nothing in its place."""
    return len(line) < _LINE and _WITHDRAWN.match(line) is not None
