r"""An answer in JSON, YAML, XML or an `<answer>` tag, written out as the template has it.

What a key or tag is called tells what its value is; a name that is in no list tells nothing, and
what stands under it is looked into. Every pattern here takes linear time on any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from apieval.patterns import regex
from apieval.records import well_formed

_FIRST_PASS: Final = "Prima lettura"  # noqa: S105 # of a rebus
_SOLUTION: Final = "Soluzione"
_ANSWER: Final = "Risposta finale"
_ALTERNATIVE: Final = "In alternativa"
_WORDS: Final = "words"
_GUESSES: Final = "guesses"
NAMES: Final = {
    **dict.fromkeys(("primalettura", "firstpass", "firstreading", "firstread"), _FIRST_PASS),
    **dict.fromkeys(
        ("soluzione", "solution", "soluzionefinale", "finalsolution", "fraserisolutiva"), _SOLUTION
    ),
    **dict.fromkeys(
        ("answer", "risposta", "finalanswer", "rispostafinale", "frase", "phrase", "final", "result",
         "risultato", "output", "response"), _ANSWER
    ),
    **dict.fromkeys(
        ("alternativa", "alternative", "soluzionealternativa", "alternativesolution"), _ALTERNATIVE
    ),
    **dict.fromkeys(
        ("solutionwords", "parolesoluzione", "parolesoluzioni", "paroledellasoluzione", "paroledisoluzione",
         "segmentation", "segmentazione"), _WORDS
    ),
    **dict.fromkeys(
        ("wordguesses", "guesses", "definitions", "definizioni", "definitionresolution", "indizi", "clues",
         "risoluzionedefinizioni"), _GUESSES
    ),
}  # fmt: skip
"""What a value's key or tag is called, without case, blanks and signs."""
_CLUE_KEYS: Final = ("clue", "indizio", "definizione", "definition", "testo", "text")
_WORD_KEYS: Final = (
    "word",
    "parola",
    "guess",
    "risposta",
    "answer",
    "soluzione",
    "solution",
    "value",
)
_LENGTH_KEYS: Final = ("length", "lunghezza", "lettere", "letters", "key", "chiave")
_NO_LETTER: Final = regex(r"[\W\d_]+")
_OBJECT: Final = regex(r"^[ \t]*+([{\[])(?=\s*+[\"{}\]])", re.MULTILINE)
_OBJECTS: Final = 4
"""So many places are tried for a document: each may cost a pass over the text."""
_DEPTH: Final = 5
_PAIR: Final = regex(
    r"""^[ \t]*+(?:- )?(["']?)(\w[^\n"':=\[\]{}]{0,200})\1 ?: ?([^\n]*+)$""",
    re.MULTILINE,
)
_DICT: Final = regex(
    r"""[{,] ?'([^'\n:]{2,40})': ?(?:'([^'\n]{0,300})'|"([^"\n]{0,300})")(?: ?(?=\}))?"""
)
"""A text in a dictionary as Python writes it."""
_OF_CLUE: Final = regex(
    r"""<[a-z_]{2,24} [a-z_]{2,24}=["']([^"'<>\n]{1,300})["'] ?>([^<>\n]{1,80})</[a-z_]{2,24}>""",
    re.IGNORECASE,
)
_TAG: Final = regex(r"<(/?)([a-z_ -]{3,24})(?: [^<>\n]{0,80})?>", re.IGNORECASE)


_SQUARE: Final = regex(r"\[(?:FINAL[ _])?(?:ANSWER|SOLUTION|RISPOSTA|SOLUZIONE)\]")
_SQUARE_END: Final = regex(r"\[/(?:FINAL[ _])?(?:ANSWER|SOLUTION|RISPOSTA|SOLUZIONE)\]")
"""A tag in square brackets; without one that closes it may be a clue."""
_LABEL: Final = 200
"""No label before a tag is longer."""


def template(text: str) -> tuple[str, set[str]]:
    """Return a text with what is structured in it as the template has it, and what there was."""
    kinds: set[str] = set()
    if '"' in text or "':" in text or "_" in text:
        if '"' in text and ("{" in text or '["' in text):
            text = _documents(text, kinds)
        if "{'" in text:
            text = _DICT.sub(lambda found: _of_dict(found, kinds), text)
        text = _PAIR.sub(lambda found: _pair(found, kinds), text)
    if _SQUARE_END.search(text):
        text = _SQUARE_END.sub("</answer>", _SQUARE.sub("<answer>", text))
    if "<" in text:
        text = text.replace("<![CDATA[", "").replace("]]>", "")
        text = _OF_CLUE.sub(lambda found: _of_clue(found, kinds), text)
        text = _tags(text, kinds)
    return text, kinds


def _documents(text: str, kinds: set[str]) -> str:
    """Write out what JSON there is; other text stays as it is."""
    parts: list[str] = []
    begin = tried = 0
    for found in _OBJECT.finditer(text):
        tried += found.start(1) >= begin
        if found.start(1) < begin or tried > _OBJECTS:
            continue
        try:
            value, end = json.JSONDecoder().raw_decode(text, found.start(1))
        except (ValueError, RecursionError):
            continue
        lines = list(_lines(value))
        if lines:
            kinds.add("json")
            told = well_formed("\n".join(lines))  # JSON may hold half of a pair
            parts += [text[begin : found.start(1)], "\n", told, "\n"]
            begin = end
    return "".join([*parts, text[begin:]]) if parts else text


