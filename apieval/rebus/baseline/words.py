"""Words as the baseline sees them, and the Italian it knows before any dictionary is read.

This module owns the letters of a word, the lists of small, accented and apostrophised words, and
the apostrophe's forms. It owns no judgement: what a word is worth is the vocabulary's business.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

APOSTROPHES: Final = frozenset("'’")
"""The apostrophes of a solution key."""

FUNCTION_WORDS: Final = (
    "di e a la il in per che le un del i una con da al della dei nel alla gli non si è lo dal"
    " nella sul su dalla delle ai sulla o se come uno tra fra ed od ad allo agli alle dello degli"
    " dallo dai dagli dalle nello nei negli nelle ne sullo sui sugli sulle col coi chi cui né ma"
    " anche dove quando quanto quale quali perché poi già più meno ora mai sempre ancora così solo"
    " qui qua là ogni altro altra altri altre tutto tutta tutti tutte molto molta molti molte poco"
    " poca pochi poche troppo tanto tanti tante nulla niente bene male ben mal bel bella belle"
    " bello gran grande grandi buon buono buona io tu noi voi lui lei essi mi ti ci vi mio mia"
    " miei mie tuo tua tuoi tue suo sua suoi sue loro nostro nostra vostro vostra questo questa"
    " questi queste quel quello quella quei quelle quegli ho ha hai hanno aver avere abbiamo sono"
    " sei siamo era erano sia fu esser essere stato stata fa far fare fanno va van vai andar"
    " andare vanno dà dar dare sta star stare può deve vuol vuole dir dire due tre dieci cento"
    " mille prima dopo senza verso sotto sopra contro dentro fuori città"
)
"""Small words of Italian, the commonest first."""
ACCENTED_WORDS: Final = (
    "bontà carità civiltà difficoltà età facoltà libertà novità pietà povertà qualità quantità"
    " realtà società umiltà verità volontà lunedì martedì mercoledì giovedì venerdì così"
    " perciò però purché affinché poiché finché benché ciò cioè falò tè caffè bignè canapè"
    " lacchè sofà baccalà felicità virtù gioventù tribù"
)
ACCENTED_ENDING: Final = re.compile(
    r"..(?:[ai]l|ant?|ar|dent|ern|als|ers|ess|os|i[cdv]|[ao]c)ita$|..[rc]ieta$|..[^aeiou]u$"
)
"""Endings of words that nearly always have an accent on their last letter."""
ACCENTED: Final = {"a": "à", "u": "ù"}
ELIDED_WORDS: Final = "l d un all dell dall nell sull"
RARELY_ELIDED_WORDS: Final = (
    "c m t s v n po coll quell bell sant gl dov com cos quand senz tutt quest grand mezz anch nient"
)
ELIDED: Final = {
    **dict.fromkeys(ELIDED_WORDS.split(), 2.0),
    **dict.fromkeys(RARELY_ELIDED_WORDS.split(), 1.0),
}
"""Words that stand before an apostrophe, without the vowel they lost, and how common they are."""
TRUNCATED: Final = frozenset(("po", "mo", "be", "di", "fa", "sta", "va", "da", "ca"))
"""Words whose end an apostrophe stands for (un po' di): unlike an elided one's, a blank follows."""


class Word(NamedTuple):
    """A dictionary word as it is written, and its letters."""

    text: str
    letters: str


def fold(text: str) -> str:
    """Return a text's letters alone, lower case and without accents: what a rebus is spelt with."""
    text = text.lower()
    if not text.isascii():
        text = unicodedata.normalize("NFD", text)
    return text if text.isalpha() else "".join(filter(str.isalpha, text))


def starting(words: Sequence[str], prefix: str) -> Iterator[str]:
    """Yield those of the sorted words that start with the prefix."""
    for position in range(bisect_left(words, prefix), len(words)):
        if not words[position].startswith(prefix):
            return
        yield words[position]
