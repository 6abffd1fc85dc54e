"""`apieval data verify` and `apieval data stats`, at the door."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tests.e2e.conftest import Inside
from tests.e2e.program import folder, material
from tests.rebus.toy_tokenizer import a_tokenizer
from tests.records import COLUMNS, ROW, write_csv

HEADER = ",".join(COLUMNS)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_verify_exits_0_without_an_error(inside: Inside) -> None:
    done = inside("data", "verify", "sample")
    assert (done.code, done.err) == (0, "")
    assert "0 errors in 0 rows, 9 warnings in 9 rows" in done.out
    document = json.loads(inside("data", "verify", "sample", "--json").out)
    assert (document["errors"], document["warnings"]) == (0, 9)


def test_verify_exits_1_with_one(inside: Inside, here: Path) -> None:
    path = write_csv(here / "data.csv", [{**ROW, "solution_key": "1"}])
    assert inside("data", "verify", path).code == 1
    done = inside("data", "verify", path, "--json")
    assert done.code == 1
    assert json.loads(done.out)["findings"][0]["rule"] == "key"


def test_both_take_a_training_file(inside: Inside, here: Path) -> None:
    path, train = (write_csv(here / name, [ROW]) for name in ("data.csv", "train.csv"))
    assert "seen_rebus" in inside("data", "verify", path, "--against", train).out
    found = json.loads(inside("data", "stats", path, "--json", APIEVAL_AGAINST=str(train)).out)
    assert found["unseen_in"] == "train.csv"


def test_stats(inside: Inside, here: Path) -> None:
    path, tokenizer = write_csv(here / "data.csv", [ROW]), a_tokenizer(here / "tokenizer.json")
    done = inside("data", "stats", path)
    assert (done.code, done.err) == (0, "")
    assert "words/example" in done.out
    found = json.loads(inside("data", "stats", path, "--tokenizer", tokenizer, "--json").out)
    assert found["subsets"]["all"]["prompts"]["hints"]["tokens"]["room"] == 1024
    wrong = inside("data", "stats", path, "--tokenizer", path)
    assert (wrong.code, wrong.out) == (2, "")
    assert "not a tokenizer.json" in wrong.err


def holed(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(5_000_000_000)


BAD = {
    "nothing there": ("none.csv", None, "none.csv: there is no such file"),
    "a folder": ("folder.csv", Path.mkdir, "folder.csv: a folder; give a .csv"),
    "a pipe": ("pipe.csv", os.mkfifo, "pipe.csv: not a data file"),
    "another kind": ("data.xlsx", b"PK", "data.xlsx: not a data file; give a .csv"),
    "5 GB": ("huge.csv", holed, "huge.csv: 5.00 GB"),
    "empty": ("empty.csv", b"", "empty.csv: empty; the first line must name the columns"),
    "a header alone": ("data.csv", HEADER.encode(), "data.csv: no rows below the header"),
    "missing columns": ("data.csv", b"solution,first_pass\na,b\n", "missing column 'word_guesses'"),
    "Latin-1": ("data.csv", HEADER.encode() + b"\n\xe0,b,c,d,e,f,g\n", "line 2: not UTF-8"),
    "UTF-16": ("data.csv", (HEADER + "\n").encode("utf-16"), "line 1: not UTF-8 text; save"),
    "ragged": ("data.csv", HEADER.encode() + b"\na,b,c\n", "line 2: 3 cells under 7 columns"),
    "semicolons": ("data.csv", HEADER.replace(",", ";").encode(), "separated by ';'"),
    "not CSV": ("data.csv", HEADER.encode() + b'\n"a', "line 2: not CSV"),
    "a picture": ("data.csv", b"\x89PNG\r\n\x1a\n\x00\x00", "line 1: not UTF-8 text"),
    "NULs": ("data.csv", b"\x00" * 50, "line 1: a column's name holds control"),
    "a page": ("data.csv", b"<html>\n<p>a, b</p>\n", "2 cells under 1 columns"),
    "torn JSON": ("data.jsonl", b'{"solution": ', "data.jsonl, line 1: not JSON"),
    "torn Parquet": ("data.parquet", b"PAR1", "data.parquet: not a Parquet file"),
}


@pytest.mark.parametrize("command", ["verify", "stats"])
@pytest.mark.parametrize(("name", "made", "says"), BAD.values(), ids=BAD)
def test_what_cannot_be_read_is_named(
    inside: Inside, here: Path, command: str, name: str, made: object, says: str
) -> None:
    path = here / name
    if isinstance(made, bytes):
        path.write_bytes(made)
    elif callable(made):
        made(path)
    for words in ((path,), ("sample", "--against", path)):
        done = inside("data", command, *words, "--json")
        found = json.loads(done.out)
        assert (done.code, found["exit_code"]) == (2, 2)
        if words == (path,) or "column" not in says:
            assert says in found["error"]
        assert str(path) in found["error"]
        assert "Traceback" not in done.all


def test_odd_but_legible_files_are_judged(inside: Inside, here: Path) -> None:
    cells = ['"' + cell.replace('"', '""') + '"' for cell in ROW.values()]
    good = ",".join(cells)
    for number, data in enumerate(
        (
            "\ufeff" + f"{HEADER}\r\n{good}\r\n",
            f"{HEADER},note\n{good},=cmd()\n",
            f"{HEADER}\n" + good.replace("Santa", "Sa\x00nta") + "\n",
        )
    ):
        path = here / f"{number}.csv"
        path.write_bytes(data.encode())
        assert inside("data", "verify", path).code == (1 if number == 2 else 0)
        assert inside("data", "stats", path).code == 0
    table = pa.table({name: [cell] for name, cell in ROW.items()})
    pq.write_table(table, here / "data.parquet")
    assert inside("data", "verify", here / "data.parquet").code == 0


def test_the_hub_says_what_to_do(inside: Inside) -> None:
    assert "get it with `apieval data fetch`" in inside("data", "verify", "hub").err


def test_help_says_what_the_exit_codes_mean(inside: Inside) -> None:
    done = inside("data", "verify", "--help")
    said = " ".join(done.out.split())
    assert "Exit code 0: no error. 1: at least one error. 2: the file cannot be read." in said


@pytest.mark.skipif(sys.platform == "darwin", reason="its file system refuses such a name")
@pytest.mark.parametrize("place", [b"perch\xe8.csv", b"citt\xe0/rebus.csv"], ids=["name", "folder"])
def test_a_data_file_whose_name_is_no_utf_8(inside: Inside, here: Path, place: bytes) -> None:
    path = here.relative_to(Path.cwd()) / os.fsdecode(place)
    path.parent.mkdir(exist_ok=True)
    material(path, 2)
    done = inside("run", "baseline", "--data", str(path), "--setting", "regular", "--yes")
    assert done.code == 0, done.all
    run = folder()
    known = json.loads((run / "run.json").read_text("utf-8"))
    assert known["data"]["path"] == str(path), "it is found again"
    assert (
        known["data"]["name"] == {"perch": "perch\ufffd.csv", "rebus": "rebus.csv"}[path.name[:5]]
    )
    for command in ("score", "verify", "report", "score"):
        again = inside(command, str(run))
        assert again.code == 0, again.all
    assert inside("run", "baseline", "--data", str(path), "--setting", "regular", "--yes").code == 0
    assert len(list(Path("results").iterdir())) == 1
