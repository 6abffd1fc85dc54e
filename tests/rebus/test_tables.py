from __future__ import annotations

import csv
import io
import json
import os
import re
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import DataError
from apieval.rebus import tables


def rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    return [(row.line, row.cells) for row in tables.read(path)]


def test_a_quote_inside_a_cell_may_be_escaped(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text('a,b\n"x \\"y\\", z",2\n')
    assert [row.cells for row in tables.read(path, escape="\\")] == [{"a": 'x "y", z', "b": "2"}]


def refusal(path: Path) -> str:
    with pytest.raises(DataError) as caught:
        rows(path)
    message = str(caught.value)
    assert message.startswith(str(path))
    return message.removeprefix(str(path))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param("a,b\n1,2\n", [(2, {"a": "1", "b": "2"})], id="plain"),
        pytest.param("a,b\n1,2", [(2, {"a": "1", "b": "2"})], id="no last line feed"),
        pytest.param("\ufeffa,b\r\n1,2\r\n", [(2, {"a": "1", "b": "2"})], id="BOM and CRLF"),
        pytest.param("a,b\r1,2\r", [(2, {"a": "1", "b": "2"})], id="CR alone"),
        pytest.param(
            "a,b\nnull,NA\nnan,None\n007,1e5\ntrue,4.0\n",
            [
                (2, {"a": "null", "b": "NA"}),
                (3, {"a": "nan", "b": "None"}),
                (4, {"a": "007", "b": "1e5"}),
                (5, {"a": "true", "b": "4.0"}),
            ],
            id="every cell is text",
        ),
        pytest.param("a,b\n,\n", [(2, {"a": "", "b": ""})], id="empty cells"),
        pytest.param("a,b\n x , y\n", [(2, {"a": " x ", "b": " y"})], id="blanks are kept"),
        pytest.param(
            "a,b\n\n1,2\n\n\n3,4\n\n",
            [(3, {"a": "1", "b": "2"}), (6, {"a": "3", "b": "4"})],
            id="blank lines are passed over and counted",
        ),
        pytest.param(
            'a,b\n"x\ny\n",2\n3,4\n',
            [(2, {"a": "x\ny\n", "b": "2"}), (5, {"a": "3", "b": "4"})],
            id="a row goes by the line it begins in",
        ),
        pytest.param('a,b\n"x ""y"", z",2\n', [(2, {"a": 'x "y", z', "b": "2"})], id="quotes"),
        pytest.param('a,b\nx"y,2\n', [(2, {"a": 'x"y', "b": "2"})], id="quote inside a cell"),
        pytest.param("a,b\nx\u2028y,2\n", [(2, {"a": "x\u2028y", "b": "2"})], id="U+2028"),
        pytest.param("a,b\nx\x00y,2\n", [(2, {"a": "x\x00y", "b": "2"})], id="NUL"),
        pytest.param(",a\n0,1\n", [(2, {"": "0", "a": "1"})], id="a column without a name"),
    ],
)
def test_csv(tmp_path: Path, data: str, expected: object) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(data.encode())
    assert rows(path) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", r": empty; the first line must name the columns", id="empty"),
        pytest.param(b"\na,b\n1,2\n", r": empty; the first line must", id="blank first line"),
        pytest.param(b"a,b\x00\n", r", line 1: a column's name holds control", id="binary"),
        pytest.param(b'a,"b\nc"\n', r", line 1: a column's name holds .* line break", id="folded"),
        pytest.param(b"a,b,a\n", r", line 1: the column 'a' appears twice", id="column twice"),
        pytest.param(
            b"a,b\n1,2\n3\n",
            r", line 3: 1 cells under 2 columns; put .* in double quotes",
            id="short",
        ),
        pytest.param(
            b'a,b\n"1\n2",3\n1,2,3\n', r", line 4: 3 cells under 2 columns", id="long, by its line"
        ),
        pytest.param(b'a,b\n1,"x\ny\n', r", line 2: not CSV: unexpected end", id="unclosed quote"),
        pytest.param(b'a,b\n1,2\n3,"x"y\n', r", line 3: not CSV: ", id="text behind a quote"),
        pytest.param(
            b"a,b\n1," + b"x" * 200_000, r", line 2: not CSV: field larger", id="huge cell"
        ),
        pytest.param(
            b"a,b\n1,Verit\xe0\n", r", line 2: not UTF-8 text; save the file as UTF-8", id="Latin-1"
        ),
        pytest.param(
            b"a,b\n" + b"\xef\xbf\xbd,2\n" * 30_000 + b"1,\xe0\n",
            r", line 30002: not UTF-8 text",
            id="Latin-1 far down, behind real replacement characters",
        ),
        pytest.param("a,b\n1,2\n".encode("utf-16"), r", line 1: not UTF-8 text", id="UTF-16"),
        pytest.param("a,b\n1,2\n".encode("utf-16-le"), r", line \d", id="UTF-16 without BOM"),
    ],
)
def test_csv_that_cannot_be_read(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(data)
    assert re.match(message, refusal(path))


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param('{"a": "1"}\n{"a": "2"}', [(1, {"a": "1"}), (2, {"a": "2"})], id="plain"),
        pytest.param('\ufeff{"a": "1"}\r\n', [(1, {"a": "1"})], id="BOM and CRLF"),
        pytest.param('\n \n{"a": "1"}\n\n', [(3, {"a": "1"})], id="blank lines"),
        pytest.param(
            '{"a": 7, "b": 4.0, "c": 1e5, "d": NaN, "e": -0}',
            [(1, {"a": "7", "b": "4.0", "c": "1e5", "d": "NaN", "e": "-0"})],
            id="numbers as they are written",
        ),
        pytest.param('{"a": null}', [(1, {"a": ""})], id="null is an empty cell"),
        pytest.param('{"a": ["x", "y"]}', [(1, {"a": "x;y"})], id="a list of texts"),
        pytest.param('{"a": []}', [(1, {"a": ""})], id="an empty list"),
        pytest.param('{"a": "null"}', [(1, {"a": "null"})], id="the word null"),
        pytest.param('{"a": "\u2028\x85"}\n', [(1, {"a": "\u2028\x85"})], id="U+2028 ends no line"),
        pytest.param('{"a": "x\\ud800y"}', [(1, {"a": "x\ufffdy"})], id="half a surrogate pair"),
        pytest.param('{"a": "1"}\n{"b": "2"}', [(1, {"a": "1"}), (2, {"b": "2"})], id="other keys"),
        pytest.param(f'{{"a": {"9" * 5000}}}', [(1, {"a": "9" * 5000})], id="a huge number"),
    ],
)
@pytest.mark.parametrize("ending", ["jsonl", "ndjson", "JSONL"])
def test_jsonl(tmp_path: Path, data: str, expected: object, ending: str) -> None:
    path = tmp_path / f"data.{ending}"
    path.write_bytes(data.encode())
    assert rows(path) == expected


