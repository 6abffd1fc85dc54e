"""A whole data file held against every rule of `rules`: what one row breaks, and several together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apieval.rebus import characters, leaks, rules
from apieval.rebus.columns import CHALLENGE_SUBSETS, GOLD, LISTS, QUESTION, Clashes
from apieval.rebus.dataset import DataFile, Standing
from apieval.rebus.rules import Finding
from apieval.rebus.tables import Row
from apieval.rebus.training import Training, same_first_pass
from apieval.records import Rebus, RowId

KNOWN: Final = tuple(name for name, _ in CHALLENGE_SUBSETS)
_FORMULA: Final = ("=", "+", "-", "@")
_WORDS_SHOWN: Final = 5
_LONGEST: Final = 1_000

Broken = rules.Broken


def check(file: DataFile, training: Training | None = None) -> Iterator[Finding]:
    """Yield every rule that a row breaks, in the file's order.

    A row with a cell that cannot be used is held against no other rule but that of ids.
    """
    ids, rows, subsets = Clashes(), _Alike(), _Subsets()
    for standing in file.rows():
        row, rebus = standing.row, standing.rebus
        found = [("cells", fault) for fault in standing.faults]
        if fault := ids.fault(rebus.id, row.line):
            found.append(("ids", fault))
        if not standing.faults:
            found += _of_one_row(standing, asks=file.layout.asks)
            found += rows.broken(rebus)
            found += subsets.broken(rebus.subset)
            found += _seen(rebus, training) if training else ()
        yield from (Finding(rebus.id, row.line, rule, _shortened(text)) for rule, text in found)


def _shortened(text: str) -> str:
    """Return a text that a person reads; a cell may be as long as a book."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}... ({len(text):,} characters)"


def _of_one_row(standing: Standing, *, asks: bool) -> Iterator[Broken]:
    rebus = standing.rebus
    yield from rules.breaks(rebus, asks=asks)
    clues = rules.clues_of(rebus.verbalized_rebus)
    for sure, text in leaks.leaks(clues, rebus.word_guesses):
        yield "leak" if sure else "possible_leak", text
    for name in (*QUESTION, *GOLD):
        if (cell := standing.row.cells.get(name)) is not None:
            yield from _characters(name, cell)
            yield from _blanks(name, cell)
    yield from _formulas(standing.row)


def _characters(name: str, cell: str) -> Iterator[Broken]:
    gold = name not in QUESTION
    for kind, text in characters.oddities(cell, latin=gold):
        what = f"column {name!r}: {text}"
        if kind == characters.APOSTROPHE:
            yield "apostrophes", what
        elif gold or kind == characters.CONTROL:
            yield "characters", what
        else:
            yield "characters_in_rebus", what


def _blanks(name: str, cell: str) -> Iterator[Broken]:
    """Yield blanks that no answer repeats; `characters` finds other kinds of them."""
    for text in cell.split(";") if name in LISTS else [cell]:
        at_ends = text != text.strip()
        if at_ends or "  " in text:
            rule = "blanks" if at_ends and name not in QUESTION else "odd_blanks"
            yield rule, f"column {name!r}: {text!r}"
            return


def _formulas(row: Row) -> Iterator[Broken]:
    for name, cell in row.cells.items():
        if cell.startswith(_FORMULA):
            yield (
                "formula",
                f"column {name!r} begins with {cell[0]!r}; never open it in a spreadsheet",
            )
            return


class _Alike:
    """The rows that were seen, by what would make another one the same.

    Only hashes are kept: of a million rows two different ones share one in a case out of ten
    million.
    """

    def __init__(self) -> None:
        self._seen: dict[int, RowId] = {}

    def broken(self, rebus: Rebus) -> Iterator[Broken]:
        """Yield in what the next row is another's double: in the most that it is."""
        shown = " ".join(rebus.verbalized_rebus.casefold().split())
        found: Broken | None = None
        for rule, text, shown_as in (
            ("same_solution", rules.letters(rebus.solution), rebus.solution),
            ("same_first_pass", same_first_pass(rebus.first_pass), rebus.first_pass),
            ("same_rebus", shown and f"{shown}\n{rebus.solution_key}", rebus.verbalized_rebus),
        ):
            if not text:
                continue
            key = hash((rule, text))
            if key in self._seen:
                found = rule, f"{shown_as!r} already appears in row {self._seen[key]}"
            else:
                self._seen[key] = rebus.id
        if found:
            yield found


class _Subsets:
    """The subsets that came, to say of each once that it is unknown or came too late."""

    def __init__(self) -> None:
        self._told: set[str] = set()
        self._last = 0

    def broken(self, subset: str | None) -> Iterator[Broken]:
        """Yield what is wrong with the next row's subset."""
        if subset is None or subset in self._told:
            return
        if subset not in KNOWN:
            self._told.add(subset)
            yield "subset_unknown", f"{subset!r} is none of {', '.join(KNOWN)}; it goes by its name"
            return
        place = KNOWN.index(subset)
        if place < self._last:
            self._told.add(subset)
            yield "subset_order", f"{subset!r} appears after {KNOWN[self._last]!r}, from here on"
        self._last = max(self._last, place)


def _seen(rebus: Rebus, training: Training) -> Iterator[Broken]:
    if training.saw_first_pass(rebus):
        yield "seen_rebus", f"{rebus.first_pass!r} stands in {training.name}"
    elif training.saw_solution(rebus):
        yield "seen_solution", f"{rebus.solution!r} stands in {training.name}"
    unseen = training.unseen(rebus.word_guesses)
    if rebus.subset == "id" and unseen:
        shown = ", ".join(unseen[:_WORDS_SHOWN])
        yield "subset_words", f"it is id, but {training.name} never has {shown}"
    elif rebus.subset == "ood" and training.saw_as_written(rebus.word_guesses):
        yield "subset_words", f"it is ood, but {training.name} has every word of it"
