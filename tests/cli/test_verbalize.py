"""`apieval data verbalize`, at the door."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Inside
from tests.records import write_csv


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Give the command's words, in a folder with both tables."""
    monkeypatch.chdir(tmp_path)
    rebus = {"PRIMALET": "VE - Rita - NA - scosta", "FRASE": "Verità nascosta", "ANNO": "2025"}
    write_csv(tmp_path / "rebuses.csv", [rebus])
    clues = [("Santa di Cascia", "RITA"), ("Sposta da un lato", "SCOSTA")]
    write_csv(tmp_path / "clues.csv", [{"Clue": clue, "Answer": word} for clue, word in clues])
    return ["data", "verbalize", "rebuses.csv", "--clues", "clues.csv", "--out", "out.csv"]


def test_what_it_makes_can_be_verified_and_run(inside: Inside, words: list[str]) -> None:
    done = inside(*words, "--new-since", "2024")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("out.csv: 1 rebus (new 1) of 1 row\n")
    assert inside("data", "verify", "out.csv").code == 0
    ran = inside("run", "baseline", "--data", "out.csv", "--setting", "hints", "--yes", "--json")
    assert ran.code == 0
    (run,) = json.loads(ran.out)["runs"]
    assert run["figures"]["hints"]["new"]["official"]["solution_match"]["micro"]["n"] == 1


def test_as_json_and_by_the_environment(inside: Inside, words: list[str]) -> None:
    done = inside(*words, "--json", APIEVAL_SEED="7", APIEVAL_MIN_WORDS="1")
    assert done.err == ""
    assert json.loads(done.out)["wish"] == {"least_words": 1, "seed": 7, "new_since": None}


def test_what_cannot_be_done_ends_with_2(inside: Inside, words: list[str]) -> None:
    assert inside(*words).code == 0
    again = inside(*words)
    assert again.code == 2
    assert "--overwrite" in again.err
    assert inside(*words, "--overwrite").code == 0
    assert inside(*words[:3], "--out", "b.csv").code == 2
    assert inside(*words[:-1], "b.csv", "--new-since", "0").code == 2