@pytest.mark.parametrize(
    ("data", "message"),
    [
        pytest.param(b"", r": empty; every line must be a JSON object", id="empty"),
        pytest.param(b"\n\n", r": empty; every line must be a JSON object", id="blank lines alone"),
        pytest.param(b'{"a": "1"}\n{"a": \n', r", line 2: not JSON: ", id="torn"),
        pytest.param(b"[1]\n", r", line 1: not a JSON object but list", id="a list"),
        pytest.param(b"null\n", r", line 1: not a JSON object but NoneType", id="null"),
        pytest.param(b'"x"\n', r", line 1: not a JSON object but str", id="a text"),
        pytest.param(b'{"a": "1"} {"a": "2"}\n', r", line 1: not JSON: ", id="two in a line"),
        pytest.param(b'{"a": true}\n', r", line 1, column 'a': bool is no text", id="boolean"),
        pytest.param(b'{"a": {"b": "c"}}\n', r", line 1, column 'a': dict is no text", id="nested"),
        pytest.param(
            b'{"a": [null]}\n', r", line 1, column 'a': list is no text", id="list of null"
        ),
        pytest.param(b'{"a": "\xe0"}\n', r", line 1: not UTF-8 text", id="Latin-1"),
        pytest.param(
            b'{"a": "1", "a": "2"}\n',
            r", line 1: not JSON: the key 'a' appears twice",
            id="key twice",
        ),
        pytest.param(b"[" * 200_000, r", line 1: not JSON: ", id="nested without end"),
    ],
)
def test_jsonl_that_cannot_be_read(tmp_path: Path, data: bytes, message: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_bytes(data)
    assert re.match(message, refusal(path))


def test_parquet(tmp_path: Path) -> None:
    # a folder's name is no column, whatever Hive makes of it
    path = tmp_path / "subset=new" / "data.parquet"
    path.parent.mkdir()
    columns = {
        "a": pa.array(["null", "007", None]),
        "b": pa.array([1, 2, 3]),
        "c": pa.array([["x", "y"], ["z"], []]),
        "d": pa.array(["x", "y", "z"], pa.large_string()),
    }
    pq.write_table(pa.table(columns), path)
    assert rows(path) == [
        (1, {"a": "null", "b": "1", "c": "x;y", "d": "x"}),
        (2, {"a": "007", "b": "2", "c": "z", "d": "y"}),
        (3, {"a": "", "b": "3", "c": "", "d": "z"}),
    ]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(pa.array([4.0]), id="float"),
        pytest.param(pa.array([True]), id="boolean"),
        pytest.param(pa.array([b"x"]), id="bytes"),
        pytest.param(pa.array([{"b": "x"}]), id="struct"),
        pytest.param(pa.array([[4.0]]), id="list of floats"),
    ],
)
def test_parquet_of_other_types(tmp_path: Path, column: pa.Array) -> None:
    path = tmp_path / "data.parquet"
    pq.write_table(pa.table({"a": column}), path)
    assert re.match(r", column 'a': .* is no text; store text", refusal(path))


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b"a,b\n1,2\n", id="CSV"),
        pytest.param(b"PAR1" + bytes(50) + b"PAR1", id="torn"),
    ],
)
def test_what_is_no_parquet(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "data.parquet"
    path.write_bytes(data)
    assert refusal(path).startswith(": not a Parquet file")


def test_parquet_without_its_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)  # as where it is not installed
    path = tmp_path / "data.parquet"
    path.touch()
    assert (
        "needs pyarrow; `pip install '.[parquet]'` in the checkout adds it, or save as CSV"
        in refusal(path)
    )


