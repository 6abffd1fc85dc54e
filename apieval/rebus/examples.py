"""Solved rebuses as a prompt shows them: the challenge's two, three of our own, or a user's.

The first two are the challenge's, which its prompts hold; a test compares them byte for byte.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, Final

from apieval.errors import DataError
from apieval.rebus import dataset
from apieval.rebus.along_key import along_key
from apieval.rebus.verify import CLUE, broken_rules
from apieval.schema import Rebus, Setting

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


def as_json(rebus: Rebus) -> dict[str, Any]:
    """Return an example as `run.json` keeps it."""
    return asdict(rebus)


def from_json(value: Mapping[str, Any]) -> Rebus:
    """Return the example that was kept.

    Raises:
        LookupError, TypeError: for anything else.
    """
    lists = ("word_guesses", "solution_words")
    return Rebus(**{**value, **{name: tuple(value[name]) for name in lists}})


def shown_rebus(rebus: Rebus, setting: Setting) -> str:
    """Return a rebus as it is asked in a setting."""
    hints = setting == "hints"
    return rebus.verbalized_rebus_with_length_hints if hints else rebus.verbalized_rebus


def question(rebus: Rebus, setting: Setting) -> str:
    """Return the two lines that ask for a rebus."""
    return f"Rebus: {shown_rebus(rebus, setting)}\nChiave di lettura: {rebus.solution_key}"


def definitions(rebus: Rebus) -> str:
    """Return the lines of the answer that resolve the definitions, right ones."""
    lines = "\n".join(_elements(rebus))
    return f"Procediamo alla risoluzione del rebus passo per passo:\n{lines}"


def first_pass(rebus: Rebus) -> str:
    """Return the line of the answer that holds the first pass, the right one."""
    return f"Prima lettura: {rebus.first_pass}"


def answer(rebus: Rebus) -> str:
    """Return the right answer to a rebus, in the challenge's template."""
    words = "\n".join(f"{len(word)} = {word}" for word in along_key(rebus).solution_words)
    return (
        f"{definitions(rebus)}\n{first_pass(rebus)}\n"
        f"Ora componiamo la soluzione seguendo la chiave risolutiva:\n{words}\n"
        f"Soluzione: {rebus.solution}"
    )


def numbered(examples: Sequence[Rebus], setting: Setting) -> Iterator[str]:
    """Yield examples as the challenge's prompts show them, each with its number."""
    for number, rebus in enumerate(examples, 1):
        yield f"# Esempio {number}:\n{question(rebus, setting)}\n{answer(rebus)}\n"


def _elements(rebus: Rebus) -> Iterator[str]:
    words = iter(rebus.word_guesses)
    for place, text in enumerate(_parts(rebus.verbalized_rebus)):
        if place % 2:
            yield f"- {text} = {next(words)}"
        elif spaced := " ".join(filter(str.isalpha, text)):
            yield f"- {spaced} = {spaced}"


def _parts(rebus: str) -> Iterator[str]:
    """Yield letters and clues in turn, letters first."""
    end = 0
    for clue in CLUE.finditer(rebus):
        yield rebus[end : clue.start()]
        yield clue[0]
        end = clue.end()
    yield rebus[end:]
