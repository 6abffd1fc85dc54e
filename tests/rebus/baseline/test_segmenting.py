from __future__ import annotations

import pytest

from apieval.rebus.baseline.search import MOST_WORDS, segment
from apieval.rebus.baseline.vocabulary import Vocabulary
from apieval.rebus.baseline.words import Word

VOCABULARY = Vocabulary.of(Word(text, text) for text in ("casa", "case", "treno", "lampone"))


@pytest.mark.parametrize(
    ("letters", "lengths", "words"),
    [
        pytest.param("casatreno", (4, 4), ["casa", "treno"], id="a letter more, in the last"),
        pytest.param("casatreno", (3, 5), ["casa", "treno"], id="a letter more, in the first"),
        pytest.param("casaditreno", (4, 2, 6), ["casa", "di", "treno"], id="a letter less"),
        pytest.param("xqzqkw", (2, 3), ["xqz", "qkw"], id="no word known: near the key"),
        pytest.param("casa", (9, 4), [], id="far fewer letters than the key"),
        pytest.param("casa" * 9, (4, 4), [], id="far more letters than the key"),
        pytest.param("a" * MOST_WORDS, (1,) * (MOST_WORDS + 1), [], id="too many words"),
        pytest.param("a" * 300, (299,), [], id="too many letters"),
        pytest.param("casa", (), [], id="no key"),
    ],
)
def test_cuts_where_words_are(letters: str, lengths: tuple[int, ...], words: list[str]) -> None:
    assert segment(letters, lengths, VOCABULARY) == words
