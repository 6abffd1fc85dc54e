"""What a line says, without what is said beside it: remarks, quotation marks, a final stop.

A value is found, or it is none and why not. What the key and the rebus's letters hold of
punctuation belongs to the value; what is more than that is decoration.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterator
from itertools import islice
from typing import Final, NamedTuple

from apieval.patterns import regex
from apieval.rebus.equality import NUMBER, WORD
from apieval.rebus.parsers import several
from apieval.rebus.parsers.lines import REJECTED, Said
from apieval.rebus.parsers.question import Question, own_stop, respaced


class Value(NamedTuple):
    """A value, or none and why; `unsure` where there is more than one to choose from."""

    text: str
    kinds: frozenset[str] = frozenset()
    why: str = ""
    unsure: bool = False


NO_WORD: Final = "its line holds no word"
SAYS_NONE: Final = "its line says that there is none"
IN_PART: Final = "its line corrects it in part"
ONLY_A_REMARK: Final = "its line holds a remark alone"
SEVERAL: Final = "its line offers several"

_PLAIN: Final = regex(r"[^\W_](?:[^\W_]|'| (?! ))*+(?<! )")
_CLOSING: Final = {'"': '"', "'": "'", "“": "”", "”": "”", "«": "»", "»": "«", "„": "“", "‹": "›"}
_MARKS: Final = '"“”„«»‹›'
_LAYERS: Final = 3
"""How deep quotation marks and emphasis are nested, at most."""
_ASIDES: Final = (
    " - ",
    " – ",
    " — ",
    " // ",
    " # ",
    " = ",
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
_PIECES: Final = regex("[:;.?] ")
_OFFERS: Final = tuple(
    regex(sign, re.IGNORECASE)
    for sign in (
        r" (?:o|od|or|oppure|e/o|vs\.?) (?:forse )?",
        r"^(?:either|o) | (?:or|o) ",
        r"[.,;:!?(–—-]{0,2} ?\b(?:in alternativa|oppure|alternativamente|alternatively|o forse|or maybe)\b[,:]? ?",
        r" ?/ ?",
    )
)
"""What parts phrases of which any may be meant."""
_NONE: Final = regex(
    r"[\W_]*(?:n/?[ad]|n\.d\.|none|null|nan|unknown|not found|sconosciut[ao]|vuot[ao]|tbd|nessuna(?: soluzione)?"
    r"(?: (?:trovata|valida|possibile))?|non (?:l'ho )?(?:trovata|trovato|disponibile|determinata|determinabile"
    r"|lo so|so|saprei|risolto|risolta|riesco[^.]{0,40}|è stat[ao] trovat[ao])|(?:ancora )?da (?:trovare|determinare|completare"
    r"|definire|compilare)|inserire [^.]{0,40}|insert (?:the |your )?(?:solution|answer|phrase)[^.]{0,20}|(?:la tua )?soluzione|your (?:answer|solution)|i don't know|no solution(?: found)?)[\W_]*",
    re.IGNORECASE,
)
"""What a line says that says that there is nothing to say."""
_DECLINES: Final = regex(
    r"[\W_]*(?:mi dispiace|purtroppo|non (?:riesco|sono riuscit|ho (?:abbastanza|trovato|sufficient)|posso|saprei|lo so|so\b|è (?:stato )?possibile"
    r"|si può)|impossibile|(?:sorry|i'm sorry)\b|i (?:can(?:no|')t|could(?: not|n't)|do(?: not|n't)|am (?:not|unable)|was(?: not|n't| unable))"
    r"|unable to|cannot|vedi (?:sopra|sotto)|per (?:trovare|risolvere|determinare)|serv(?:e|ono|irebbe)\b|insert |(?:boh|incompleta|idem)\W*\Z"
    r"|(?:(?:la|the) )?(?:soluzione|solution|frase|phrase)(?: (?:finale|risolutiva|completa|here|qui))?\W*\Z)",
    re.IGNORECASE,
)
"""How a line begins that says in a sentence that there is none, where it is not as long as the key."""
_ENUMERATED: Final = regex(r"(?:^| )\(?(?:[0-9]{1,2} ?[.):=]|[a-f]\)) ?(?=[^\W\d_])")
"""The number of a word, or of one of several phrases, in one line."""
_SPELT: Final = regex(r"[^\W\d_](?:([ ·-])[^\W\d_])(?:\1[^\W\d_])++")
_SPELT_PHRASE: Final = regex(r"[^\W\d_](?:[ .·/|-]{1,3}[^\W\d_])++[.!]?")
"""A word, and a phrase, that is spelt letter by letter."""
_COMMA: Final = regex(r"[,:] (?=\S+ \S)")
_EXPLAINS: Final = regex(
    r"(?:,? (?:cioè|ossia|i\.e\.)|, (?:ovvero|che|infatti|perché|poiché|dove|in quanto|quindi|come"
    r"|inteso|intesa|nel senso|which|because|meaning)) "
)
_HALF_BRACKETED: Final = regex(r"\([^\W_]+ \(")
"""A word with the first bracket of a solution's own, and a remark: `(momento (7)`."""
_ELIDED: Final = regex(r"[b-df-hj-np-tv-z]' [^\W\d_]", re.IGNORECASE)
_OR: Final = regex(r" ?/ ?| oppure | or | ovvero ")
_OR_WORD: Final = regex(r" (?:o|od|e/o|vs\.?) |\? (?=[^\W\d_])")
"""What parts two words or phrases where no value has it."""
_OR_PASS: Final = regex(r" (?:o|oppure|=) ")
"""What parts a first pass from another, or from what it comes to."""
_LISTED: Final = regex(r"[^\W\d_]+(?: ?[,;|] [^\W\d_]+)+")
_NO_LETTER: Final = regex(r"[\W\d_]+")
_LETTERS: Final = regex(r"[^\W\d_]+")
_A_WORD: Final = regex(r"""["'“«(*]{0,3}[^\W\d_][\w']*["'”»)*]{0,3}(?:[.,;:!?)]| [(–—-]|$)""")
ALONE: Final = regex(
    r"(?:(?:il|lo|la|i|gli|le|un|uno|una|the|a) |l'|un')?[\"'“”«»]?[^\W\d_]+[\"'“”«»]?[.!?)\]]{0,3}",
    re.IGNORECASE,
)
"""One word, and nothing else, with its article and quotation marks."""
_COMMAS: Final = regex(r"""[^\W_]+(?:["']?, ["']?[^\W_]+)+""")
_LETTERS_ALONE: Final = regex(r"""["',]""")
_BETWEEN: Final = regex(r" [+/|–—·•-] ")
_SIGNS: Final = regex(r"""[()\[\]{}"“”«»„+/|,;·•&–—>-]|\u2192""")


