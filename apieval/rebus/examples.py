"""Solved rebuses as a prompt shows them: the challenge's two, three of our own, or a user's.

The first two are the challenge's, which its prompts hold; a test compares them byte for byte. The
answer to a rebus is the same in both settings.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import as_file, files
from itertools import zip_longest
from pathlib import Path
from typing import Final

from apieval.errors import DataError
from apieval.rebus import dataset, rules
from apieval.rebus.equality import NUMBER, along_key
from apieval.rebus.rules import broken_rules
from apieval.records import Rebus, Setting
from apieval.results.header import Example


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
    clues, between = rules.taken_apart(rebus.verbalized_rebus)
    for letters, clue, word in zip_longest(between, clues, rebus.word_guesses, fillvalue=""):
        if spaced := " ".join("".join(letters.split())):
            yield f"- {spaced} = {spaced}"
        if clue:
            yield f"- {clue} = {word}"


OFFICIAL: Final = 2
"""How many of them the challenge's prompts have."""


@cache
def shipped() -> tuple[Rebus, ...]:
    """Return the package's examples, the challenge's two first."""
    with as_file(files("apieval.rebus").joinpath("templates", "examples.csv")) as path:
        return dataset.load(path).rebuses


def load(path: Path) -> tuple[Rebus, ...]:
    """Read examples from a data file, all of its rows.

    Raises:
        DataError: for a file that is no data file, and a row that breaks the rules of the game:
            a wrong example teaches wrong answers.
    """
    found = dataset.load(path).rebuses
    for rebus in found:
        if broken := broken_rules(rebus):
            raise DataError(f"{path}: the example {rebus.id!r} is none: {'; '.join(broken)}.")
    return found


def as_json(rebus: Rebus) -> Example:
    """Return an example as `run.json` keeps it."""
    return {
        "id": rebus.id,
        "subset": rebus.subset,
        "verbalized_rebus": rebus.verbalized_rebus,
        "verbalized_rebus_with_length_hints": rebus.verbalized_rebus_with_length_hints,
        "solution_key": rebus.solution_key,
        "word_guesses": list(rebus.word_guesses),
        "first_pass": rebus.first_pass,
        "solution_words": list(rebus.solution_words),
        "solution": rebus.solution,
    }


def from_json(value: Example) -> Rebus:
    """Return the example that was kept."""
    return Rebus(
        id=value["id"],
        subset=value.get("subset"),
        verbalized_rebus=value["verbalized_rebus"],
        verbalized_rebus_with_length_hints=value["verbalized_rebus_with_length_hints"],
        solution_key=value["solution_key"],
        word_guesses=tuple(value["word_guesses"]),
        first_pass=value["first_pass"],
        solution_words=tuple(value["solution_words"]),
        solution=value["solution"],
    )


def shown_rebus(rebus: Rebus, setting: Setting) -> str:
    """Return a rebus as it is asked in a setting."""
    hints = setting == "hints"
    return rebus.verbalized_rebus_with_length_hints if hints else rebus.verbalized_rebus


def question(rebus: Rebus, setting: Setting) -> str:
    """Return the two lines that ask for a rebus."""
    return f"Rebus: {shown_rebus(rebus, setting)}\nChiave di lettura: {rebus.solution_key}"


def numbered(examples: Sequence[Rebus], setting: Setting) -> Iterator[str]:
    """Yield examples as the challenge's prompts show them, each with its number."""
    for number, rebus in enumerate(examples, 1):
        yield f"# Esempio {number}:\n{question(rebus, setting)}\n{write(rebus)}\n"
