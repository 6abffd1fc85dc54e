"""The verb that makes a data file; what is kept and why is tested in `tests/rebus/test_verbalize.py`."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from apieval.commands import data, verbalize
from apieval.errors import ConfigError, DataError
from apieval.rebus import dataset
from apieval.rebus.verbalize import Wish
from benchmarks import tables
from tests.records import COLUMNS, ROW, Json, write_csv

RITA = {"PRIMALET": "VE - Rita - NA - scosta", "FRASE": "Verità nascosta", "ANNO": "2025"}
CLUES = [
    {"Clue": "Santa di Cascia", "Answer": "RITA"},
    {"Clue": "Sposta da un lato", "Answer": "SCOSTA"},
]


def made(
    folder: Path,
    *rows: dict[str, str],
    against: Path | None = None,
    wish: Wish = Wish(),  # noqa: B008 # it is frozen
    name: str = "out.csv",
    overwrite: bool = False,
) -> Json:
    rebuses = write_csv(folder / "rebuses.csv", rows or [RITA])
    clues = [write_csv(folder / "clues.csv", CLUES)]
    out = folder / name
    return verbalize.verbalize(rebuses, clues, out, against=against, wish=wish, overwrite=overwrite)


def test_the_file_has_the_seven_columns_and_the_document_says_what_it_is(tmp_path: Path) -> None:
    document = made(tmp_path, RITA, RITA, {**RITA, "FRASE": "-Verità nascosta"})
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["id", *COLUMNS]
    (plain,) = (row for row in rows if row["solution"] == ROW["solution"])
    assert {name: plain[name] for name in COLUMNS} == ROW
    loaded = dataset.load(tmp_path / "out.csv")
    assert loaded.digest == document["out"]["digest"]
    assert [rebus.id for rebus in loaded.rebuses] == [row["id"] for row in rows]
    assert document["out"] == {
        "path": str(tmp_path / "out.csv"),
        "digest": loaded.digest,
        "rows": 2,
    }
    assert (document["rebuses"]["rows"], document["rebuses"]["formulas"]) == (3, 1)
    assert (document["answers"], document["against"], document["subsets"]) == (2, None, {})
    assert document["wish"] == {"least_words": 2, "seed": 0, "new_since": None}
    assert document["dropped"]["double"]["rows"] == 1
    # the solution begins with a sign that a spreadsheet would run
    assert document["formulas"] == 1


def test_subsets_against_a_training_file(tmp_path: Path) -> None:
    train = write_csv(tmp_path / "train.csv", [{**ROW, "first_pass": "x", "solution": "x"}])
    rows = [RITA, {**RITA, "FRASE": "Veritana scosta", "ANNO": "1999"}]
    document = made(tmp_path, *rows, against=train, wish=Wish(new_since=2020))
    assert document["subsets"] == {"id": 1, "new": 1}
    assert (document["against"]["name"], document["against"]["rows"]) == ("train.csv", 1)
    assert dataset.load(tmp_path / "out.csv").subsets == ("id", "new")
    assert data.verify(tmp_path / "out.csv", train)["errors"] == 0


def test_the_words_that_most_rows_lack_come_first(tmp_path: Path) -> None:
    rows = [{"PRIMALET": p, "FRASE": p.lower().replace(" ", "")} for p in ("mulo bue", "oca bue")]
    document = made(tmp_path, {"PRIMALET": RITA["PRIMALET"], "FRASE": RITA["FRASE"]}, *rows)
    assert list(document["lacking"].items()) == [("bue", 2), ("mulo", 1), ("oca", 1)]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        pytest.param("out.json", "give a name that ends in .csv", id="kind"),
        pytest.param("no/out.csv", "there is no folder", id="folder"),
        pytest.param("rebuses.csv", "this is read from", id="input"),
        pytest.param("here.csv", "it is there already", id="there"),
    ],
)
def test_where_it_must_not_be_written(tmp_path: Path, name: str, message: str) -> None:
    rebuses = write_csv(tmp_path / "rebuses.csv", [RITA])
    (tmp_path / "here.csv").write_text("mine")
    with pytest.raises(ConfigError, match=message):
        verbalize.verbalize(rebuses, [tmp_path / "none.csv"], tmp_path / name)
    assert (tmp_path / "here.csv").read_text() == "mine"


def test_a_file_is_written_over_where_that_is_wished_and_a_folder_never(tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("mine")
    made(tmp_path, overwrite=True)
    assert data.verify(tmp_path / "out.csv")["errors"] == 0
    (tmp_path / "out.csv").unlink()
    (tmp_path / "out.csv").mkdir()
    with pytest.raises(ConfigError, match="it is there already"):
        made(tmp_path, overwrite=True)


def test_nothing_that_can_be_verbalized_is_an_error_and_leaves_no_file(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        made(tmp_path, {**RITA, "FRASE": "Falsità"}, {**RITA, "FRASE": "Falsità"})
    assert str(caught.value) == (
        f"{tmp_path / 'rebuses.csv'}: none of its 2 rows can be verbalized; of 2 the first pass does "
        "not spell the solution, first line 2 (VE Rita NA scosta = Falsità). Nothing was written."
    )
    assert sorted(each.name for each in tmp_path.iterdir()) == ["clues.csv", "rebuses.csv"]


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    name = "x" * 250 + ".csv"  # too long, with what is put before and behind it meanwhile
    with pytest.raises(DataError, match=r"x\.csv: cannot be written: "):
        made(tmp_path, name=name)


def test_the_same_tables_give_the_same_bytes_in_any_order(tmp_path: Path) -> None:
    paths = tables.write(tmp_path, 400, 600)
    out = [tmp_path / name for name in ("one.csv", "other.csv", "shuffled.csv")]
    wish = Wish(new_since=2020)
    document = verbalize.verbalize(paths[0], [paths[1]], out[0], wish=wish)
    verbalize.verbalize(paths[0], [paths[1]], out[1], wish=wish)
    for path in paths:
        header, *lines = path.read_text("utf-8").splitlines()
        random.Random(1).shuffle(lines)
        path.write_text("\n".join([header, *lines, ""]), "utf-8")
    verbalize.verbalize(paths[0], [paths[1]], out[2], wish=wish)
    assert out[0].read_bytes() == out[1].read_bytes() == out[2].read_bytes()
    # no lines are lost
    kept = document["out"]["rows"]
    assert kept + sum(why["rows"] for why in document["dropped"].values()) == 400
    assert 100 < kept < 300
    assert data.verify(out[0])["errors"] == 0
