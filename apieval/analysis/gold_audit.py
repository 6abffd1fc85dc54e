"""An audit of the gold rows that answers are held against, and of what they do to the figure."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

from apieval.analysis.findings import audited
from apieval.rebus import prompts
from apieval.rebus.rules import CLUE, broken_rules
from apieval.records import Rebus, RowId
from apieval.results.summary import AuditFinding
from apieval.wording import counted

MOVES: Final = 0.005
"""What half a point of 100 is: from there on the rows that break rules move the figure."""
_WORD: Final = re.compile(r"\w+")
_REBUS: Final = re.compile(r"^Rebus: (.*\[.*)$", re.MULTILINE)
_SHORTEST: Final = 4
"""A shorter hidden word stands in a clue by chance (`una`)."""


def findings(
    rebuses: Sequence[Rebus], solved: Mapping[RowId, Sequence[bool]]
) -> Iterator[AuditFinding]:
    """Yield what speaks against the rows; `solved` are the answers to each that are right."""
    yield from _breakers(rebuses, solved)
    yield from _twice(rebuses)
    yield from _examples(rebuses)
    yield from _given_away(rebuses)


def _breakers(
    rebuses: Sequence[Rebus], solved: Mapping[RowId, Sequence[bool]]
) -> Iterator[AuditFinding]:
    rules: Counter[str] = Counter()
    broken: dict[RowId, None] = {}
    for rebus in rebuses:
        for rule in broken_rules(rebus):
            rules[rule] += 1
            broken[rebus.id] = None
    if not broken:
        return
    theirs = [right for row in broken for right in solved.get(row, ())]
    rest = [right for row, rights in solved.items() if row not in broken for right in rights]
    told = "; ".join(f"{rule} ({count:,})" for rule, count in rules.most_common())
    text = f"{_rows(broken, rebuses)} break a rule of the game: {told}"
    level: Literal["warning", "note"] = "note"
    if theirs and rest:
        all_of = (sum(theirs) + sum(rest)) / (len(theirs) + len(rest))
        without = sum(rest) / len(rest)
        text += f"; {sum(theirs) / len(theirs):.3f} of the answers to them are solved, "
        text += f"{without:.3f} without them, {all_of:.3f} in all"
        level = "warning" if abs(without - all_of) >= MOVES else "note"
    yield audited("gold_breaks_rules", level, text, broken, len(rebuses))


def _twice(rebuses: Sequence[Rebus]) -> Iterator[AuditFinding]:
    places: defaultdict[tuple[str, str], list[RowId]] = defaultdict(list)
    for rebus in rebuses:
        places[rebus.first_pass.lower(), rebus.solution.lower()].append(rebus.id)
    again = [row for rows in places.values() for row in rows[1:]]
    if again:
        text = (
            f"{_rows(again, rebuses)} have first pass and solution of a row above, and count twice"
        )
        yield audited("gold_stands_twice", "note", text, again, len(rebuses))


def _examples(rebuses: Sequence[Rebus]) -> Iterator[AuditFinding]:
    """Tell of rows that the prompt solves, as its examples."""
    shown = {_plain(each) for each in _REBUS.findall(prompts.template("regular"))}
    ids = [rebus.id for rebus in rebuses if _plain(rebus.verbalized_rebus) in shown]
    if ids:
        text = f"{_rows(ids, rebuses)} are the prompt's own examples, which it solves"
        yield audited("gold_in_prompt", "warning", text, ids, len(rebuses))


def _plain(rebus: str) -> str:
    return " ".join(rebus.lower().split())


def _given_away(rebuses: Sequence[Rebus]) -> Iterator[AuditFinding]:
    ids = [rebus.id for rebus in rebuses if _gives_away(rebus)]
    if ids:
        text = f"{_rows(ids, rebuses)} have a clue that says its own hidden word"
        yield audited("clue_says_word", "note", text, ids, len(rebuses))


def _gives_away(rebus: Rebus) -> bool:
    clues = CLUE.findall(rebus.verbalized_rebus)
    return any(
        len(word) >= _SHORTEST and word.lower() in _WORD.findall(clue.lower())
        for clue, word in zip(clues, rebus.word_guesses, strict=False)
    )


def _rows(ids: Sequence[RowId] | Mapping[RowId, None], rebuses: Sequence[Rebus]) -> str:
    return f"{len(ids):,} of {counted(len(rebuses), 'gold row')}"
