"""Run folders that nobody's run left: what a report, an export and a comparison make of them."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from apieval import evaluate
from apieval.errors import ApievalError, StoreError
from apieval.report.figures import drawing
from tests.report.page.material import unpacked
from tests.report_runs import alfa, beta, write_data, write_run

FILES = ["summary.json", "scores.jsonl", "run.json", "responses.jsonl"]


@pytest.fixture(autouse=True)
def no_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw none: they are not what is tried here, and take longest."""
    monkeypatch.setattr(drawing, "FAMILIES", ())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made")
    data = write_data(root / "rows.csv", 4)
    for say in (alfa, beta):
        folder = write_run(root / say.__name__, data, say)
        change(folder / "run.json", lambda known: known.update(ended="2026-11-30T10:00:00+00:00"))
    return root


@pytest.fixture
def root(made: Path, tmp_path: Path) -> Path:
    """Return a folder of a test's own with two runs; its name is that of somebody's home."""
    root = Path(shutil.copytree(made, tmp_path / "home of maria"))
    for each in (root / "alfa", root / "beta"):
        change(each / "run.json", lambda known: known["data"].update(path=str(root / "rows.csv")))
    return root


def change(path: Path, how: Callable[[dict[str, Any]], object]) -> None:
    """Change the object in a file, or that in each of its lines."""
    apart = "\n" if path.suffix == ".jsonl" else "\0"
    values = [json.loads(each) for each in path.read_text("utf-8").split(apart) if each]
    for each in values:
        how(each)
    path.write_text("".join(json.dumps(each) + "\n" for each in values), "utf-8")


def passed_on(folder: Path) -> str:
    """Return all that a report says in files, what the page holds packed too."""
    page = (folder / "report.html").read_text("utf-8")
    rest = [(folder / name).read_text("utf-8") for name in ("report.md", "table.tex", "table.csv")]
    return "".join([page, json.dumps(unpacked(page)), *rest])


class TestNoPathIsPassedOn:
    def test_of_one_run(self, root: Path) -> None:
        said = evaluate.report([root / "alfa"])
        assert said.doubts == ()
        assert "maria" not in passed_on(root / "alfa")
        assert '"alfa/responses.jsonl"' in passed_on(root / "alfa")

    def test_of_runs_of_one_name(self, root: Path, tmp_path: Path) -> None:
        other = Path(shutil.copytree(root / "alfa", root / "altrove" / "alfa"))
        evaluate.report([root / "alfa", other], tmp_path / "out")
        assert "home of maria/alfa" in passed_on(tmp_path / "out")
        assert str(root.parent) not in passed_on(tmp_path / "out")

    def test_of_what_could_not_be_had(self, root: Path) -> None:
        (root / "rows.csv").unlink()
        lines = (root / "alfa" / "scores.jsonl").read_text("utf-8").splitlines(keepends=True)
        (root / "alfa" / "scores.jsonl").write_text("".join(lines[3:]), "utf-8")
        said = evaluate.report([root / "alfa"])
        assert str(root / "rows.csv") in said.doubts[1]  # to whoever makes it
        assert f"`apieval score {root / 'alfa'}`" in said.doubts[2]
        assert "maria" not in passed_on(root / "alfa")
        assert "rows.csv: this run's data file is not there" in passed_on(root / "alfa")

    def test_of_scores_alone(self, root: Path) -> None:
        (root / "alfa" / "responses.jsonl").unlink()
        evaluate.report([root / "alfa"])
        assert "maria" not in passed_on(root / "alfa")

    def test_of_why_a_run_ended(self, root: Path) -> None:
        change(root / "alfa" / "summary.json", lambda known: known.update(partial=True))
        said = "/mnt/maria/x/responses.jsonl: cannot be written: No space left on device."
        change(root / "alfa" / "run.json", lambda known: known.update(message=said))
        evaluate.report([root / "alfa"])
        assert "maria" not in passed_on(root / "alfa")
        assert "(responses.jsonl: cannot be written" in passed_on(root / "alfa")


def tried(root: Path) -> list[ApievalError]:
    """Return how every command refuses the run; any other error, or waiting, would be a fault."""
    found: list[ApievalError] = []
    one, other, out = root / "alfa", root / "beta", root / "out"
    for each in (
        lambda: evaluate.report([one], out),
        lambda: evaluate.compare([one, other]),
        lambda: evaluate.export(one, "csv", out),
        lambda: evaluate.export(one, "lm-eval", out),
        lambda: evaluate.export(one, "parquet", out),
        lambda: evaluate.export(one, "eee", out),
    ):
        try:
            each()
        except ApievalError as error:
            found.append(error)
    return found


