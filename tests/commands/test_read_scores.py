"""Scores read back from a folder, and every way in which they may not be whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.commands import read_scores
from apieval.errors import ApievalError, ConfigError, StoreError


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Return two folders of scores, made by `apieval score`; a rebus has failed in the second."""
    rows = [
        {"id": n, "setting": s, "text": "Soluzione: x"} for n in "012" for s in ("regular", "hints")
    ]
    made = []
    for name in ("uno", "due"):
        raw = tmp_path / f"{name}.jsonl"
        if name == "due":
            rows = [{**each, "outcome": "failed"} if each["id"] == "0" else each for each in rows]
        raw.write_text("".join(json.dumps(each) + "\n" for each in rows), "utf-8")
        apieval.score(raw, "sample", limit=3, out=tmp_path / "scores" / name)
        made.append(tmp_path / "scores" / name)
    return made


def test_scores_are_read_as_they_were_written(folders: list[Path]) -> None:
    one, two = read_scores.read_all(folders, "official")
    assert (one.name, one.model, one.folder) == ("uno", "uno", str(folders[0]))
    assert one.signatures["hints"]["parser"] == "official@1"
    assert list(one.rows) == ["regular", "hints"]
    assert one.ids["0"] == 0
    tallies = one.rows["hints"]["0"][0]
    assert tallies is not None
    assert tallies["solution_match"] == (0, 1)
    assert two.rows["hints"]["0"] == {0: None}
    assert one.digest == two.digest != ""
    assert one.rebuses == 9


def test_lines_of_other_parsers_are_passed_over(folders: list[Path]) -> None:
    path = folders[0] / "scores.jsonl"
    before = read_scores.read_all(folders, "official")[0].rows
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    other = json.dumps({**line, "parser": "other", "counts": None}) + "\n"
    path.write_text(other + path.read_text("utf-8"), "utf-8")
    assert read_scores.read_all(folders, "official")[0].rows == before


class TestNames:
    def test_equal_models_go_by_their_folders(self, folders: list[Path], tmp_path: Path) -> None:
        copy = Path(shutil.copytree(folders[0], tmp_path / "copia"))
        names = [each.name for each in read_scores.read_all([folders[0], copy], "official")]
        assert names == ["uno", "copia"]

    def test_equal_folders_go_by_the_end_of_their_paths(
        self, folders: list[Path], tmp_path: Path
    ) -> None:
        copy = Path(shutil.copytree(folders[0], tmp_path / "altrove" / "uno"))
        names = [each.name for each in read_scores.read_all([folders[0], copy], "official")]
        assert names == ["scores/uno", "altrove/uno"]

    def test_a_folder_within_one_of_its_name(self, folders: list[Path]) -> None:
        copy = Path(shutil.copytree(folders[0], folders[0] / "scores" / "uno"))
        names = [each.name for each in read_scores.read_all([folders[0], copy], "official")]
        assert names == [f"{folders[0].parent.parent.name}/scores/uno", "uno/scores/uno"]


def refused(folders: list[Path], parser: str = "official") -> ApievalError:
    with pytest.raises((ConfigError, StoreError)) as caught:
        read_scores.read_all(folders, parser)
    return caught.value


def test_one_folder_is_too_few(folders: list[Path]) -> None:
    assert "at least two" in str(refused(folders[:1]))


def test_a_folder_named_twice(folders: list[Path]) -> None:
    again = folders[0] / ".." / folders[0].name
    assert "named twice" in str(refused([folders[0], again]))


def test_no_folder(folders: list[Path], tmp_path: Path) -> None:
    nowhere, file = tmp_path / "nowhere", folders[0] / "scores.jsonl"
    assert f"{nowhere}: there is no such folder" in str(refused([folders[0], nowhere]))
    assert f"{file}: a file, no folder" in str(refused([folders[0], file]))


@pytest.mark.parametrize("name", ["scores.jsonl", "summary.json"])
def test_a_file_that_is_not_there(folders: list[Path], name: str) -> None:
    (folders[1] / name).unlink()
    said = str(refused(folders))
    assert str(folders[1] / name) in said
    assert "`apieval score" in said


def test_a_file_that_cannot_be_read(folders: list[Path]) -> None:
    (folders[1] / "scores.jsonl").unlink()
    (folders[1] / "scores.jsonl").mkdir()
    assert "scores.jsonl: cannot be read" in str(refused(folders))


