from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apieval import score, verify
from apieval.errors import ConfigError, DataError
from apieval.rebus import harness, prompts
from apieval.rebus.harness import Sample
from apieval.records import Outcome, Setting
from apieval.results.summary import Summary
from tests.records import ANSWER, ROW, rebus, write_csv

ROWS = (rebus(id="a"), rebus(id="b", solution_key="7 7"))
RIGHT = dict.fromkeys(harness.FIGURES, 1)


def line(**changes: object) -> dict[str, Any]:
    plain = {"doc_id": 0, "doc": ROW, "resps": [[ANSWER]], "filtered_resps": [ANSWER], **RIGHT}
    return {k: v for k, v in {**plain, **changes}.items() if v is not ...}


def log(folder: Path, *lines: object, name: str = "samples.jsonl") -> Path:
    path = folder / name
    path.write_text("".join(json.dumps(each) + "\n" for each in lines), "utf-8")
    return path


def read(path: Path, setting: Setting = "regular") -> list[Sample]:
    return list(harness.samples(path, ROWS, setting))


OTHER_ROW: dict[str, Any] = {"doc_id": 1, "doc": {**ROW, "solution_key": "7 7"}}
OTHER = line(**OTHER_ROW)


def test_rows_join_by_their_number_whatever_their_ids(tmp_path: Path) -> None:
    found = read(log(tmp_path, OTHER, line()))
    assert [(each.doc_id, each.response.id) for each in found] == [(1, "b"), (0, "a")]
    assert all(set(each.figures) == set(harness.FIGURES.values()) for each in found)


def said(setting: Setting, wrap: Callable[[str], object]) -> dict[str, Any]:
    return {"gen_args_0": {"arg_0": wrap(prompts.build(ROWS[0], setting)), "arg_1": {"until": []}}}


WRAPS: list[Callable[[str], object]] = [
    lambda text: text,
    lambda text: [json.dumps([{"role": "user", "content": text}])],
    lambda text: f"[{{{text}",
]


@pytest.mark.parametrize("wrap", WRAPS, ids=["plain", "messages", "like messages"])
@pytest.mark.parametrize("setting", ["regular", "hints"])
def test_the_setting_is_that_of_the_prompt(
    tmp_path: Path, setting: Setting, wrap: Callable[[str], object]
) -> None:
    other: Setting = "hints" if setting == "regular" else "regular"
    name = f"samples_{harness.TASKS[other]}_2026.jsonl"
    (found,) = read(log(tmp_path, line(arguments=said(setting, wrap)), name=name), other)
    assert found.response.setting == setting


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("samples_eureka_hints_2026.jsonl", "hints"),
        ("samples_eureka_original_2026.jsonl", "regular"),
        ("other.jsonl", "hints"),
        ("eureka_original_and_eureka_hints.jsonl", "hints"),
    ],
)
def test_without_a_prompt_the_files_name_tells_it(
    tmp_path: Path, name: str, expected: Setting
) -> None:
    otherwise: Setting = "regular" if name.startswith("samples_eureka_h") else "hints"
    (found,) = read(log(tmp_path, line(arguments=None), name=name), otherwise)
    assert found.response.setting == expected


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"filtered_resps": ["kept"]}, "kept"),
        ({"filtered_resps": ...}, ANSWER),
        ({"resps": ..., "filtered_resps": [["kept"]]}, "kept"),
        ({"resps": [["a\ud800\u2028b"]], "filtered_resps": ...}, "a\ufffd\u2028b"),
    ],
    ids=["filtered", "raw alone", "filtered alone", "odd characters"],
)
def test_what_the_harness_scored_is_the_answer(
    tmp_path: Path, changes: dict[str, Any], text: str
) -> None:
    (found,) = read(log(tmp_path, line(**changes)))
    assert (found.response.text, found.response.outcome) == (text, Outcome.OK)


