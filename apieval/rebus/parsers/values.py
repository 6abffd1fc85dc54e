"""What a line says, without what is said beside it: remarks, quotation marks, a final stop.

A value is found, or it is none and why not. What the key and the rebus's letters hold of
punctuation belongs to the value; what is more than that is decoration.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final, NamedTuple

from apieval.rebus.along_key import WORD
from apieval.rebus.parsers.first_pass import respaced
from apieval.rebus.parsers.lines import Said
from apieval.rebus.parsers.question import Question
from apieval.rebus.parsers.stops import own_stop


class Value(NamedTuple):
    """A value, or none and why; `unsure` where there is more than one to choose from."""

    text: str
    kinds: frozenset[str] = frozenset()
    why: str = ""
    unsure: bool = False


NO_WORD: Final = "its line holds no word"
ONLY_A_REMARK: Final = "its line holds a remark alone"
SEVERAL: Final = "its line offers several"

_PLAIN: Final = re.compile(r"[^\W_](?:[^\W_]|'| (?! ))*+(?<! )")
_CLOSING: Final = {'"': '"', "'": "'", "“": "”", "”": "”", "«": "»", "»": "«", "„": "“", "‹": "›"}
_MARKS: Final = '"“”„«»‹›'
_LAYERS: Final = 3
"""How deep quotation marks and emphasis are nested, at most."""
_ASIDES: Final = (
    " - ",
    " – ",
    " — ",
    " // ",
    " <- ",
    " ← ",
    " => ",
    " -> ",
    " → ",
    " | ",
    "; ",
    ". ",
)
"""What begins a remark; within a solution only where all of the key's words stand before it."""
_COMMA: Final = re.compile(r"[,:] (?=\S+ \S)")
_EXPLAINS: Final = re.compile(
    r"(?:,? (?:cioè|ossia|i\.e\.)|, (?:ovvero|che|infatti|perché|poiché|dove|in quanto|quindi|come"
    r"|inteso|intesa|nel senso|which|because|meaning)) "
)
_HALF_BRACKETED: Final = re.compile(r"\([^\W_]+ \(")
"""A word with the first bracket of a solution's own, and a remark: `(momento (7)`."""
_ELIDED: Final = re.compile(r"[b-df-hj-np-tv-z]' [^\W\d_]", re.IGNORECASE)
_OR: Final = re.compile(r" ?/ ?| oppure | or ")
_BETWEEN: Final = re.compile(r" [+/|–—·•-] ")
_SIGNS: Final = re.compile(r"""[()\[\]{}"“”«»„+/|,;·•&–—>-]|\u2192""")


def word(said: Said) -> Value:
    """Return a guess or a solution word: one word, as far as the answer keeps to it."""
    text = said.value
    if _PLAIN.fullmatch(text) and " o" not in text:
        return _joined(text, said.kinds)
    kinds = set(said.kinds)
    text = _bare(text, said.spans, kinds)
    if _HALF_BRACKETED.match(text) and text.count("(") > text.count(")"):
        text = text[1:]
    outside, inside = _unbracketed(text)
    if outside != text:
        kinds.add("remark")
        if not any(map(str.isalnum, outside)):
            inside = _edges(inside, kinds).strip("'")
            text = inside if inside.isalnum() else ""
            return Value(text, frozenset(kinds), "" if text else ONLY_A_REMARK)
    text = _before(outside, _ASIDES, kinds)
    if found := _COMMA.search(text):
        kinds.add("remark")
        text = text[: found.start()]
    text = _edges(text, kinds)
    if _OR.search(text):
        return Value("", frozenset(kinds), SEVERAL, unsure=True)
    return _joined(text, frozenset(kinds))


def _joined(text: str, kinds: frozenset[str]) -> Value:
    """Return a word; one that is spelled letter by letter is put together."""
    letters = text.split(" ")
    if len(letters) > 1 and text.isupper() and all(len(letter) == 1 for letter in letters):
        return Value("".join(letters), kinds | {"spaced_letters"})
    return Value(text, kinds) if text else Value("", kinds, NO_WORD)


def first_pass(said: Said, question: Question) -> Value:
    """Return a first pass, in the rebus's own spacing where its letters are in their places."""
    kinds = set(said.kinds)
    text = said.value
    for found, kind in _readings(text, said.spans):
        spaced = respaced(found, question)
        if spaced is not None:
            changed = {kind} - {""}
            if spaced.lower() != " ".join(found.split()).lower():
                changed.add("spaced_letters")
            return Value(spaced, frozenset(kinds | changed))
    outside, _ = _unbracketed(text)
    if outside != text:
        kinds.add("remark")
    text = _edges(outside, kinds, "".join(question.letters))
    return Value(text, frozenset(kinds), "" if text else NO_WORD)


