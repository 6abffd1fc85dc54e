from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import DataError
from apieval.rebus.baseline.lexicon import Lexicon, clue_key

if TYPE_CHECKING:
    from pathlib import Path


ROWS = "L'isola di Napoleone,Elba\nCorre sui binari,treno\nCorre sui binari,tram\n"


def load(folder: Path, content: str | bytes) -> Lexicon:
    path = folder / "lexicon.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return Lexicon.load(path)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(ROWS, id="no header"),
        pytest.param("Clue,Answer\n" + ROWS, id="header"),
        pytest.param("\ufeffDEFINIZIONE, risposta\n" + ROWS, id="BOM and Italian header"),
        pytest.param(ROWS.replace("\n", "\r\n"), id="CRLF"),
        pytest.param("\n" + ROWS.replace("\n", "\n\n"), id="blank lines"),
        pytest.param(ROWS + "Corre sui binari,treno\n", id="a pair twice"),
        pytest.param(
            "answer,source,clue\nElba,x,L'isola di Napoleone\ntreno,y,Corre sui binari\n"
            "tram,z,Corre sui binari\n",
            id="other order, other columns",
        ),
    ],
)
def test_reads_every_form_of_the_table(tmp_path: Path, content: str) -> None:
    lexicon = load(tmp_path, content)
    assert lexicon.candidates("Corre sui binari") == ("treno", "tram")
    assert lexicon.candidates("L'isola di Napoleone") == ("Elba",)
    assert lexicon.digest == hashlib.sha256(content.encode()).hexdigest()


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        pytest.param("l'isola di napoleone", ("Elba",), id="case"),
        pytest.param("L’isola di Napoleone", ("Elba",), id="curly apostrophe"),
        pytest.param("  L'isola\u00a0di  Napoleone ", ("Elba",), id="blanks"),
        pytest.param("L' isola di Napoleone", ("Elba",), id="blank after the apostrophe"),
        pytest.param("L'isola di Napoleone...", ("Elba",), id="final punctuation"),
        pytest.param("L'isola di Napoleone?", ("Elba",), id="question"),
        pytest.param("L'isola, di Napoleone", (), id="inner punctuation counts"),
        pytest.param("", (), id="nothing"),
    ],
)
def test_looks_up_what_a_person_would_call_the_same_clue(
    tmp_path: Path, asked: str, found: tuple[str, ...]
) -> None:
    assert load(tmp_path, ROWS).candidates(asked) == found


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "holds no clue", id="empty"),
        pytest.param("Clue,Answer\n", "holds no clue", id="header alone"),
        pytest.param("a,b\nc\n", "line 2: it has 1 cell, not 2", id="one cell"),
        pytest.param("a;b\n", "line 1: it has 1 cell, not 2 .*separated by .;", id="semicolons"),
        pytest.param("a,b\nc, d,e\n", "line 2: it has 3 cells.*quotes", id="unquoted comma"),
        pytest.param(b"a,b\nc,caff\xe8\n", "line 2: it is not UTF-8", id="Latin-1"),
        pytest.param("a,b\r\nc,d\0\n", "line 2: it holds the control character U.0000", id="NUL"),
        pytest.param("a,b\nc\x1b,d\n", "line 2: it holds the control character U.001B", id="ESC"),
        pytest.param("clue,source\nc,d\n", "line 1.*without a column of answers", id="no answers"),
        pytest.param("parola,fonte\nc,d\n", "line 1.*without a column of clues", id="no clues"),
        pytest.param('a,b\n"c,d\ne,f\n', "line 2: it is no CSV row", id="open quote"),
        pytest.param("a," + "b" * 200_000 + "\n", "line 1: it is no CSV row", id="endless cell"),
    ],
)
def test_a_bad_file_is_named_with_line_and_remedy(
    tmp_path: Path, content: str | bytes, says: str
) -> None:
    with pytest.raises(DataError, match=rf"lexicon.csv.*{says}"):
        load(tmp_path, content)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none.csv.*check --lexicon"):
        Lexicon.load(tmp_path / "none.csv")


def test_a_file_far_too_big_is_not_even_read(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)
    with pytest.raises(DataError, match=r"lexicon.csv' is 5.0 GB.*256 MB at most.*--lexicon"):
        Lexicon.load(path)


def test_a_folder_is_no_lexicon(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"cannot be read.*--lexicon"):
        Lexicon.load(tmp_path)


def test_pairs_that_stand_twice_are_counted(tmp_path: Path) -> None:
    assert load(tmp_path, ROWS + ROWS + "La casa,casa\n").twice == 3


def test_what_was_read_makes_the_identity(tmp_path: Path) -> None:
    words = tmp_path / "words.txt"
    words.write_text("casa\n", encoding="utf-8")
    plain = load(tmp_path, ROWS)
    with_words = Lexicon.load(tmp_path / "lexicon.csv", words)
    digest = hashlib.sha256(b"casa\n").hexdigest()
    assert plain.identity == plain.digest
    assert plain.fingerprint == plain.digest[:8]
    assert with_words.identity == f"{plain.digest}+{digest}"
    assert with_words.fingerprint == f"{plain.digest[:8]}-{digest[:8]}"


def test_the_package_brings_its_own() -> None:
    lexicon = Lexicon.load()
    assert len(lexicon.entries) > 100
    assert lexicon.skipped == 0


@pytest.mark.parametrize(
    ("answer", "kept"),
    [
        pytest.param("TRENO", ("treno",), id="all capitals would read as letters"),
        pytest.param("Roma", ("Roma",), id="a name"),
        pytest.param("re  magi", ("re magi",), id="two words"),
        pytest.param("dall’alto", ("dall'alto",), id="apostrophe"),
        pytest.param("R2D2", (), id="digits"),
        pytest.param("=1+HYPERLINK(A1)", (), id="a formula"),
        pytest.param("x = [y];z", (), id="would break the answer's form"),
        pytest.param("", (), id="empty"),
    ],
)
def test_keeps_the_answers_that_can_be_words(
    tmp_path: Path, answer: str, kept: tuple[str, ...]
) -> None:
    lexicon = load(tmp_path, f'uno,due\nclue,"{answer}"\n')
    assert lexicon.candidates("clue") == kept
    assert lexicon.skipped == 1 - len(kept)


def test_answers_are_indexed_by_their_letters(tmp_path: Path) -> None:
    lexicon = load(tmp_path, "a,virtù\nb,VIRTU\nc,re magi\nd,tana\n")
    assert [word.text for word in lexicon.by_length[5]] == ["virtù"]
    assert [word.text for word in lexicon.by_length[6]] == ["re magi"]
    assert [word.text for word in lexicon.starting("ta", 4)] == ["tana"]
    assert list(lexicon.starting("ta", 9)) == []


@given(st.text(), st.sampled_from(["?", "...", " ", "\u00a0", "…"]))
def test_what_follows_a_clue_does_not_matter(clue: str, more: str) -> None:
    assert clue_key(clue + more) == clue_key(clue)


@given(st.binary(max_size=200))
def test_any_bytes_give_a_lexicon_or_a_data_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    try:
        lexicon = load(tmp_path_factory.getbasetemp(), data)
    except DataError:
        return
    assert lexicon.by_length
