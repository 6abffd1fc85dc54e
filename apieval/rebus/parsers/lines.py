"""What the lines of an answer say: a guess, a first pass, a solution word, a solution.

A line says at most one thing, whatever it is decorated with. What a line is follows from its form
and from the clues alone; whose answer it belongs to, and which of several counts, is another room's
matter (`blocks`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from itertools import pairwise
from typing import Final, NamedTuple

from apieval.patterns import regex
from apieval.rebus.parsers import several
from apieval.rebus.parsers.cleaning import Line, undecorated
from apieval.rebus.parsers.question import folded


class Says(StrEnum):
    """What a line says."""

    GUESS = "guess"
    FIRST_PASS = "first_pass"  # noqa: S105 # of a rebus
    WORD = "word"
    SOLUTION = "solution"
    FINAL = "final"
    """A final answer: a solution, if it has as many words as the key."""
    PERHAPS = "perhaps"
    """A solution under a label that may stand before other things, too."""
    REBUS = "rebus"
    START = "start"
    BARE = "bare"
    """Nothing by itself: what it is follows from the line before it (see `linked`)."""


class Said(NamedTuple):
    """One thing said: `of` is the clue of a guess, folded, or the label of a solution word.

    Of a bare line `of` is the number it begins with. `doubt` tells why a value is none after all,
    `english` that its label is, `boxed` that it stands in a box.
    """

    says: Says
    value: str
    line: int
    of: str = ""
    kinds: frozenset[str] = frozenset()
    spans: tuple[str, ...] = ()
    doubt: str = ""
    english: bool = False
    boxed: bool = False


_SIGN: Final = "(?:[:=|\u2248]|[=-]{1,2}+>|[\u2192\u21d2\u27f6\u27a1\u279c\u21a6])"
_CLUE: Final = regex(
    r"\[([^\]]*+)\]((?: ?\([^()]{0,80}+\))?+ ?(?:"
    + _SIGN
    + r"|[–—-](?= )|(?:è|is|sta per|stands for|corrisponde a|diventa) "
    + r"""(?=["'“«]?[^\W\d_]++["'”»]?[.;,]?\Z)) ?)"""
)
_CALLED: Final = regex(
    r"(?:indizio|definizione|clue|definition)(?: ?n?[.°]? ?[0-9]{1,2})? ?[:.)–—-] ?(?=\[)",
    re.IGNORECASE,
)
"""What a clue is called before it stands."""
_GOES_ON: Final = regex(r"\s*+(?:" + _SIGN + r""") ?[*_"'“«]{0,3}[^\W\d_]""")
"""How a line begins whose clue stands in the line before it."""
_NUMBER: Final = regex(
    r"""\(?([0-9][0-9 '.,"«»()!?-]{0,60}?)(?: letter[aes]s?)?\)?(?: ?"""
    + _SIGN
    + r" ?|(?<=[0-9]) [–—-] (?=[^\W\d]))"
)
_LEAD: Final = (
    r"(?:(?:step|passo|fase|punto|passaggio) [0-9]{1,2} ?[:.)–—-] )?"
    r"(?:(?:ed ecco|abbiamo|otteniamo|ecco|quindi|dunque|allora|infine|perciò|pertanto|e|the|la|my|mia|so|then|thus|here is)"
    r"[ ,:]{1,2}){0,4}+"
)
_ASIDE: Final = r"(?: ?\([^()]{0,80}+\)|, (?:con|in base|secondo|seguendo|with) [^,:]{1,60}+,?)?+"
_END: Final = (
    r"(?:(?: ?(?:è|e'|is)(?= ?:)| ?[\u2500-\u2bff\U0001f000-\U0001ffff]{1,3}+(?= ?:))? ?"
    + _SIGN
    + r" ?| ?[–—-] | ?[\u2500-\u2bff\U0001f000-\U0001ffff]{0,3}+$)"
)
_FIRST_PASS: Final = regex(
    _LEAD
    + r"(?:prima lettura|1[aª°]? lettura|lettura prima|first[ -](?:reading|pass|read))"
    + r"(?: (?:completa|finale|del|di|questo|rebus|is|è|diventa)){0,4}+"
    + _ASIDE
    + _END,
    re.IGNORECASE,
)
_SOLUTION: Final = regex(
    _LEAD
    + r"(?:(?:final|complete|full|correct|corrected|revised|updated|new|nuova) )?"
    + r"(?:soluzione|solution|frase risolutiva|frase risolvente)"
    + r"(?: (?:finale|completa|definitiva|corretta|giusta|esatta|rivista|riveduta|aggiornata|la seguente|proposta|trovata|ottenuta|risolutiva|del|di|questo"
    + r"|al|rebus|gioco|phrase|of|for|to|the|this|is|è|sarebbe|e')){0,6}+"
    + _ASIDE
    + _END,
    re.IGNORECASE,
)
_FINAL: Final = regex(
    _LEAD
    + r"(?:(?:final|corrected|revised) (?:answer|phrase|result)|(?:risposta|frase) (?:finale|corretta|definitiva)|risultato finale)"
    + r"(?: (?:del rebus|to the rebus|is|è|e')){0,2}+"
    + _ASIDE
    + _END
    + "|"
    + _LEAD
    + r"(?:soluzione|risposta|frase) (?:corretta|giusta|esatta|definitiva) è "
    + r"""(?-i:(?=["“«*'A-ZÀ-Ý]))""",
    re.IGNORECASE,
)
_PERHAPS: Final = regex(
    _LEAD
    + r"(?:(?:risposta|answer|frase|risultato|result|phrase|conclusione|conclusion)"
    + _ASIDE
    + _END
    + r"|(?:soluzione|solution|risposta|answer|frase)(?: (?:finale|del rebus|to the rebus))?+"
    + r" (?:è|is|e') (?:(?:quindi|dunque|perciò|allora|pertanto|therefore|thus),? )?"
    + r"|(?:soluzione|solution|risposta|answer|frase|phrase|risultato)(?: (?:risolutiva|risolvente|finale|completa"
    + r"|nascosta|ottenuta|corretta|del|di|questo|of|for|to|the|this|rebus|gioco)){0,5}+"
    + r" (?:è|is|e'|sarebbe|risulta|diventa)(?: (?:quindi|dunque|perciò|allora|pertanto|therefore|thus))?:? "
    + r"""(?-i:(?=["“«*'A-ZÀ-Ý])))""",
    re.IGNORECASE,
)
_OPTION: Final = regex(
    r"(?:la )?(?:soluzione|opzione|ipotesi|alternativa|option|solution|possibilità|risposta) ?(?:n[.°]? ?)?"
    r"\(?([1-9a-c])\)? ?(?:" + _SIGN + r"|[–—-] ) ?(.+)",
    re.IGNORECASE,
)
"""One of several solutions, as its number tells."""
_IS_IT: Final = regex(
    r"(.{3,120}?)(?<! non)(?<! not),? (?:è|is|sarebbe) (?:la|the) (?:soluzione|frase risolutiva|risposta|solution|answer)\b",
    re.IGNORECASE,
)
_REBUS: Final = regex(r"(?:il |the )?rebus(?: [0-9]+)?+ ?: ?", re.IGNORECASE)
_START: Final = regex(
    r"procediamo\b|(?:esempio|example) ?[0-9]?+ ?(?::|$)|ora tocca a te|passo per passo|step by step",
    re.IGNORECASE,
)
_WORDS_WITHIN: Final = regex(r" ?[|;,+] ?(?=[0-9]{1,2} ?[=:] ?[^\W\d_])")
"""What parts solution words that stand in one line, each with its number."""
_MAY_LABEL: Final = regex(
    "lettura|reading|pass|read|soluzi|solutio|risolv|risoluti|rispost|answer|frase|phrase|risulta"
    "|result|conclusi|rebus|procediamo|esempio|example|tocca|step",
    re.IGNORECASE,
)
"""What is in every label; to look for it is quicker than to try them all."""
_LABEL_WITHIN: Final = regex(
    "(?=Prima lettura:|Soluzione:)"
    r"|(?<=[.!?…:,] )(?=(?:La s|S|s|la s)oluzione (?:finale|corretta|definitiva|giusta|esatta)"
    r"(?:(?: è)? ?:| è [\"“«A-ZÀ-Ý]))"
)
_TEMPLATE: Final = {"Prima lettura: ": Says.FIRST_PASS, "Soluzione: ": Says.SOLUTION}
LABELLED: Final = {Says.FIRST_PASS, Says.SOLUTION, Says.FINAL, Says.PERHAPS}
_ITEM: Final = regex(
    r"[ \t>*_•–—-]{0,12}+[(\[]?([0-9]{1,3})[.)\]°]{1,2}[*_]{0,3} |[ \t]{0,8}([*•–-]) "
)
_BLOCKS: Final = frozenset({"|", ">", "|-", ">-", "|+", ">+"})
"""What begins a text of several lines in YAML."""
_LAST: Final = regex("final|correct|complete|full", re.IGNORECASE)
_ENGLISH: Final = regex("soluti|answer|phrase|result|reading|pass|read", re.IGNORECASE)
"""What makes a label English; no Italian one holds it."""
_BEFORE_CLUE: Final = regex(r"[\d.|\-] $")


_CROSSED: Final = regex("[\\s*#>-]{0,12}+[\u274c\u2717\u2718][^\u2705\u2713\u2714]*+\\Z")
"""A line that begins with a cross, and has no other sign."""
REJECTED: Final = "its line says that it is wrong"


def said(text: str, clues: tuple[str, ...]) -> Iterator[Said]:
    """Yield what a text says, in order; `clues` are those of the rebus, as `folded` gives them."""
    clue = ""
    for number, raw in enumerate(text.split("\n")):
        if not raw or raw.isspace():
            continue
        goes_on = clue and _GOES_ON.match(raw)
        shown = f"{clue} {raw.strip()}" if goes_on else raw
        clue = "" if goes_on or not raw.rstrip().endswith("]") else raw.rstrip()
        if raw.lstrip().startswith(("```", "~~~")):
            continue
        line = undecorated(shown)
        for each in parts(line, shown, number, clues):
            if each is None:
                if not any(map(str.isalnum, line.text)):
                    continue  # a rule, or what underlines a heading
                found = _ITEM.match(raw)
                kinds, of = frozenset(line.kinds), (found[1] or found[2]) if found else ""
                yield Said(Says.BARE, line.text, number, of, kinds, line.spans, boxed=line.boxed)
            elif _CROSSED.match(raw):
                yield each._replace(doubt=REJECTED)
            else:
                yield each


def parts(line: Line, raw: str, number: int, clues: tuple[str, ...]) -> Iterator[Said | None]:
    """Yield what a line says, more than one thing only where a label stands in its middle."""
    text = _row(line.cells, raw, clues) if line.cells else line.text
    if text[:1].isdigit() and _WORDS_WITHIN.search(text):
        for part in _WORDS_WITHIN.split(text):
            yield _one(part, line, raw, number, clues)
        return
    if ":" not in text and "oluzione" not in text:
        yield _one(text, line, raw, number, clues)
        return
    for part in _LABEL_WITHIN.split(text):
        if part:
            yield _one(part.rstrip(), line, raw, number, clues)


def _row(cells: tuple[str, ...], raw: str, clues: tuple[str, ...]) -> str:
    """Return the cells of a table's row that name a thing and say it; none, no text.

    Those are two, but for a solution whose words have a cell each. What begins with no cell is no
    row, but a line whose value is parted so.
    """
    labels = (_CLUE, _NUMBER, _FIRST_PASS, _SOLUTION)
    if not raw.lstrip().startswith("|") and any(label.match(cells[0]) for label in labels):
        return " | ".join(cells)
    for at, (name, value) in enumerate(pairwise(cells)):
        if _SOLUTION.fullmatch(name):
            return " | ".join(cells[at:])
        text = f"{name} | {value}"
        number = _NUMBER.match(text)
        if (
            (name.startswith("[") and name.endswith("]"))
            or (number and any(map(str.isalpha, value)) and not value.startswith("["))
            or _FIRST_PASS.match(text)
            or _SOLUTION.match(text)
            or _FINAL.match(text)
            or (len(name) < _LONGEST_CLUE and folded(name) in clues)
        ):
            return text
    return ""


def _one(text: str, line: Line, raw: str, number: int, clues: tuple[str, ...]) -> Said | None:
    if called := _CALLED.match(text):
        text = text[called.end() :]
    if text.startswith("["):
        return _guess(text, line, raw, number)
    if text[:1].isdigit() or text.startswith("("):
        told = _word(text, line, number) or _labelled(text, line, number)
        return told or _unbracketed(text, line, number, clues)
    for label, says in _TEMPLATE.items():
        if text.startswith(label):
            value = _unlabelled(text[len(label) :])
            return Said(says, value, number, "", frozenset(line.kinds), line.spans)
    if line.spans and text.startswith(line.spans[0]) and _SOLUTION.fullmatch(line.spans[0]):
        value = text[len(line.spans[0]) :].lstrip(" :=–—-")
        return Said(Says.SOLUTION, value, number, "", frozenset({*line.kinds, "label"}), line.spans)
    if (line.boxed or _MAY_LABEL.search(text)) and (labelled := _labelled(text, line, number)):
        return labelled
    return _unbracketed(text, line, number, clues)


def _guess(text: str, line: Line, raw: str, number: int) -> Said | None:
    found = _CLUE.match(text)
    if found is None:
        return None
    kinds, value = set(line.kinds), text[found.end() :]
    if line.cells:
        pass  # the cells' own sign
    elif found[2] != " = ":
        kinds.add("remark" if "(" in found[2] else "separator")
    elif " = " in value:
        value = value.rpartition(" = ")[2]
    if not _BEFORE_CLUE.search(raw[: raw.find("[")]):
        kinds.add("bullet")
    return Said(Says.GUESS, value, number, folded(found[1]), frozenset(kinds), line.spans)


def _word(text: str, line: Line, number: int) -> Said | None:
    found = _NUMBER.match(text)
    if found is None:
        return None
    kinds, value = set(line.kinds), text[found.end() :]
    if not line.cells and text[found.end(1) : found.end()] != " = ":
        kinds.add("separator")
    made, sign, word = value.rpartition(" = ")
    if sign and word.isalpha() and not made.isalpha():
        kinds.add("remark")
        value = word
    return Said(Says.WORD, value, number, found[1], frozenset(kinds), line.spans)


def _labelled(text: str, line: Line, number: int) -> Said | None:
    for says, pattern in (
        (Says.FIRST_PASS, _FIRST_PASS),
        (Says.SOLUTION, _SOLUTION),
        (Says.FINAL, _FINAL),
        (Says.PERHAPS, _PERHAPS),
    ):
        if found := pattern.match(text):
            kinds = frozenset({*line.kinds, "label"})
            english = _ENGLISH.search(found[0]) is not None and not _LAST.search(found[0])
            value = _unlabelled(text[found.end() :])
            value = "" if value in _BLOCKS else value
            return Said(says, value, number, "", kinds, line.spans, "", english, line.boxed)
    return _otherwise(text, line, number)


def _unlabelled(value: str) -> str:
    """Return a value without a second label before it: `la soluzione è "..."`."""
    if _MAY_LABEL.search(value) and (found := _SOLUTION.match(value) or _PERHAPS.match(value)):
        rest = value[found.end() :]
        return value if not rest or rest[0].islower() else rest
    return value


def _otherwise(text: str, line: Line, number: int) -> Said | None:
    """Return what a line says that is no part's by the label before it."""
    kinds = frozenset({*line.kinds, "label"})
    if found := _OPTION.match(text):
        return Said(Says.SOLUTION, found[2], number, found[1].lower(), kinds, line.spans)
    found = _IS_IT.match(text)
    if found and several.another(text[found.end() :]) is None:
        return Said(Says.PERHAPS, found[1], number, "", kinds, line.spans)
    if (found := _REBUS.match(text)) and "[" in text:
        return Said(Says.REBUS, text[found.end() :], number)
    if _START.search(text):
        return Said(Says.START, text, number)
    return Said(Says.SOLUTION, text, number, "", kinds, line.spans) if line.boxed else None


def _unbracketed(text: str, line: Line, number: int, clues: tuple[str, ...]) -> Said | None:
    """Return a guess whose clue lost its brackets, or stands behind the word: only a clue of this rebus.

    Only such a one is known by its words.
    """
    if found := _REVERSED.fullmatch(text):
        if (of := folded(found[2])) and of in clues:
            kinds = frozenset({*line.kinds, "reversed"})
            return Said(Says.GUESS, found[1], number, of, kinds, line.spans)
        return None
    for sign in (" = ", ": ", " -> ", " → ", " | "):
        clue, there, value = text.partition(sign)
        if there and value and len(clue) < _LONGEST_CLUE and (of := folded(clue)) and of in clues:
            kinds = frozenset({*line.kinds, "brackets"})
            return Said(Says.GUESS, value, number, of, kinds, line.spans)
    return None


_LONGEST_CLUE: Final = 1_000
_REVERSED: Final = regex(
    r"(?!(?:indizio|definizione|clue|rebus|soluzione|parola|domanda|testo|descrizione|definition|hint)\b)"
    r"([^\W\d_][\w']{0,60}) ?(?:" + _SIGN + r"|è) ?\[([^\[\]]{1,1000})\][.;,]?",
    re.IGNORECASE,
)