def _readings(text: str, spans: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a first pass, the plainest first, and what each sees through."""
    yield text, ""
    yield text.rstrip(".;, "), "full_stop"
    for span in spans:
        if text.startswith(span):
            yield span, "remark"
    outside = _unbracketed(text)[0].rstrip(".;, ")
    yield outside, "remark"
    yield _SIGNS.sub(" ", outside), "separator"
    yield _SIGNS.sub(" ", text.rstrip(".;, ")), "separator"


def solution(said: Said, question: Question) -> Value:
    """Return a solution; the key says how many words it has and which punctuation is its own."""
    text, key = said.value, question.key
    if _PLAIN.fullmatch(text) and " o" not in text and not said.spans:
        return Value(text, said.kinds)
    kinds = set(said.kinds)
    wanted = len(question.lengths)
    if count(text) != wanted:
        text = _bare(text, said.spans, kinds, wanted)
    if text.count("(") > key.count("("):
        outside, inside = _unbracketed(text, keep=key.count("("))
        kinds.add("remark")
        text = outside or inside
    text = _edges(text, kinds, key)
    if count(text) != wanted:
        text = _edges(_without_remark(text, wanted, kinds), kinds, key)
    elif "-" not in key and _BETWEEN.search(text):
        kinds.add("separator")
        text = _BETWEEN.sub(" ", text)
    if count(text) != wanted and _OR.search(text):
        return Value("", frozenset(kinds), SEVERAL, unsure=True)
    return Value(text, frozenset(kinds), "" if text else NO_WORD)


def count(text: str) -> int:
    """Return how many words a text has, as a key counts them."""
    return sum(1 for _ in WORD.finditer(text))


def _without_remark(text: str, wanted: int, kinds: set[str]) -> str:
    """Return what stands before a remark, where it is as many words as the key has numbers."""
    begins = [text.find(sign) for sign in _ASIDES]
    found = _EXPLAINS.search(text)
    if found:
        begins.append(found.start())
    for at in sorted(at for at in begins if at > 0):
        if count(text[:at]) == wanted:
            kinds.add("remark")
            return text[: at + own_stop(text, at)]
    return text


def _bare(text: str, spans: tuple[str, ...], kinds: set[str], wanted: int = 0) -> str:
    """Return what is set apart at the beginning, by emphasis or quotation marks, and not the rest."""
    close = _CLOSING.get(text[:1])
    quoted = [text[: end + 1]] if close and (end := _closed(text, close)) > 0 else []
    for span in (*spans, *quoted):
        rest = text.removeprefix(span)
        if rest != text and count(rest) and not rest[0].isalnum() and count(span) == (wanted or 1):
            kinds.add("remark")
            return span
    return text


def _closed(text: str, close: str) -> int:
    """Return where the first quotation closes: of `'l' ombra'` not at what joins two words."""
    end = text.find(close, 1)
    if end > 0 and _ELIDED.match(text, end - 1):
        return max(end, text.find(close, end + 1))
    return end


def _before(text: str, signs: tuple[str, ...], kinds: set[str]) -> str:
    at = min((at for sign in signs if (at := text.find(sign)) > 0), default=0)
    if not at:
        return text
    kinds.add("remark")
    return text[: at + own_stop(text, at)]


def _unbracketed(text: str, keep: int = 0) -> tuple[str, str]:
    """Return what stands outside of brackets and what inside; the first `keep` brackets are text."""
    outside: list[str] = []
    inside: list[str] = []
    depth = 0
    for part in re.split(r"([()\[\]])", text):
        if part in {"(", "["}:
            if keep and part == "(":
                keep -= 1
                outside.append(part)
                continue
            depth += 1
        elif part in {")", "]"} and depth:
            depth -= 1
        else:
            (inside if depth else outside).append(part)
    return " ".join("".join(outside).split()), " ".join("".join(inside).split())


def _edges(text: str, kinds: set[str], own: str = "") -> str:
    """Take off quotation marks around a value, and other signs about it, but its own."""
    for _ in range(_LAYERS):
        before = text
        if len(text) > 1 and text[0] == text[-1] == "'" and text.count("'") >= own.count("'") + 2:
            kinds.add("quotes")
            text = text[1:-1].strip()
        text = _without_tail(_without_head(text, kinds, own), kinds, own)
        if text == before:
            break
    return text if any(map(str.isalnum, text)) else ""


def _without_head(text: str, kinds: set[str], own: str) -> str:
    return _trimmed(text[::-1], _ending(text[::-1]), kinds, own)[::-1]


def _without_tail(text: str, kinds: set[str], own: str) -> str:
    """Take off the signs at the end that are more than the value's own."""
    end = _ending(text)
    return _trimmed(text, end + own_stop(text, end), kinds, own)


def _ending(text: str) -> int:
    """Return where the last word of a text ends."""
    end = len(text)
    while end and not _closes(text[end - 1]):
        end -= 1
    return end


def _trimmed(text: str, end: int, kinds: set[str], own: str) -> str:
    if end == len(text):
        return text
    body, tail = text[:end], text[end:]
    left = {sign: own.count(sign) - body.count(sign) for sign in {*tail} & {*own}}
    kept = []
    for sign in tail:
        if left.get(sign, 0) > 0:
            left[sign] -= 1
            kept.append(sign)
        elif sign != " ":
            kinds.add("quotes" if sign in _MARKS else "full_stop" if sign in ".,;:!?" else "symbol")
    return (body + "".join(kept)).rstrip()


def _closes(char: str) -> bool:
    """Return whether a word may end in a character: a letter, a digit, an apostrophe, a mark."""
    return char.isalnum() or char == "'" or unicodedata.combining(char) > 0
