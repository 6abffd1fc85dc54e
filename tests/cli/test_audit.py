"""`apieval score --audit` and what `compare` says of copies, from files to the screen."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.rebus import dataset
from tests.e2e.conftest import Inside
from tests.e2e.program import plain, summary
from tests.records import PUBLISHED, needs_published

ROWS = dataset.load("sample").rebuses


def raw(path: Path, texts: Mapping[int, str], **outcomes: str) -> Path:
    """Write answers to the sample; `outcomes` are of rows by their number, as `_3`."""
    lines = [
        {
            "id": str(n),
            "text": text,
            **({"outcome": outcomes[f"_{n}"]} if f"_{n}" in outcomes else {}),
        }
        for n, text in texts.items()
    ]
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    return path


def texts(wrong: str) -> dict[int, str]:
    """Return an answer to each row: the first 30 right, the others wrong in a way of their own."""
    return {
        n: f"Soluzione: {row.solution if n < 30 else f'{wrong} {n}'}" for n, row in enumerate(ROWS)
    }


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return folders of scores that no test alters: `uno`, its copy `copia` but for a row, and `due`."""
    home = tmp_path_factory.mktemp("audited")
    for name, wrong in (("uno", "questa"), ("copia", "questa"), ("due", "quella")):
        given = texts(wrong) | ({89: "Soluzione: x"} if name == "copia" else {})
        apieval.score(raw(home / f"{name}.jsonl", given), "sample", out=home / name)
    return home


TOLD = "copia and uno give the same wrong solution to 59 of the 60 rebuses that both get wrong"


def test_a_copy_is_told_by_an_audit(inside: Inside, scores: Path) -> None:
    words = ("score", scores / "copia.jsonl", "--data", "sample", "--against", scores / "uno")
    done = inside(*words, "--against", scores / "due", "--out", "out")
    assert done.code == 0, done.err
    assert plain(done.all)
    assert "audit, against uno, due" in done.out
    assert f"WARNING: {TOLD} in regular (98%; by chance 2%)" in done.out
    assert "  rows 30, 31, 32, 33, 34, 35, 36, 37, 38, 39 and 49 more (--json has them)" in done.out
    audit = summary(Path("out"))["audit"]
    assert audit["against"] == ["uno", "due"]
    (only,) = audit["findings"]
    assert (only["kind"], only["level"]) == ("same_wrong_answers", "warning")
    assert only["ids"] == list(range(30, 89))
    (run,) = json.loads(inside(*words, "--json").out)["runs"]
    assert [each["kind"] for each in run["audit"]["findings"]] == ["same_wrong_answers"]


def test_a_copy_is_told_by_a_comparison(inside: Inside, scores: Path) -> None:
    done = inside("compare", scores / "copia", scores / "uno", scores / "due")
    assert done.code == 0
    assert done.out.startswith(f"WARNING: {TOLD} in regular")
    assert done.out.count("same wrong solution") == 1
    assert inside("compare", scores / "uno", scores / "due").out.count("same wrong") == 0


def test_a_run_is_audited_against_a_run(inside: Inside, tmp_path: Path) -> None:
    for name in ("uno", "due"):
        words = ("--setting", "regular", "--limit", "20", "--name", name)
        assert inside("run", "baseline", *words).code == 0
    done = inside("score", Path("results/uno"), "--audit", "--against", "results/due")
    assert done.code == 0, done.err
    assert "whole text to the letter: it is one model, as expected" in done.out
    assert "WARNING" not in done.out
    (only,) = summary(Path("results/uno"))["audit"]["findings"]
    assert only["level"] == "note"
    assert only["count"] == only["of"] == only["more"]["texts"]
    assert inside("verify", Path("results/uno")).code == 0
    told = inside("score", Path("results/uno"), "--audit").out
    assert told.rstrip().endswith("audit\nnothing found")
    inside("score", Path("results/uno"))
    assert "audit" not in summary(Path("results/uno"))


