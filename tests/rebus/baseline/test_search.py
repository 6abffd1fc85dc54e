from __future__ import annotations

import pytest

from apieval.rebus.baseline.lexicon import Lexicon, clue_key
from apieval.rebus.baseline.puzzle import parse_key
from apieval.rebus.baseline.search import Option, Search, Slot, reachable
from apieval.rebus.baseline.solver import MAX_CHARACTERS, MAX_CLUES, solve
from apieval.rebus.baseline.words import Word, fold

ANSWERS = ("casa", "capitano", "lampone", "Elba", "stellato", "tè")
LEXICON = Lexicon({clue_key("Altra clue"): tuple(Word(text, fold(text)) for text in ANSWERS)}, "")


def slot(*texts: str, open_lengths: tuple[int, ...] = ()) -> Slot:
    options = [Option(Word(text, fold(text)), 0.05 * rank) for rank, text in enumerate(texts)]
    return Slot(tuple(options), open_lengths)


def best(slots: list[Slot], key: str) -> list[str]:
    found = Search(slots, reachable(slots), parse_key(key), LEXICON).best()
    return [word.text for word in found]


def test_sums_that_can_be_had_from_each_place() -> None:
    # Bits 3 to 6: `re` or `casa`, and one letter or two behind it.
    slots = [slot("re", "casa"), slot("A", open_lengths=(1, 2))]
    assert reachable(slots) == [0b1111000, 0b110, 0b1]
    assert reachable([]) == [1]


@pytest.mark.parametrize(
    ("slots", "key", "words"),
    [
        pytest.param([slot("CA"), slot("re", "sta")], "5", ["CA", "sta"], id="the key's sum"),
        pytest.param([slot("re", "ca"), slot("SA")], "4", ["ca", "SA"], id="a known word"),
        pytest.param([slot("Elba", "casa"), slot("A")], "4 1", ["Elba", "A"], id="else the order"),
        pytest.param([slot("a", "abcde")], "3", ["a"], id="nearest sum, of two the smaller"),
        pytest.param([slot("L"), slot("zaino", "Elena")], "1 ' 5", ["L", "Elena"], id="elision"),
        pytest.param([slot(open_lengths=(4, 7)), slot("NE")], "7 2", ["lampone", "NE"], id="open"),
        pytest.param([slot(open_lengths=(4,))], "", ["casa"], id="open, no key"),
        pytest.param(
            [slot("STEL"), slot("zato", open_lengths=(4,))], "8", ["STEL", "zato"], id="own first"
        ),
        pytest.param([slot("CA"), slot(open_lengths=(4,))], "2 4", ["CA", "casa"], id="stranger"),
    ],
)
def test_chooses_jointly(slots: list[Slot], key: str, words: list[str]) -> None:
    assert best(slots, key) == words


def test_of_hundreds_of_answers_the_last_is_not_out_of_the_question() -> None:
    others = [a + b + c + d for a in "bcdfg" for b in "ou" for c in "lmnprstvz" for d in "eiou"]
    words = tuple(Word(text, text) for text in (*others, "pone"))
    entries = {clue_key("Mette"): words, clue_key("Altra clue"): (Word("lampone", "lampone"),)}
    assert len(words) > 300
    assert solve("LAM [Mette]", "7", Lexicon(entries, "")).endswith("Soluzione: Lampone")


@pytest.mark.parametrize(
    ("rebus", "key"),
    [
        pytest.param(" AB ".join(["[Altra clue]"] * 40), "7 2 9 4 " * 9, id="40 clues"),
        pytest.param(" AB ".join(["[mai vista]"] * 40), "7 2 9 4 " * 9, id="40 unknown"),
        pytest.param("[a]A" * MAX_CLUES, "3 " * 400, id="as many as may be"),
        pytest.param("AB" * (MAX_CHARACTERS // 2), "1 " * 2500, id="letters only"),
        pytest.param("ABC" * 1600 + "[a][b]", "999999999999", id="one endless word"),
    ],
)
def test_the_search_is_bounded(rebus: str, key: str) -> None:
    # No time is measured: an exponential search would not end at all.
    assert "\nSoluzione: " in solve(rebus, key, LEXICON)
