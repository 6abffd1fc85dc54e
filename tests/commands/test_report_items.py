"""Scores, answers and gold rows of reported runs, joined by row, setting and sample."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apieval import evaluate
from apieval.errors import DataError
from apieval.records import Rebus, Setting
from apieval.report.page.items import Answer, Items, Key
from tests.report_runs import alfa, beta, items_of, right, write_data, write_run, wrong


def found(
    items: Items, row: int, setting: Setting = "regular", run: int = 0, sample: int = 0
) -> Answer:
    (digest,) = items.data
    return items.runs[run].answers[Key(digest, row, setting, sample)]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path]]:
    folder = tmp_path_factory.mktemp("runs")
    data = write_data(folder / "rows.csv", 12)
    return data, [write_run(folder / say.__name__, data, say) for say in (alfa, beta)]


@pytest.fixture(scope="module")
def items(runs: tuple[Path, list[Path]]) -> Items:
    return items_of(runs[1])


def test_all_items_in_the_order_of_the_data(items: Items) -> None:
    keys = items.ordered()
    assert [(key.id, key.setting) for key in keys[:3]] == [
        (0, "regular"),
        (0, "hints"),
        (1, "regular"),
    ]
    assert len(keys) == 24
    assert items.doubts == []


def test_marks_are_those_that_the_scores_count(items: Items) -> None:
    for run in items.runs:
        for each in run.answers.values():
            for read in filter(None, (each.official, each.tolerant)):
                for part, metric in {
                    "word_guesses": "word_guess_accuracy",
                    "solution_words": "solution_word_accuracy",
                    "first_pass": "first_pass_accuracy",
                    "solution": "solution_match",
                }.items():
                    right, total = read.counts.get(metric, (0, 0))
                    marks = read.marks.get(part, "")
                    assert (marks.count("2"), len(marks)) == (right, total)


def test_a_wrong_word_of_the_right_length(items: Items) -> None:
    answer = found(items, 3)
    assert answer.official.marks == {
        "first_pass": "0",
        "solution": "0",
        "word_guesses": "21",
        "solution_words": "21",
    }
    assert (answer.solved, answer.broke_first, answer.tolerant) == (False, "definitions", None)


def test_the_tolerant_reading_only_where_it_differs(items: Items) -> None:
    answer = found(items, 6, run=1)
    assert (answer.solved, answer.tolerant_solved, answer.broke_first) == (False, True, "format")
    assert answer.tolerant is not None
    assert answer.tolerant.marks["solution"] == "2"
    assert answer.seen_through == ("bold",)
    apostrophe = found(items, 1)
    assert apostrophe.tolerant is not None
    assert (
        apostrophe.official.marks["solution_words"],
        apostrophe.tolerant.marks["solution_words"],
    ) == ("00", "222")


def test_what_has_no_answer_and_what_failed(items: Items) -> None:
    (digest,) = items.data
    assert Key(digest, 2, "hints", 0) not in items.runs[1].answers
    failed = found(items, 5, run=1)
    assert (failed.outcome, failed.solved, failed.official.marks) == ("failed", None, {})
    assert failed.took["error"] == "503: <b>overloaded</b>"
    cut = found(items, 7, run=1)
    assert (cut.outcome, cut.solved, cut.official.marks["word_guesses"]) == (
        "truncated",
        False,
        "00",
    )


def test_texts_come_to_their_answers(items: Items) -> None:
    answer = found(items, 4, "hints")
    assert answer.text is not None
    assert answer.text.head.startswith("Procediamo")
    assert answer.reasoning is not None
    assert answer.reasoning.head == "Penso: Rita."
    assert answer.took["latency_s"] == 1.25
    assert "cached" not in answer.took


def test_every_sample_is_an_item(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 2)

    def say(rebus: Rebus, setting: Setting) -> dict[str, Any]:
        return {"text": right(rebus), "cached": True}

    run = write_run(tmp_path / "many", data, say, settings=("hints",), samples=3)
    items = items_of([run])
    assert [(key.id, key.sample) for key in items.ordered()] == [
        (n, k) for n in (0, 1) for k in range(3)
    ]
    assert found(items, 1, "hints", sample=2).took["cached"] is True


def test_without_the_data_file_there_is_no_gold_and_it_says_how_to_have_it(
    runs: tuple[Path, list[Path]], tmp_path: Path
) -> None:
    data, every = runs
    away = tmp_path / "elsewhere.csv"
    data.rename(away)
    try:
        items = items_of(every[:1])
        assert items.golds == {}
        (said,) = items.doubts
        assert said.startswith("alfa: its rebuses and gold steps are not shown: ")
        assert "give it with --data" in said
        # which are right is known where all or none are
        assert found(items, 0).official.marks["word_guesses"] == "22"
        assert "word_guesses" not in found(items, 3).official.marks
        assert items_of(every, away).doubts == []
        assert len(items_of(every, away).golds) == 12
    finally:
        away.rename(data)


def test_another_data_file_is_refused(runs: tuple[Path, list[Path]], tmp_path: Path) -> None:
    other = write_data(tmp_path / "other.csv", 3)
    with pytest.raises(DataError, match="not the data file of any of these runs"):
        items_of(runs[1], other)


def test_a_data_file_that_has_changed_is_no_gold(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 2)
    run = write_run(tmp_path / "alfa", data, alfa, settings=("regular",))
    write_data(data, 3)
    (said,) = items_of([run]).doubts
    assert "its data file 'rows.csv' is another now" in said


def test_answers_of_another_tool(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 2)
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"id": 0, "text": "Soluzione: Verità nascosta"}) + "\n", "utf-8")
    evaluate.score(raw, data, out=tmp_path / "scored")
    run = tmp_path / "scored"
    items = items_of([run])
    (doubt,), (remark,) = items.doubts, items.remarks
    assert doubt.endswith("nothing says where its data file 'rows.csv' is; give it with --data.")
    assert "there is no responses.jsonl" in remark
    assert "they were scored from raw.jsonl" in remark
    assert items.runs[0].texts is None
    assert found(items_of([run], data), 0).solved is True


def test_parsed_parts_have_the_official_reading_alone(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 1)
    parsed = tmp_path / "parsed.csv"
    parsed.write_text(
        "idx,word_guesses,first_pass,solution_words,solution\n0,Rita;posta,,,Altro\n", "utf-8"
    )
    evaluate.score(parsed, data, out=tmp_path / "scored")
    answer = found(items_of([tmp_path / "scored"], data), 0)
    assert (answer.official.marks["word_guesses"], answer.tolerant, answer.tolerant_solved) == (
        "20",
        None,
        None,
    )
    assert answer.broke_first == "definitions"


def test_the_sample_is_at_hand_for_answers_of_another_tool(tmp_path: Path) -> None:
    raw = tmp_path / "raw.jsonl"
    raw.write_text(json.dumps({"id": 0, "text": "x"}) + "\n", "utf-8")
    evaluate.score(raw, "sample", out=tmp_path / "scored")
    items = items_of([tmp_path / "scored"])
    assert len(items.golds) > 60
    assert items.doubts == []


def test_answers_that_have_no_scores_are_told(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 2)
    run = write_run(tmp_path / "alfa", data, alfa, settings=("regular",))
    lines = (run / "scores.jsonl").read_text("utf-8").splitlines(keepends=True)
    (run / "scores.jsonl").write_text("".join(lines[:3]), "utf-8")
    (said,) = items_of([run]).doubts
    assert said.startswith("alfa: 1 answer not shown, since they have no scores")


def test_counts_of_other_gold_are_not_marked(tmp_path: Path) -> None:
    data = write_data(tmp_path / "rows.csv", 1)

    def say(rebus: Rebus, setting: Setting) -> dict[str, Any]:
        return {"text": wrong(rebus)}

    run = write_run(tmp_path / "alfa", data, say, settings=("regular",))
    scores = (run / "scores.jsonl").read_text("utf-8")
    (run / "scores.jsonl").write_text(
        scores.replace('"word_guess_accuracy": [1, 2]', '"word_guess_accuracy": [1, 3]'), "utf-8"
    )
    answer = found(items_of([run]), 0)
    assert "word_guesses" not in answer.official.marks
    assert answer.official.counts["word_guess_accuracy"] == (1, 3)
