from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apieval.rebus.cells import guarded, is_open, unguarded
from apieval.report import study_csv
from tests.records import prediction

TEXTS = st.text(st.sampled_from("=+-@\t\r\n;,\"' aè"), max_size=8)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("=1+1", "'=1+1"),
        ("+", "'+"),
        ("-a", "'-a"),
        ("@a", "'@a"),
        ("\ta", "'\ta"),
        ("\ra", "'\ra"),
        ("\t=", "'\t'="),
        ("'=1", "''=1"),
        ("'''@", "''''@"),
        ("'\t'=", "''\t''="),
        ("casa;=1;-b", "casa;'=1;'-b"),
        ('a"=1', "a\"'=1"),
        ("a\n=1", "a\n'=1"),
        ("", ""),
        ("casa", "casa"),
        ("l'anice", "l'anice"),
        ("'a", "'a"),
        ("a=b-c@d", "a=b-c@d"),
        ("a; =1", "a; =1"),
        ("è vero", "è vero"),
    ],
)
def test_an_apostrophe_stands_before_what_would_be_computed(text: str, expected: str) -> None:
    assert guarded(text) == expected
    assert is_open(text) == (text != expected)
    assert unguarded(expected) == text


@settings(max_examples=100)
@given(TEXTS)
@example("'=")
@example("\r\r'\t")
def test_every_text_comes_back(text: str) -> None:
    assert unguarded(guarded(text)) == text


@settings(max_examples=100)
@given(st.lists(TEXTS, min_size=1, max_size=3), TEXTS, TEXTS)
@example(["a", '"=1'], "=", ",;=")
def test_no_spreadsheet_computes_a_cell_however_it_divides_the_lines(
    words: list[str], first_pass: str, solution: str
) -> None:
    parts = prediction(word_guesses=words, first_pass=first_pass, solution=solution)
    line = study_csv.row(0, "=id", parts)
    for delimiter in ",;\t":
        rows = csv.reader(io.StringIO(line, newline=""), delimiter=delimiter)
        cells = [cell for row in rows for cell in row]
        assert not [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
