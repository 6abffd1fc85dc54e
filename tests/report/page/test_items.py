"""Texts as they are held for the view: cut in the middle, and all to less where they get too many."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.report.page.items import PART, ROOMS, WORDS, Cut, Held, cut, shown
from tests.records import prediction
from tests.report.page.material import answer


@pytest.mark.parametrize(
    ("most", "head", "tail"),
    [
        pytest.param(9, "123456789", "", id="it fits"),
        pytest.param(6, "1234", "89", id="beginning and end"),
        pytest.param(2, "12", "", id="no room for an end"),
        pytest.param(0, "", "", id="no room"),
    ],
)
def test_a_text_is_cut_in_the_middle(most: int, head: str, tail: str) -> None:
    assert cut("123456789", most) == Cut(head, tail, 9)


@settings(max_examples=50)
@given(st.text(max_size=60), st.integers(0, 70), st.integers(0, 70))
def test_cut_twice_is_as_cut_once(text: str, first: int, then: int) -> None:
    assert cut(text, first).to(then) == cut(text, min(first, then))


def test_rooms_get_smaller_down_to_nothing() -> None:
    assert list(ROOMS) == sorted(ROOMS, reverse=True)
    assert sum(ROOMS[-1]) == 0


def test_long_parts_and_many_words_are_cut() -> None:
    read = shown(prediction(solution="x" * 5_000, word_guesses=("a",) * (WORDS + 3)))
    assert read["word_guesses"] == (["a"] * WORDS, 3)
    head, tail, length = read["solution"]
    assert (len(head) + len(tail), length) == (PART, 5_000)


@pytest.mark.parametrize(
    ("most", "text", "reasoning", "room", "kept"),
    [
        pytest.param(60_000_000, 5, 0, 0, (5, 0), id="whole while there is room"),
        pytest.param(50_000, 9_000, 9_000, 2, (6_000, 2_000), id="reasonings give way first"),
        pytest.param(0, 5, 6, 6, (0, 0), id="lengths are left"),
    ],
)
def test_all_texts_are_cut_alike_when_there_are_too_many(
    most: int, text: int, reasoning: int, room: int, kept: tuple[int, int]
) -> None:
    held, answers = Held(most), [answer() for _ in range(4)]
    for each in answers:
        held.add(each, "a" * text, "r" * reasoning or None)
    assert held.room == ROOMS[room]
    for each in answers:
        texts = (each.text, each.reasoning or Cut("", "", 0))
        assert [found and (found.shown, found.length) for found in texts] == [
            (kept[0], text),
            (kept[1], reasoning),
        ]
