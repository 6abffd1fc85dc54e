"""A check in lines and in a table: what the command's own tests do not come to."""

from __future__ import annotations

from typing import Any

import pytest
from rich.table import Table

from apieval.report import check_table, checks
from apieval.run.steps import Check, Step


def lines(name: str, **facts: Any) -> list[str]:  # noqa: ANN401 # any JSON
    return [line.strip() for line in checks.step(Step(name, facts))]


def forecast(**facts: Any) -> str:  # noqa: ANN401 # any JSON
    plain = {
        "requests": 6_334,
        "prompt_tokens": 1,
        "answer_tokens": 1,
        "usd": None,
        "most_usd": None,
        "paid": True,
        "seconds": 1.0,
        "bound": "one by one",
        "basis": "characters",
    }
    return "\n".join(lines("forecast", **{**plain, **facts}))


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0.2, "less than a second"),
        (59.6, "about 60 s"),
        (150, "about 2.5 min"),
        (9_000, "about 2.5 h"),
        (216_000, "about 2.5 days"),
    ],
)
def test_times_are_told_in_the_unit_that_fits(seconds: float, said: str) -> None:
    assert f"time        {said}, one by one" in forecast(seconds=seconds)


def test_costs_that_are_small_keep_their_digits() -> None:
    assert "cost        about 0.000123 USD, at most 1,234.50 USD" in forecast(
        usd=0.000123, most_usd=1234.5
    )
    assert "cost        about 0.50 USD" in forecast(usd=0.5)
    assert "cost        unknown: no price" in forecast()


def test_a_request_nobody_can_look_at_is_said_to_be_one() -> None:
    question = {"id": 0, "data": "sample", "setting": "hints"}
    said = lines("request", question=question, sent=None)
    assert said == [
        "ok       request: row 0 of sample, hints",
        "not known before it is sent: litellm goes its own ways",
    ]


def test_where_a_hosted_model_is_and_what_nobody_knows() -> None:
    said = lines(
        "configuration",
        provider="litellm",
        where=[],
        model="anthropic/x",
        params={},
        dropped=[],
        system_prompt=None,
        price=None,
        own=False,
        limits={"concurrency": "auto", "rpm": None, "tpm": None},
    )
    assert "where       where litellm knows it" in said
    assert "parameters  none" in said
    assert "price       unknown" in said
    assert "limits      concurrency auto" in said


def test_an_answer_without_a_score_says_why() -> None:
    facts = {"read": {"solution": ""}, "gold": {"solution": "x"}, "metrics": None}
    said = lines("parse", parser="official@1", right=False, **facts)
    assert "read        nothing" in said
    assert "no score: the request failed, which is not the model's doing" in said


def test_details_of_tokens_stand_beside_them() -> None:
    usage = {"prompt_tokens": 1_000, "completion_tokens": 9, "cached_tokens": 0}
    said = lines(
        "reply",
        outcome="ok",
        latency_s=1.0,
        finish_reason=None,
        served_model="m",
        usage={**usage, "reasoning_tokens": 5},
        cost_usd=None,
        own=True,
    )
    assert "tokens      1,000 prompt (0 cached), 9 answer (5 thoughts)" in said
    assert "cost        0 (local server)" in said
    assert "finish      unknown" in said


def test_tokens_that_are_not_known_are_marked_in_the_table() -> None:
    usage = {"prompt_tokens": None, "completion_tokens": 7}
    reply = {"outcome": "ok", "reached": True, "latency_s": 1.0, "usage": usage}
    first, *rest = check_table.table([Check("m", (Step("reply", reply),))])
    assert isinstance(first, Table)
    assert [str(cell) for cell in first.columns[7].cells] == ["?+7"]
    assert rest == []