def test_other_files(tmp_path: Path) -> None:
    remedy = ": not a data file; give a .csv, .jsonl or .parquet file"
    folder = tmp_path / "folder.csv"
    folder.mkdir()
    sheet, bare = tmp_path / "data.xlsx", tmp_path / "data"
    sheet.touch()
    bare.touch()
    for path in (tmp_path, folder):
        assert refusal(path).startswith(": a folder; give a .csv, .jsonl or .parquet file")
    for path in (sheet, bare):
        assert refusal(path).startswith(remedy)
    for ending in ("csv", "jsonl", "parquet"):
        assert refusal(tmp_path / f"none.{ending}").startswith(": there is no such file")


def test_a_file_of_gigabytes_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    with path.open("wb") as file:
        file.truncate(5_000_000_000)  # a hole: it takes no room
    assert re.match(
        r": 5\.00 GB, and no file of rebuses is larger than 0\.25 GB; .* split it", refusal(path)
    )


def test_rows_without_end_are_refused_when_too_many_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tables, "MOST", 3)
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "1,2\n" * 3)
    assert len(rows(path)) == 3
    path.write_text("a,b\n" + "1,2\n" * 4)
    assert refusal(path) == ", line 5: more than 3 rows; split the file."


def test_a_line_without_end_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_LONGEST", 20)
    path = tmp_path / "data.csv"
    path.write_text("a,b\n" + "x" * 16 + ",2\n")
    assert len(rows(path)) == 1
    path.write_text("a,b\n1,2\n" + "," * 20)
    assert refusal(path).startswith(", line 3: 20 characters and more without a line's end")


def test_a_named_pipe_is_not_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    os.mkfifo(path)
    assert refusal(path).startswith(": not a data file")


def test_a_name_that_no_file_can_have(tmp_path: Path) -> None:
    assert refusal(tmp_path / ("x" * 300 + ".csv")).startswith(": cannot be read: File name too")


cell = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.tuples(cell, cell), min_size=1, max_size=5))
def test_any_cell_comes_back_from_csv_and_from_jsonl(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    folder = tmp_path_factory.mktemp("cells")
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([("a", "b"), *cells])
    (folder / "data.csv").write_bytes(text.getvalue().encode())
    lines = "\n".join(json.dumps({"a": a, "b": b}, ensure_ascii=False) for a, b in cells)
    (folder / "data.jsonl").write_bytes(lines.encode())
    for name in ("data.csv", "data.jsonl"):
        assert [tuple(row.cells.values()) for row in tables.read(folder / name)] == cells


@pytest.mark.parametrize("separator", [";", "\t", "|"])
def test_cells_separated_by_something_else(tmp_path: Path, separator: str) -> None:
    path = tmp_path / "data.csv"
    path.write_text(f"a{separator}b\n1{separator}2\n")
    assert f"separated by {separator!r}; save the file with commas" in refusal(path)
