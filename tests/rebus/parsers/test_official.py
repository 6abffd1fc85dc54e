from __future__ import annotations

import re

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apieval.rebus.parsers import official
from apieval.records import Prediction
from tests.records import ANSWER


def reference(text: str) -> Prediction:
    """Parse as the challenge describes it, in its plainest form: four patterns, join, split."""
    guesses = re.findall(r"[\d.|\-] \[.* = (.*)", text)
    first_passes = re.findall(r"Prima lettura: (.*)", text)
    words = re.findall(r"\d+ = (.*)", text)
    solutions = re.findall(r"Soluzione: (.*)", text)
    return Prediction(
        word_guesses=tuple(";".join(guesses).split(";")),
        first_pass=first_passes[0] if first_passes else "",
        solution_words=tuple(";".join(words).split(";")),
        solution=solutions[0] if solutions else "",
    )


FRAGMENTS = [
    *["- [", "1. [", "| [", "2 [", "-[", "- ["],
    *["[", "]", "[]", " = ", "=", " =", "= ", ";", ".", "-", "|", " "],
    *["Prima lettura: ", "Prima lettura:", "prima lettura: ", "Soluzione: ", "Soluzione:"],
    *["\n", "\n", "\n", "\r", "\r\n", "\u2028", "\x0b", "\x0c", "\x1c", "\x85", "\x00"],
    *["7", "11", "٣", "१२", "²", "Ⅻ", "7 = ", "٣ = ", "11 = Accozzaglie", "- [x] = cozza"],
    *["casa", "è", "é", "Ne = n", "**", "\ufeff", "\ud800", "😀"],
]
hostile = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=3)), max_size=40).map(
    "".join
)


@settings(max_examples=400)
@given(hostile)
@example(ANSWER)
@example("")
@example("- [ = ")
@example("- [= x = ")
@example("1 [a] = b = - [c] = d")
@example("1 2 = 3 = 4\n5 = ")
def test_reads_what_the_plain_patterns_read(text: str) -> None:
    assert official.parse(text) == reference(text)


