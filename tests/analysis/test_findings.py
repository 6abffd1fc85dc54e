from __future__ import annotations

from typing import Any

import pytest

from apieval.analysis import findings
from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import Usage, summarize
from apieval.rebus import scoring
from apieval.rebus.prompts import official
from apieval.results.summary import Coverage, Finding, Outcomes
from tests.records import dataset, rebus, response

ROWS = [rebus(id=n, solution_key="6 8" + " 1" * n) for n in range(30)]


def of_usage(*answers: dict[str, Any]) -> list[Finding]:
    usage = Usage()
    for changes in answers:
        usage.add(response(**changes))
    return [each for each in usage.findings(()) if each["kind"] != "without_solution"]


def served(*names: str | None) -> list[Finding]:
    return of_usage(*({"served_model": name} for name in names))


@pytest.mark.parametrize(
    "names", [(), (None, None), ("a",), ("a", "a", "a"), ("a", None, "a"), ("", "a")]
)
def test_one_name_or_none_is_no_finding(names: tuple[str | None, ...]) -> None:
    assert served(*names) == []


def test_several_names_are_told_the_most_frequent_first() -> None:
    (only,) = served("gpt-4o-2024-08-06", "b", "b", None, "a")
    assert only == {
        "kind": "several_served_models",
        "level": "warning",
        "text": "the answers came from 3 models: b (2), a (1), gpt-4o-2024-08-06 (1)",
    }


def test_several_fingerprints_are_but_a_note() -> None:
    names = ["fp_1"] * 1200 + ["fp_2"]
    (only,) = of_usage(*({"system_fingerprint": name} for name in names))
    assert only == {
        "kind": "several_fingerprints",
        "level": "note",
        "text": "the server's set-up changed: 2 fingerprints: fp_1 (1,200), fp_2 (1)",
    }


def test_of_many_names_the_first_are_shown() -> None:
    (only,) = served(*(f"m{n}" for n in range(9)))
    assert only["text"].endswith("9 models: m0 (1), m1 (1), m2 (1), m3 (1), m4 (1) and 4 more")


def test_a_failure_and_a_refusal_that_name_nobody_are_no_other_model() -> None:
    refused = {"outcome": "refused", "text": "", "served_model": None}
    failed = {"outcome": "failed", "text": "", "served_model": "b"}
    (only,) = of_usage({"served_model": "a"}, refused, failed)
    assert only["kind"] == "requests_failed"


def test_failures_are_told_by_their_own_words_the_most_frequent_first() -> None:
    words = [
        "HTTP 400: boom",
        "timeout\n after 5 s",
        "a" * 300,
        "timeout\n after 5 s",
        "last",
        None,
    ]
    failed = [{"outcome": "failed", "text": "", "error": each} for each in words]
    (only,) = of_usage(*failed)
    assert (only["kind"], only["level"]) == ("requests_failed", "warning")
    told = f"timeout after 5 s (2 times); HTTP 400: boom; {'a' * 200}; and 2 other reasons"
    assert only["text"] == f"6 requests failed: {told}"


def test_a_model_that_changed_before_a_resumption_is_found_in_cached_answers_too() -> None:
    kinds = of_usage({"served_model": "a", "cached": True}, {"served_model": "b"})
    assert [each["kind"] for each in kinds] == ["several_served_models"]


# --- of prompts ------------------------------------------------------------------------------


def of_prompts(tokens: list[int | None]) -> list[str]:
    usage = Usage()
    for row, count in zip(ROWS, tokens, strict=True):
        usage.add(response(usage={"prompt_tokens": count}), official().length(row, "regular"))
    return [each["text"] for each in usage.findings(())]


def test_cut_prompts_are_a_warning() -> None:
    (only,) = of_prompts([512] * 30)
    assert only.startswith("regular: the server counts exactly 512 prompt tokens in 30 prompts")


def test_whole_prompts_are_none() -> None:
    assert of_prompts([official().length(row, "regular") // 4 for row in ROWS]) == []
    assert of_prompts([None] * 30) == []


def test_a_prompt_of_unknown_length_is_none() -> None:
    usage = Usage()
    for _ in ROWS:
        usage.add(response(usage={"prompt_tokens": 512}))
    assert list(usage.findings(())) == []


# --- of answers and parameters ---------------------------------------------------------------


def test_answers_without_a_solution_line_are_counted() -> None:
    usage = Usage()
    for text in ("Soluzione: x", "Prima lettura: x", ""):
        usage.add(response(text=text))
    usage.add(response(text="", outcome="failed"))
    _, only = usage.findings(())
    assert only["kind"] == "without_solution"
    assert only["text"] == "2 of 3 answers without a solution line"


def of_request(sampling: dict[str, Any] | None, dropped: tuple[str, ...] = ()) -> list[Finding]:
    counts = Outcomes(ok=1, truncated=2, empty=0, refused=0, failed=5, not_asked=7)
    return list(findings.of_request([counts, {**counts, "truncated": 0}], sampling, dropped))


CUT = "2 of 4 answers cut at the length limit: "


@pytest.mark.parametrize(
    ("sampling", "remedy"),
    [
        ({"max_tokens": 9}, "raise max_tokens"),
        ({"max_completion_tokens": 9}, "raise max_completion_tokens"),
        ({"max_completion_tokens": 9, "max_tokens": 9}, "raise max_completion_tokens"),
        ({"max_completion_tokens": None, "max_tokens": 9}, "raise max_tokens"),
        ({"temperature": 0}, "the server's own; set max_tokens"),
        (None, "raise max_tokens"),
    ],
)
def test_cut_answers_name_the_limit_that_was_sent(
    sampling: dict[str, Any] | None, remedy: str
) -> None:
    (only,) = of_request(sampling)
    assert only == {"kind": "answers_cut", "level": "warning", "text": CUT + remedy}


def test_what_is_left_out_is_told() -> None:
    _, left_out = of_request({}, ("max_tokens", "temperature"))
    assert left_out == {
        "kind": "parameters_left_out",
        "level": "note",
        "text": "left out of the request: max_tokens, temperature",
    }


def test_the_summary_holds_them_all() -> None:
    chosen = dataset(ROWS[:2]).select()
    measured = Measured("m", chosen, ["regular"], 1, {"max_tokens": 9}, dropped=["seed"])
    collector, usage = Collector(chosen.rebuses, ["regular"]), Usage()
    for row, name in zip(chosen.rebuses, ("a", "b"), strict=True):
        answer = response(id=row.id, served_model=name, text="", outcome="truncated")
        usage.add(answer)
        for score in scoring.score(answer, row):
            collector.add(score)
    of_answers = ["several_served_models", "without_solution"]
    of_parameters = ["answers_cut", "parameters_left_out"]
    found = summarize(measured, collector, usage)["findings"]
    assert [each["kind"] for each in found] == of_answers + of_parameters
    found = summarize(measured, collector, None)["findings"]
    assert [each["kind"] for each in found] == of_parameters


def test_a_dictionarys_coverage_is_told() -> None:
    covers: Coverage = {"rebuses": 9, "complete": 2, "clues": 1200, "known": 1000, "found": 900}
    (found,) = findings.of_dictionary(covers)
    assert found["kind"] == "dictionary_coverage"
    assert found["level"] == "note"
    assert "1,000 of 1,200 clues, the right one for 900: a best case" in found["text"]
    assert not list(findings.of_dictionary(None))
