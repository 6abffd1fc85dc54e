"""`apieval compare`: from folders to tables, JSON and exit codes."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from random import Random
from typing import Any

import pytest

import apieval
from apieval.analysis.signatures import fingerprint
from apieval.errors import ConfigError
from apieval.rebus import dataset
from tests.e2e.conftest import Inside
from tests.e2e.program import plain

SOLUTIONS = [each.solution for each in dataset.load("sample").rebuses]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return scores that no test may alter, of three models: `half` solves 45 of 90, `more` 70, `none` 0."""
    home = tmp_path_factory.mktemp("compared")
    for name, solved in (("half", 45), ("more", 70), ("none", 0)):
        raw = home / f"{name}.jsonl"
        texts = [f"Soluzione: {SOLUTIONS[n] if n < solved else 'x'}" for n in range(90)]
        lines = [
            json.dumps({"id": str(n), "setting": setting, "text": text})
            for n, text in enumerate(texts)
            for setting in ("regular", "hints")
        ]
        raw.write_text("\n".join(lines), "utf-8")
        apieval.score(raw, "sample", out=home / "s" / name)
    return home / "s"


@pytest.fixture
def scores(made: Path, tmp_path: Path) -> Path:
    """Return a folder with the scores of `half`, `more` and `none`."""
    return Path(shutil.copytree(made, tmp_path / "s"))


def document(inside: Inside, *words: str | Path) -> dict[str, Any]:
    done = inside("compare", *words, "--json")
    assert done.code == 0, done.err
    found: dict[str, Any] = json.loads(done.out)
    return found


def alter(folder: Path, old: str, new: str) -> None:
    path = folder / "summary.json"
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def test_two_runs_are_compared(inside: Inside, scores: Path) -> None:
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 0, done.err
    assert plain(done.all)
    assert "'more' solves more than 'half' in hints: +27.8 percentage points" in done.out
    assert "90 common rebuses; 0 left out" in done.out
    assert done.err == ""
    for name in ("half", "more"):
        known = json.loads((scores / name / "summary.json").read_text("utf-8"))["signatures"]
        marks = [f"{each} {fingerprint(known[each]['official'])}" for each in known]
        assert f"signatures of {name}: {', '.join(marks)}" in done.out
    tables = [line for line in done.out.splitlines() if line.startswith(("│", "┃", "┏", "└"))]
    assert max(map(len, tables)) <= 80
    assert done.out == inside("compare", scores / "half", scores / "more").out


def test_json_is_one_document_and_the_api_returns_it(inside: Inside, scores: Path) -> None:
    folders = [scores / "half", scores / "more", scores / "none"]
    found = document(inside, *folders)
    assert found == json.loads(json.dumps(apieval.compare([*map(str, folders)])))
    assert (found["format"], found["parser"], found["tests"]) == (1, "official", 33)
    assert found["common_to_all"] == {"regular": 90, "hints": 90}
    assert [each["name"] for each in found["runs"]] == ["half", "more", "none"]
    pair = found["comparisons"][0]
    assert pair["solved"]["only_b"] == {"count": 25, "ids": list(range(45, 70))}


@pytest.mark.parametrize("given", ["more", "folder", "end"])
def test_a_baseline_goes_by_model_or_folder(inside: Inside, scores: Path, given: str) -> None:
    shutil.move(scores / "more", scores / "better")
    name = {"more": "more", "folder": str(scores / "better"), "end": "better"}[given]
    folders = [scores / "half", scores / "better", scores / "none"]
    found = document(inside, *folders, "--baseline", name)
    pairs = [(each["a"], each["b"]) for each in found["comparisons"]]
    assert pairs == [("more", "half"), ("more", "none")] * 2
    assert found["baseline"] == "more"


def test_a_baseline_of_one_model_twice_is_not_clear(inside: Inside, scores: Path) -> None:
    shutil.copytree(scores / "half", scores / "again")
    folders = [scores / "half", scores / "again"]
    assert document(inside, *folders, "--baseline", "again")["baseline"] == "again"
    done = inside("compare", *folders, "--baseline", "hal")
    assert done.code == 2
    assert "not one of these runs (did you mean 'half'?); they are half, again." in done.err