def test_a_line_may_say_its_outcome(tmp_path: Path) -> None:
    (cut,) = read(log(tmp_path, line(outcome="truncated")))
    (blank,) = read(log(tmp_path, line(filtered_resps=[" "])))
    assert [cut.response.outcome, blank.response.outcome] == [Outcome.TRUNCATED, Outcome.EMPTY]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"doc_id": ...}, "doc_id None is not the number of a row"),
        ({"doc_id": -1}, "doc_id '-1' is not"),
        ({"doc_id": True}, "doc_id True is not"),
        ({"doc_id": 2}, "doc_id 2, but the data has 2 rows; .* --data"),
        ({"doc": None}, "'doc' is missing or no object"),
        ({"doc": {**ROW, "solution": None}}, "doc: 'solution' is missing or no text; is this a"),
        ({"doc": {**ROW, "solution": "x" * 99}}, "other data: solution is 'xxx.*row 'a' .* --data"),
        ({"doc": {**ROW, "solution_key": "9"}}, "other data: solution_key is '9' there, and '6 8'"),
        ({"doc": {**ROW, "word_guesses": "Rita"}}, "other data: word_guesses is 'Rita' there"),
        ({"resps": ..., "filtered_resps": ...}, "'resps' and 'filtered_resps' are missing"),
        ({"resps": [["a", "b"]]}, "resps has 2 answers where one is scored; .*repeats: 1"),
        ({"filtered_resps": []}, "filtered_resps has 0 answers"),
        ({"filtered_resps": [None]}, "filtered_resps: None is no text"),
        ({"solution_match": None}, "solution_match None is no number; mend it or leave"),
        ({"solution_match": float("nan")}, "solution_match 'NaN' is no number"),
        ({"solution_match": "good"}, "solution_match 'good' is no number"),
        ({"outcome": "good"}, "outcome 'good' is none of ok"),
        (OTHER_ROW, "row 'b' has its answer in line 1"),
    ],
)
def test_what_cannot_be_used_is_named_by_its_line(
    tmp_path: Path, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        read(log(tmp_path, OTHER, line(**changes)))
    assert re.match(rf".*samples\.jsonl, line 2: {message}", str(caught.value))


def test_the_studys_layout_has_no_question_to_compare(tmp_path: Path) -> None:
    bare = rebus(verbalized_rebus="", verbalized_rebus_with_length_hints="", solution_key="")
    (found,) = harness.samples(log(tmp_path, line()), [bare], "regular")
    assert found.gold is bare


def scored(folder: Path, *lines: object, limit: int | None = None) -> Summary:
    data = write_csv(folder / "data.csv", [ROW, {**ROW, "solution_key": "7 7"}])
    return score(log(folder, *lines), data, limit=limit).summary


def test_other_figures_of_the_harness_are_told(tmp_path: Path) -> None:
    second = line(**OTHER_ROW, first_pass_accuracy=0.0)
    assert scored(tmp_path, line(), second, limit=1)["findings"] == []
    (found,) = scored(tmp_path, line(), second)["findings"]
    assert (found["kind"], found["level"]) == ("harness_differs", "warning")
    assert found["text"].startswith("1 of 2 answers have other figures")
    assert found["text"].endswith(": rows 1")


def test_a_log_without_figures_is_scored_all_the_same(tmp_path: Path) -> None:
    bare = line(**dict.fromkeys(harness.FIGURES, ...))
    summary = scored(tmp_path, bare, limit=1)
    assert summary["findings"] == []
    figures = summary["figures"]["regular"]["all"]["official"]
    assert figures["solution_match"]["micro"]["value"] == 1.0


def test_a_file_of_neither_kind_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        DataError, match=r"line 1: neither a raw .* nor one of a sample .*--id-field"
    ):
        scored(tmp_path, {"doc_id": 0, "answer": "x"})


def test_named_fields_go_before_the_look_of_a_log(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "data.csv", [ROW])
    path = log(tmp_path, line(answer="no solution"))
    result = score(path, data, id_field="doc_id", text_field="answer")
    figures = result.summary["figures"]["regular"]["all"]["official"]
    assert figures["solution_match"]["micro"]["value"] == 0.0


def test_named_fields_are_of_jsonl_alone(tmp_path: Path) -> None:
    data = write_csv(tmp_path / "data.csv", [{"idx": "0", **ROW}])
    for path in (data, tmp_path):
        with pytest.raises(ConfigError, match="--id-field"):
            score(path, data, id_field="row")


@pytest.mark.parametrize(("row", "text"), [("id", "text"), ("doc_id", "target")])
def test_scores_of_both_are_verified(tmp_path: Path, row: str, text: str) -> None:
    data = write_csv(tmp_path / "data.csv", [ROW])
    path = log(tmp_path, line(target=ANSWER, first_pass_accuracy=0))
    score(path, data, out=tmp_path / "out", id_field=row, text_field=text)
    found = verify(tmp_path / "out", data, path)
    assert found.holds, found
    assert {each.name for each in found.checks} >= {"answers as in summary.json", "scores"}