def word(said: Said) -> Value:
    """Return a guess or a solution word: one word, as far as the answer keeps to it."""
    if said.doubt:
        return _unsure(said.kinds, said.doubt)
    if " " not in said.value and _PLAIN.fullmatch(said.value):
        return _joined(said.value, said.kinds)
    if " " in said.value and _NONE.fullmatch(said.value):
        return Value("", said.kinds, SAYS_NONE)
    kinds = set(said.kinds)
    text = _last_word(said.value, kinds)
    if text is None:
        return _unsure(kinds, IN_PART)
    if (rejected := several.rejected(text)) or _offers_word(text):
        return _unsure(kinds, REJECTED if rejected else SEVERAL)
    return _one_word(text, said.spans, kinds)


def _one_word(text: str, spans: tuple[str, ...], kinds: set[str]) -> Value:
    """Return the word of a line that is no other's in its place, without what is said beside it."""
    text = _bare(text, spans, kinds)
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
    if _OR.search(text) or _OR_WORD.search(text) or _LISTED.fullmatch(text):
        return _unsure(kinds, SEVERAL)
    return _joined(text, frozenset(kinds))


def _unsure(kinds: Collection[str], why: str) -> Value:
    return Value("", frozenset(kinds), why, unsure=True)


def _last_word(text: str, kinds: set[str]) -> str | None:
    """Return a text, or the word that it is corrected to; None where that cannot be told.

    Behind an arrow stands a correction where it is one other word; else it is a remark.
    """
    correction = several.corrected(text)
    if correction is not None:
        if _A_WORD.match(correction.text):
            kinds.add("correction")
            return correction.text
        return None if correction.sure else text
    if both := several.after_arrow(text):
        before, after = (_edges(each, set()) for each in both)
        if after.isalpha() and after.lower() != before.lower():
            kinds.add("correction")
            return after
    return text


