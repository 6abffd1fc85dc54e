"""`apieval score`: offline, from a run folder, raw answers or parsed parts."""

from __future__ import annotations

import csv
import json
import socket
from pathlib import Path

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import TRANSIENT, FaultServer, first
from tests.e2e.program import (
    Material,
    answer,
    configure,
    end,
    folder,
    lines,
    model,
    plain,
    start,
    summary,
)


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refuse)


def _run(inside: Inside, ten: Material, tmp_path: Path) -> Path:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        assert inside("run", "local", "--data", ten.path, "--cache", "off").code == 0
    return folder()


def test_a_run_folder_gives_the_runs_own_figures(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    run = _run(inside, ten, tmp_path)
    before = {name: (run / name).read_bytes() for name in ("scores.jsonl", "summary.json")}
    for name in before:
        (run / name).unlink()
    done = inside("score", run)
    assert done.code == 0, done.err
    assert plain(done.all)
    assert {name: (run / name).read_bytes() for name in before} == before
    assert inside("score", run, "--out", "elsewhere").code == 0
    assert (Path("elsewhere") / "summary.json").read_bytes() == before["summary.json"]
    (only,) = json.loads(inside("score", run, "--json").out)["runs"]
    assert only["figures"] == summary(run)["figures"]
    assert (only["model"], only["dir"], only["status"]) == ("local", str(run), "done")


def test_raw_answers_give_the_figures_of_their_run(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    run = _run(inside, ten, tmp_path)
    raw = tmp_path / "raw.jsonl"
    kept = ("id", "setting", "text")
    answers = [{name: each[name] for name in kept} for each in lines(run / "responses.jsonl")]
    raw.write_text("".join(json.dumps(each) + "\n" for each in answers), "utf-8")
    done = inside("score", raw, "--data", ten.path, "--json")
    assert done.code == 0, done.err
    (only,) = json.loads(done.out)["runs"]
    assert only["figures"] == summary(run)["figures"]
    assert only["dir"] is None


@pytest.mark.usefixtures("offline")
def test_parsed_parts_are_scored_without_a_socket(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    parsed = tmp_path / "parsed.csv"
    names = ("idx", "word_guesses", "first_pass", "solution_words", "solution")
    with parsed.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, extrasaction="ignore")
        writer.writeheader()
        for number, row in enumerate(ten.rows):
            right = number < 7
            writer.writerow({**row, "idx": number, **({} if right else {"solution": "x"})})
    done = inside("score", parsed, "--data", ten.path, "--out", "out")
    assert done.code == 0, done.err
    figures = summary(Path("out"))["figures"]["regular"]["all"]
    assert figures["official"]["solution_match"]["micro"]["value"] == 0.7
    assert figures["official"]["first_pass_accuracy"]["macro"]["value"] == 1.0


def test_a_partial_run_is_scored_as_partial(inside: Inside, ten: Material, tmp_path: Path) -> None:
    plan = first(99, TRANSIENT["500"], [ten.rebus(3)])
    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, limits={"max_retries": 0}))
        words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "off")
        assert inside(*words).code == 1
    done = inside("score", folder())
    assert done.code == 1
    assert "partial" in done.err
    assert "PARTIAL" in done.out


def test_a_wrong_path_is_refused(inside: Inside, ten: Material) -> None:
    Path("empty").mkdir()
    Path("raw.jsonl").write_text('{"id": "77", "text": "x"}\n', "utf-8")
    Path("bad.jsonl").write_text("not JSON\n", "utf-8")
    for words, said in (
        (("score", "none.jsonl", "--data", ten.path), "none.jsonl"),
        (("score", "none"), "none"),
        (("score", "empty"), "no run"),
        (("score", "raw.jsonl"), "--data"),
        (("score", "raw.jsonl", "--data", ten.path), "'77'"),
        (("score", "bad.jsonl", "--data", ten.path), "line 1"),
        (("score", "raw.jsonl", "--data", "sample", "--out", "bad.jsonl"), "bad.jsonl"),
        (("score", "raw.jsonl", "--setting", "both", "--data", ten.path), "--setting"),
    ):
        done = inside(*words)
        assert done.code == 2, done.all
        assert plain(done.all)
        assert said in done.err


