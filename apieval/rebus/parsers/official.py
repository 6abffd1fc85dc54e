"""The challenge's reference parser, exactly, faults included.

Source: the regular expressions of the EurekaRebus study and of its CALAMITA task. What they do:
only a line feed ends a line, nothing is trimmed, of several first passes or solutions the first
counts, of several ` = ` in a word guess's line the last; the lists are joined and split again at
`;`, so a `;` inside a word makes two, and nothing found makes one empty word.

The reference's patterns take quadratic time on some texts (a line of a million digits, a line of
open brackets). The ones here find the same in linear time; a test holds them together. They begin
with what is always the same, which the engine looks for ten times faster than for any digit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apieval.patterns import regex
from apieval.records import Prediction

NAME: Final = "official"
VERSION: Final = 1

WORD_GUESS_START: Final = regex(r" \[(?<=[\d.|\-] \[)")
WORD_GUESS_SIGN: Final = " = "
FIRST_PASS: Final = regex(r"Prima lettura: (.*)")
SOLUTION_WORD: Final = regex(r" = (?<=\d = )(.*)")
SOLUTION: Final = regex(r"Soluzione: (.*)")


def parse(text: str) -> Prediction:
    """Read an answer as the challenge's reference parser does; any text gives a prediction."""
    return Prediction.model_construct(
        word_guesses=_again(list(_word_guesses(text))),
        first_pass=_first(FIRST_PASS, text),
        solution_words=_again(SOLUTION_WORD.findall(text)),
        solution=_first(SOLUTION, text),
    )


def _word_guesses(text: str) -> Iterator[str]:
    """Yield what stands after the last sign of every line that has a start before it."""
    start = WORD_GUESS_START.search(text)
    while start:
        end = text.find("\n", start.end())
        end = len(text) if end < 0 else end
        sign = text.rfind(WORD_GUESS_SIGN, start.end(), end)
        if sign >= 0:
            yield text[sign + len(WORD_GUESS_SIGN) : end]
        # where the first start of a line has no sign behind it, no later one has
        start = WORD_GUESS_START.search(text, end)


def _again(words: list[str]) -> tuple[str, ...]:
    """Join and split at `;` as the reference does on its way through a CSV cell."""
    return tuple(";".join(words).split(";"))


def _first(pattern: re.Pattern[str], text: str) -> str:
    found = pattern.search(text)
    return found[1] if found else ""
