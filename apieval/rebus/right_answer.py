"""The right answer to a rebus, in the template that the prompts show; the same in both settings.

What a faulty row lacks is empty.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

from apieval.rebus import verify
from apieval.rebus.along_key import NUMBER, along_key
from apieval.schema import Rebus


def write(rebus: Rebus) -> str:
    """Write what a model that is right in all would answer."""
    lengths = NUMBER.findall(rebus.solution_key)
    words = along_key(rebus).solution_words
    return "\n".join(
        (
            definitions(rebus),
            first_pass(rebus),
            "Ora componiamo la soluzione seguendo la chiave risolutiva:",
            *(f"{n} = {word}" for n, word in zip_longest(lengths, words, fillvalue="")),
            f"Soluzione: {rebus.solution}",
        )
    )


def definitions(rebus: Rebus) -> str:
    """Write the first lines of it, which resolve the definitions."""
    return "\n".join(("Procediamo alla risoluzione del rebus passo per passo:", *_steps(rebus)))


def first_pass(rebus: Rebus) -> str:
    """Write the line of it that holds the first pass."""
    return f"Prima lettura: {rebus.first_pass}"


def _steps(rebus: Rebus) -> Iterator[str]:
    clues, between = verify.taken_apart(rebus.verbalized_rebus)
    for letters, clue, word in zip_longest(between, clues, rebus.word_guesses, fillvalue=""):
        if spaced := " ".join("".join(letters.split())):
            yield f"- {spaced} = {spaced}"
        if clue:
            yield f"- {clue} = {word}"
