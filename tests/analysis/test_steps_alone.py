from __future__ import annotations

from typing import Any

from apieval.analysis.variants import steps_alone
from tests.records import Json, rebus, response, summary

ROWS = [rebus(id=n) for n in range(4)]


def found(given: str | None, right: int, model: str = "m", **more: Any) -> Json:  # noqa: ANN401 # of a summary
    texts = ["Soluzione: Verità nascosta"] * right + ["Soluzione: altro"] * (4 - right)
    made = [response(id=n, text=text) for n, text in enumerate(texts)]
    whole = summary(ROWS, made, settings=["regular"], model=model)
    whole["given"] = given
    if given is not None:
        nothing = {"value": None, "low": None, "high": None, "n": 0}
        figures = whole["figures"]["regular"]["all"]["official"]
        figures["word_guess_accuracy"] = {"micro": nothing, "macro": nothing}
    return {**whole, "prompt": {"name": "official", "official": True}, **more}


def test_runs_of_one_model_stand_in_the_order_of_the_steps() -> None:
    (each,) = steps_alone([found("first-pass", 3), found(None, 1), found("definitions", 2)])
    assert (each["model"], each["setting"], each["prompt"]) == ("m", "regular", "official")
    assert [run["given"] for run in each["runs"]] == [None, "definitions", "first-pass"]
    runs: Json = each["runs"]
    solved = [run["metrics"]["solution_match"]["value"] for run in runs]
    assert solved == [0.25, 0.5, 0.75]
    assert runs[0]["metrics"]["word_guess_accuracy"]["n"] == 8
    assert each["runs"][1]["metrics"]["word_guess_accuracy"] is None


def test_what_stands_alone_shows_nothing() -> None:
    other = {"name": "altro", "official": False}
    alone = [
        found(None, 1),
        found("definitions", 2, model="n"),
        found("definitions", 2, prompt=other),
        found("definitions", 2, data={"digest": "sha256:0", "n": 4}),
    ]
    assert steps_alone(alone) == []


def test_a_setting_that_one_run_lacks_is_left_out() -> None:
    assert steps_alone([found(None, 1), found("definitions", 2, settings=["hints"])]) == []


def test_of_two_runs_of_one_kind_the_first_counts() -> None:
    (each,) = steps_alone([found(None, 1), found(None, 4), found("definitions", 2)])
    runs: Json = each["runs"]
    assert [run["metrics"]["solution_match"]["value"] for run in runs] == [0.25, 0.5]
