"""Scores read back from a folder, and every way in which they may not be whole."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.analysis.pairing import Scored
from apieval.commands import read_scores
from apieval.errors import ApievalError, ConfigError, StoreError
from apieval.rebus.metrics import METRICS
from apieval.results.folder import RunFolder


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


def read_all(folders: Iterable[Path], parser: str = "official") -> list[Scored]:
    return read_scores.read_all([*map(RunFolder, folders)], parser)


def test_scores_are_read_as_they_were_written(folders: list[Path]) -> None:
    one, two = read_all(folders, "official")
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
    before = read_all(folders, "official")[0].rows
    line = json.loads(path.read_text("utf-8").splitlines()[0])
    other = json.dumps({**line, "parser": "other", "counts": None}) + "\n"
    path.write_text(other + path.read_text("utf-8"), "utf-8")
    assert read_all(folders, "official")[0].rows == before


class TestNames:
    def test_equal_models_go_by_their_folders(self, folders: list[Path], tmp_path: Path) -> None:
        copy = Path(shutil.copytree(folders[0], tmp_path / "copia"))
        names = [each.name for each in read_all([folders[0], copy], "official")]
        assert names == ["uno", "copia"]

    def test_equal_folders_go_by_the_end_of_their_paths(
        self, folders: list[Path], tmp_path: Path
    ) -> None:
        copy = Path(shutil.copytree(folders[0], tmp_path / "altrove" / "uno"))
        names = [each.name for each in read_all([folders[0], copy], "official")]
        assert names == ["scores/uno", "altrove/uno"]

    def test_a_folder_within_one_of_its_name(self, folders: list[Path]) -> None:
        copy = Path(shutil.copytree(folders[0], folders[0] / "scores" / "uno"))
        names = [each.name for each in read_all([folders[0], copy], "official")]
        assert names == [f"{folders[0].parent.parent.name}/scores/uno", "uno/scores/uno"]


def refused(folders: list[Path], parser: str = "official", least: int = 2) -> ApievalError:
    with pytest.raises((ConfigError, StoreError)) as caught:
        read_scores.read_all([*map(RunFolder, folders)], parser, least)
    return caught.value


def test_one_folder_is_too_few(folders: list[Path]) -> None:
    assert "at least two" in str(refused(folders[:1]))


def test_a_folder_named_twice(folders: list[Path]) -> None:
    again = folders[0] / ".." / folders[0].name
    assert "named twice" in str(refused([folders[0], again]))


def test_a_parser_without_scores(folders: list[Path]) -> None:
    said = str(refused(folders, "oficial"))
    assert "--parser oficial" in said
    assert "did you mean 'official'" in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"setting": "hints"},
            "row 0, hints, sample 0, official: setting: hints is not of summary",
        ),
        ({"counts": {"solution_match": [1, 1]}}, "official: counts.word_guess_accuracy: missing"),
        ({}, "row 0, regular, sample 0, official: a second score of this row, setting and sample"),
    ],
)
def test_a_line_that_cannot_be_of_the_summary_is_named(
    tmp_path: Path, change: dict[str, Any], said: str
) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"id": "0", "text": "Soluzione: x"}), "utf-8")
    apieval.score(raw, "sample", limit=3, out=tmp_path / "scores")
    path = tmp_path / "scores" / "scores.jsonl"
    first = json.loads(path.read_text("utf-8").partition("\n")[0])
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps({**first, **change}) + "\n")
    if "counts" in change:
        path.write_text(json.dumps({**first, **change}) + "\n", "utf-8")
    error = str(refused([tmp_path / "scores"], least=1))
    assert error.startswith(f"{path}, ")
    assert said in error
    assert "write it anew with `apieval score`" in error


def test_a_metric_of_a_later_version_is_asked_for(
    folders: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(read_scores, "METRICS", (*METRICS, "later"))
    said = str(refused(folders))
    assert f"{folders[0] / 'summary.json'}: figures.regular.all.official.later: missing" in said
