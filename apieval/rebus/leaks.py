"""Clues that give their hidden word away."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apieval.patterns import regex
from apieval.rebus.characters import bare, composed

_FUNCTION_WORDS: Final = """
a ad agli ai al alla alle allo c che chi ci co col con cui d da dagli dai dal dalla dalle dallo de
degli dei del della delle dello di e è ed ei fra già gli i il in io l la là le lei lì lo lui ma me
mi n ne né negli nei nel nella nelle nello ni no noi non o od ogni per più qua qui s se sei si sì
sia sono su sugli sui sul sulla sulle sullo te tra tu un una uno va vi voi
"""
FUNCTION_WORDS: Final = frozenset(f"{_FUNCTION_WORDS} {bare(_FUNCTION_WORDS)}".split())
"""Words that stand in any clue: `La nota del diapason` does not give the note la away."""
LEAST: Final = 4
"""Letters from which a word inside another is more than chance: `re` stands in every `attore`."""
_WORD: Final = regex(r"[^\W_]+")


def leaks(clues: Sequence[str], words: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Yield each clue that holds its own hidden word, and whether that is sure.

    Accents and case do not count, but that `te` is a function word and `tè` is none. It is sure
    where the word stands by itself, possible where it is part of a longer word.
    """
    for clue, word in zip(clues, words, strict=False):
        said, hidden = composed(clue.casefold()), composed(word.casefold())
        if _stands_alone(hidden, said) or _stands_alone(bare(hidden), bare(said)):
            yield True, f"{clue} holds its own word {word!r}"
        elif len(hidden) >= LEAST and hidden not in FUNCTION_WORDS and bare(hidden) in bare(said):
            yield False, f"{clue} holds its own word {word!r} inside a longer one"


def _stands_alone(hidden: str, said: str) -> bool:
    """Say whether a word stands by itself and is no function word."""
    words = _words(hidden)
    return bool(words) and words not in FUNCTION_WORDS and f" {words} " in f" {_words(said)} "


def _words(text: str) -> str:
    return " ".join(_WORD.findall(text))
