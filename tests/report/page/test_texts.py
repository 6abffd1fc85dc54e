from __future__ import annotations

from apieval.report.page.cuts import ROOMS
from apieval.report.page.texts import Held
from tests.report.page.material import answer


def test_texts_are_held_whole_while_there_is_room() -> None:
    held, first = Held(), answer()
    held.add(first, "testo", None)
    assert first.text is not None
    assert (first.text.head, first.text.length, first.reasoning) == ("testo", 5, None)
    assert held.room == ROOMS[0]


def test_reasonings_give_way_first_when_there_are_too_many() -> None:
    held = Held(most=50_000)
    answers = [answer() for _ in range(4)]
    for each in answers:
        held.add(each, "a" * 9_000, "r" * 9_000)
    assert held.room == ROOMS[2]
    for each in answers:
        assert each.text is not None
        assert each.reasoning is not None
        assert (each.text.shown, each.text.length) == (6_000, 9_000)
        assert (each.reasoning.shown, each.reasoning.length) == (2_000, 9_000)


def test_with_no_room_at_all_their_lengths_are_left() -> None:
    held, only = Held(most=0), answer()
    held.add(only, "testo", "perché")
    assert only.text is not None
    assert only.reasoning is not None
    assert (only.text.shown, only.text.length, only.reasoning.length) == (0, 5, 6)