def test_other_data_are_refused_unless_forced(inside: Inside, scores: Path) -> None:
    digest = json.loads((scores / "more" / "summary.json").read_text("utf-8"))["data"]["digest"]
    alter(scores / "more", digest, "sha256:" + "f" * 64)
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 2
    assert done.out == ""
    assert f"the data differ: 'half' has {digest}; 'more' has sha256:fff" in done.err
    assert "--force" in done.err
    forced = inside("compare", scores / "half", scores / "more", "--force")
    assert forced.code == 0
    assert forced.out.startswith("WARNING: compared by force: the data differ")
    in_json = inside("compare", scores / "half", scores / "more", "--force", "--json")
    assert in_json.err.startswith("WARNING: compared by force: the data differ")
    [finding] = json.loads(in_json.out)["findings"]
    assert (finding["kind"], finding["level"]) == ("data_differ", "warning")


def test_another_version_of_the_parser_is_refused(inside: Inside, scores: Path) -> None:
    alter(scores / "more", "official@1", "official@2")
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 2
    assert (
        "the versions of the parser differ: 'half' has official@1; 'more' has official@2"
        in done.err
    )


def test_other_prompts_are_warned_of(inside: Inside, scores: Path) -> None:
    alter(scores / "more", "prompt:cc87d31f842b", "prompt:0123456789ab")
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 0
    assert done.out.startswith(
        "WARNING: the prompts differ in hints: 'half' has cc87d31f842b; 'more' has 0123"
    )


def test_other_gold_rows_are_refused_and_by_force_left_out(inside: Inside, scores: Path) -> None:
    path = scores / "more" / "scores.jsonl"
    lines = path.read_text("utf-8").splitlines()
    first = json.loads(lines[0])
    first["counts"]["word_guess_accuracy"][1] += 1
    path.write_text("\n".join([json.dumps(first), *lines[1:]]), "utf-8")
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 2
    assert "their gold rows differ" in done.err
    forced = inside("compare", scores / "half", scores / "more", "--force")
    assert "89 common rebuses; 1 left out: 1 gold rows that differ" in forced.out


def test_nothing_in_common_is_an_error(inside: Inside, scores: Path) -> None:
    (scores / "more" / "scores.jsonl").write_text("", "utf-8")
    done = inside("compare", scores / "half", scores / "more")
    assert done.code == 2
    assert "nothing to compare" in done.err


def test_faults_are_one_document_too(inside: Inside, scores: Path) -> None:
    done = inside("compare", scores / "half", scores / "half", "--json")
    assert done.code == 2
    assert json.loads(done.out) == {
        "error": "a folder was named twice; name each once.",
        "exit_code": 2,
    }
    with pytest.raises(ConfigError, match="at least two"):
        apieval.compare([scores / "half"])


def test_a_run_folder_compares_with_scores_elsewhere(inside: Inside, tmp_path: Path) -> None:
    assert inside("run", "baseline", "--limit", "2", "--setting", "hints", "--name", "b").code == 0
    run = Path("results") / "b"
    assert inside("score", run, "--out", tmp_path / "copy").code == 0
    found = document(inside, run, tmp_path / "copy")
    assert found["findings"] == []
    for metric in found["comparisons"][0]["metrics"].values():
        assert (metric["difference"], metric["p_holm"]) == (0, 1)


def test_five_samples_beside_one_stand_with_the_figures_of_their_own_summaries(
    inside: Inside, tmp_path: Path
) -> None:
    chance = Random(5)
    for name, samples, share in (("one", 1, 0.5), ("five", 5, 0.6)):
        lines = [
            json.dumps(
                {
                    "id": str(n),
                    "sample": sample,
                    "text": f"Soluzione: {SOLUTIONS[n] if chance.random() < share else 'x'}",
                }
            )
            for n in range(90)
            for sample in range(samples)
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(lines), "utf-8")
        apieval.score(tmp_path / f"{name}.jsonl", "sample", out=tmp_path / name)
    folders = (tmp_path / "one", tmp_path / "five")
    found = document(inside, *folders)
    [pair] = found["comparisons"]
    match = pair["metrics"]["solution_match"]
    for side, folder in zip("ab", folders, strict=True):
        summary = json.loads((folder / "summary.json").read_text("utf-8"))
        figures = summary["figures"]["regular"]["all"]["official"]["solution_match"]
        assert match[side] == pytest.approx(figures["micro"]["value"], abs=1e-12)
        assert match["macro"][side] == pytest.approx(figures["macro"]["value"], abs=1e-12)
    shown = inside("compare", *folders).out
    assert "90 common rebuses, 90 answers of A and 450 of B; 0 left out" in shown
    assert "the numbers of samples differ, and each run's figures are the means" in " ".join(
        shown.split()
    )
    assert inside("report", *folders, "--out", tmp_path / "r").code == 0
    report = (tmp_path / "r" / "report.md").read_text("utf-8")
    for side in "ab":
        assert report.count(f"{match[side]:.3f}") >= 2  # leaderboard, and the pair