NOTHING = Prediction(word_guesses=("",), first_pass="", solution_words=("",), solution="")


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        pytest.param("", {}, id="empty text"),
        pytest.param("Non so rispondere.", {}, id="no answer at all"),
        pytest.param("- [Mollusco] = cozza", {"word_guesses": ("cozza",)}, id="guess behind dash"),
        pytest.param("12. [Mollusco] = cozza", {"word_guesses": ("cozza",)}, id="numbered list"),
        pytest.param("| [Mollusco] = cozza |", {"word_guesses": ("cozza |",)}, id="table row"),
        pytest.param("* [Mollusco] = cozza", {}, id="asterisk is no sign of a guess"),
        pytest.param("[Mollusco] = cozza", {}, id="nothing before the bracket"),
        pytest.param("-  [Mollusco] = cozza", {}, id="two blanks before the bracket"),
        pytest.param("- [Mollusco]: cozza", {}, id="colon for equals"),
        pytest.param("- [Mollusco] =cozza", {}, id="no blank after equals"),
        pytest.param("- [Mollusco\n] = cozza", {}, id="equals on the next line"),
        pytest.param(
            "- [A] = uno\n- B = B\n- [C] = due",
            {"word_guesses": ("uno", "due")},
            id="letters between guesses",
        ),
        pytest.param(
            "- [2 + 2 = 4] = quattro",
            {"word_guesses": ("quattro",), "solution_words": ("4] = quattro",)},
            id="equals twice, the last counts",
        ),
        pytest.param(
            "- [A] = uno = due", {"word_guesses": ("due",)}, id="equals twice behind the clue"
        ),
        pytest.param(
            "- [A] = uno - [B] = due",
            {"word_guesses": ("due",)},
            id="two guesses in a line are one",
        ),
        pytest.param(
            "x = y - [A]",
            {},
            id="equals only before the bracket is none",
        ),
        pytest.param(
            "- [A] = uno;due", {"word_guesses": ("uno", "due")}, id="semicolon inside a word"
        ),
        pytest.param("- [A] = ;", {"word_guesses": ("", "")}, id="semicolon alone"),
        pytest.param("- [A] = ", {"word_guesses": ("",)}, id="empty guess"),
        pytest.param("- [A] = \n- [B] = ", {"word_guesses": ("", "")}, id="two empty guesses"),
        pytest.param("- [A] = uno \r\n", {"word_guesses": ("uno \r",)}, id="CR and blank are kept"),
        pytest.param(
            "- [A] = uno\u2028- [B] = due",
            {"word_guesses": ("due",)},
            id="U+2028 ends no line",
        ),
        pytest.param("٣ [A] = uno", {"word_guesses": ("uno",)}, id="Arabic digit before a clue"),
        pytest.param("² [A] = uno", {}, id="a superscript is no digit"),
        pytest.param(
            "La Prima lettura: AB\n", {"first_pass": "AB"}, id="label in the middle of a line"
        ),
        pytest.param(
            "Prima lettura: AB\nPrima lettura: CD", {"first_pass": "AB"}, id="first of two"
        ),
        pytest.param(
            "Prima lettura: Prima lettura: AB",
            {"first_pass": "Prima lettura: AB"},
            id="label in its own line twice",
        ),
        pytest.param("Prima lettura: \nAB", {"first_pass": ""}, id="label with nothing behind"),
        pytest.param("Prima lettura:AB", {}, id="label without its blank"),
        pytest.param("prima lettura: AB", {}, id="label in lower case"),
        pytest.param("**Prima lettura:** AB", {}, id="label in Markdown"),
        pytest.param("Prima lettura: AB\r\n", {"first_pass": "AB\r"}, id="first pass keeps CR"),
        pytest.param("Soluzione:  A b ", {"solution": " A b "}, id="solution is not trimmed"),
        pytest.param("Soluzione: Uno\nSoluzione: Due", {"solution": "Uno"}, id="first solution"),
        pytest.param("Soluzione: **Uno**", {"solution": "**Uno**"}, id="Markdown is kept"),
        pytest.param(
            "6 = Verità\n8 = nascosta",
            {"solution_words": ("Verità", "nascosta")},
            id="solution words",
        ),
        pytest.param("10 = a\n2 = b", {"solution_words": ("a", "b")}, id="in order, not by number"),
        pytest.param("- 6 = a", {"solution_words": ("a",)}, id="digits anywhere in a line"),
        pytest.param("x7 = a", {"solution_words": ("a",)}, id="digits behind a letter"),
        pytest.param("٣ = a", {"solution_words": ("a",)}, id="Arabic digits"),
        pytest.param("6 = a = b", {"solution_words": ("a = b",)}, id="the first equals of a word"),
        pytest.param(
            "6 = a 7 = b", {"solution_words": ("a 7 = b",)}, id="two words in a line are one"
        ),
        pytest.param("6 : a\n7= b\n8 =c", {}, id="no word without both blanks"),
        pytest.param("6 = a;b", {"solution_words": ("a", "b")}, id="semicolon in a solution word"),
        pytest.param(
            "6 = \n8 = ", {"solution_words": ("", "")}, id="empty solution words are words"
        ),
        pytest.param(
            "- [Nell'anno 10 = dieci] = x",
            {"word_guesses": ("x",), "solution_words": ("dieci] = x",)},
            id="one line read as guess and as solution word",
        ),
    ],
)
def test_table(text: str, changes: dict[str, object]) -> None:
    parsed = official.parse(text)
    assert parsed == NOTHING.model_copy(update=changes)
    assert parsed == reference(text)


def test_the_usual_answer() -> None:
    assert official.parse(ANSWER) == Prediction(
        word_guesses=("Rita", "scosta"),
        first_pass="VE Rita NA scosta",
        solution_words=("Verità", "nascosta"),
        solution="Verità nascosta",
    )


def test_lists_are_never_empty_so_that_a_csv_cell_gives_the_same() -> None:
    cell = ";".join(official.parse("").word_guesses)
    assert tuple(cell.split(";")) == official.parse("").word_guesses


MEGABYTE = 1_000_000


@pytest.mark.parametrize(
    ("unit", "end"),
    [
        pytest.param("7", "", id="digits"),
        pytest.param("7", " =", id="digits and half an equals"),
        pytest.param("7 ", "", id="digits apart"),
        pytest.param("- [", "", id="open clues"),
        pytest.param("- [", " = ", id="open clues and one equals"),
        pytest.param("1 = ", "", id="solution words in one line"),
        pytest.param("1 = \n", "", id="solution words"),
        pytest.param("- [] = a\n", "", id="guesses"),
        pytest.param(" = ", "- [", id="equals before the clue"),
        pytest.param("Prima lettura:", "", id="labels without blanks"),
        pytest.param("Prima lettura: Soluzione: ", "", id="labels"),
        pytest.param("\n", "", id="line feeds"),
        pytest.param(";", "", id="semicolons"),
        pytest.param(" ", "", id="blanks"),
    ],
)
@pytest.mark.timeout(20)
def test_a_megabyte_is_read_at_once(unit: str, end: str) -> None:
    # on some of these the plain patterns take quadratic time, which is hours
    official.parse("- [x] = " + unit * (MEGABYTE // len(unit)) + end)


def test_name_and_version_are_printed_with_every_score() -> None:
    assert (official.NAME, official.VERSION) == ("official", 1)
