from __future__ import annotations

import pytest

from apieval.rebus import verify
from tests.records import rebus

FILLS = "the hidden words do not fill the first pass"
SPELLS = "the first pass does not spell the solution"
KEY = "the key is not the solution's"
HINTS = "the hints are not the hidden words' lengths"


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        pytest.param({}, [], id="correct"),
        pytest.param({"word_guesses": ["Anna", "scosta"]}, [FILLS], id="another hidden word"),
        pytest.param({"word_guesses": ["Rita"]}, [FILLS, HINTS], id="a word too few"),
        pytest.param(
            {"word_guesses": ["Rita", "scosta", "tre"]}, [FILLS, HINTS], id="a word too many"
        ),
        pytest.param({"first_pass": "VE Rita NA costa"}, [FILLS, SPELLS], id="another first pass"),
        pytest.param({"first_pass": "VE  Rita NA scosta "}, [], id="blanks do not count"),
        pytest.param({"solution": "Verità nascoste"}, [SPELLS], id="another letter"),
        pytest.param({"solution": "VERITA' nascosta"}, [KEY], id="an apostrophe for the accent"),
        pytest.param({"solution_key": "6 7"}, [KEY], id="a wrong length"),
        pytest.param({"solution_key": "6  8"}, [KEY], id="two blanks in the key"),
        pytest.param(
            {"verbalized_rebus_with_length_hints": "VE [Santa (4)] NA [Sposta (7)]"},
            [HINTS],
            id="a wrong hint",
        ),
        pytest.param(
            {"verbalized_rebus_with_length_hints": "VE [Santa (4)] NA [Sposta]"},
            [HINTS],
            id="a missing hint",
        ),
        pytest.param({"verbalized_rebus": "VE [Santa] NA"}, [FILLS], id="a missing clue"),
        pytest.param(
            {
                "verbalized_rebus": "VE [Santa (di Cascia)] NA [Sposta {via}]",
                "verbalized_rebus_with_length_hints": "VE [Santa (di C.) (4)] NA [Sposta (6)]",
            },
            [],
            id="brackets inside clues",
        ),
    ],
)
def test_rules(changes: dict[str, object], broken: list[str]) -> None:
    assert verify.broken_rules(rebus(**changes)) == broken


@pytest.mark.parametrize(
    ("solution", "key"),
    [
        pytest.param("Verità nascosta", "6 8", id="words"),
        pytest.param("L'anice stellato", "1 ' 5 8", id="apostrophe"),
        pytest.param("Un po' di sale", "2 2 ' 2 4", id="apostrophe at the end"),
        pytest.param("Chi va, sano arriva", "3 2 , 4 6", id="comma"),
        pytest.param("Verita\u0300 nascosta", "6 8", id="decomposed accent"),
        pytest.param("Sala 3", "4 1", id="digit"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_key_of(solution: str, key: str) -> None:
    assert verify.key_of(solution) == key


@pytest.mark.parametrize(
    ("text", "letters"),
    [
        pytest.param("VE Rita", "verita", id="case and blanks"),
        pytest.param("Perché è così", "percheecosi", id="accents"),
        pytest.param("L'anice, 3!", "lanice3", id="punctuation"),
        pytest.param("e\u0300", "e", id="decomposed"),
    ],
)
def test_letters(text: str, letters: str) -> None:
    assert verify.letters(text) == letters
