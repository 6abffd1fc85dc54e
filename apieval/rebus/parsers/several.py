"""What is said of a value beside it: a correction counts as its last word, an alternative as no answer.

Which of several values is meant is told by words alone, never by which would be right.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from apieval.patterns import regex

ARROW: Final = regex(
    r" ?(?:[=-]{1,2}+>|[\u2192\u21d2\u27f6\u27a1\u279c\u21a6\u2b95\u274c\u2717\u2718]\ufe0f?) ?"
)
_TAKES_BACK: Final = (
    r"(?:anzi(?: no)?|o meglio|o piuttosto|correzione|correggo|mi correggo|correggiamo|rettific[ao]|errata corrige|edit|intendevo|"
    r"volevo dire|pardon|ops|oops|(?:no,? )?aspetta(?:te)?|no,? (?:anzi|scusa(?:te)?|meglio|ripensandoci)|"
    r"scusa(?:te)?(?:,? (?:no|intendevo|volevo dire))?|(?:ri)?pensandoci(?: bene| meglio)?|(?:no,? )?wait(?:,? no)?|no wait|actually|i mean|or rather|"
    r"make that|correction|scratch that|hmm+,? (?:no|meglio)"
    r"|(?:ora |poi )?(?:corrett|cambiat)[oa] in|(?:corrett[oa]|corrected|update|revisione|leggi|ricontrollando)(?= ?:)"
    r"|(?:scusa(?:te)?,? )?ho sbagliato(?:, è)?|errore mio|chiedo scusa|mi sono (?:sbagliat|confus)[oa]|(?:sorry,? )?i meant)"
)
_CORRECTS: Final = regex(
    rf"(?:^|[ ,;:.!?…(–—-])(?P<sure>{_TAKES_BACK})(?=[ ,:;.!…)–—-])[ ,:;.!…)–—-]{{1,6}}+"
    r"|[,;:.!?…(–—-] ?no[,:;.!…]{1,3}+ (?=\S)",
    re.IGNORECASE,
)
_ELSE: Final = regex(
    r"[ ,;:.(–—-]{0,4}+(?:(?:ma|but) (?:anche|also) |(?:(?:e|ma|and|but) )?"
    r"(?:oppure|ovvero|in alternativa|alternativ[ae](?:mente)?|in subordine|or else|o(?:d|r)?(?: forse| maybe)?"
    r"|either|altrimenti|possibile anche|eventualmente|oppure forse|forse|magari|maybe|perhaps|possibly|alternatively"
    r"|an alternative|un'altra (?:possibilità|opzione|soluzione)|potrebbe (?:anche )?essere|(?:could|might) (?:also )?be"
    r"|vs\.?|alt\.?)(?: anche| è| sarebbe| is)?(?: ?[:,] ?| ))(?=[^\W\d_]{2})",
    re.IGNORECASE,
)
_ALTERNATIVE: Final = regex(
    r"(?:e |ma |and )?(?:oppure|in alternativa|alternativ[ae](?:mente)?|alternatively|an alternative(?: solution)?"
    r"|(?:un'|un )?altra (?:possibile )?(?:soluzione|possibilità|opzione|lettura|parola)(?: possibile)?"
    r"|(?:soluzione|risposta|parola|lettura) alternativa|altrimenti|or|or maybe|o forse|o anche"
    r"|another (?:possible )?(?:solution|option|possibility)|other option|alternative solution"
    r"|(?:potrebbe|could|might) (?:(?:anche|also) )?(?:essere|be)(?: anche)?)"
    r"(?: (?:è|sarebbe|potrebbe essere|is|could be|may be))?(?: ?[:,] ?| )",
    re.IGNORECASE,
)
_CORRECTION: Final = regex(
    rf"(?:no[,.:!…]{{1,3}}+ ?)?(?:{_TAKES_BACK}|in realtà|no(?=[,.:!…]))[ ,:;.!…)–—-]{{1,6}}+",
    re.IGNORECASE,
)
_WITHDRAWN: Final = regex(
    r"(?:no|wait|aspetta|hmm+|anzi|ops|oops|però|ma|but|tuttavia|purtroppo)[ ,.:!…-].{0,200}?"
    r"(?:non (?:torna|va|funziona|quadra|combacia|corrisponde|rispetta|è (?:giust|corrett|possibil))|sbagli|errat"
    r"|riprov|rivedi|ricontroll|riconsider|doesn't|does not|not (?:right|correct)|wrong|let me)"
    r"|(?:quest[ao]|quell[ao]|tale|la|this|that|the)(?: (?:soluzione|risposta|frase|solution|answer))?(?: (?:però|sopra|above))?"
    r" (?:(?:è|is|was) (?:sbagliat|errat|scorrett|wrong|incorrect)"
    r"|(?:(?:is|was) not|isn't|non)\b.{0,20}?(?:corrett|giust|valid|correct|right))",
    re.IGNORECASE,
)
_REJECTED: Final = regex(
    r"[.…?!)][ )]{0,4}+no\b[^\w]{0,3}\Z"
    r"|(?:[([]|(?:<?[-–—]{1,2}|\u2190) ?)(?:no[)\].!]{0,3}\Z|(?:(?:ma|è|but|quest[ao]|is) ){0,2}(?:(?:errat|sbagliat|scorrett"
    r"|scartat)[oa]|(?:non|not) (?:(?:corrett|valid|giust)[oa]?|correct|torna|va|convince|rispetta|funziona|quadra|regge|combacia"
    r"|corrisponde)|tentativo fallito|da scartare|wrong|incorrect|rejected)\b)",
    re.IGNORECASE,
)
"""What stands beside a value that is none: a `no`, a word in brackets or behind a dash."""
_MARKED: Final = regex(
    r"\b(?:in realtà|actually|non escludo|piano b|plan b|(?:second[oa]|2[ªa°]) (?:scelta|ipotesi|opzione|choice)|tra quest[ao] e"
    r"|anche(?= .{3,80} (?:potrebbe|può|sarebbe|andrebbe)\b))(?: è)? ?[:,]? ?[\"“«]?(?=(?-i:[A-ZÀ-Ý]))",
    re.IGNORECASE,
)
"""What stands before another phrase that is named in a sentence."""
_CROSSES: Final = "\u274c\u2717\u2718\U0001f44e\U0001f6ab"
_SIGNS: Final = regex(f"[{_CROSSES}\u2705\u2713\u2714]")
"""Signs beside a value, the last of which counts: one of the first takes it back."""
_CROSSED: Final = regex(
    f"[{_CROSSES}]([^{_CROSSES}\u2705\u2713\u2714]{{1,200}}+)[\u2705\u2713\u2714] ?"
)
"""A value with a cross before it, where a tick stands before another."""
_WRONG: Final = regex(r"(?:errat|sbagliat|scorrett|wrong|incorrect)[oa]?\b", re.IGNORECASE)
_EITHER: Final = regex(r"(?:o|oppure|ovvero|in alternativa|or|altrimenti)[ .:,…]*+", re.IGNORECASE)
_LATER: Final = regex(
    r"[,;:.] (?:(?:e|ma|and|but) )?(?:potrebbe(?: anche)? essere|(?:could|might)(?: also)? be|(?:o )?forse|(?:or )?maybe|oppure"
    r"|in alternativa) ",
    re.IGNORECASE,
)
_SHOULD_BE: Final = regex(
    r"(?:(?:it|this|that|la soluzione|quella (?:corretta|giusta)) )?(?:should be|dovrebbe essere|deve essere|direi|is|è|it's) ",
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
    """Return what stands before and behind the last arrow of a text, or a cross and a tick; None without."""
    if (found := _CROSSED.match(text)) and text[found.end() :]:
        return found[1].strip(), text[found.end() :].strip()
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


def later(text: str) -> str:
    """Return what the last clause of a remark offers that offers anything; nothing without one."""
    return _LATER.split(text)[-1].strip() if _LATER.search(text) else ""


def named(text: str) -> str:
    """Return what stands where a sentence names another phrase; nothing where it names none."""
    found = _MARKED.search(text)
    return text[found.end() :] if found else ""


def rejected(text: str) -> bool:
    """Return whether a text says of its only value that it is none."""
    signs = _SIGNS.findall(text)
    return _REJECTED.search(text) is not None or bool(signs and signs[-1] in _CROSSES)


def wrong(text: str) -> bool:
    """Return whether what is said of a solution is that it is wrong."""
    return _WRONG.match(text) is not None


def either(line: str) -> bool:
    """Return whether a line stands between two solutions of which any may be meant."""
    return _EITHER.fullmatch(line) is not None


def alternative(line: str) -> str | None:
    """Return what a line offers instead of what stands before it; None where it is no such line."""
    line = line.lstrip("([ ")
    found = _ALTERNATIVE.match(line) if len(line) < _LINE else None
    return line[found.end() :].strip(" )]") if found else None


def correction(line: str) -> str | None:
    """Return what a line corrects what stands before it to, be it nothing; None where it is none."""
    line = line.lstrip("([ ")
    found = _CORRECTION.match(line) if len(line) < _LINE else None
    if found is None:
        return None
    rest = line[found.end() :].strip(" )]")
    if again := _CORRECTION.match(rest):
        rest = rest[again.end() :]
    return rest[copula.end() :] if (copula := _SHOULD_BE.match(rest)) else rest


def withdraws(line: str) -> bool:
    """Return whether a line takes back what stands before it, and says nothing in its place."""
    return len(line) < _LINE and _WITHDRAWN.match(line) is not None
