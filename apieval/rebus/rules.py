"""The rules that a data file is held against, each with its name, its level and what it says.

An error breaks the game, or makes an answer count wrong that is right; a warning is a quirk that a
reader of the figures should know. What finds them stands in `verify`, `leaks`, `odd_characters`
and `checking`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from apieval.schema import RowId

Level = Literal["error", "warning"]
LEVELS: Final[tuple[Level, ...]] = ("error", "warning")


class Rule(NamedTuple):
    """How grave it is to break a rule, and what is wrong then."""

    level: Level
    says: str


RULES: Final[Mapping[str, Rule]] = {
    "cells": Rule("error", "a cell that must not be empty is, or cannot be used"),
    "ids": Rule("error", "an id is missing or stands twice"),
    "clues": Rule("error", "there is not one clue for each hidden word"),
    "fills": Rule("error", "the hidden words do not fill the first pass"),
    "letters": Rule("error", "the first pass does not spell the solution"),
    "key": Rule("error", "the key is not the solution's"),
    "hints": Rule("error", "the hints are not the hidden words' lengths"),
    "settings": Rule("error", "the two rebuses differ in more than hints"),
    "solution_words": Rule("error", "the solution words are not the solution's"),
    "characters": Rule("error", "characters that no right answer has, or control characters"),
    "blanks": Rule("error", "blanks at an end of what an answer must be equal to"),
    "leak": Rule("error", "a clue holds its own hidden word"),
    "same_rebus": Rule("error", "the same rebus stands in another row"),
    "seen_rebus": Rule("error", "the training file has the same first pass"),
    "subset_words": Rule("error", "the training file's words say another subset"),
    "punctuation": Rule("warning", "the solution and its key hold punctuation"),
    "apostrophes": Rule("warning", "an apostrophe that is not the plain one"),
    "characters_in_rebus": Rule("warning", "odd characters in what is asked"),
    "odd_blanks": Rule("warning", "two blanks together, or blanks at an end of what is asked"),
    "possible_leak": Rule("warning", "the hidden word stands inside a longer word of its clue"),
    "same_first_pass": Rule("warning", "the same first pass stands in another row"),
    "same_solution": Rule("warning", "the same solution stands in another row"),
    "seen_solution": Rule("warning", "the training file has the same solution"),
    "subset_unknown": Rule("warning", "a subset that is none of the challenge's"),
    "subset_order": Rule("warning", "the subsets are not in the challenge's order"),
    "formula": Rule("warning", "a cell that a spreadsheet would run"),
}


class Finding(NamedTuple):
    """A rule that a row breaks: the row's id, the line it begins in, and what exactly is wrong."""

    row: RowId
    line: int
    rule: str
    text: str

    @property
    def level(self) -> Level:
        """Say how grave it is."""
        return RULES[self.rule].level
