"""What `verify` says of a folder that another version or another environment scored."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import apieval
from apieval.analysis.claims import ABSENT, Check, State
from apieval.commands.verify import Verification, verify
from apieval.commands.verify_apart import of_findings, unavailable
from apieval.rebus import dataset
from apieval.version import VERSION

Json = dict[str, Any]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("apart")
    options = apieval.RunOptions(limit=1, settings=("hints",), out=out, cache=None, concurrency=1)
    [result] = apieval.run(["baseline"], options)
    assert result.folder is not None
    return result.folder


@pytest.fixture
def run(made: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(made, tmp_path / made.name))


def alter(path: Path, change: Callable[[Any], object]) -> None:
    value = json.loads(path.read_text("utf-8"))
    change(value)
    path.write_text(json.dumps(value), "utf-8")


def alter_scores(run: Path, parser: str, change: Callable[[Json], object]) -> None:
    path = run / "scores.jsonl"
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    change(next(line for line in lines if line["parser"] == parser))
    path.write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines), "utf-8")


def as_of_0_1_0(run: Path) -> None:
    path = run / "summary.json"
    text = path.read_text("utf-8").replace("tolerant@3", "tolerant@2")
    path.write_text(text.replace(f"|apieval:{VERSION}", "|apieval:0.1.0"), "utf-8")


def named(found: Verification, name: str) -> Check:
    return next(each for each in found.checks if each.name == name)


def failing(run: Path) -> set[str]:
    return {each.name for each in verify(run).checks if each.state is State.FAILS}


class TestEnvironment:
    """The extra `frequency` is installed where a run is scored, or where it is verified."""

    def other(self, block: Json) -> None:
        """Make a block as it is made where the extra is not installed, or where it is."""
        if block["why"] is None:
            block.update(groups=None, spearman=None, source=None, why="no word lists here")
        else:
            rho = {"rho": 0.1, "low": None, "high": None, "n": 3}
            block.update(groups=[], spearman=rho, source="wordfreq 3.1", why=None)

    def blocks(self, summary: Json) -> list[Json]:
        each = summary["dependence"]["hints"].values()
        return [found["word_guess_accuracy"]["frequency"] for found in each]

    def test_what_only_one_environment_can_make(self, run: Path) -> None:
        alter(run / "summary.json", lambda summary: [*map(self.other, self.blocks(summary))])
        found = verify(run)
        assert found.holds
        told = named(found, "parts of summary.json")
        assert told.parts == [
            f"dependence.hints.{parser}.word_guess_accuracy.frequency"
            for parser in ("official", "tolerant")
        ]
        assert "word lists" in told.text

    def test_word_lists_that_are_not_here(self, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        pytest.importorskip("wordfreq")
        apieval.score(run)
        monkeypatch.setitem(sys.modules, "wordfreq", None)
        found = verify(run)
        assert found.holds
        assert "here: the word lists are an extra" in named(found, "parts of summary.json").text

    def test_the_rest_beside_it_is_held(self, run: Path) -> None:
        def change(summary: Json) -> None:
            for block in self.blocks(summary):
                self.other(block)
            summary["dependence"]["hints"]["official"]["word_guess_accuracy"]["word_length"][
                "spearman"
            ]["rho"] = 0.123

        alter(run / "summary.json", change)
        assert failing(run) == {"summary"}

    @pytest.mark.parametrize(
        ("stored", "remade", "told"),
        [
            ({"why": "x", "a": None}, {"why": None, "a": 1}, "when it was scored: x"),
            ({"why": None, "a": 1}, {"why": "x", "a": None}, "here: x"),
            (
                {"why": "in other words", "a": None},
                {"why": "x", "a": None},
                "when it was scored: in other words; here: x",
            ),
            ({"why": "x", "a": None}, {"why": "x", "a": None}, None),
            ({"why": "x", "a": 2}, {"why": None, "a": 1}, None),
            ({"why": 5, "a": None}, {"why": None, "a": 1}, None),
            ({"why": None, "a": 2}, {"why": None, "a": 1}, None),
            (
                {"why": None, "source": "lists 3.0"},
                {"why": None, "source": "lists 3.1"},
                "scored with lists 3.0; lists 3.1 is here",
            ),
            ({"why": None, "source": "x"}, {"why": None, "source": "lists 3.1"}, None),
        ],
    )
    def test_a_side_that_says_why_holds_nothing_else(
        self, stored: Json, remade: Json, told: str | None
    ) -> None:
        expected = [] if told is None else [("a.b", told)]
        assert list(unavailable({"a": {"b": stored}}, {"a": {"b": remade}})) == expected


def finding(kind: str = "cut", text: str = "3 of 10 cut", **more: object) -> Json:
    return {"kind": kind, "level": "warning", "text": text, **more}


@pytest.mark.parametrize(
    ("stored", "differ", "reworded"),
    [
        ([finding()], [], False),
        ([finding(text="cut: 3 of 10 answers")], [], True),
        ([finding(text="4 of 10 cut")], ["findings.cut.text"], False),
        ([finding(level="note")], ["findings.cut.level"], False),
        ([finding(count=3)], ["findings.cut.count"], False),
        ([], ["findings.cut"], False),
        ([finding(), finding()], ["findings.cut"], False),
        ([finding(), finding("other")], ["findings.other"], False),
        ([{"kind": 1}], ["findings[0].kind", "findings[0].level", "findings[0].text"], False),
        ("x", ["findings"], False),
        (ABSENT, ["findings"], False),
    ],
)
def test_findings_are_compared_by_kind(
    stored: object, differ: list[str], *, reworded: bool
) -> None:
    found, words = of_findings(stored, [finding()])
    assert ([each.what for each in found], words) == (differ, reworded)


def test_findings_in_another_order() -> None:
    found, _ = of_findings([finding("b"), finding("a")], [finding("a"), finding("b")])
    assert [each.what for each in found] == ["findings"]


def reword(summary: Mapping[str, Any]) -> None:
    for each in summary["findings"]:
        each["text"] = f"In other words: {each['text']}"


class TestFindings:
    def test_a_message_in_other_words(self, run: Path) -> None:
        alter(run / "summary.json", reword)
        found = verify(run)
        assert found.holds
        assert named(found, "texts of findings").parts == ["findings.text"]

    @pytest.mark.parametrize("change", ["gone", "new", "number"])
    def test_findings_of_the_same_version(self, run: Path, change: str) -> None:
        alter(run / "summary.json", CHANGES[change])
        assert failing(run) == {"summary"}

    @pytest.mark.parametrize("change", ["gone", "new", "number"])
    def test_findings_of_another_version(self, run: Path, change: str) -> None:
        as_of_0_1_0(run)
        alter(run / "summary.json", CHANGES[change])
        found = verify(run)
        assert found.holds
        assert named(found, "version").state is State.UNCHECKED
        assert named(found, "version").parts == ["findings"]


CHANGES: Mapping[str, Callable[[Json], object]] = {
    "gone": lambda summary: summary["findings"].pop(),
    "new": lambda summary: summary["findings"].append(finding("unheard_of")),
    "number": lambda summary: summary["findings"][0].update(text="7 of 12,345"),
}


class TestOtherVersion:
    def test_its_own_reading_and_details_are_named(self, run: Path) -> None:
        as_of_0_1_0(run)
        alter_scores(run, "tolerant", lambda line: line.update(solution="altro"))
        alter_scores(run, "official", lambda line: line.update(seen={"thoughts": 1}))
        alter(run / "summary.json", lambda s: s["diagnosis"]["hints"]["all"]["cer"].pop("study"))
        alter(run / "run.json", lambda header: header.pop("spent"))
        found = verify(run)
        assert found.holds
        told = named(found, "version")
        assert told.state is State.UNCHECKED
        assert set(told.parts) == {"tolerant.solution", "official.seen", "diagnosis"}
        assert "tolerant@2" in told.text
        assert "`apieval score` makes them anew" in told.text
        assert named(found, "more of run.json").parts == ["spent"]

    @pytest.mark.parametrize("field", ["solution", "outcome", "subset"])
    def test_the_official_parser_reads_as_ever(self, run: Path, field: str) -> None:
        as_of_0_1_0(run)
        alter_scores(run, "official", lambda line: line.update({field: "altro"}))
        assert failing(run) == {"scores", "version"}

    def test_an_official_figure_is_held(self, run: Path) -> None:
        as_of_0_1_0(run)
        figure = ("figures", "hints", "all", "official", "solution_match", "micro")

        def change(summary: Json) -> None:
            branch = summary
            for key in figure:
                branch = branch[key]
            branch["value"] += 0.1

        alter(run / "summary.json", change)
        assert failing(run) == {"figures", "version"}

    def test_counts_are_held(self, run: Path) -> None:
        as_of_0_1_0(run)
        alter(run / "summary.json", lambda s: s["outcomes"]["hints"].update(ok=1, empty=2))
        assert failing(run) == {"summary"}

    def test_a_line_that_is_gone_is_of_no_version(self, run: Path) -> None:
        as_of_0_1_0(run)
        path = run / "scores.jsonl"
        lines = path.read_text("utf-8").splitlines(keepends=True)
        path.write_text("".join(each for each in lines if '"tolerant"' not in each), "utf-8")
        assert failing(run) == {"scores", "version"}

    def test_parts_that_are_not_read_anew_are_of_no_parsers_version(self, tmp_path: Path) -> None:
        raw, out = tmp_path / "raw.jsonl", tmp_path / "out"
        row = dataset.load("sample").rebuses[0]
        raw.write_text(json.dumps({"id": str(row.id), "text": "Soluzione: x"}), "utf-8")
        apieval.score(raw, "sample", out=out)
        as_of_0_1_0(out)
        found = verify(out)
        assert found.holds
        assert named(found, "version").text.endswith("as they were read then still hold")
        assert named(found, "scores").text.endswith("each as the parts in its line give it")
        alter_scores(out, "tolerant", lambda line: line.update(solution_match=1.0))
        assert failing(out) == {"scores", "version"}


def test_this_version_is_excused_nothing(run: Path) -> None:
    alter_scores(run, "tolerant", lambda line: line.update(solution="altro"))
    alter(run / "summary.json", lambda s: s["diagnosis"]["hints"]["all"]["cer"].pop("study"))
    assert failing(run) == {"scores", "summary"}
