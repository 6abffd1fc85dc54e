from __future__ import annotations

import random
import string
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.language import LEAST, TIMES, ends_in_a_loop
from apieval.rebus import prompts
from tests.records import ANSWER

WORDS = "e poi la parola nascosta non è quella che sembrava a prima vista, "


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(ANSWER + WORDS * 4, id="a sentence"),
        pytest.param(ANSWER + WORDS * 4 + WORDS[:20], id="a sentence, cut in the middle"),
        pytest.param(ANSWER + WORDS * 4 + "\n \n", id="blanks behind"),
        pytest.param(ANSWER * 4, id="the whole answer"),
        pytest.param("La " + "a" * LEAST, id="one letter"),
        pytest.param("- A = A\n" * 10, id="a line of letters"),
        pytest.param("11" * LEAST, id="digits"),
        pytest.param("ha ha ha ho " * 7, id="a unit that repeats within itself"),
        pytest.param(("ha ha ha ha ha ha ha no " * 2 + "ma ") * 5, id="a tail that is within the unit"),
    ],
)  # fmt: skip
def test_a_loop(text: str) -> None:
    assert ends_in_a_loop(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("", id="nothing"),
        pytest.param("sì", id="a word"),
        pytest.param(ANSWER, id="an answer"),
        pytest.param(prompts.template("hints"), id="the prompt"),
        pytest.param(ANSWER + WORDS * 3, id="three times"),
        pytest.param(ANSWER + "- A = A\n" * 9, id="nine short lines"),
        pytest.param(ANSWER + WORDS * 6 + "Soluzione: Verità nascosta", id="a loop that was left"),
        pytest.param("Soluzione: " + "." * 500, id="dots"),
        pytest.param("Soluzione: " + "_ " * 500, id="blanks to fill in"),
        pytest.param("|---" * 100, id="a table's rule"),
        pytest.param("- \n" * 100, id="empty bullets"),
        pytest.param(
            "".join("a" * n + "b" for n in range(90, 16, -1)) + "a" * 17, id="nearly alike"
        ),
        pytest.param("\n".join(f"- [Indizio {n}] = non so" for n in range(99)), id="bullets"),
        pytest.param("\n".join(f"{n} = parola" for n in range(99)), id="solution words"),
    ],
)
def test_no_loop(text: str) -> None:
    assert not ends_in_a_loop(text)


@given(
    st.text(string.ascii_lowercase, min_size=1, max_size=40),
    st.text(max_size=40),
    st.integers(0, 40),
)
@settings(max_examples=100)
def test_any_unit_that_stands_there_often_enough_is_a_loop(
    unit: str, before: str, cut: int
) -> None:
    times = max(TIMES, -(-LEAST // len(unit)))
    assert ends_in_a_loop(before + unit * times + unit[: cut % len(unit)])


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 999_999 + "b", id="one letter"),
        pytest.param("ab" * 499_999 + "ba", id="two letters"),
        pytest.param(("a" * 30 + "b") * 33_000 + "a" * 17, id="a tail that is everywhere"),
        pytest.param(f"{random.Random(1).getrandbits(1_000_000):b}", id="two digits, mixed"),
    ],
)
def test_a_megabyte_takes_no_long_time(text: str) -> None:
    before = time.process_time()
    ends_in_a_loop(text)
    assert time.process_time() - before < 2
