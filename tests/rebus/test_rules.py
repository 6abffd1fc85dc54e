from __future__ import annotations

import pytest

from apieval.rebus import rules as verify
from apieval.rebus.rules import RULES
from apieval.records import Rebus
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


def rules(row: Rebus, *, asks: bool = True) -> list[str]:
    return [name for name, _ in verify.breaks(row, asks=asks)]


@pytest.mark.parametrize(
    ("changes", "broken", "text"),
    [
        pytest.param({}, [], "", id="correct"),
        pytest.param(
            {"verbalized_rebus": "VE [Santa di Cascia] NA"},
            ["clues", "fills", "settings"],
            "1 clue for 2 hidden words in 'VE [Santa di Cascia] NA'",
            id="a missing clue",
        ),
        pytest.param(
            {"verbalized_rebus_with_length_hints": "VE [Santa di Cascia (4)] NA"},
            ["clues", "hints", "settings"],
            "1 clue for 2 hidden words in 'VE [Santa di Cascia (4)] NA'",
            id="a missing clue with hints",
        ),
        pytest.param(
            {"word_guesses": ("Anna", "scosta")},
            ["fills"],
            "the words give 'VE Anna NA scosta', the first pass is 'VE Rita NA scosta'",
            id="another word",
        ),
        pytest.param(
            {"word_guesses": ("Rita", "scosta", "tre")},
            ["clues", "fills", "hints"],
            "2 clues for 3 hidden words in 'VE [Santa di Cascia] NA [Sposta da un lato]'",
            id="a word too many",
        ),
        pytest.param(
            {"solution": "Verità nascoste", "solution_words": ("Verità", "nascoste")},
            ["letters"],
            "the first pass spells 'veritanascosta', the solution 'veritanascoste'",
            id="another letter",
        ),
        pytest.param(
            {"solution_key": "6 7"},
            ["key"],
            "the key is '6 7', that of 'Verità nascosta' is '6 8'",
            id="another key",
        ),
        pytest.param(
            {
                "verbalized_rebus_with_length_hints": "VE [Santa di Cascia (4)] NA [Sposta da un lato]"
            },
            ["hints"],
            "the hints are 4 none, the words have 4 6",
            id="a missing hint",
        ),
        pytest.param(
            {"verbalized_rebus_with_length_hints": "VE NA"},
            ["clues", "hints", "settings"],
            "0 clues for 2 hidden words in 'VE NA'",
            id="no clue at all",
        ),
        pytest.param(
            {"verbalized_rebus": "VE [Santa di Norcia] NA  [Sposta da un lato]"},
            ["settings"],
            "'VE [Santa di Norcia] NA  [Sposta da un lato]' is not 'VE [Santa di Cascia (4)] NA "
            "[Sposta da un lato (6)]' without its hints",
            id="another clue in the other setting",
        ),
        pytest.param(
            {"solution_words": ("Verità", "nascoste")},
            ["solution_words"],
            "the solution is 'Verità nascosta', its words are 'Verità;nascoste'",
            id="other solution words",
        ),
        pytest.param({"solution_words": ("VERITÀ", "nascosta")}, [], "", id="case does not count"),
    ],
)
def test_what_a_row_breaks(changes: dict[str, object], broken: list[str], text: str) -> None:
    row = rebus(**changes)
    assert rules(row) == broken
    assert next(iter(verify.breaks(row)), ("", ""))[1] == text
    of_the_game = [RULES[name].says for name in ("fills", "letters", "key", "hints")]
    assert verify.broken_rules(row) == [
        says for says in of_the_game if says in {RULES[name].says for name in broken}
    ]


@pytest.mark.parametrize(
    ("solution", "words", "key", "rule", "text"),
    [
        pytest.param(
            "L'anice stellato", "L;anice;stellato", "1 ' 5 8", "punctuation",
            "\"L'anice stellato\" holds '; solution_words are split there, as the key is",
            id="along the key",
        ),
        pytest.param(
            "L'anice stellato", "L'anice;stellato", "1 ' 5 8", "punctuation",
            "\"L'anice stellato\" holds '; solution_words are split at blanks alone, 2 for 3 "
            "numbers of the key: an answer along the key is misaligned from there on",
            id="at blanks alone",
        ),
        pytest.param(
            "Ma sì, va!", "Ma;sì,;va!", "2 2 , 2 !", "punctuation",
            "'Ma sì, va!' holds ,!; solution_words keep it in their words",
            id="marks behind words",
        ),
        pytest.param("Sì - no", "Sì;-;no", "2 - 2", "punctuation", None, id="a mark by itself"),
        pytest.param("Sì - no", "Sì;no", "2 - 2", "punctuation", None, id="or left out"),
        pytest.param("L'anice", "L';anice", "1 ' 5", "solution_words", None, id="some other way"),
        pytest.param("Sì no", "Sì", "2 2", "solution_words", None, id="a word too few"),
    ],
)  # fmt: skip
def test_how_solution_words_are_split(
    solution: str, words: str, key: str, rule: str, text: str | None
) -> None:
    row = rebus(solution=solution, solution_words=tuple(words.split(";")), solution_key=key)
    [found] = [each for each in verify.breaks(row, asks=False) if each[0] != "letters"]
    assert found[0] == rule
    assert text is None or found[1] == text


def test_a_row_that_asks_nothing_is_held_against_what_it_has() -> None:
    nothing = {"verbalized_rebus": "", "verbalized_rebus_with_length_hints": "", "solution_key": ""}
    assert rules(rebus(**nothing), asks=False) == []
    assert rules(rebus(**nothing, first_pass="VE Rita"), asks=False) == ["letters"]


def test_forms_of_an_accent_are_no_fault_of_the_game() -> None:
    apart = {"solution": "Verita\u0300 nascosta", "solution_words": ("Verita\u0300", "nascosta")}
    assert rules(rebus(**apart)) == []


def test_brackets_without_end_take_no_time() -> None:
    long = "VE [Santa] NA" + "[" * 100_000
    assert verify.clues_of(long) == ["[Santa]"]
    assert verify.taken_apart(long) == (["[Santa]"], ["VE ", " NA" + "[" * 100_000])
    row = rebus(verbalized_rebus=long, verbalized_rebus_with_length_hints=long)
    assert "fills" in rules(row)


def test_accents_without_end_take_no_time() -> None:
    assert verify.letters("e" + "\u0300\u0323" * 50_000) == "e"