def test_a_parser_without_scores(folders: list[Path]) -> None:
    said = str(refused(folders, "oficial"))
    assert "--parser oficial" in said
    assert "did you mean 'official'" in said


def change(key: str, value: object) -> Callable[[dict[str, Any]], object]:
    return lambda line: {**line, key: value}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        pytest.param(lambda _: [1], "list indices", id="no object"),
        pytest.param(lambda line: {k: line[k] for k in line if k != "id"}, "no 'id'", id="no id"),
        pytest.param(change("id", None), "None is no id", id="null id"),
        pytest.param(change("id", True), "True is no id", id="a truth for an id"),
        pytest.param(change("setting", "other"), "no 'other'", id="another setting"),
        pytest.param(change("setting", ["hints"]), "unhashable", id="settings"),
        pytest.param(change("sample", -1), "-1 is no count", id="a sample below 0"),
        pytest.param(change("sample", 0.5), "0.5 is no count", id="half a sample"),
        pytest.param(change("counts", None), "not subscriptable", id="no counts"),
        pytest.param(change("counts", {}), "no 'word_guess_accuracy'", id="no metric"),
        pytest.param(change("outcome", "failed"), "a failed request with a score", id="failed"),
        pytest.param(
            lambda line: {**line, "counts": {name: [2, 1] for name in line["counts"]}},
            "2 right of 1",
            id="more right than there are",
        ),
        pytest.param(
            lambda line: {**line, "counts": {name: [0, 0] for name in line["counts"]}},
            "0 right of 0",
            id="of none",
        ),
        pytest.param(
            lambda line: {**line, "counts": {name: [True, 1] for name in line["counts"]}},
            "True is no count",
            id="a truth for a count",
        ),
    ],
)
def test_a_line_that_is_no_score_is_named(
    folders: list[Path], change: Callable[[dict[str, Any]], object], said: str
) -> None:
    path = folders[1] / "scores.jsonl"
    lines = path.read_text("utf-8").splitlines()
    answered = next(n for n, line in enumerate(lines) if json.loads(line)["outcome"] == "ok")
    lines[answered] = json.dumps(change(json.loads(lines[answered])))
    path.write_text("\n".join(lines), "utf-8")
    error = str(refused(folders))
    assert f"{path}, line {answered + 1}: no score" in error
    assert said in error
    assert "apieval score" in error


def test_a_torn_line_is_named(folders: list[Path]) -> None:
    path = folders[1] / "scores.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    assert f"line {whole.count(10)}: no score (not whole JSON" in str(refused(folders))
    path.write_bytes(b'{"id": "\xff"}\n' + whole)
    assert "line 1: no score (not whole JSON in UTF-8)" in str(refused(folders))


def test_a_second_score_is_named(folders: list[Path]) -> None:
    path = folders[1] / "scores.jsonl"
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines, lines[0]]), "utf-8")
    assert f"line {len(lines) + 1}: no score (sample 0 of this row" in str(refused(folders))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        pytest.param({"format": 2}, "format 2, not 1", id="another format"),
        pytest.param(
            {"signatures": {}}, "signatures and settings are not of the same", id="no signatures"
        ),
        pytest.param(
            {"signatures": {"hints": "official"}}, "signatures.hints: input", id="no parsers"
        ),
        pytest.param({"signatures": {"hints": {"official": "x"}}}, "summary.json: ", id="foreign"),
        pytest.param(
            {"signatures": {"hints": {"official": 1}}},
            "signatures.hints.official: input",
            id="a number",
        ),
        pytest.param({"model": 1}, "model: input should be a valid string", id="model"),
        pytest.param(
            {"data": {"digest": "d", "n": "3"}}, "data.n: input should be a valid integer", id="n"
        ),
        pytest.param({"data": {"n": 3}}, "data.digest: missing", id="no digest"),
    ],
)
def test_a_summary_that_is_none_is_named(
    folders: list[Path], changes: dict[str, Any], said: str
) -> None:
    path = folders[1] / "summary.json"
    path.write_text(json.dumps({**json.loads(path.read_text("utf-8")), **changes}), "utf-8")
    error = str(refused(folders))
    assert str(path) in error
    assert said in error


def test_a_summary_of_something_else(folders: list[Path]) -> None:
    (folders[1] / "summary.json").write_text("[1, 2]", "utf-8")
    assert "no summary of scores" in str(refused(folders))