@pytest.mark.parametrize("data", [(), ("--data", "sample")], ids=["alone", "with data"])
@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        pytest.param("a.jsonl", b"", "a.jsonl: empty", id="empty"),
        pytest.param("a.txt", b"", "a.txt: no file of answers (empty", id="empty text"),
        pytest.param("a.bin", b"\x89PNG\xff\x00", "no file of answers (line 1: not UTF-8", id="binary"),
        pytest.param("p.yaml", b"models:\n  a: {}\n", "p.yaml: no file of answers (line 1", id="YAML"),
        pytest.param("a.jsonl", b"models:\n", "a.jsonl, line 1: not JSON", id="YAML as JSONL"),
        pytest.param("a.jsonl", b'{"id": "1", "txt": "x"}\n', "did you mean 'txt'", id="a field"),
        pytest.param("a.jsonl", b'{"a": "1"}\n', "neither a raw answer", id="wrong"),
        pytest.param("a.csv", b"a,b\n1,2\n", "missing column 'word_guesses'", id="wrong CSV"),
    ],
)  # fmt: skip
def test_a_file_that_holds_no_answers_is_refused_before_its_data_are_asked_for(
    name: str, content: bytes, said: str, data: tuple[str, ...], inside: Inside
) -> None:
    Path(name).write_bytes(content)
    done = inside("score", name, *data)
    assert done.code == 2
    assert said in done.err
    assert "Expecting value" not in done.err
    assert "give the data file" not in done.err


def test_a_file_of_a_run_is_scored_by_its_folder(inside: Inside, ten: Material) -> None:
    words = ("--limit", "4", "--setting", "regular", "--name", "two", "--cache", "off")
    assert inside("run", "baseline", *words).code == 0
    run = Path("results") / "two"
    for name in ("scores.jsonl", "summary.json", "run.json", "responses.jsonl"):
        done = inside("score", run / name)
        assert done.code == 2
        assert f"{name}: a file of a run; name its folder: `apieval score {run}`" in done.err
    assert inside("score", run / "responses.jsonl", "--data", "sample", "--limit", "4").code == 0
    assert inside("score", run, "--out", "apart").code == 0
    done = inside("score", Path("apart") / "scores.jsonl")
    assert (done.code, "scores, not answers" in done.err) == (2, True)


def test_a_run_whose_header_is_broken_is_refused(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    run = _run(inside, ten, tmp_path)
    for text in ("", "{}", "[]", '{"format": 99}', '{"format": 1, "spec": {}}', "\x00"):
        (run / "run.json").write_text(text, "utf-8")
        done = inside("score", run)
        assert done.code == 2, text
        assert plain(done.all)


def test_a_line_that_is_no_answer_is_named(inside: Inside, ten: Material, tmp_path: Path) -> None:
    run = _run(inside, ten, tmp_path)
    path = run / "responses.jsonl"
    first_line, *others = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join([first_line, b'{"id": 1}\n', *others]))
    done = inside("score", run)
    assert done.code == 2
    assert "responses.jsonl, line 2" in done.err
    again = inside("run", "local", "--data", ten.path, "--cache", "off")
    assert again.code == 0
    assert "set aside" in again.err
    assert (run / "responses.damaged").read_bytes() == b'{"id": 1}\n'


def test_answers_of_a_right_model_are_all_right(inside: Inside, ten: Material) -> None:
    texts = [{"row": n, "said": answer(row)} for n, row in enumerate(ten.rows)]
    Path("raw.jsonl").write_text("".join(json.dumps(each) + "\n" for each in texts), "utf-8")
    named = ("--id-field", "row", "--text-field", "said")
    done = inside("score", "raw.jsonl", "--data", ten.path, "--json", "--setting", "hints", *named)
    (only,) = json.loads(done.out)["runs"]
    for figure in only["figures"]["hints"]["all"]["official"].values():
        assert figure["micro"]["value"] == figure["macro"]["value"] == 1.0


def test_a_line_that_is_not_of_the_run_is_told(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1", "--setting", "hints").code == 0
    path = folder() / "responses.jsonl"
    path.write_text(path.read_text("utf-8").replace('"sample":0', '"sample":7', 1), "utf-8")
    done = inside("score", folder())
    assert done.code == 2
    assert "sample 7), which is not of this run" in done.err


def test_several_scorings_at_once_do_not_disturb_each_other(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "2", "--setting", "hints").code == 0
    before = (folder() / "summary.json").read_bytes()
    together = [start("score", folder()) for _ in range(3)]
    assert [end(each).code for each in together] == [0, 0, 0]
    assert (folder() / "summary.json").read_bytes() == before


def test_details_show_what_accuracy_depends_on(inside: Inside, ten: Material) -> None:
    words = ("--samples", "2", "--limit", "4", "--setting", "regular", "--name", "two")
    assert inside("run", "baseline", *words, "--cache", "off").code == 0
    done = inside("score", Path("results") / "two", "--details")
    assert done.code == 0, done.err
    without = inside("score", Path("results") / "two").out
    assert "(score --details: in full)" in without
    assert "score --details" not in done.out
    for title in ("id - ood, percentage", "what accuracy depends on", "2 samples of 12 rebuses"):
        assert f"regular: {title}" in done.out
        assert title not in without
    (only,) = json.loads(inside("score", Path("results") / "two", "--json").out)["runs"]
    assert {"gaps", "dependence", "over_samples"} <= set(only)
