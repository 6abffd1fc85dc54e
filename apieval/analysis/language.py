"""Whether an answer speaks another language than Italian, as far as that can be said surely.

Measured on the messages of Debian's programs in their translations, cut into pieces of 40 words: of
7,303 Italian pieces none was told another language; of others 75 % (Portuguese) to 90 % (French)
were told, English 88 %; in pieces of 100 words nearly all. A few English labels tell nothing.

Single words cannot tell (`film`, `are`, `me` are Italian too), so hidden words are no evidence, nor
is anything that a step says. What is judged is the prose around the steps: the answer's own
explanations and labels. There, words that hold sentences together are counted; a language is told
only where its own stand there in number, and Italian ones hardly. Most answers hold no prose, and
of these nothing is said. Scripts that Italian is not written in tell by themselves.

Here also: whether a text ends in a loop, the same words over and over.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from apieval.patterns import regex
from apieval.rebus.parsers.thoughts import parted

WORDS: Final = 5
"""How many function words of a language there are, at the least."""
KINDS: Final = 3
"""How many different ones, at the least."""
TIMES: Final = 4
"""How many times as many as Italian ones."""
LETTERS: Final = 10
"""How many letters of another script there are, at the least."""
LONGEST: Final = 20_000
"""How much of a text is looked at: a language shows at once."""

_ITALIAN: Final = """
    il gli di della dello dei delle degli alla allo nel nella che è sono ho non per più questo questa
    quindi anche cui ogni dal dalla dalle dai sul sulla essere abbiamo possiamo parola parole frase
    soluzione lettura lettere indizio
"""
_OTHERS: Final = {
    "en": """
        the and of with this that which from for is are was not you can because would we it have
        has there these each must should to be on by as an solution reading first word words
        answer letters clue clues here step means
    """,
    "es": """
        el los las es que por para de en y como pero está esta este son también entonces palabra
        palabras solución letras cada muy hay lectura primera pista según sería
    """,
    "fr": """
        les des une est pour dans avec que vous nous mais cette sont qui ce donc aux du et de en
        mot mots solution lettres indice première chaque pas être voici
    """,
    "de": """
        der die das und ist mit nicht ein eine für wir den von zu auf sich dem wird als auch wort
        wörter lösung buchstaben hinweis erste jede hier also sind
    """,
    "pt": """
        os as não uma para com você que por isso do dos das de em são também então palavra
        palavras solução letras cada muito há leitura primeira dica pela pelo
    """,
}
_HERE: Final = frozenset(_ITALIAN.split())
_WORDS: Final = {name: frozenset(words.split()) for name, words in _OTHERS.items()}
"""Words that Italian shares with these languages stand in no list."""
_SCRIPTS: Final = {
    "greek": regex("[\u0370-\u03ff]"),
    "cyrillic": regex("[\u0400-\u04ff]"),
    "hebrew": regex("[\u0590-\u05ff]"),
    "arabic": regex("[\u0600-\u06ff]"),
    "devanagari": regex("[\u0900-\u097f]"),
    "thai": regex("[\u0e00-\u0e7f]"),
    "kana": regex("[\u3040-\u30ff]"),
    "hangul": regex("[\uac00-\ud7af]"),
    "han": regex("[\u3400-\u9fff]"),
}
_FOREIGN: Final = regex("[\u0370-\u0e7f\u3040-\ud7af]")
_STEP: Final = ("Procediamo alla ", "Ora componiamo la ", "Prima lettura:", "Soluzione:")
"""How the template's own lines begin, but those of words, which hold ` = `."""
_CLUE: Final = regex(r"\[[^\[\]\n]*+\]")
_WORD: Final = regex(r"[^\W\d_]+")


def other_language(text: str) -> str | None:
    """Return the language or script of an answer that is not Italian, None where nothing tells.

    Thoughts are no part of the answer.
    """
    text = parted(text).outside[:LONGEST]
    if _FOREIGN.search(text):
        for script, letter in _SCRIPTS.items():
            if len(letter.findall(text)) >= LETTERS:
                return script
    lines = [line for line in text.split("\n") if " = " not in line and not line.startswith(_STEP)]
    prose = "\n".join(lines).strip()
    return _of_prose(_CLUE.sub(" ", prose)) if prose.count(" ") >= KINDS else None


def _of_prose(prose: str) -> str | None:
    """Return the language whose function words stand in a text; all-capital ones may be letters."""
    counts = Counter(word.lower() for word in _WORD.findall(prose) if not word.isupper())
    italian = sum(counts[word] for word in counts.keys() & _HERE)
    shared = {name: counts.keys() & words for name, words in _WORDS.items()}
    found = {
        name: sum(counts[word] for word in mine)
        for name, mine in shared.items()
        if len(mine) >= KINDS
    }
    name = max(found, key=found.__getitem__, default=None)
    if name is None or found[name] < max(WORDS, TIMES * italian):
        return None
    return name


LEAST: Final = 80
"""How many characters all of it has, at the least: so short units stand there far more often.

Lines of letters (`- A = A`), the template's most uniform ones, would take ten alike in a row. In
the 2,000 published answers of GPT-4o the end stands there 2.5 times at the most, in 11 characters.
"""
_TAIL: Final = 16
_TRIES: Final = 64


def ends_in_a_loop(text: str) -> bool:
    """Return whether a text ends in a unit that stands there `TIMES` times, letter by letter.

    A unit of any length, the last one cut anywhere; one without a letter or digit (dots, rules,
    empty bullets) is none. What counts on or changes otherwise is no loop. The length of a unit is
    guessed from where the last characters stood before, the nearest `_TRIES` places; so time grows
    as the text does, and a text that repeats nothing takes one search.
    """
    whole, text = len(text), text.rstrip()
    at = len(text) - _TAIL
    tail = text[-_TAIL:]
    for _ in range(_TRIES):
        at = text.rfind(tail, 0, max(at, 0) + _TAIL - 1)
        period = len(text) - _TAIL - at
        span = max(TIMES * period, LEAST) - min(whole - len(text), period - 1)
        if at < 0 or span > len(text):
            return False
        run = text[-span:]
        if run[period:] == run[:-period]:
            return any(map(str.isalnum, run[:period]))
    return False