def _lines(value: Any, depth: int = 0) -> Iterator[str]:  # noqa: ANN401 # any JSON
    if isinstance(value, list) and depth < _DEPTH:
        for each in value:
            yield from _lines(each, depth + 1)
    if not isinstance(value, dict) or depth == _DEPTH:
        return
    for key, each in value.items():
        kind = NAMES.get(_name(key))
        if kind == _WORDS and isinstance(each, list | dict):
            yield from _words(each)
        elif kind == _GUESSES and isinstance(each, list | dict):
            yield from _guesses(each)
        elif kind in {_FIRST_PASS, _SOLUTION, _ANSWER, _ALTERNATIVE} and isinstance(each, str):
            yield f"{kind}: {_line(each)}"
        elif kind in {_SOLUTION, _ANSWER} and _texts(each):
            yield from _several(kind or "", each)
        else:
            yield from _lines(each, depth + 1)


def _several(kind: str, texts: list[str]) -> Iterator[str]:
    """Yield a list of words as one phrase, of phrases as alternatives."""
    if all(len(each.split()) == 1 for each in texts):
        yield f"{kind}: {_line(' '.join(texts))}"
        return
    yield f"{kind}: {_line(texts[0])}"
    yield from (f"In alternativa: {_line(each)}" for each in texts[1:])


def _texts(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, str) for each in value)


def _words(value: list[Any] | dict[str, Any]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, word in value.items():
            if isinstance(word, str) and key.strip().isdecimal():
                yield f"{key.strip()} = {_line(word)}"
        return
    for each in value:
        if isinstance(each, str):
            yield f"{sum(map(str.isalnum, each))} = {_line(each)}"
        elif isinstance(each, dict) and (word := _first(each, _WORD_KEYS)):
            length = _first(each, _LENGTH_KEYS) or str(sum(map(str.isalnum, word)))
            yield f"{length} = {_line(word)}"


def _guesses(value: list[Any] | dict[str, Any]) -> Iterator[str]:
    if isinstance(value, dict):
        pairs = list(value.items())
    else:
        pairs = [
            (_first(each, _CLUE_KEYS), _first(each, _WORD_KEYS))
            if isinstance(each, dict)
            else ("", each)
            for each in value
        ]
    for clue, word in pairs:
        if isinstance(word, str):
            yield f"- [{_line(clue).strip('[]')}] = {_line(word)}"


def _first(value: dict[str, Any], keys: tuple[str, ...]) -> str:
    """Return the first of some keys' values that there is, as text."""
    for key, each in value.items():
        if key.strip().lower() in keys and isinstance(each, str | int):
            return str(each)
    return ""


def _pair(found: re.Match[str], kinds: set[str]) -> str:
    """Return a line of a key and its value, of YAML or of JSON that is broken elsewhere."""
    quoted = bool(found[1])
    key, value = found[2], found[3].strip().rstrip(",").rstrip()
    of_text = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    value = value[1:-1] if of_text else value
    kind = NAMES.get(_name(key))
    if kind in {_FIRST_PASS, _SOLUTION, _ANSWER} and (quoted or "_" in key):
        kinds.add("key")
        return f"{kind}: {value}"
    if quoted and value and of_text:
        kinds.add("key")
        return f"{key}: {value}"
    return found[0]


def _of_dict(found: re.Match[str], kinds: set[str]) -> str:
    kind = NAMES.get(_name(found[1]))
    if kind not in {_FIRST_PASS, _SOLUTION, _ANSWER}:
        return found[0]
    kinds.add("key")
    return f"\n{kind}: {found[2] or found[3] or ''}\n"


def _of_clue(found: re.Match[str], kinds: set[str]) -> str:
    kinds.add("xml")
    if found[1].strip().isdecimal():
        return f"\n{found[1].strip()} = {found[2].strip()}\n"
    return f"\n- [{found[1].strip('[]')}] = {found[2].strip()}\n"


def _tags(text: str, kinds: set[str]) -> str:
    """Write tags that say what they hold as labels; inside of a line that has one they say no more."""
    parts: list[str] = []
    begin = 0
    for found in _TAG.finditer(text):
        kind = NAMES.get(_name(found[2]))
        if kind is None:
            continue
        kinds.add("xml")
        near = max(begin, found.start() - _LABEL)
        before = text[max(text.rfind("\n", near, found.start()) + 1, near) : found.start()].rstrip()
        parts.append(text[begin : found.start()])
        if found[1]:
            parts.append("\n")
        elif not before.endswith((":", "=", "**", "è")):
            parts.append(f"\n{kind}:\n" if kind in {_FIRST_PASS, _SOLUTION, _ANSWER} else "\n")
        begin = found.end()
    return "".join([*parts, text[begin:]])


def _name(key: str) -> str:
    return _NO_LETTER.sub("", key).lower()


def _line(text: str) -> str:
    return " ".join(text.split())
