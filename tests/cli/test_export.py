"""Round trips: what is exported gives, scored again, the figures it came from."""

from __future__ import annotations

import csv
import json
import sys
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

import apieval
from apieval.errors import ConfigError, StoreError
from apieval.rebus.columns import GOLD
from apieval.rebus.metrics import METRICS
from tests.e2e.conftest import Inside
from tests.e2e.program import Material, folder, lines, rewrite, summary
from tests.records import PUBLISHED, needs_published, rebus, write_csv


def figures(path: Path, data: Path, **more: Any) -> dict[str, Any]:  # noqa: ANN401 # as score
    result = apieval.score(path, data, **more)
    assert result.summary["findings"] == []
    return dict(result.summary["figures"].items())


def test_samples_of_a_run_give_its_figures(inside: Inside, lacking: Path, ten: Material) -> None:
    answers = lacking / "responses.jsonl"
    rewrite(answers, 1, outcome="truncated", finish_reason="length")
    odd = " = \u2028\r\x00\U0001f600\nSoluzione: \x85x"
    rewrite(answers, 2, text=odd)
    assert inside("score", lacking).code == 1
    done = inside("export", lacking, "--format", "lm-eval", "--out", "out")
    assert done.code == 0
    *samples, _ = map(Path, done.out.split())
    for path, setting in zip(samples, ("regular", "hints"), strict=True):
        assert [each["doc_id"] for each in lines(path)] == list(range(10))
        assert lines(path)[2]["resps"] == [[odd]]
        shown = Path("renamed.jsonl")  # the prompts tell the setting too
        path.rename(shown)
        assert inside("score", shown, "--data", ten.path, "--out", "again").code in {0, 1}
        again = summary(Path("again"))
        assert again["figures"][setting] == summary(lacking)["figures"][setting]
        assert again["outcomes"] == {setting: summary(lacking)["outcomes"][setting]}
        assert not any(each["kind"] == "harness_differs" for each in again["findings"])


def test_parts_of_a_run_give_its_official_figures(
    inside: Inside, lacking: Path, ten: Material
) -> None:
    odd = ' = a;"b",\r=c\n5 = \x85d\nPrima lettura: -x\r\nSoluzione: @y'
    rewrite(lacking / "responses.jsonl", 2, text=odd)
    assert inside("score", lacking).code == 1
    done = inside("export", lacking, "--format", "csv", "--json")
    document = json.loads(done.out)
    assert done.code == 0
    assert len(document["warnings"]) == 2
    assert document["warnings"][0] == "1 failed request left out: there is no answer"
    assert document["warnings"][1].startswith("4 cells with an apostrophe before")
    paths = [Path(each) for each in document["files"]]
    assert [each.name for each in paths] == ["answers_regular.csv", "answers_hints.csv"]
    assert paths[0].parent == lacking / "export"
    for path, setting in zip(paths, ("regular", "hints"), strict=True):
        again = figures(path, ten.path, setting=setting)[setting]["all"]["official"]
        assert again == summary(lacking)["figures"][setting]["all"]["official"]


def test_a_table_holds_the_texts_and_the_figures(inside: Inside, lacking: Path) -> None:
    answers = lacking / "responses.jsonl"
    odd = "\u2028\x00\r\n\U0001f600 [0.1] = a;b"
    rewrite(answers, 2, text=odd)
    assert inside("score", lacking).code == 1
    done = inside("export", lacking, "--format", "parquet")
    assert (done.code, done.out.strip()) == (0, str(lacking / "export" / "answers.parquet"))
    rows = pq.read_table(lacking / "export" / "answers.parquet").to_pylist()
    places = [(each["setting"], int(each["id"])) for each in rows]
    assert places == [(setting, n) for setting in ("regular", "hints") for n in range(10)]
    texts = {(each["setting"], each["id"]): each["text"] for each in lines(answers)}
    assert {place: row["text"] for place, row in zip(places, rows, strict=True)} == texts
    assert rows[2]["text"] == odd
    scores = {(e["setting"], e["id"], e["parser"]): e for e in lines(lacking / "scores.jsonl")}
    for place, row in zip(places, rows, strict=True):
        for parser in ("official", "tolerant", "tolerant-lenient"):
            score = scores[(*place, parser)]
            for metric in METRICS:
                assert row[f"{parser.replace('-', '_')}_{metric}"] == score[metric]
        for name in GOLD:
            assert row[name] == scores[(*place, "official")][name]
    assert rows[3]["outcome"] == "failed"
    assert rows[3]["official_solution_match"] is None


