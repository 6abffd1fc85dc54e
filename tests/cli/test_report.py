"""`apieval report`: from folders to files, and what is said where one cannot be written or read."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.errors import ConfigError
from apieval.report.figures import drawing
from tests.e2e.conftest import Inside
from tests.report.documents import altered, scored
from tests.small_disk import mounted

NAMES = ["report.html", "report.md", "table.tex", "table.csv"]


@pytest.fixture(autouse=True)
def few_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draw one figure alone: a report is written many times here, and drawing takes longest."""
    monkeypatch.setattr(drawing, "FAMILIES", drawing.FAMILIES[:1])


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("runs")
    return {
        "uno": scored(root, "uno", {"hints": 6}),
        "due": scored(root, "due", {"hints": 30}, failed=[0]),
    }


@pytest.fixture
def folders(made: dict[str, Path], tmp_path: Path) -> list[Path]:
    """Return folders of a test's own: a report is written into them."""
    return [Path(shutil.copytree(each, tmp_path / "s" / name)) for name, each in made.items()]


def test_one_run_is_reported_in_its_folder(
    inside: Inside, folders: list[Path], made: dict[str, Path]
) -> None:
    done = inside("report", folders[0], "--data", made["uno"].parents[1] / "rebuses.csv")
    assert done.code == 0, done.err
    assert done.out.splitlines() == [str(folders[0] / name) for name in [*NAMES, "figures"]]
    for name in [*NAMES, "figures/funnel.svg", "figures/funnel.png", "figures/funnel.pdf"]:
        assert (folders[0] / name).stat().st_size
    assert done.err == ""


def test_several_beside_the_first(inside: Inside, folders: list[Path]) -> None:
    done = inside("report", *folders)
    assert done.code == 0, done.err
    out = folders[0].parent / "report"
    assert done.out.splitlines() == [str(out / name) for name in [*NAMES, "figures"]]


def test_a_report_among_the_runs_is_none_of_them(inside: Inside, folders: list[Path]) -> None:
    words = ("report", *folders, folders[0].parent / "report", "--items", "none")
    (folders[0].parent / "report").mkdir()
    (folders[0].parent / "report" / "report.html").touch()
    done = inside(*words)  # as with results/*
    assert done.code == 0, done.err
    assert "# 2 runs" in (folders[0].parent / "report" / "report.md").read_text("utf-8")


def test_json_names_the_files_and_the_same_runs_give_the_same(
    inside: Inside, folders: list[Path], tmp_path: Path
) -> None:
    done = inside("report", *folders, "--out", tmp_path / "a", "--json", "--items", "none")
    found = json.loads(done.out)
    assert found["files"][:4] == [str(tmp_path / "a" / name) for name in NAMES]
    assert found["warnings"] == []
    again = apieval.report(folders, tmp_path / "b", items="none")
    assert [each.read_bytes() for each in again.files] == [
        Path(each).read_bytes() for each in found["files"]
    ]


def test_runs_that_cannot_be_compared_are_reported_and_warned_of(
    inside: Inside, folders: list[Path], tmp_path: Path
) -> None:
    other = altered(
        folders[0], tmp_path / "x", lambda s: s["data"].update(digest="sha256:" + "f" * 64)
    )
    done = inside("report", folders[1], other)
    assert done.code == 0
    assert done.err.startswith("WARNING: these runs cannot be compared: the data differ")
    assert "--force" not in done.err  # which is of compare
    assert "cannot be compared" in (folders[1].parent / "report" / "report.md").read_text("utf-8")


def test_scores_of_an_older_version_do_without_what_they_lack(
    inside: Inside, folders: list[Path], tmp_path: Path
) -> None:
    def change(summary: dict[str, Any]) -> None:
        kept = {
            "format",
            "model",
            "data",
            "settings",
            "partial",
            "outcomes",
            "signatures",
            "figures",
        }
        for name in summary.keys() - kept:
            del summary[name]

    old = altered(folders[0], tmp_path / "old", change)
    done = inside("report", old)
    assert done.code == 0, done.err
    text = (old / "report.md").read_text("utf-8")
    assert (
        "Scored by an older version, without diagnosis, format\\_loss, gaps, dependence, findings: "
        "\\`apieval score old\\` adds it." in text
    )


