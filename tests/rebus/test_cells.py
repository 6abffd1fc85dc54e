from __future__ import annotations

from pathlib import Path

import pytest

from apieval.errors import DataError
from apieval.rebus.cells import Columns, odd, tidied


def table(path: Path, text: str) -> Columns:
    path.write_text(text, "utf-8")
    return Columns(path, ("FRASE",), ("ANNO",))


def test_cells_come_by_the_names_that_were_asked_for(tmp_path: Path) -> None:
    columns = table(tmp_path / "a.csv", "altro, frase \n=x,a\n1,=b\n")
    assert list(columns.read()) == [
        (2, {"FRASE": "a", "ANNO": ""}),
        (3, {"FRASE": "=b", "ANNO": ""}),
    ]
    # only what is taken from the table is looked at
    assert (columns.rows, columns.formulas) == (2, 1)


def test_each_row_of_a_jsonl_has_its_own_columns(tmp_path: Path) -> None:
    columns = table(tmp_path / "a.jsonl", '{"FRASE": "a"}\n{"ANNO": "2025", "frase": "b"}\n')
    assert [cells for _, cells in columns.read()] == [
        {"FRASE": "a", "ANNO": ""},
        {"FRASE": "b", "ANNO": "2025"},
    ]


def test_quotes_may_be_escaped_as_in_eureka5s_table(tmp_path: Path) -> None:
    columns = table(tmp_path / "a.csv", 'FRASE\n"la ""a"" e la \\"b\\""\n')
    assert [cells["FRASE"] for _, cells in columns.read(escape="\\")] == ['la "a" e la "b"']


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param(
            "FRASI\nx\n", ", line 2: missing column 'FRASE' (did you mean 'FRASI'?)", id="no"
        ),
        pytest.param("FRASE\n", ": no rows below the header.", id="none"),
        pytest.param("FRASE,ANNO\nx,1\ny,\0\n", ", line 3: it holds a NUL character", id="NUL"),
        pytest.param("FRASE,ANNO\nx\n", ", line 2: 1 cells under 2 columns", id="ragged"),
        pytest.param("", ": empty", id="empty"),
    ],
)
def test_a_table_that_cannot_be_used_is_named(tmp_path: Path, text: str, message: str) -> None:
    columns = table(tmp_path / "a.csv", text)
    with pytest.raises(DataError) as caught:
        list(columns.read())
    assert str(caught.value).startswith(f"{columns.path}{message}")


def test_latin_1_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("FRASE\nperché\n".encode("latin-1"))
    with pytest.raises(DataError, match="line 2: not UTF-8 text; save the file as UTF-8"):
        list(Columns(path, ("FRASE",)).read())


@pytest.mark.parametrize(
    ("cell", "tidy"),
    [
        pytest.param("  due\u00a0 parole\n", "due parole", id="blanks"),
        pytest.param("l\u2019e\u0300", "l'è", id="forms"),
        pytest.param("a\x1cb", "a\x1cb", id="a control character is no blank"),
    ],
)
def test_tidied(cell: str, tidy: str) -> None:
    assert tidied(cell) == tidy


@pytest.mark.parametrize(
    ("cell", "gold", "clue"),
    [
        pytest.param("perché l'ora", "", "", id="plain"),
        pytest.param("a\x07", "U+0007", "U+0007", id="control"),
        pytest.param("tè\u200b", "U+200B (zero width space)", "", id="invisible"),
        pytest.param("òм", "U+043C (cyrillic small letter em)", "", id="another script"),
    ],
)
def test_odd(cell: str, gold: str, clue: str) -> None:
    assert odd(cell, gold=True) == gold
    assert odd(cell, gold=False) == clue
