from __future__ import annotations

import pytest

from apieval.analysis.variants import over_prompts
from tests.records import Json, rebus, response, summary

ROWS = [rebus(id=n) for n in range(4)]


def found(prompt: str, right: int, model: str = "m", answered: int = 4) -> Json:
    texts = ["Soluzione: Verità nascosta"] * right + ["Soluzione: altro"] * (answered - right)
    made = [response(id=n, text=text) for n, text in enumerate(texts)]
    whole = summary(ROWS, made, settings=["regular"], model=model)
    return {**whole, "prompt": {"name": prompt, "official": False}}


def test_the_spread_is_over_the_prompts_of_one_model() -> None:
    several = [found("a", 1), found("b", 4), found("c", 1), found("a", 2, "altro")]
    (spread,) = over_prompts(several)
    assert (spread["model"], spread["setting"]) == ("m", "regular")
    assert spread["prompts"] == ["a", "b", "c"]
    metric = spread["metrics"]["solution_match"]
    assert metric is not None
    assert metric["values"] == [0.25, 1.0, 0.25]
    assert metric["mean"] == 0.5
    assert metric["sd"] == pytest.approx(0.4330127018922193, abs=1e-12)
    assert (metric["least"], metric["most"], metric["range"]) == (0.25, 1.0, 0.75)


def test_a_partial_run_counts_by_what_was_answered() -> None:
    (spread,) = over_prompts([found("a", 1, answered=2), found("b", 4)])
    metric: Json = spread["metrics"]["solution_match"]
    assert metric["values"] == [0.5, 1.0]


def test_where_one_has_no_answer_there_is_no_spread() -> None:
    (spread,) = over_prompts([found("a", 0, answered=0), found("b", 4)])
    assert spread["metrics"]["solution_match"] is None


def test_one_prompt_has_no_spread() -> None:
    assert over_prompts([found("a", 1), found("a", 2, "altro")]) == []


def test_runs_of_other_data_or_with_steps_given_are_not_of_one_kind() -> None:
    other: Json = {**found("b", 4), "data": {"digest": "sha256:0", "n": 4}}
    begun: Json = {**found("b", 4), "given": "definitions"}
    more: Json = {**found("c", 2), "given": "definitions"}
    assert over_prompts([found("a", 1), other, begun]) == []
    (spread,) = over_prompts([found("a", 1), begun, more])
    assert (spread["given"], spread["prompts"]) == ("definitions", ["b", "c"])


def test_a_setting_that_only_one_run_has_has_no_spread() -> None:
    other: Json = {**found("b", 4), "settings": ["hints"]}
    assert over_prompts([found("a", 1), other]) == []