@pytest.mark.parametrize(
    ("part", "value", "said"),
    [
        ("figures", {}, "figures and settings are not of the same settings"),
        ("outcomes", None, "outcomes: input should be a valid dictionary"),
        ("figures", {"hints": {"all": {}}}, ""),
        ("settings", ["x"], "settings[0]: input should be 'regular' or 'hints'"),
    ],
)
def test_a_summary_of_another_make_is_an_error(
    inside: Inside, folders: list[Path], tmp_path: Path, part: str, value: object, said: str
) -> None:
    bad = altered(folders[0], tmp_path / "bad", lambda s: s.update({part: value}))
    done = inside("report", bad)
    assert done.code == 2
    assert f"{bad / 'summary.json'}: {said}" in done.err
    assert "`apieval score`" in done.err


def test_a_folder_that_cannot_be_written(
    inside: Inside, folders: list[Path], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    done = inside("report", folders[0], "--out", tmp_path / "file")
    assert done.code == 2
    assert f"{tmp_path / 'file'}" in done.err
    assert "cannot be written: Not a directory; name another folder with --out." in done.err


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(inside: Inside, folders: list[Path]) -> None:
    folders[0].chmod(0o500)
    done = inside("report", folders[0])
    folders[0].chmod(0o700)
    assert done.code == 2
    assert "cannot be written" in done.err


def test_a_full_disk_leaves_no_half_a_file(
    inside: Inside, folders: list[Path], tmp_path: Path
) -> None:
    with mounted(tmp_path / "disk", "16k") as disk:
        done = inside("report", folders[0], "--out", disk / "r", "--items", "none")
        assert done.code == 2
        assert "cannot be written: No space left on device" in done.err
        assert not list((disk / "r").glob(".*"))


def test_what_is_no_run_is_an_error(inside: Inside, tmp_path: Path) -> None:
    done = inside("report", tmp_path / "nowhere", "--json")
    assert done.code == 2
    assert "there is no such folder" in json.loads(done.out)["error"]
    with pytest.raises(ConfigError, match="at least one"):
        apieval.report([])
    with pytest.raises(ConfigError, match="--items some"):
        apieval.report([tmp_path], items="some")  # type: ignore[arg-type]


def test_several_runs_are_reported_side_by_side(inside: Inside) -> None:
    entries = "".join(f"  {name}: {{provider: embedded}}\n" for name in ("uno", "due"))
    Path("providers.yaml").write_text(f"version: 1\nmodels:\n{entries}", "utf-8")
    words = ("run", "uno", "due", "--limit", "1", "--setting", "hints", "--cache", "off")
    done = inside(*words)
    assert done.code == 0, done.err
    [line] = [each for each in done.out.splitlines() if each.startswith("report: ")]
    program, *report = shlex.split(line.removeprefix("report: "))
    assert program == "apieval"
    assert len(report) == 3
    again = inside(*report)
    assert again.code == 0, again.err
    assert again.out.startswith(str(Path("results") / "report" / "report.html"))
    assert "report: " not in inside(*words, "--json").out


def test_a_run_says_how_to_get_its_report_and_it_is_one(inside: Inside) -> None:
    done = inside("run", "baseline", "--limit", "2", "--name", "b", "--cache", "off")
    assert done.code == 0, done.err
    assert "report: apieval report results/b" in done.out.splitlines()
    assert inside("report", "results/b").code == 0
    text = (Path("results") / "b" / "report.md").read_text("utf-8")
    assert "- **Prompt**: the challenge's own, byte for byte" in text
    assert "dictionary with answers to" in text
    assert "- **Latency, median**: regular " in text
