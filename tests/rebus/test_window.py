"""Answers cut before the limit that was sent: a full window, a limit of the server's own, or neither."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus.window import SLACK, Cuts, limit_of, outside
from apieval.records import Usage

LIMIT = 1024


def said(*cuts: tuple[int | None, int | None], window: int | None = None) -> str | None:
    found = Cuts()
    for prompt, answer in cuts:
        found.add(LIMIT, Usage(prompt_tokens=prompt, completion_tokens=answer))
    return found.said("max_tokens", LIMIT, window)


def test_equal_sums_of_prompt_and_answer_are_a_full_window() -> None:
    found = said((1843, 7), (1739, 111), (1800, 50))
    assert found is not None
    assert found.startswith(
        "cut after 7 to 111 tokens although max_tokens is 1,024: the server's window (1,850) is full; "
        "start it with a larger --max-model-len"
    )
    assert found.endswith("then --retry-truncated")


def test_a_window_that_the_server_names_needs_one_cut() -> None:
    assert "the server's window (1,850) is full" in (said((1739, 111), window=1850) or "")
    without = said((1739, 111)) or ""
    assert "cut after 111 tokens" in without
    assert "is full, or it has a limit of its own" in without


def test_a_token_more_or_less_is_the_same_window() -> None:
    assert "window (2,049) is full" in (said((2000, 48), (1900, 149), (1950, 98)) or "")


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        (((700, 256), (812, 256), (650, 256)), "the server has a limit of its own (256)"),
        (((700, 12), (812, 300), (650, 77)), "by a limit or a window of its own"),
        (((None, 12), (None, 300)), "by a limit or a window of its own"),
    ],
    ids=["own limit", "neither", "prompts not counted"],
)
def test_what_is_no_window_is_not_called_one(
    cuts: tuple[tuple[int | None, int | None], ...], expected: str
) -> None:
    found = said(*cuts)
    assert found is not None
    assert expected in found
    assert "is full" not in found


@pytest.mark.parametrize("answer", [LIMIT, LIMIT - SLACK, LIMIT + 5, None])
def test_what_was_cut_at_the_limit_itself_is_none_of_it(answer: int | None) -> None:
    assert said((700, answer)) is None


def test_thoughts_that_are_counted_apart_count_against_the_limit_too() -> None:
    found = Cuts()
    found.add(LIMIT, Usage(prompt_tokens=700, completion_tokens=20, reasoning_tokens=1004))
    assert found.said("max_tokens", LIMIT) is None
    found.add(LIMIT, Usage(prompt_tokens=700, completion_tokens=500, reasoning_tokens=480))
    assert found.early == 1


@given(st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 4000)), max_size=200))
def test_any_counts_give_a_sentence_or_nothing(cuts: list[tuple[int, int]]) -> None:
    early = [answer for _, answer in cuts if answer + SLACK < LIMIT]
    found = said(*cuts)
    assert (found is None) == (not early)
    if found:
        assert f"cut after {min(early):,}" in found


@pytest.mark.parametrize(
    ("sampling", "limit"),
    [
        ({"max_tokens": 9, "temperature": 0}, ("max_tokens", 9)),
        ({"max_completion_tokens": 9}, ("max_completion_tokens", 9)),
        ({"max_tokens": None}, None),
        ({}, None),
        (None, None),
    ],
)
def test_the_limit_goes_by_the_name_that_was_sent(
    sampling: dict[str, Any] | None, limit: tuple[str, int] | None
) -> None:
    assert limit_of(sampling) == limit


def test_a_forecast_counts_the_requests_without_room() -> None:
    assert outside(90, 0, LIMIT, "max_tokens", 8192) is None
    found = outside(90, 12, LIMIT, "max_tokens", 1850) or ""
    assert found.startswith("the server's window is 1,850: in 12 of 90 requests it leaves less")
    assert "--max-model-len" in found