def _offers_word(text: str) -> bool:
    """Return whether a text offers another word beside the first, and not only says more of it."""
    if _LISTED.fullmatch(text.rstrip(".?")):
        return True
    remarks = [_unbracketed(text)[1]]
    remarks.extend(text.partition(sign)[2] for sign in (*_ASIDES, ", ", ": "))
    offered = [several.another(remark) for remark in remarks if remark]
    offered.append(several.later(text).rstrip(" .)]"))
    return any(ALONE.fullmatch(each) for each in offered if each)


def _joined(text: str, kinds: frozenset[str]) -> Value:
    """Return a word; one that is spelled letter by letter is put together."""
    letters = text.split(" ")
    if len(letters) > 1 and text.isupper() and all(len(letter) == 1 for letter in letters):
        return Value("".join(letters), kinds | {"spaced_letters"})
    if spelt := _SPELT.fullmatch(text):
        return Value(text.replace(spelt[1], ""), kinds | {"spaced_letters"})
    return Value(text, kinds) if text else Value("", kinds, NO_WORD)


def first_pass(said: Said, question: Question) -> Value:
    """Return a first pass, in the rebus's own spacing where its letters are in their places."""
    if said.doubt:
        return _unsure(said.kinds, said.doubt)
    kinds = set(said.kinds)
    text = _last_pass(said.value, question, kinds)
    if text is None:
        return _unsure(kinds, SEVERAL)
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


def _last_pass(text: str, question: Question, kinds: set[str]) -> str | None:
    """Return a first pass, or the one it is corrected to; None where it offers another."""
    if respaced(text, question) is not None:
        return text
    offered = several.another(_unbracketed(text)[1])
    if offered is not None and respaced(offered, question) is not None:
        return None
    offers = [part for part in _OR_PASS.split(text) if respaced(part, question) is not None]
    if offers:
        kinds.add("remark")
        return offers[0] if len({*map(str.lower, offers)}) == 1 else None
    correction, both = several.corrected(text), several.after_arrow(text)
    for tried in (correction and correction.text, both and both[1]):
        plain = (tried or "").rstrip(")].;, ")
        if plain and respaced(plain, question) is not None:
            kinds.add("correction")
            return plain
    if both and respaced(both[0], question) is not None:
        kinds.add("remark")
        return both[0]
    return text


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
    text, wanted = said.value, len(question.lengths)
    if said.doubt:
        return _unsure(said.kinds, said.doubt)
    fits = count(text) == wanted
    if none := _none(text, fits=fits):
        return Value("", said.kinds, none)
    if fits and _PLAIN.fullmatch(text) and not said.spans:
        return Value(text, said.kinds)
    kinds = set(said.kinds)
    text = _joined_phrase(text, question, kinds)
    fits = count(text) == wanted
    last = text if fits else _last_phrase(text, wanted, kinds)
    doubt = _doubt(last, wanted, fits=fits)
    if last is None or doubt:
        return _unsure(kinds, doubt)
    text = text if fits else _bare(last, said.spans, kinds, wanted)
    return _phrase(text, question.key, wanted, kinds)


def _doubt(text: str | None, wanted: int, *, fits: bool) -> str:
    """Return why a text, as it was corrected, is no one solution; nothing where it may be one."""
    if text is None:
        return IN_PART
    if not fits and _offers(text, wanted):
        return SEVERAL
    return REJECTED if several.rejected(text) else ""


def _none(text: str, *, fits: bool) -> str:
    """Return why a line has no solution: it says so, or is a form to fill in: `(8 2 6)`, `XXX XX`."""
    if _NONE.fullmatch(text) or (not fits and _DECLINES.match(text)):
        return SAYS_NONE
    letters = {*_NO_LETTER.sub("", text.lower().replace("lettere", ""))}
    return NO_WORD if not letters or (len(letters) == 1 and len(text) > _LAYERS) else ""


