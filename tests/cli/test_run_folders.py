"""A folder of runs where one run is asked for: what is taken, what is not, and why."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

import apieval
from apieval.errors import ConfigError
from tests.e2e.conftest import Inside
from tests.e2e.program import Done

ASIDE = "one.before-20261201T030554639376"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with two runs of one model, and what may lie beside them."""
    home = tmp_path_factory.mktemp("made") / "results"
    for name, limit in (("one", 2), ("two", 3)):
        options = apieval.RunOptions(limit=limit, out=home, name=name, cache=None)
        apieval.run(["baseline"], options)
    shutil.copytree(home / "one", home / ASIDE)
    (home / "notes").mkdir()
    (home / "report").mkdir()
    (home / "report" / "report.html").touch()
    (home / "answers.csv").touch()
    return home


@pytest.fixture
def results(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "results"))


def taken(done: Done, where: Path) -> tuple[str, str]:
    """Return what was said of the folder: the runs that were taken, and the others."""
    said = [line for line in done.err.splitlines() if line.startswith(f"{where}: ")]
    first, second = (line.removeprefix(f"{where}: ") for line in said)
    return first.removeprefix("taken: "), second.removeprefix("not taken: ")


COMMANDS = [("report", "--items", "none"), ("compare",), ("score",)]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_every_run_of_a_folder_is_taken(
    inside: Inside, results: Path, command: tuple[str, ...]
) -> None:
    (results / "linked").symlink_to(results / "two")
    done = inside(*command, results)
    assert done.code == 0, done.all
    mine, others = taken(done, results)
    assert mine == "one, two"
    assert others == (
        f"linked (a symbolic link); notes (no run); {ASIDE} (set aside by --fresh); report (a report)"
    )


def test_runs_and_folders_of_runs_may_be_named_together(
    inside: Inside, results: Path, tmp_path: Path
) -> None:
    alone = results.rename(tmp_path / "runs") / "one"
    alone = alone.rename(tmp_path / "alone")
    done = inside("compare", alone, tmp_path / "runs", "--json")
    assert done.code == 0, done.err
    assert [each["dir"] for each in json.loads(done.out)["runs"]] == [
        str(alone),
        str(tmp_path / "runs" / "two"),
    ]


def test_what_cannot_be_read_is_named_and_the_others_are_taken(
    inside: Inside, results: Path
) -> None:
    shutil.copytree(results / "one", results / "torn")
    (results / "torn" / "summary.json").write_text('{"format": 1', "utf-8")
    shutil.copytree(results / "one", results / "begun")
    (results / "begun" / "summary.json").unlink()
    done = inside("report", results, "--items", "none")
    assert done.code == 0, done.err
    mine, others = taken(done, results)
    assert mine == "one, two"
    assert f"begun (not scored: `apieval score {results / 'begun'}`)" in others
    assert "torn (" in others
    done = inside("score", results)
    assert done.code == 0, done.err
    assert taken(done, results)[0] == "begun, one, torn, two", "a score makes them anew"


def test_scores_without_answers_are_not_scored(inside: Inside, results: Path) -> None:
    (results / "two" / "responses.jsonl").unlink()
    shutil.copytree(results / "one", results / "stray")
    (results / "stray" / "run.json").unlink()
    done = inside("score", results, "--json")
    assert done.code == 0, done.err
    assert [each["dir"] for each in json.loads(done.out)["runs"]] == [str(results / "one")]
    others = taken(done, results)[1]
    assert "two (no responses.jsonl)" in others
    assert "stray (no run.json)" in others


def test_one_run_that_cannot_be_scored_does_not_keep_the_others_from_it(
    inside: Inside, results: Path
) -> None:
    header = json.loads((results / "one" / "run.json").read_text("utf-8"))
    header["data"]["path"] = "gone.csv"
    (results / "one" / "run.json").write_text(json.dumps(header), "utf-8")
    done = inside("score", results, "--json")
    assert done.code == 2
    assert f"{results / 'one'}: not scored: gone.csv" in done.err
    assert [each["dir"] for each in json.loads(done.out)["runs"]] == [str(results / "two")]


def test_scores_of_several_runs_go_to_a_folder_each(
    inside: Inside, results: Path, tmp_path: Path
) -> None:
    before = (results / "one" / "summary.json").stat().st_mtime_ns
    assert inside("score", results, "--out", tmp_path / "anew").code == 0
    for name in ("one", "two"):
        assert (tmp_path / "anew" / name / "summary.json").exists()
    assert (results / "one" / "summary.json").stat().st_mtime_ns == before


def test_a_folder_without_a_run_that_can_be_used_says_why(
    inside: Inside, results: Path, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        (results / name / "scores.jsonl").unlink()
    done = inside("compare", results)
    assert done.code == 2
    assert "not taken: " in done.err
    assert f"two (not scored: `apieval score {results / 'two'}`)" in done.err
    with pytest.raises(ConfigError, match="not scored"):
        apieval.compare([results])
    (tmp_path / "nothing").mkdir()
    for command in COMMANDS:
        assert inside(*command, tmp_path / "nothing").code == 2
