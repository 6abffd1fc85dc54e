from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from apieval.errors import DataError
from apieval.rebus.baseline.dictionary_files import WordList

if TYPE_CHECKING:
    from pathlib import Path


def load(folder: Path, content: str | bytes) -> WordList:
    path = folder / "words.txt"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return WordList.load(path)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param("casa\t3\nperché\t1\n", id="tab"),
        pytest.param("casa,3\nperché,1\n", id="comma"),
        pytest.param("casa;3\nperché;1\n", id="semicolon"),
        pytest.param("casa  3\n\nperché 1", id="blanks"),
        pytest.param("\ufeffparola\tfrequenza\r\ncasa\t0.3\r\nPerche\u0301\t1e-1\r\n", id="header"),
    ],
)
def test_reads_words_with_frequencies(tmp_path: Path, content: str) -> None:
    found = load(tmp_path, content)
    assert found.shares == pytest.approx({"casa": 0.75, "perché": 0.25})
    assert found.skipped == 0
    assert found.digest == hashlib.sha256(content.encode()).hexdigest()


def test_reads_words_alone(tmp_path: Path) -> None:
    found = load(tmp_path, "casa\nl'\nRoma\n2024\n")
    assert found.shares == {"casa": 0.0, "roma": 0.0}
    assert found.skipped == 2


def test_what_is_no_word_counts_as_text_all_the_same(tmp_path: Path) -> None:
    found = load(tmp_path, "casa\t1\nCasa\t1\n1,5\t2\n")
    assert found.shares == {"casa": 0.5}
    assert found.skipped == 1


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param("", "holds no word", id="empty"),
        pytest.param("12\n", "holds no word", id="numbers"),
        pytest.param("a b c\n", "line 1: it has 3 columns, not one or two", id="three columns"),
        pytest.param("a\t1\nb\n", "line 2: it has 1 columns, the first line 2", id="uneven"),
        pytest.param("a\t1\nb\tx\n", "line 2: its frequency 'x' is no number", id="text"),
        pytest.param("a\t1\nb\t-1\n", "line 2: its frequency '-1'", id="negative"),
        pytest.param("a\t1\nb\tinf\n", "line 2: its frequency 'inf'", id="endless"),
        pytest.param("a\t1\nb\tnan\n", "line 2: its frequency 'nan'", id="no number"),
        pytest.param(b"a\ncaff\xe8\n", "line 2: it is not UTF-8", id="Latin-1"),
    ],
)
def test_a_bad_list_is_named_with_line_and_remedy(
    tmp_path: Path, content: str | bytes, says: str
) -> None:
    with pytest.raises(DataError, match=rf"words.txt.*{says}.*word"):
        load(tmp_path, content)
