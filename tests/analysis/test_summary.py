from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import PARTS, Usage, summarize
from apieval.commands.score import write
from apieval.results.summary import UsageTotals
from tests.records import dataset, rebus, response, summary

ROWS = [rebus(id=0, subset="id"), rebus(id=1, subset="id"), rebus(id=2, subset="new")]
DATA = dataset(ROWS)
MEASURED = Measured("my:model", DATA.select(), ["regular"], 1, {"temperature": 0.0})


def test_rows_that_the_key_splits_otherwise_are_counted() -> None:
    joined = rebus(
        solution_key="1 ' 3 5", solution_words=("L'ora", "fatta"), solution="L'ora fatta"
    )
    found = summary([joined, rebus(id=1)], [])
    assert found["along_key"] == {"official": 0, "tolerant": 1, "tolerant-lenient": 1}


def test_a_whole_summary() -> None:
    answers = [response(id=row.id, setting=s) for row in ROWS for s in ("regular", "hints")]
    found = summary(ROWS, answers)
    assert list(found) == [
        *("format", "model", "data", "settings", "samples", "prompt", "given", "partial"),
        *("outcomes", "usage", "served", "responses", "coverage", "findings", "signatures"),
        *("along_key", "figures", "gaps"),
        *PARTS,
    ]
    assert found["data"] == {"name": "rebuses.csv", "digest": DATA.digest, "n": 3}
    assert (found["format"], found["model"], found["samples"]) == (1, "my-llama", 1)
    assert found["settings"] == ["regular", "hints"]
    assert found["partial"] is False
    assert set(found["figures"]["regular"]) == {"all", "id", "new"}
    for figures in found["figures"].values():
        assert figures["all"]["official"]["solution_match"]["micro"]["value"] == 1.0
    assert json.loads(json.dumps(found, allow_nan=False)) == found


@pytest.mark.parametrize(
    ("outcomes", "expected", "partial"),
    [
        pytest.param(["ok", "ok", "ok"], {"ok": 3}, False, id="all there"),
        pytest.param(["ok", "failed", "ok"], {"ok": 2, "failed": 1}, True, id="one failed"),
        pytest.param(["ok", "ok"], {"ok": 2, "not_asked": 1}, True, id="one not asked"),
        pytest.param(
            ["truncated", "empty", "refused"],
            {"truncated": 1, "empty": 1, "refused": 1},
            False,
            id="all the model's own doing",
        ),
        pytest.param([], {"not_asked": 3}, True, id="nothing asked"),
    ],
)
def test_outcomes(outcomes: list[str], expected: dict[str, int], partial: bool) -> None:
    answers = [response(id=number, outcome=each) for number, each in enumerate(outcomes)]
    found = summary(ROWS, answers, settings=["regular"])
    zero = dict.fromkeys(("ok", "truncated", "empty", "refused", "failed", "not_asked"), 0)
    assert found["outcomes"] == {"regular": zero | expected}
    assert found["partial"] is partial


def test_an_empty_selection_is_whole_and_has_no_figures() -> None:
    found = summary([], [])
    assert found["partial"] is False
    assert found["data"]["n"] == 0
    json.dumps(found, allow_nan=False)


class TestUsage:
    def totals(self, *answers: dict[str, Any]) -> UsageTotals:
        usage = Usage()
        for changes in answers:
            usage.add(response(**changes))
        return usage.totals()

    def test_what_no_server_counted_is_unknown_not_zero(self) -> None:
        totals = self.totals({}, {})
        assert totals["answers"] == 2
        assert totals["prompt_tokens"] == {"sum": None, "known_for": 0}
        assert totals["cost_usd"] == {"sum": None, "known_for": 0}

    def test_a_sum_says_of_how_many_it_is(self) -> None:
        usage = {"prompt_tokens": 700, "completion_tokens": 0}
        totals = self.totals({"usage": usage, "cost_usd": 0.25}, {}, {"usage": usage})
        assert totals["prompt_tokens"] == {"sum": 1400, "known_for": 2}
        assert totals["completion_tokens"] == {"sum": 0, "known_for": 2}
        assert totals["reasoning_tokens"] == {"sum": None, "known_for": 0}
        assert totals["cost_usd"] == {"sum": 0.25, "known_for": 1}

    def test_a_cached_answer_was_paid_before(self) -> None:
        totals = self.totals({"cost_usd": 0.25, "cached": True}, {"cost_usd": 0.5})
        assert totals["from_cache"] == 1
        assert totals["cost_usd"] == {"sum": 0.5, "known_for": 2}
        unknown = self.totals({"cached": True})
        assert unknown["cost_usd"] == {"sum": None, "known_for": 0}

    def test_answers_without_a_solution_line_are_counted(self) -> None:
        texts = ["Prima lettura: x\nSoluzione: y", "Soluzione", "", "soluzione: y"]
        assert self.totals(*({"text": text} for text in texts))["without_solution"] == 3

    def test_a_failure_that_was_paid_for_is_in_the_cost_alone(self) -> None:
        totals = self.totals({"outcome": "failed", "text": "", "cost_usd": 0.25}, {})
        assert (totals["answers"], totals["without_solution"]) == (1, 0)
        assert totals["cost_usd"]["sum"] == 0.25

    def test_a_failure_is_no_answer(self) -> None:
        assert self.totals({"outcome": "failed", "served_model": "m"})["answers"] == 0

    def test_who_served(self) -> None:
        usage = Usage()
        for name in ("a", "a", None):
            usage.add(response(served_model=name, system_fingerprint="fp"))
        assert usage.served == {
            "served_model": {"a": 2, "unknown": 1},
            "system_fingerprint": {"fp": 3},
        }
        found = summarize(MEASURED, Collector(ROWS, ["regular"]), usage)
        assert found["served"] == usage.served
        assert found["usage"] == usage.totals()


def test_no_part_of_the_details_takes_the_place_of_another_key() -> None:
    assert not any(summary(ROWS, [])[part] for part in PARTS)
    found = write(None, replace(MEASURED, samples=2), [], None)
    assert found["samples"] == 2
    assert set(PARTS) <= set(found)
