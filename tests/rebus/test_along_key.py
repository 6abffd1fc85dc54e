from __future__ import annotations

import pytest

from apieval.rebus.equality import along_key
from tests.records import rebus


@pytest.mark.parametrize(
    ("key", "solution", "words", "expected"),
    [
        pytest.param("6 1 ' 5", "Parola d'onore", "Parola;d'onore", "Parola;d;onore", id="apostrophe"),
        pytest.param("1 ' 3 6 !", "L'ape regina!", "L'ape;regina!", "L;ape;regina", id="more signs"),
        pytest.param("4 - 7", "Nord-oriente", "Nord-oriente", "Nord;oriente", id="hyphen"),
        pytest.param("1 ' 4 .", "E\u0300 'vero.", "È 'vero.", "È;vero", id="decomposed"),
    ],
)  # fmt: skip
def test_one_word_a_number(key: str, solution: str, words: str, expected: str) -> None:
    row = rebus(solution_key=key, solution=solution, solution_words=tuple(words.split(";")))
    assert along_key(row).solution_words == tuple(expected.split(";"))
    assert along_key(row).solution == solution


@pytest.mark.parametrize(
    ("key", "solution", "words"),
    [
        pytest.param("6 8", "Verità nascosta", "Verità;nascosta", id="plain key"),
        pytest.param("6 1 ' 5", "Parola d'onore", "Parola;d;onore", id="split already"),
        pytest.param("6 1 ' 9", "Parola d'onore", "Parola;d'onore", id="a key that does not fit"),
    ],
)
def test_where_there_is_nothing_to_do_the_row_is_itself(
    key: str, solution: str, words: str
) -> None:
    row = rebus(solution_key=key, solution=solution, solution_words=tuple(words.split(";")))
    assert along_key(row) is row
