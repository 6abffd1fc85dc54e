"""Reports of one model asked in several ways: other prompts, and steps given."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Reply, Seen, completion
from tests.e2e.program import Material, configure, model

pytestmark = pytest.mark.usefixtures("no_waits")

WAYS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "corto": ("--prompt", "corto.j2"),
    "definitions": ("--given", "definitions"),
    "first-pass": ("--given", "first-pass"),
}


@pytest.fixture
def runs(inside: Inside, ten: Material, tmp_path: Path) -> dict[str, Path]:
    """Run a model in each way; it answers to the short prompt, and only half of the time."""

    def plan(seen: Seen) -> Reply | None:
        short = seen.body["messages"][0]["content"].startswith("Risolvi.")
        return Reply(200, completion("Soluzione: boh"), good=True) if short else None

    template = "Risolvi.\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}\n"
    (tmp_path / "corto.j2").write_text(template, "utf-8")
    words = ("run", "m", "--data", ten.path, "--setting", "regular", "--cache", "off", "--out", ".")
    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, m=model(server.url))
        for name, way in WAYS.items():
            done = inside(*words, *way, "--name", name)
            assert done.code == 0, done.err
    return {name: tmp_path / name for name in WAYS}


def section(report: str, title: str) -> str:
    return report.partition(f"\n## {title}\n")[2].partition("\n## ")[0]


def test_prompts_and_given_steps_have_their_own_tables(
    inside: Inside, runs: dict[str, Path]
) -> None:
    done = inside("report", *runs.values(), "--out", "out", "--items", "none")
    assert done.code == 0, done.err
    assert "cannot be compared" not in done.err
    report = Path("out/report.md").read_text("utf-8")
    board = section(report, "Leaderboard")
    names = re.findall(r"^\| (m(?: [^|]*)?) \| ([^|]*) \|", board, re.MULTILINE)
    assert [name for name, _ in names] == [
        "m",
        "m (corto)",
        "m (given definitions)",
        "m (given first-pass)",
    ]
    assert [rank for _, rank in names][2:] == ["-", "-"]
    assert board.index("With given steps") < board.index("| m (given definitions)")
    prompts = section(report, "What the prompt moves")
    assert "by prompt, official | by prompt, corto" in prompts
    solved = re.search(r"\*\*Solution match\*\* \| (\S+) \| (\S+) \| (\S+)", prompts)
    assert solved
    assert float(solved[1]) == float(solved[3]) > float(solved[2]) == 0
    steps = section(report, "One step at a time")
    assert "| metric | nothing given | definitions given | first pass given |" in steps
    assert re.search(r"^\| Word guesses \| 0\.\d+ \S+ \| - \| - \|$", steps, re.MULTILINE)
    page = Path("out/report.html").read_text("utf-8")
    assert "What the prompt moves" in page
    assert "One step at a time" in page


def test_steps_given_alike_are_compared_with_each_other(
    inside: Inside, runs: dict[str, Path]
) -> None:
    folders = [runs["definitions"], runs["first-pass"]]
    done = inside("report", *folders, "--out", "out", "--items", "none")
    assert done.code == 0, done.err
    report = Path("out/report.md").read_text("utf-8")
    assert "| metric | definitions given | first pass given |" in section(
        report, "One step at a time"
    )
    assert "Only one run can be ranked, so there are no ranks." in section(report, "Leaderboard")
