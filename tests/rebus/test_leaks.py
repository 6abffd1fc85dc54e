from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.leaks import FUNCTION_WORDS, leaks


@pytest.mark.parametrize(
    ("clue", "word", "sure"),
    [
        pytest.param("[Santa di Cascia]", "Rita", None, id="none"),
        pytest.param("[La Rita di Cascia]", "Rita", True, id="by itself"),
        pytest.param("[Santa RITA!]", "Rita", True, id="whatever the case"),
        pytest.param("[Il perche' di tutto]", "perché", True, id="whatever the accent"),
        pytest.param("[Mangiare all'aperto]", "aperto", True, id="behind an apostrophe"),
        pytest.param("[Vale 3 punti]", "3", True, id="a digit"),
        pytest.param("[L'ultima nota, la più alta]", "la", None, id="a function word"),
        pytest.param("[Il tè delle cinque]", "tè", True, id="an accent makes it none"),
        pytest.param("[Te lo dà il barista]", "tè", None, id="without it, it is one"),
        pytest.param("[È vero]", "è", None, id="a function word with an accent"),
        pytest.param("[Il re delle isole]", "delle", None, id="a long function word"),
        pytest.param("[Il re di Francia]", "re", True, id="a short word that is none"),
        pytest.param("[Vende il pane nella panetteria]", "panetteria", True, id="at the end"),
        pytest.param("[Si compra in panetteria]", "pane", False, id="inside a longer word"),
        pytest.param("[Recita in teatro da attore]", "ore", None, id="short inside a longer word"),
        pytest.param("[La porta delle mele rosse]", "tadelle", None, id="not across words"),
        pytest.param("[Non è d'oro]", "d'oro", True, id="a word with an apostrophe"),
        pytest.param("[...]", "?", None, id="no letter at all"),
    ],
)
def test_leaks(clue: str, word: str, sure: bool | None) -> None:
    found = list(leaks([clue], [word]))
    assert [is_sure for is_sure, _ in found] == ([] if sure is None else [sure])
    assert all(clue in text and repr(word) in text for _, text in found)


def test_each_clue_is_held_against_its_own_word() -> None:
    assert list(leaks(["[Rita]", "[scosta]"], ["scosta", "Rita"])) == []
    assert list(leaks(["[Rita]"], [])) == list(leaks([], ["Rita"])) == []


@given(st.text(max_size=20), st.text(max_size=20), st.from_regex("[b-z]{5,9}", fullmatch=True))
def test_a_word_put_into_a_clue_is_found(before: str, after: str, word: str) -> None:
    [(sure, _)] = leaks([f"[{before} {word.upper()} {after}]"], [word])
    assert sure is (word not in FUNCTION_WORDS)