def test_a_table_needs_pyarrow_and_room(
    inside: Inside, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    words = ("run", "baseline", "--limit", "1", "--given", "definitions", "--setting", "hints")
    assert inside(*words).code == 0
    (path,) = apieval.export(folder(), "parquet").files  # a begun run can be told so
    assert pq.read_table(path)["official_word_guess_accuracy"].null_count
    assert [each.name for each in path.parent.iterdir()] == [path.name]
    (tmp_path / "file").write_text("", "utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        apieval.export(folder(), "parquet", tmp_path / "file")
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)  # as where it is not installed
    with pytest.raises(StoreError, match="needs pyarrow"):
        apieval.export(folder(), "parquet")


def study(path: Path, *rows: tuple[object, ...]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["", "idx", *GOLD])
        writer.writerows([n, *row] for n, row in enumerate(rows))
    return path


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Return the scores of a parsed CSV, with cells that begin like formulas."""
    gold = {name: getattr(rebus(), name) for name in GOLD}
    joined = {k: v if isinstance(v, str) else ";".join(v) for k, v in gold.items()}
    data = write_csv(tmp_path / "gold.csv", [{"idx": str(n), **joined} for n in (2, 10)])
    parsed = study(
        tmp_path / "parsed.csv", (2, "a, b;-c", '=1+"1"', "", "x"), (10, "", "@", "\u2028;è", " y ")
    )
    apieval.score(parsed, data, out=tmp_path / "scores")
    return tmp_path / "scores"


def test_the_studys_csv_comes_back_byte_for_byte(scores: Path) -> None:
    done = apieval.export(scores, "csv", exact=True)
    assert done.files == (scores / "export" / "answers_regular.csv",)
    assert done.files[0].read_bytes() == (scores.parent / "parsed.csv").read_bytes()
    assert done.warnings == (
        "3 cells that a spreadsheet would compute (= + - @); leave --exact out",
    )


def test_safe_cells_are_no_formulas_and_are_read_as_they_were(scores: Path) -> None:
    done = apieval.export(scores, "csv")
    assert done.warnings[0].startswith("3 cells with an apostrophe before what a spreadsheet")
    with done.files[0].open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [each["first_pass"] for each in rows] == ['\'=1+"1"', "'@"]
    assert [each["word_guesses"] for each in rows] == ["a, b;'-c", ""]
    assert [each["safe_idx"] for each in rows] == ["2", "10"]
    apieval.score(done.files[0], scores.parent / "gold.csv", out=scores.parent / "again")
    stored = [
        (folder / "scores.jsonl").read_bytes() for folder in (scores, scores.parent / "again")
    ]
    assert stored[0] == stored[1]


def test_apostrophes_of_a_file_that_says_nothing_are_text(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "gold.csv", [{"idx": "0", **dict.fromkeys(GOLD, "x")}])
    parsed = study(tmp_path / "parsed.csv", (0, "'=a", "'", "''+", "'-b"))
    apieval.score(parsed, data, out=tmp_path / "scores")
    [score] = lines(tmp_path / "scores" / "scores.jsonl")
    assert [score[name] for name in GOLD] == [["'=a"], "'", ["''+"], "'-b"]
    assert apieval.export(tmp_path / "scores", "csv", exact=True).files[0].read_bytes() == (
        parsed.read_bytes()
    )
    (safe,) = apieval.export(tmp_path / "scores", "csv", tmp_path / "safe").files
    apieval.score(safe, data, out=tmp_path / "again")
    assert lines(tmp_path / "again" / "scores.jsonl") == [score]


@needs_published
def test_the_published_csv_comes_back_byte_for_byte(tmp_path: Path) -> None:
    parsed = PUBLISHED / "gpt4o_parsed.csv"
    apieval.score(parsed, PUBLISHED / "gold.csv", out=tmp_path)
    (written,) = apieval.export(tmp_path, "csv", exact=True).files
    assert written.read_bytes() == parsed.read_bytes()
    (safe,) = apieval.export(tmp_path, "csv", tmp_path / "safe").files
    apieval.score(safe, PUBLISHED / "gold.csv", out=tmp_path / "again")
    stored = [each / "scores.jsonl" for each in (tmp_path, tmp_path / "again")]
    assert stored[0].read_bytes() == stored[1].read_bytes()


def test_what_was_cut_is_warned_of(scores: Path) -> None:
    path = scores / "scores.jsonl"
    path.write_text(path.read_text("utf-8").replace('"ok"', '"truncated"', 1), "utf-8")
    assert apieval.export(scores, "csv").warnings[0].startswith("1 answer cut or refused")


def test_samples_have_files_of_their_own(inside: Inside) -> None:
    words = ("run", "baseline", "--limit", "1", "--samples", "2", "--setting", "hints")
    assert inside(*words).code == 0
    names = [each.name for each in apieval.export(folder(), "lm-eval").files]
    dated = [each.rpartition("_")[0] for each in names]
    assert dated == ["samples_eureka_hints_0", "samples_eureka_hints_1", "results"]
    names = [each.name for each in apieval.export(folder(), "csv").files]
    assert names == ["answers_hints_0.csv", "answers_hints_1.csv"]
    path = folder() / "responses.jsonl"
    path.write_text(path.read_text("utf-8").replace('"id":0', '"id":999', 1), "utf-8")
    with pytest.raises(StoreError, match=r"row 999 \(hints, .*, which is not of this run"):
        apieval.export(folder(), "lm-eval")


def test_begun_answers_are_refused(inside: Inside) -> None:
    words = ("run", "baseline", "--limit", "1", "--given", "definitions", "--setting", "hints")
    assert inside(*words).code == 0
    for form in ("csv", "lm-eval"):
        done = inside("export", folder(), "--format", form)
        assert done.code == 2
        assert "begun with right steps" in done.err


def test_what_cannot_be_exported_says_why(scores: Path, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    with pytest.raises(StoreError, match="there is no such folder"):
        apieval.export(tmp_path / "none", "csv")
    with pytest.raises(
        StoreError, match=r"summary\.json: there is no such file; name a run folder"
    ):
        apieval.export(bare, "csv")
    (bare / "run.json").touch()
    with pytest.raises(StoreError, match=r"`apieval score .*bare` writes it"):
        apieval.export(bare, "csv")
    with pytest.raises(StoreError, match="no run"):
        apieval.export(scores, "lm-eval")
    with pytest.raises(ConfigError, match="--exact is of --format csv"):
        apieval.export(scores, "lm-eval", exact=True)
    with pytest.raises(ConfigError, match="--data is not of --format csv"):
        apieval.export(scores, "csv", data="sample")
    (bare / "file").write_text("", "utf-8")
    with pytest.raises(StoreError, match="cannot be written"):
        apieval.export(scores, "csv", bare / "file")
    (scores / "scores.jsonl").unlink()
    with pytest.raises(StoreError, match="there is no such file; name a run folder"):
        apieval.export(scores, "csv")
