from __future__ import annotations

import pytest

from apieval.rebus.baseline.puzzle import parse_key
from apieval.rebus.baseline.vocabulary import Vocabulary
from apieval.rebus.baseline.words import TRUNCATED
from apieval.rebus.baseline.writing import cut, join


@pytest.mark.parametrize(
    ("key", "text"),
    [
        pytest.param("1 ' 5 8", "a'b c", id="apostrophe"),
        pytest.param("2 , 3 4", "a, b c", id="comma"),
        pytest.param("1 . 9 1 !", "a. b c!", id="stop and exclamation"),
        pytest.param("2 - 7 1", "a-b c", id="hyphen"),
        pytest.param('7 " 3 3 "', 'a "b c"', id="straight quotes"),
        pytest.param('" 1 " 2 3', '"a" b c', id="quotes first"),
        pytest.param("8 « 6 » 2", "a «b» c", id="guillemets"),
        pytest.param("9 ( 7 8 )", "a (b c)", id="brackets"),
        pytest.param('7 : " 2 \' 3 "', 'a: "b\'c"', id="several marks in one place"),
        pytest.param("1'5,8", "a'b, c", id="no blanks"),
        pytest.param("1 ? x 5 8", "a? b c", id="letters are nothing"),
    ],
)
def test_puts_the_keys_punctuation_back(key: str, text: str) -> None:
    assert join(["a", "b", "c"], parse_key(key).marks) == text


@pytest.mark.parametrize("word", sorted(TRUNCATED))
@pytest.mark.parametrize("apostrophe", ["'", "’"])
def test_an_apostrophe_that_ends_a_word_keeps_its_blank(word: str, apostrophe: str) -> None:
    marks = parse_key(f"2 2 {apostrophe} 2").marks
    assert join(["un", word, "di"], marks) == f"un {word}{apostrophe} di"
    assert join([word.capitalize(), "di"], marks[1:]) == f"{word.capitalize()}{apostrophe} di"


@pytest.mark.parametrize(
    ("words", "key", "text"),
    [
        pytest.param(["l", "ora"], "1 ' 3", "l'ora", id="elided"),
        pytest.param(["po", "di"], "2 ' , 2", "po', di", id="a comma after it"),
        pytest.param(["po", "di"], '2 \' " 2 "', 'po\' "di"', id="a quotation after it"),
        pytest.param(["po", "di"], "2 ' - 2", "po'-di", id="a hyphen after it"),
        pytest.param(["po", "di"], "2 - 2", "po-di", id="a hyphen alone"),
        pytest.param(["un", "po"], "2 2 '", "un po'", id="at the end"),
        pytest.param(["po", "di"], "' 2 2", "'po di", id="before it"),
    ],
)
def test_only_the_mark_behind_such_a_word_matters(words: list[str], key: str, text: str) -> None:
    assert join(words, parse_key(key).marks) == text


@pytest.mark.parametrize(
    ("letters", "lengths", "words"),
    [
        pytest.param("cittavecchia", (5, 7), ["Città", "vecchia"], id="accents and a capital"),
        pytest.param("chiela", (3, 1, 2), ["Chi", "è", "la"], id="è"),
        pytest.param("che", (2, 1), ["Ch", "è"], id="è after an apostrophe"),
        pytest.param("", (2,), [], id="no letters"),
        pytest.param("abc", (1, 1), ["A", "bc"], id="letters left over"),
        pytest.param("ab", (9, 2), ["Ab"], id="letters too few"),
        pytest.param("ßa", (2,), ["ßa"], id="no capital of one letter"),
    ],
)
def test_cuts_by_the_key(letters: str, lengths: tuple[int, ...], words: list[str]) -> None:
    assert cut(letters, lengths, Vocabulary.of(())) == (lengths, words)
