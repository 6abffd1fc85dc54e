"""Verbalized rebuses made of printed ones and of crossword clues, as the study made its data.

Source: Sarti et al. 2024, "Non Verbis, Sed Rebus", section 3.2: of regular rebuses whose hidden
words all have a clue, each word is replaced by one of its clues, drawn at random.

What is drawn for a rebus hangs on the seed, on its own first pass and solution, and on the clues
its words have: not on where it stands nor on what stands beside it. So does the order of what
comes out: by subset, then by id, which is a hash, so that the first rebuses of a subset are a
fair sample of it.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from apieval.rebus import rules
from apieval.rebus.cells import DROPPED, Tally
from apieval.rebus.clue_table import Clues
from apieval.rebus.equality import WORD
from apieval.rebus.printed import Printed, hidden
from apieval.rebus.rules import RULES
from apieval.rebus.training import Training
from apieval.records import Rebus

OLD: Final = "old"
"""The subset of what is not new, where no training file says which of it is `id` and which `ood`."""
ORDER: Final = ("id", "ood", OLD, "new", None)


@dataclass(frozen=True, slots=True)
class Wish:
    """What is wanted: the least number of hidden words, the seed, the first year that is new."""

    least_words: int = 2
    seed: int = 0
    new_since: int | None = None


@dataclass(slots=True)
class Verbalizer:
    """Makes rebuses of printed ones, and counts what it drops and why.

    `possible_leaks` counts the clues that hold their word inside a longer one, `undated` the
    rebuses whose year is needed and not known, `lacking` the rows that lack each word's clue.
    """

    clues: Clues
    wish: Wish = field(default_factory=Wish)
    training: Training | None = None
    dropped: Tally = field(default_factory=lambda: Tally(DROPPED))
    possible_leaks: int = 0
    undated: int = 0
    lacking: Counter[str] = field(default_factory=Counter)

    def verbalize(self, printed: Iterable[Printed]) -> Iterator[Rebus]:
        """Yield what can be made, in its order; each rebus once."""
        taken = self._once(each for each in printed if self._usable(each))
        subsets = {given: self._subset(each) for given, each in taken.items()}
        asked: set[int] = set()
        for given in sorted(taken, key=lambda given: (ORDER.index(subsets[given]), given)):
            each = taken[given]
            rebus, possible = self._made(each, given, subsets[given])
            if self._kept(rebus, each.line, asked):
                self.possible_leaks += possible
                self.undated += self.wish.new_since is not None and each.year is None
                yield rebus

    def _usable(self, each: Printed) -> bool:
        if found := self._fault(each):
            reason, text = found
            self.dropped.add(reason, each.line, text)
        return not found

    def _fault(self, each: Printed) -> tuple[str, str] | None:
        """Return why a rebus cannot be verbalized, and what exactly is wrong."""
        words = each.words
        if len(words) < self.wish.least_words:
            return "few_words", each.first_pass
        if rules.letters(each.first_pass) != rules.letters(each.solution):
            return "letters", f"{each.first_pass} = {each.solution}"
        choices = {word: self.clues.of(word) for word in words}
        if lacking := [word for word, choice in choices.items() if choice is None]:
            self.lacking.update({word.casefold() for word in lacking})
            return "no_clue", ", ".join(lacking)
        if leaking := [word for word, choice in choices.items() if choice and not choice.clues]:
            return "leaks", ", ".join(leaking)
        return None

    def _once(self, printed: Iterable[Printed]) -> dict[str, Printed]:
        """Return each rebus once, by its id, spelt and dated the same whatever comes first."""
        taken: dict[str, Printed] = {}
        for each in printed:
            given = each.id
            if (other := taken.get(given)) is None:
                taken[given] = each
                continue
            self.dropped.add("double", each.line, f"as line {other.line}: {each.first_pass}")
            taken[given] = _one_of(other, each)
        return taken

    def _subset(self, each: Printed) -> str | None:
        since = self.wish.new_since
        if since is not None and each.year is not None and each.year >= since:
            return "new"
        if self.training:
            return "ood" if self.training.unseen(each.words) else "id"
        return None if since is None else OLD

    def _made(self, each: Printed, given: str, subset: str | None) -> tuple[Rebus, int]:
        """Return a rebus, and how many of its clues hold their word inside a longer one."""
        plain, hinted, possible = [], [], 0
        for place, element in enumerate(each.first_pass.split(" ")):
            choice = self.clues.of(element) if hidden(element) else None
            if choice is None:
                plain.append(element)
                hinted.append(element)
                continue
            clue = choice.clues[_number(self.wish.seed, given, place) % len(choice.clues)]
            plain.append(f"[{clue}]")
            hinted.append(f"[{clue} ({len(element)})]")
            possible += choice.possible_leaks
        return Rebus(
            id=given,
            subset=subset,
            verbalized_rebus=" ".join(plain),
            verbalized_rebus_with_length_hints=" ".join(hinted),
            solution_key=rules.key_of(each.solution),
            word_guesses=each.words,
            first_pass=each.first_pass,
            solution_words=tuple(WORD.findall(each.solution)),
            solution=each.solution,
        ), possible

    def _kept(self, rebus: Rebus, line: int, asked: set[int]) -> bool:
        """Say whether `apieval data verify` will find no error in a rebus; count it otherwise."""
        errors = [text for name, text in rules.breaks(rebus) if RULES[name].level == "error"]
        shown = hash((" ".join(rebus.verbalized_rebus.casefold().split()), rebus.solution_key))
        if errors:
            self.dropped.add("rules", line, errors[0])
        elif self.training and self.training.saw_first_pass(rebus):
            self.dropped.add("seen", line, rebus.first_pass)
        elif shown in asked:
            self.dropped.add("same_rebus", line, rebus.verbalized_rebus)
        else:
            asked.add(shown)
            return True
        return False


def _one_of(one: Printed, other: Printed) -> Printed:
    """Return the same rebus out of two rows, whichever comes first.

    Of two years it is the earlier one, and none where one is not known: what may be old is not new.
    """
    first = min(one, other, key=lambda each: (each.first_pass, each.solution))
    year = None if one.year is None or other.year is None else min(one.year, other.year)
    return replace(first, line=one.line, year=year)


def _number(seed: int, given: str, place: int) -> int:
    """Return a random number that hangs on nothing but these."""
    text = f"{seed}\n{given}\n{place}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")