def test_other_failed_requests_are_told_in_a_comparison(inside: Inside, tmp_path: Path) -> None:
    """Case B52."""
    made = {
        "uno": {"_3": "failed", "_40": "failed"},
        "due": {"_3": "failed"},
        "tre": {"_3": "failed"},
    }
    for name, outcomes in made.items():
        path = raw(tmp_path / f"{name}.jsonl", texts(name), **outcomes)
        done = inside("score", path, "--data", "sample", "--out", tmp_path / name)
        assert done.code == 1
        assert "PARTIAL" in done.out
    done = inside("compare", tmp_path / "uno", tmp_path / "due")
    told = "WARNING: the failed requests differ in regular, and their rebuses are left out: 'uno' has 2; 'due' has 1"
    assert told in done.out
    assert "88 common rebuses; 2 left out" in done.out
    assert "WARNING" not in inside("compare", tmp_path / "due", tmp_path / "tre").out


def test_blank_rows_of_parsed_parts_are_no_answers(inside: Inside, tmp_path: Path) -> None:
    head = "idx,word_guesses,first_pass,solution_words,solution"
    rows = [f"{n},a,b,c,{row.solution}" if n % 4 else f"{n},,,," for n, row in enumerate(ROWS)]
    path = tmp_path / "parsed.csv"
    path.write_text("\n".join([head, *rows]), "utf-8")
    done = inside("score", path, "--data", "sample", "--out", "out", "--audit")
    assert done.code == 0
    assert "answers: ok 67, empty 23" in done.out
    told = "23 of 90 answers in regular are blank (empty or refused) and count wrong (25.6%)"
    assert done.out.count(told) == 1
    assert "of the other 67 1.000 are solved, of all 0.744" in done.out
    assert summary(Path("out"))["findings"][0]["kind"] == "blanks_counted"


@needs_published
def test_the_studys_own_answers_raise_no_false_alarm(inside: Inside, tmp_path: Path) -> None:
    words = ("--data", PUBLISHED / "dataset.csv", "--audit", "--json")
    done = inside("score", PUBLISHED / "gpt4o_parsed.csv", *words)
    (run,) = json.loads(done.out)["runs"]
    found = {each["kind"]: each for each in run["audit"]["findings"]}
    assert set(found) == {"blanks_counted", "gold_breaks_rules"}
    assert {each["level"] for each in found.values()} == {"note"}
    assert found["gold_breaks_rules"]["ids"] == [1114, 1523, 1717]


@needs_published
def test_blanks_and_a_shift_in_the_studys_answers_are_told(inside: Inside, tmp_path: Path) -> None:
    with (PUBLISHED / "gpt4o_parsed.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))

    def kinds(name: str, changed: list[dict[str, str]]) -> dict[str, Any]:
        path = tmp_path / f"{name}.csv"
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(changed)
        words = ("--data", PUBLISHED / "dataset.csv", "--audit", "--json")
        (run,) = json.loads(inside("score", path, *words).out)["runs"]
        return {each["kind"]: each for each in run["findings"] + run["audit"]["findings"]}

    blank = [
        {**dict.fromkeys(row, ""), "idx": row["idx"]} if n % 4 == 1 and n < 1904 else row
        for n, row in enumerate(rows)
    ]
    assert "479 of 2,000 answers" in kinds("blank", blank)["blanks_counted"]["text"]
    later = [
        {**row, "idx": str(n)} for n, row in enumerate([*rows[:1500], *rows[1501:], rows[1500]])
    ]
    told = kinds("later", later)["answers_to_other_rows"]
    assert (told["more"]["offset"], told["count"]) == (1, 100)


def test_wrong_runs_to_hold_answers_against(inside: Inside, scores: Path) -> None:
    words = ("score", scores / "uno.jsonl", "--data", "sample", "--against")
    for folder, said in (("none", "no such folder"), (scores, "summary.json")):
        done = inside(*words, folder)
        assert done.code == 2
        assert said in done.err
    done = inside(*words, scores / "due", "--against", scores / "due")
    assert "named twice" in done.err
