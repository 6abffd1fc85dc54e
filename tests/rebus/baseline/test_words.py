from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.baseline.words import TRUNCATED, fold, starting


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        pytest.param("Perché", "perche", id="accent"),
        pytest.param("re magi", "remagi", id="blank"),
        pytest.param("dall'alto", "dallalto", id="apostrophe"),
        pytest.param("1, 2", "", id="no letters"),
    ],
)
def test_a_rebus_is_spelt_with_letters_alone(text: str, letters: str) -> None:
    assert fold(text) == letters


@given(st.text())
def test_folding_is_done_once(text: str) -> None:
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize(
    ("prefix", "found"),
    [
        pytest.param("ta", ["tana", "tara"], id="in the middle"),
        pytest.param("", ["rana", "tana", "tara", "tela"], id="all"),
        pytest.param("z", [], id="after the last"),
        pytest.param("tb", [], id="none between"),
    ],
)
def test_finds_what_starts_so(prefix: str, found: list[str]) -> None:
    assert list(starting(["rana", "tana", "tara", "tela"], prefix)) == found


def test_truncated_words_are_letters() -> None:
    assert {fold(word) for word in TRUNCATED} == TRUNCATED