def _joined_phrase(text: str, question: Question, kinds: set[str]) -> str:
    """Return a phrase whose words are joined by a sign, numbered, or spelt, with blanks between them."""
    if "_" in text:
        kinds.add("separator")
        text = text.replace("_", " ").strip()
    head = text.rstrip("0123456789 ,;()[]<>{}")
    if count(head) == len(question.lengths) and NUMBER.findall(text[len(head) :]) == [
        *map(str, question.lengths)
    ]:
        kinds.add("remark")
        text = head
    letters = [char for char in text if char.isalpha()]
    if len(letters) == sum(question.lengths) and _SPELT_PHRASE.fullmatch(text):
        kinds.add("spaced_letters")
        each = iter(letters)
        return " ".join("".join(islice(each, length)) for length in question.lengths)
    parts = [part.strip(" ,;") for part in _ENUMERATED.split(text)]
    if (
        len(parts) == len(question.lengths) + 1
        and not parts[0]
        and count(text) == 2 * len(parts[1:])
    ):
        kinds.add("separator")
        return " ".join(parts[1:])
    return text


def _phrase(text: str, key: str, wanted: int, kinds: set[str]) -> Value:
    """Return the phrase of a line that has no other, without what is said beside it."""
    if text.count("(") > key.count("("):
        outside, inside = _unbracketed(text, keep=key.count("("))
        kinds.add("remark")
        if _another_phrase(inside, wanted):
            return _unsure(kinds, SEVERAL)
        text = outside or inside
        if count(text) != wanted and _offers(text, wanted):
            return _unsure(kinds, SEVERAL)
    text = _edges(text, kinds, key)
    if count(text) != wanted:
        text = _edges(_without_remark(text, wanted, kinds), kinds, key)
    elif "-" not in key and _BETWEEN.search(text):
        kinds.add("separator")
        text = _BETWEEN.sub(" ", text)
    elif "," not in key and _COMMAS.fullmatch(text) and text.count(",") == wanted - 1:
        kinds.add("separator")
        text = _LETTERS_ALONE.sub("", text)
    if count(text) != wanted and _OR.search(text):
        return _unsure(kinds, SEVERAL)
    return Value(text, frozenset(kinds), "" if text else NO_WORD)


def _last_phrase(text: str, wanted: int, kinds: set[str]) -> str | None:
    """Return a text, or the phrase that it is corrected to; None where it is corrected in part.

    Behind an arrow stands a correction where it is as long as the key; else it is a remark.
    """
    correction = several.corrected(text)
    if correction is not None:
        last = correction.text.rstrip(")]")
        if count(last) == wanted or count(_without_remark(last, wanted, set())) == wanted:
            kinds.add("correction")
            return last
        return None if correction.sure else text
    both = several.after_arrow(text)
    if both and count(both[1]) == wanted and len(_LETTERS.findall(both[1])) >= wanted:
        kinds.add("correction")
        return both[1]
    head, sign, tail = text.rpartition(" = ")
    if sign and count(head) != wanted == count(tail):
        kinds.add("remark")
        return tail
    return text


def _offers(text: str, wanted: int) -> bool:
    """Return whether a text offers several solutions, one of them as long as the key."""
    for pattern in (*_OFFERS, _ENUMERATED):
        parts = [part for part in pattern.split(text) if part]
        if len(parts) > 1 and any(count(part) == wanted for part in parts):
            return True
    for sign in (*_ASIDES, ", ", "? "):
        before, found, after = text.partition(sign)
        if not found or count(before) != wanted or _EXPLAINS.match(text, len(before)):
            continue
        listed = sign == ", " or (sign == "; " and (after[:1].isupper() or before[:1].islower()))
        if _another_phrase(after, wanted) or (listed and count(after) == wanted):
            return True
        if any(alike(before, each, wanted) for each in _PIECES.split(after)):
            return True
    return False


def _another_phrase(remark: str, wanted: int) -> bool:
    """Return whether a remark offers another phrase."""
    if several.another(remark) is not None or count(several.later(remark)) == wanted:
        return True
    return count(several.named(remark)) >= wanted


def alike(one: str, other: str, wanted: int) -> bool:
    """Return whether another phrase shares a word with the first, as another try at it does."""
    mine, others = words(one), words(other)
    if len(others) != wanted or mine == others or not all(map(str.isalpha, others)):
        return False
    return not set(mine).isdisjoint(others)


def words(text: str) -> list[str]:
    """Return the words of a text, as a key counts them, in small letters."""
    return WORD.findall(text.lower())


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
