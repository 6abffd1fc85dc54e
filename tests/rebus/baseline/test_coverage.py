from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from apieval.rebus import dataset
from apieval.rebus.baseline.lexicon import Lexicon, clue_key, coverage, told
from apieval.rebus.baseline.words import Word
from apieval.records import Rebus

if TYPE_CHECKING:
    from collections.abc import Sequence


def rebus(row: int, clues: Sequence[str], words: Sequence[str]) -> Rebus:
    text = " A ".join(f"[{clue}]" for clue in clues)
    return Rebus(
        id=row,
        verbalized_rebus=text,
        verbalized_rebus_with_length_hints=text,
        solution_key="5",
        word_guesses=tuple(words),
        first_pass="",
        solution_words=(),
        solution="",
    )


COLOURS = (Word("rosso", "rosso"), Word("blù", "blu"))
ENTRIES: dict[str, tuple[Word, ...]] = {clue_key("Un colore"): COLOURS}


def test_counts_what_is_known_and_what_is_right() -> None:
    rows = [
        rebus(0, ["Un colore"], ["blu"]),
        rebus(1, ["Un colore", "mai vista"], ["verde", "casa"]),
    ]
    found = coverage(Lexicon(ENTRIES, ""), rows)
    assert found == {"rebuses": 2, "complete": 1, "clues": 3, "known": 2, "found": 1}


def test_the_samples_own_dictionary_is_incomplete_on_purpose() -> None:
    sample = dataset.load(dataset.SAMPLE).rebuses
    found = coverage(Lexicon.load(), sample)
    assert (found["clues"], found["found"], found["complete"]) == (270, 177, 36)


@pytest.mark.parametrize(
    ("skipped", "twice", "end"),
    [
        pytest.param(0, 0, "all clues of 0 of 1 rebus", id="all read"),
        pytest.param(1, 2, "rebus; 1 pair without clue or word; 2 pairs more than once", id="not"),
    ],
)
def test_is_told_in_a_sentence(skipped: int, twice: int, end: str) -> None:
    lexicon = Lexicon(ENTRIES, "", skipped, twice)
    text = told(lexicon, coverage(lexicon, [rebus(0, ["Un colore", "b"], ["blu", "c"])]))
    assert text.startswith("the dictionary has answers to 1 of 2 clues, the right one among them")
    assert text.endswith(end)
