"""What chapters say where something is missing, partial, unknown, or of several kinds."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, cast

import pytest

from apieval.report.document import Document, ReportedRun
from apieval.report.outline import Row, Table
from apieval.report.sections import answers, first_errors, setup, subsets, warnings
from apieval.report.sections import dependence as depends
from apieval.results.header import LATER, Header
from apieval.results.summary import Summary
from tests.records import Json
from tests.report_runs import gathered


@pytest.fixture(scope="module")
def run(folders: dict[str, Path]) -> ReportedRun:
    return gathered([folders["half"]]).runs[0]


def changed(run: ReportedRun, **parts: Any) -> ReportedRun:  # noqa: ANN401 # any part
    return replace(run, summary=cast("Summary", {**run.summary, **parts}))


def headed(run: ReportedRun, **known: object) -> ReportedRun:
    return replace(
        run, header=cast("Header", {**LATER, "status": "done", "data": {"path": "x"}, **known})
    )


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in table.rows if isinstance(row, Row)]


class TestDoubts:
    def test_a_run_says_why_it_is_partial_and_how_to_go_on(self, run: ReportedRun) -> None:
        partial = changed(run, partial=True)
        [alert] = warnings.alerts(Document(runs=[partial]))
        assert alert.level == "warning"
        assert alert.text.endswith("a missing answer is not a wrong one.")
        stopped = headed(partial, status="stopped", message="no quota")
        [alert] = warnings.alerts(Document(runs=[stopped]))
        assert alert.text.endswith("The run is stopped (no quota); the same command resumes it.")
        [alert] = warnings.alerts(Document(runs=[headed(partial, status="interrupted")]))
        assert "The run is interrupted; the same command" in alert.text

    def test_warnings_stand_before_notes(self, run: ReportedRun) -> None:
        found = [
            {"kind": "a", "level": "note", "text": "a note"},
            {"kind": "b", "level": "warning", "text": "a warning"},
        ]
        document = Document(runs=[changed(run, findings=found)], doubts=["a refusal"])
        assert [(each.level, each.text) for each in warnings.alerts(document)] == [
            ("warning", "a refusal"),
            ("warning", "a warning"),
            ("note", "a note"),
        ]


class TestAnswers:
    USAGE: Json = {  # noqa: RUF012 # never changed
        "answers": 10,
        "from_cache": 4,
        "prompt_tokens": {"sum": 5_000, "known_for": 10},
        "completion_tokens": {"sum": 400, "known_for": 8},
        "reasoning_tokens": {"sum": None, "known_for": 0},
        "cached_tokens": {"sum": None, "known_for": 0},
        "cost_usd": {"sum": 0.5, "known_for": 8},
    }

    def test_what_is_known_of_some_answers_alone_says_so(self, run: ReportedRun) -> None:
        commands = [{"took_s": 75.0}, {"took_s": 0.2}]
        known = headed(changed(run, usage=self.USAGE), took_s=75.2, commands=commands)
        assert answers.taken(known) == [
            ("Prompt tokens", "5,000, 500 per answer"),
            ("Completion tokens", "400, 50 per answer (of 8 of 10 answers)"),
            ("Cost", "0.50 USD, known for 8 of 10 answers"),
            ("From the cache", "4 of 10 answers"),
            ("Time", "1 min 15 s, 2 commands together"),
        ]
        alone = headed(known, took_s=75.2)  # of version 0.1: of its last command alone
        assert "Time" not in dict(answers.taken(alone))
        [row] = texts(answers.taken_by_all([known]))
        assert row == [
            "half",
            "10",
            "5,000",
            "400",
            "0.50 USD, known for 8 of 10 answers",
            "1 min 15 s",
        ]

    @pytest.mark.parametrize(
        ("spent", "price", "said"),
        [
            ((0.5, 0.0, 0, 0), {}, "0.5000 USD"),
            (
                (0.5, 0.25, 2, 0),
                {},
                "at most 0.7500 USD (0.2500 of it reserved for 2 requests whose cost is not known)",
            ),
            ((0.0, 0.0, 0, 9), None, "unknown"),
            ((0.0, 0.0, 0, 0), None, "0 (local server)"),
        ],
    )
    def test_the_cost_is_that_of_the_runs_own_account(
        self, run: ReportedRun, spent: tuple[float, ...], price: object, said: str
    ) -> None:
        names = ("known_usd", "at_most_usd", "lost", "unknown")
        account = dict(zip(names, spent, strict=True))
        known = headed(changed(run, usage=self.USAGE), spent=account, price=price)
        assert dict(answers.taken(known))["Cost"] == said

    def test_what_is_not_known_is_not_zero(self, run: ReportedRun) -> None:
        assert answers.taken(run) == []
        names = ("prompt_tokens", "completion_tokens", "reasoning_tokens", "cached_tokens")
        nothing = {name: {"sum": None, "known_for": 0} for name in (*names, "cost_usd")}
        assert answers.taken(changed(run, usage={"answers": 3, **nothing})) == [
            ("Tokens", "not known"),
            ("Cost", "not known"),
        ]
        assert texts(answers.taken_by_all([run])) == [["half", "-", "-", "-", "-", "-"]]

    def test_latency_is_of_the_answers_that_were_asked_for(self, run: ReportedRun) -> None:
        quantiles = {"0.5": 0.25, "0.95": 12.0}
        spending: Json = {
            "regular": {"latency_s": {"n": 3, "quantiles": quantiles}},
            "hints": {"latency_s": {"n": 0, "quantiles": {}}},
        }
        found = dict(answers.taken(replace(changed(run, usage=self.USAGE), spending=spending)))
        assert found["Latency, median"] == "regular 0.25 s, 95th percentile 12.0 s"


class TestMeasured:
    def test_given_steps_samples_and_servers_are_said(self, run: ReportedRun) -> None:
        served = {"served_model": {"unknown": 1, "half": 3, "half-2": 1}}
        data = {**run.summary["data"], "revision": "0123456789abcdef0123"}
        prompt = {"name": "mine", "official": False}
        found = dict(
            setup.facts(
                replace(
                    headed(
                        changed(
                            run,
                            given="definitions",
                            samples=3,
                            served=served,
                            data=data,
                            prompt=prompt,
                        ),
                        began="2024-11-03T10:00:00+00:00",
                        ended="2024-12-01T10:00:00+00:00",
                        versions={"apieval": "0.0.9"},
                    ),
                    created=(datetime(2024, 11, 4, tzinfo=UTC), datetime(2024, 11, 5, tzinfo=UTC)),
                )
            )
        )
        assert found["Given"] == "the definitions"
        assert found["Samples"] == "3 answers each"
        assert found["Model"] == "half, served as half-2"
        assert "revision 0123456789ab" in found["Data"]
        assert found["Prompt"] == "mine, not the challenge's"
        assert found["Requested"] == "2024-11-04 to 2024-11-05"
        assert found["Versions"].startswith("requested by apieval 0.0.9, scored by apieval")

    def test_signatures_of_another_make_are_not_read(self, run: ReportedRun) -> None:
        other = changed(run, signatures={"hints": {"mine": "x:1"}})
        found = dict(setup.facts(other))
        assert (found["Request"], found["Versions"], found["Signatures"]) == (
            "not known",
            "not known",
            "",
        )


def test_data_without_subsets_have_no_section(run: ReportedRun) -> None:
    figures = {s: {"all": each["all"]} for s, each in run.summary["figures"].items()}
    assert subsets.section(changed(run, figures=figures), "x") is None
    section = subsets.section(changed(run, gaps={"hints": {}}), "x")
    assert section is not None
    assert len(section.tables) == 1


def test_what_nobody_looked_at_has_no_section(run: ReportedRun) -> None:
    for part in ("diagnosis", "format_loss", "dependence", "over_samples"):
        empty = changed(run, **{part: None})
        made = {
            "diagnosis": first_errors.diagnosis,
            "format_loss": first_errors.format_loss,
            "dependence": depends.section,
            "over_samples": depends.samples,
        }[part]
        assert made(empty, "x") is None


def test_right_first_passes_are_those_by_their_letters(run: ReportedRun) -> None:
    section = first_errors.diagnosis(run, "x")
    assert section is not None
    names = [row[0] for row in texts(section.tables[1])]
    assert "of first passes with correct letters: solution wrong" in names


@pytest.mark.parametrize(
    ("rows", "said"),
    [({"official": 0, "tolerant": 9}, "in 9 rows they differ"), ({"official": 0}, ""), ({}, "")],
)
def test_other_solution_words_are_told_of_where_there_are_any(
    run: ReportedRun, rows: dict[str, int], said: str
) -> None:
    section = first_errors.format_loss(changed(run, along_key=rows), "x")
    assert section is not None
    note = section.tables[0].note
    assert said in note
    assert bool(note) is bool(said)


def test_why_there_are_no_frequencies_is_said(run: ReportedRun) -> None:
    dependence = {
        "hints": {
            "official": {
                metric: {on: {"groups": None, "spearman": None, "why": "no word lists"}}
                for metric, on in (
                    ("word_guess_accuracy", "frequency"),
                    ("solution_match", "hidden_words"),
                )
            }
        }
    }
    for name, others in {
        "word_guess_accuracy": ("word_length", "hidden_words"),
        "solution_match": ("solution_length",),
    }.items():
        for on in others:
            dependence["hints"]["official"][name][on] = {
                "groups": None,
                "spearman": None,
                "why": None,
            }
    section = depends.section(changed(run, dependence=dependence), "x")
    assert section is not None
    assert section.paragraphs[1:] == ["no word lists"]
    assert section.tables == []


def test_several_samples_have_a_table(run: ReportedRun) -> None:
    figure = {"value": 0.5, "low": 0.4, "high": 0.6, "n": 4}
    found = {
        "hints": {
            "official": {
                "solution_match": {
                    "samples": 2,
                    "rebuses": 30,
                    "incomplete": 6,
                    "mean": figure,
                    "flip_rate": figure,
                    "disagreement": figure,
                    "pass_at": {"1": figure, "2": figure},
                    "maj_at": {"1": figure},
                }
            }
        }
    }
    section = depends.samples(changed(run, over_samples=found), "x")
    assert section is not None
    [table] = section.tables
    assert [row[0] for row in texts(table)][3:] == ["pass@1", "pass@2", "maj@1"]
    assert table.note == "30 rebuses, 6 without all answers left out."


@pytest.mark.parametrize(
    ("group", "said"),
    [
        ({"from": 3, "below": None}, "3 and more"),
        ({"from": 3, "below": 4}, "3"),
        ({"from": 3, "below": 6}, "3 to 5"),
    ],
)
def test_ranges(group: Json, said: str) -> None:
    assert depends._range(group, whole=True) == said


def test_ranges_of_frequencies() -> None:
    first: Json = {"from": 0, "below": 1}
    other: Json = {"from": 1, "below": 2}
    assert depends._range(first, whole=False) == "unknown"
    assert depends._range(other, whole=False) == "1 to 2"
