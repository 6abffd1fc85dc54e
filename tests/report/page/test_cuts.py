from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.report.page.cuts import ROOMS, Cut, cut, cut_again


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
    assert cut_again(cut(text, first), then) == cut(text, min(first, then))


def test_rooms_get_smaller_down_to_nothing() -> None:
    assert list(ROOMS) == sorted(ROOMS, reverse=True)
    assert sum(ROOMS[-1]) == 0
