"""The files of a run, read: whole ones as they are, and every way in which one may be damaged."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apieval.errors import StoreError
from apieval.results.answers import answers_file
from apieval.results.folder import RunFolder
from tests.commands import damage
from tests.commands.test_verified_damage import damaged
from tests.records import response
from tests.report_runs import alfa, write_answers, write_data, write_run

FILES: Final = ("run.json", "summary.json", "scores.jsonl", "responses.jsonl")
GONE: Final = object()
Path_ = tuple[str | int, ...]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    return write_run(root / "alfa", write_data(root / "rows.csv", 3), alfa, samples=2)


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / "alfa"))


def read(path: Path) -> RunFolder:
    """Read everything there is in a folder."""
    folder = RunFolder(path)
    assert folder.spec.model == folder.header["model"] == folder.summary["model"]
    list(folder.responses())
    list(folder.scores())
    return folder


def refused(path: Path) -> str:
    with pytest.raises(StoreError) as caught:
        read(path)
    return str(caught.value)


def put(path: Path, place: Path_, value: object) -> None:
    """Put a value in a file, at a place in its object or in that of its first line; GONE takes it out."""
    text = path.read_text("utf-8")
    first, end, rest = text.partition("\n") if path.suffix == ".jsonl" else (text, "", "")
    whole = parent = json.loads(first)
    for each in place[:-1]:
        parent = parent[each]
    if value is GONE:
        del parent[place[-1]]
    else:
        parent[place[-1]] = value
    path.write_text(f"{json.dumps(whole)}{end}{rest}", "utf-8")


def test_a_whole_run_is_read_as_it_was_written(run: Path) -> None:
    folder = read(run)
    assert folder.header["status"] == "done"
    assert folder.header["took_s"] is None, "not known yet, and not in the file"
    assert "took_s" not in folder.stored_header
    assert folder.lacking == []
    lines = [json.loads(each) for each in (run / "scores.jsonl").read_text("utf-8").splitlines()]
    scores = [{**each, "counts": each["counts"]} for each in folder.scores()]
    assert json.loads(json.dumps(scores)) == [
        {k: each[k] for k in line} for line, each in zip(lines, lines, strict=True)
    ]
    assert [each["parser"] for each in folder.scores(("official",))] == ["official"] * 12


def test_each_file_is_opened_once(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, opened, plain = read(run), list[str](), Path.open
    folder.answers_file, folder.header, folder.summary, folder.spec  # noqa: B018 # read already

    def counting(self: Path, *args: Any, **more: Any) -> Any:  # noqa: ANN401 # as open
        opened.append(self.name)
        return plain(self, *args, **more)

    monkeypatch.setattr(Path, "open", counting)
    other = read(run)
    assert folder.answers_file == other.answers_file == answers_file(run / "responses.jsonl")
    assert sorted(opened[:-1]) == sorted(FILES)


def test_of_several_answers_to_a_question_the_last_stands_but_no_failure(run: Path) -> None:
    ok, bad = {"id": 0, "setting": "hints", "text": "primo"}, {"outcome": "failed", "text": ""}
    answers = [
        response(**ok),
        response(**ok, sample=1),
        response(**{**ok, "text": "ultimo"}),
        response(**{**ok, **bad}),
    ]
    write_answers(run, reversed(answers))
    assert [(each.sample, each.text) for each in RunFolder(run).responses()] == [
        (1, "primo"),
        (0, "ultimo"),
    ]
    placed = RunFolder(run).responses(lambda question: question[2])
    assert [each.sample for each in placed] == [0, 1]


MICRO: Final = ("hints", "all", "official", "solution_match", "micro")

# place, value, what is said; a file is refused by its name
OF_FILES: Final[Sequence[tuple[str, Path_, object, str]]] = (
    ("run.json", ("format",), 2, "format: input should be 1"),
    ("run.json", ("status",), "odd", "status: input should be 'running', 'done'"),
    ("run.json", ("spec",), GONE, "spec: missing"),
    ("run.json", ("spec",), "x", "spec: input should be"),
    ("run.json", ("spec", "model"), GONE, "spec.model: missing"),
    ("run.json", ("spec", "identity"), [], "spec.identity: input should be"),
    ("run.json", ("spec", "identity", "body"), "x", "spec.identity.body: input should be"),
    (
        "run.json",
        ("spec", "samples"),
        0,
        "spec.samples: input should be greater than or equal to 1",
    ),
    ("run.json", ("spec", "settings"), ["other"], "spec.settings[0]: input should be"),
    ("run.json", ("data", "digest"), GONE, "data.digest: missing"),
    ("run.json", ("data", "n"), -1, "data.n: input should be greater than or equal to 0"),
    (
        "run.json",
        ("data", "rule_breakers"),
        {"x": [1.5]},
        "data.rule_breakers.x[0]: input should be a valid integer or a valid string",
    ),
    ("run.json", ("prompt",), {"name": "x", "examples": [{}]}, "prompt.examples[0].id: missing"),
    ("run.json", ("commands",), [3], "commands[0]: input should be"),
    ("run.json", ("took_s",), "1", "took_s: input should be a valid number"),
    ("run.json", ("spent",), {"known_usd": 1.0}, "spent.at_most_usd: missing"),
    ("summary.json", ("format",), 2, "format: input should be 1"),
    ("summary.json", ("model",), 1, "model: input should be a valid string"),
    ("summary.json", ("data",), GONE, "data: missing"),
    ("summary.json", ("data", "n"), "3", "data.n: input should be a valid integer"),
    ("summary.json", ("data", "n"), True, "data.n: input should be a valid integer"),
    ("summary.json", ("settings",), [], "settings: list should have at least 1 item"),
    ("summary.json", ("settings",), ["hints", "hints"], "settings: one appears twice"),
    (
        "summary.json",
        ("settings",),
        ["hints"],
        "outcomes and settings are not of the same settings",
    ),
    ("summary.json", ("given",), "all", "given: input should be 'definitions' or 'first-pass'"),
    ("summary.json", ("partial",), "no", "partial: input should be a valid boolean"),
    ("summary.json", ("outcomes", "hints", "ok"), GONE, "outcomes.hints.ok: missing"),
    ("summary.json", ("signatures",), {}, "signatures and settings are not of the same settings"),
    ("summary.json", ("signatures", "hints"), "x", "signatures.hints: input should be"),
    (
        "summary.json",
        ("signatures", "hints", "official"),
        "x",
        "signatures.hints.official: no signature",
    ),
    ("summary.json", ("signatures", "hints", "official"), 1, "signatures.hints.official: input"),
    ("summary.json", ("signatures", "hints"), {"other": "n:1"}, "not of the same parsers"),
    ("summary.json", ("served",), {"other": {}}, "served.other.[key]: input should be"),
    (
        "summary.json",
        ("findings",),
        [{"kind": "x", "level": "odd", "text": ""}],
        "findings[0].level",
    ),
    ("summary.json", ("figures", "hints", "all"), GONE, "figures.hints.all: missing"),
    (
        "summary.json",
        ("figures", "hints", "id", "official"),
        GONE,
        "figures.hints.id and signatures",
    ),
    (
        "summary.json",
        ("figures", "hints", "all", "official", "solution_match"),
        GONE,
        "not the metrics",
    ),
    (
        "summary.json",
        ("figures", "hints", "all", "official", "solution_match", "micro", "n"),
        None,
        "micro.n: input",
    ),
    (
        "summary.json",
        ("figures", "hints", "all", "official", "solution_match", "micro", "value"),
        2,
        "micro.value: input",
    ),
    (
        "summary.json",
        ("figures", "hints", "all", "official", "solution_match", "macro", "at_most"),
        1.0,
        "not all of at_least",
    ),
    (
        "summary.json",
        ("diagnosis", "hints", "all"),
        GONE,
        "diagnosis.hints and figures are not of the same",
    ),
    ("summary.json", ("diagnosis", "hints", "all", "cer", "wrong", "n"), 0.5, "cer.wrong.n: input"),
    ("summary.json", ("format_loss", "hints", "id"), GONE, "format_loss.hints and figures are not"),
    (
        "summary.json",
        ("format_loss", "hints", "all", "metrics", "solution_match", "tolerant"),
        {},
        "tolerant.more: missing",
    ),
    (
        "summary.json",
        ("over_samples", "hints", "official", "solution_match", "mean", "low"),
        "x",
        "mean.low: input",
    ),
    (
        "summary.json",
        ("dependence", "hints", "official", "solution_match", "hidden_words", "groups"),
        [{}],
        "groups[0].from: missing",
    ),
    ("summary.json", ("figures", *MICRO, "n"), 0, "micro: value "),
    ("summary.json", ("figures", *MICRO, "low"), None, "micro: one end of an interval"),
    (
        "summary.json",
        ("format_loss", "hints", "all", "metrics", "solution_match", "values"),
        {},
        "no official, tolerant",
    ),
    (
        "summary.json",
        ("gaps", "hints", "id - new", "official"),
        GONE,
        "gaps.hints.id - new.official: missing",
    ),
    (
        "summary.json",
        ("gaps", "hints", "id - new", "tolerant"),
        GONE,
        "gaps.hints.id - new: not of what gaps.hints.id - ood is",
    ),
    (
        "summary.json",
        ("gaps", "hints", "id - new", "official"),
        {},
        "not the metrics of the figures",
    ),
    (
        "summary.json",
        ("dependence", "hints", "official"),
        GONE,
        "dependence.hints.official: missing",
    ),
    (
        "summary.json",
        ("dependence", "hints", "official", "solution_match", "hidden_words", "groups"),
        [],
        "dependence.hints.official: not of what dependence.regular.official is",
    ),
    (
        "summary.json",
        ("over_samples", "hints", "official"),
        GONE,
        "over_samples.hints.official: missing",
    ),
    ("scores.jsonl", ("id",), GONE, "id: missing"),
    ("scores.jsonl", ("id",), None, "id: input should be a valid integer or a valid string"),
    ("scores.jsonl", ("id",), True, "id: input should be a valid integer or a valid string"),
    ("scores.jsonl", ("setting",), "other", "setting: input should be 'regular' or 'hints'"),
    ("scores.jsonl", ("setting",), ["hints"], "setting: input should be"),
    ("scores.jsonl", ("sample",), -1, "sample: input should be greater than or equal to 0"),
    ("scores.jsonl", ("sample",), 0.5, "sample: input should be a valid integer"),
    ("scores.jsonl", ("outcome",), "fine", "outcome: input should be 'ok', 'truncated'"),
    ("scores.jsonl", ("outcome",), "failed", "counts: some of an answer that is failed"),
    ("scores.jsonl", ("word_guesses",), "x", "word_guesses: input should be a valid array"),
    ("scores.jsonl", ("solution",), None, "solution: input should be a valid string"),
    ("scores.jsonl", ("counts",), None, "counts: null of an answer that is ok"),
    ("scores.jsonl", ("counts", "solution_match"), [2, 1], "counts.solution_match: 2 right of 1"),
    ("scores.jsonl", ("counts", "solution_match"), [0, 0], "counts.solution_match: 0 right of 0"),
    (
        "scores.jsonl",
        ("counts", "solution_match"),
        [True, 1],
        "counts.solution_match[0]: input should be a valid integer",
    ),
    ("scores.jsonl", ("counts", "solution_match"), [1], "counts.solution_match[1]: missing"),
    ("scores.jsonl", ("solution_match",), float("nan"), "solution_match: no number"),
    ("scores.jsonl", ("solution_match",), "1", "solution_match: no number"),
    ("scores.jsonl", ("diagnosis",), ["x"], "diagnosis: input should be an object"),
    ("scores.jsonl", ("seen",), {"answers": -1}, "seen.answers: input"),
    ("responses.jsonl", ("id",), GONE, "not an answer"),
    ("responses.jsonl", ("sample",), 2**70, "not an answer"),
    ("responses.jsonl", ("latency_s",), -1e308, "not an answer"),
    ("responses.jsonl", ("text",), None, "not an answer"),
)


@pytest.mark.parametrize(("name", "place", "value", "said"), OF_FILES)
def test_what_is_wrong_is_told_with_file_and_key_and_remedy(
    run: Path, name: str, place: Path_, value: object, said: str
) -> None:
    put(run / name, place, value)
    error = refused(run)
    line = ", line 1" if name.endswith("l") else ""
    assert error.startswith(f"{run / name}{line}: ")
    assert said in error
    remedies = {"run.json": "mend it, or run", "responses.jsonl": "mend or remove it."}
    assert remedies.get(name, "write it anew with `apieval score`.") in error


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"", "not complete JSON"),
        (b"[1]\n", "object"),
        (b'{"format": 1', "not complete JSON"),
        (b'{"id": "\xff"}\n', "not complete JSON"),
        ("{}".encode("utf-16"), "not complete JSON"),
        (b"[" * 100_000 + b"\n", ""),
        (b'{"a": NaN, "id": 1e999}\n', ""),
    ],
)
def test_what_is_no_such_file_is_refused(run: Path, name: str, content: bytes, said: str) -> None:
    (run / name).write_bytes(content)
    if name.endswith("l") and not content.endswith(b"\n"):
        if name == "scores.jsonl" and content:
            assert said in refused(run)
        return  # a torn line is no answer yet, and a file without lines is whole
    error = refused(run)
    assert str(run / name) in error
    assert said in error or "not an answer" in error


@pytest.mark.parametrize("name", FILES)
def test_what_is_not_there_or_cannot_be_opened(run: Path, name: str) -> None:
    (run / name).unlink()
    assert str(run) in refused(run)
    (run / name).mkdir()
    assert f"{run / name}: cannot be read: Is a directory" in refused(run)
    (run / name).rmdir()
    os.mkfifo(run / name)
    assert "a pipe or a device" in refused(run)
    (run / name).unlink()
    (run / name).symlink_to("/etc/hostname")
    assert "a symbolic link" in refused(run)


def test_no_folder_and_no_scores(run: Path) -> None:
    def summary(path: Path) -> str:
        with pytest.raises(StoreError) as caught:
            RunFolder(path).summary  # noqa: B018 # it is read
        return str(caught.value)

    assert "there is no such folder; name run folders" in summary(run / "nowhere")
    assert "a file, no folder" in summary(run / "run.json")
    (run / "summary.json").unlink()
    assert f"no such file; `apieval score {run}` writes it" in summary(run)
    (run / "run.json").unlink()
    assert "no such file; name a run folder, or what `apieval score ANSWERS --out`" in summary(run)
    with pytest.raises(
        StoreError, match=r"no run: there is no run\.json; name the folder of one run"
    ):
        RunFolder(run).header  # noqa: B018 # it is read


def test_keys_of_other_versions_are_passed_over_and_filled_in(run: Path) -> None:
    later = ("findings", "gaps", "format_loss", "diagnosis", "dependence", "over_samples", "given")
    for name in later:
        put(run / "summary.json", (name,), GONE)
    put(run / "summary.json", ("more",), {"a": [1]})
    put(run / "run.json", ("more",), None)
    put(run / "scores.jsonl", ("more",), {"a": [1]})
    folder = read(run)
    assert folder.lacking == [each for each in folder.lacking if each in later]
    assert folder.summary["findings"] == []
    assert folder.summary["diagnosis"] is None
    assert folder.stored_summary["more"] == {"a": [1]}


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_a_folder_holds_it_is_read_or_refused(made: Path, data: st.DataObject) -> None:
    kinds = damage.of_keys(made, FILES) | damage.of_lines(made) | damage.of_files(made, FILES)
    done = data.draw(kinds)
    with damaged(made, done):
        try:
            read(made)
        except StoreError as error:
            assert str(made) in str(error)  # noqa: PT017 # any other error is a fault
        except AssertionError:
            assert done.place[-1:] == ("model",)  # another one in each file