@pytest.mark.parametrize("name", [*FILES, "responses.replaced.jsonl"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_a_folder_was_planted_with_is_neither_followed_nor_waited_for(
    root: Path, name: str, kind: str
) -> None:
    path, theirs = root / "alfa" / name, root / "theirs"
    theirs.write_bytes(path.read_bytes() if path.exists() else b"")
    before = theirs.read_bytes()
    path.unlink(missing_ok=True)
    os.mkfifo(path) if kind == "pipe" else path.symlink_to(theirs)
    for each in (
        lambda: evaluate.verify(root / "alfa"),
        lambda: evaluate.score(root / "alfa"),
        lambda: evaluate.report([root / "alfa"]),
    ):
        with suppress(ApievalError):
            each()
    assert theirs.read_bytes() == before


def test_figures_are_not_written_through_a_link(root: Path, tmp_path: Path) -> None:
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    (root / "alfa" / "figures").symlink_to(theirs)
    with pytest.raises(StoreError, match="figures: a symbolic link"):
        evaluate.report([root / "alfa"])
    assert list(theirs.iterdir()) == []


def test_an_answer_of_another_sample_is_not_exported(root: Path) -> None:
    change(root / "alfa" / "responses.jsonl", lambda line: line.update(sample=1))
    for form in ("lm-eval", "parquet", "eee"):
        with pytest.raises(StoreError, match=r"sample 1\), which is not of this run"):
            evaluate.export(root / "alfa", form)


@pytest.mark.parametrize("path", ["x" * 5_000, "a\0b"])
def test_a_data_file_that_can_have_no_such_name(root: Path, path: str) -> None:
    change(root / "alfa" / "run.json", lambda known: known["data"].update(path=path))
    assert any("give it with --data" in str(each) for each in tried(root))


def test_half_of_a_pair_is_exported_as_what_stands_for_it(root: Path, tmp_path: Path) -> None:
    change(root / "alfa" / "run.json", lambda known: known.update(versions={"x": "\ud800"}))
    done = evaluate.export(root / "alfa", "eee", tmp_path / "eee")
    assert "\ufffd" in done.files[0].read_text("utf-8")


class TestFilesOfDifferentScorings:
    def test_answers_that_have_changed_are_told(self, root: Path) -> None:
        path = root / "alfa" / "responses.jsonl"
        change(path, lambda line: line.update(text="Soluzione: altro"))
        for folders in ([root / "alfa"], [root / "alfa", root / "beta"]):
            said = evaluate.report(folders, root / "out").doubts
            assert [each.split(";")[0] for each in said] == [
                "alfa: responses.jsonl has changed since it was scored"
            ]
            page = (root / "out" / "report.html").read_text("utf-8")
            assert "responses.jsonl has changed since it was scored" in page

    def test_scores_of_other_answers_are_told(self, root: Path) -> None:
        path = root / "alfa" / "scores.jsonl"
        lines = [each for each in path.read_text("utf-8").splitlines() if '"hints"' in each]
        path.write_text("\n".join(lines) + "\n", "utf-8")
        said = evaluate.report([root / "alfa"]).doubts
        assert said[0].startswith(
            "alfa: summary.json counts 4 answers (regular), scores.jsonl has 0; `apieval score "
        )


def test_an_export_of_no_answer_is_told(root: Path, tmp_path: Path) -> None:
    for name in ("responses.jsonl", "scores.jsonl"):
        (root / "alfa" / name).write_bytes(b"")
    for form in ("csv", "lm-eval"):
        done = evaluate.export(root / "alfa", form, tmp_path / form)
        assert (done.files, done.warnings) == ((), ("there is no answer, and so no file",))


@pytest.mark.parametrize(
    "when", ["0001-01-01T00:00:00", "9999-12-31T23:00:00-12:00", "2026-13-01", ""]
)
def test_a_time_that_cannot_be_is_refused(root: Path, when: str) -> None:
    change(root / "alfa" / "responses.jsonl", lambda line: line.update(created=when))
    for form in ("eee", "lm-eval"):
        with pytest.raises(
            StoreError, match=r"responses\.jsonl: `created` of an answer is no date"
        ):
            evaluate.export(root / "alfa", form)
    with pytest.raises(StoreError, match=r"responses\.jsonl: `created` of an answer is no date"):
        evaluate.report([root / "alfa"])


def test_dates_are_the_answers_own_whatever_commands_came_later(root: Path, tmp_path: Path) -> None:
    """A finished run that is run again later has the same report and exports, byte for byte."""
    run = root / "alfa"
    change(run / "run.json", lambda known: known.update(took_s=3.0, commands=[{"took_s": 3.0}]))
    evaluate.report([run], tmp_path / "then")
    exported = [evaluate.export(run, form, tmp_path / form).files for form in ("eee", "lm-eval")]
    before = {path: path.read_bytes() for each in exported for path in each}
    later = "2031-01-01T00:00:00+00:00"
    change(run / "run.json", lambda known: known.update(began=later, ended=later))
    evaluate.report([run], tmp_path / "now")
    again = [evaluate.export(run, form, tmp_path / form).files for form in ("eee", "lm-eval")]
    assert {path: path.read_bytes() for each in again for path in each} == before
    assert passed_on(tmp_path / "now") == passed_on(tmp_path / "then")
    assert "requested 2024-11-04" in (tmp_path / "now" / "report.md").read_text("utf-8")
    assert b'"evaluation_timestamp": "2024-11-04T00:00:00+00:00"' in before[exported[0][0]]


def test_a_setting_that_was_not_requested_is_called_so(root: Path, tmp_path: Path) -> None:
    alone = write_run(root / "sola", root / "rows.csv", alfa, settings=("regular",))
    evaluate.report([alone, root / "beta"], tmp_path / "out")
    said = (tmp_path / "out" / "report.md").read_text("utf-8")
    assert said.count("Not requested in this setting: ") == 1
    assert "no answer" not in passed_on(tmp_path / "out").lower()
