"""Clues that give their hidden word away."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from apieval.rebus.characters import bare

_FUNCTION_WORDS: Final = """
a ad agli ai al alla alle allo c che chi ci co col con cui d da dagli dai dal dalla dalle dallo de degli
dei del della delle dello di e ed ei fra gli i il in io l la le lei lo lui ma me mi n ne negli nei nel
nella nelle nello ni no noi non o od ogni per piu qua qui s se sei si sia sono su sugli sui sul sulla
sulle sullo te tra tu un una uno va vi voi
"""
FUNCTION_WORDS: Final = frozenset(_FUNCTION_WORDS.split())
"""Words that stand in any clue: `La nota del diapason` does not give the note la away."""
LEAST: Final = 4
"""Letters from which a word inside another is more than chance: `re` stands in every `attore`."""
_WORD: Final = re.compile(r"[^\W_]+")


def leaks(clues: Sequence[str], words: Sequence[str]) -> Iterator[tuple[bool, str]]:
    """Yield each clue that holds its own hidden word, and whether that is sure.

    Accents and case do not count. It is sure where the word stands by itself and is no function
    word, possible where it is part of a longer word.
    """
    for clue, word in zip(clues, words, strict=False):
        said, hidden = _words(clue), _words(word)
        if not hidden:
            continue
        if f" {hidden} " in f" {said} ":
            if hidden not in FUNCTION_WORDS:
                yield True, f"{clue} holds its own word {word!r}"
        elif len(hidden) >= LEAST and hidden in said:
            yield False, f"{clue} holds its own word {word!r} inside a longer one"


def _words(text: str) -> str:
    return " ".join(_WORD.findall(bare(text.casefold())))
