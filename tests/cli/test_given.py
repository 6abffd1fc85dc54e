"""Runs whose answers are begun with the right steps: `--given`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_parameters import REGULAR
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer
from tests.e2e.program import Material, configure, folder, model, stored, summary

pytestmark = pytest.mark.usefixtures("no_waits")

DEFINITIONS = ("--given", "definitions")


def run(inside: Inside, ten: Material, server: FaultServer, *words: str, **entry: Any) -> str:  # noqa: ANN401 # any JSON
    configure(ten.path.parent, local=model(server.url, **entry))
    done = inside("run", "local", "--data", ten.path, *REGULAR, *words)
    assert done.code == 0, done.err
    return done.out


def test_what_is_given_is_not_measured_and_said_to_be_given(inside: Inside, ten: Material) -> None:
    with FaultServer(ten.answers) as server:
        out = run(inside, ten, server, *DEFINITIONS)
        asked = server.seen[0].body["messages"]
        assert [each["role"] for each in asked] == ["user"]
        assert "continua da dove si interrompe.\nProcediamo alla" in asked[0]["content"]
    assert "GIVEN definitions" in out
    assert "word_guess_accuracy" not in out
    made = folder()
    assert "-given-definitions-" in made.name
    found = summary(made)
    assert found["given"] == "definitions"
    assert "|given:definitions|" in found["signatures"]["regular"]["tolerant"]
    nothing = {"value": None, "low": None, "high": None, "n": 0}
    figures = found["figures"]["regular"]["all"]["official"]
    assert figures["word_guess_accuracy"] == {"micro": nothing, "macro": nothing}
    assert figures["first_pass_accuracy"]["micro"]["n"] == 10
    assert found["partial"] is False
    lines = [json.loads(line) for line in (made / "scores.jsonl").read_text("utf-8").splitlines()]
    assert {line["word_guess_accuracy"] for line in lines} == {None}
    assert all("word_guess_accuracy" not in line["counts"] for line in lines)
    before = (made / "summary.json").read_bytes()
    assert inside("score", made).code == 0
    assert (made / "summary.json").read_bytes() == before


@pytest.mark.parametrize("prefill", ["assistant", "continue", "prefix"])
def test_an_api_that_goes_on_with_an_answer_is_given_one(
    inside: Inside, ten: Material, prefill: str
) -> None:
    with FaultServer(ten.answers) as server:
        run(inside, ten, server, *DEFINITIONS, prefill=prefill)
        body = server.seen[0].body
        run(inside, ten, server, prefill=prefill)
        plain = server.seen[-1].body
    asked, begun = body.pop("messages")
    assert (asked["role"], begun["role"]) == ("user", "assistant")
    assert begun["content"].startswith("Procediamo alla risoluzione")
    assert begun["content"] == begun["content"].rstrip()
    assert begun.get("prefix") is (True if prefill == "prefix" else None)
    more = {"add_generation_prompt": False, "continue_final_message": True}
    assert [each["role"] for each in plain.pop("messages")] == ["user"]
    assert body == {**plain, **(more if prefill == "continue" else {})}


def test_a_base_model_goes_on_with_the_text(inside: Inside, ten: Material) -> None:
    with FaultServer(ten.answers) as server:
        run(inside, ten, server, *DEFINITIONS, api="completions")
        text = server.seen[0].body["prompt"]
    _, key, begun = text.rpartition("Chiave di lettura: ")
    assert "\nProcediamo alla risoluzione" in key + begun


def test_the_answer_is_stored_as_it_came(inside: Inside, ten: Material) -> None:
    with FaultServer(ten.answers) as server:
        run(inside, ten, server, *DEFINITIONS)
    assert {line["text"] for line in stored(folder())} <= set(ten.answers.values())


def test_figures_of_given_steps_mix_with_no_others(inside: Inside) -> None:
    words = ("run", "baseline", "--setting", "hints", "--limit", "4")
    for more in ((), DEFINITIONS, ("--given", "first-pass")):
        assert inside(*words, *more).code == 0
    made = sorted(Path("results").iterdir(), key=lambda each: len(each.name))
    done = inside("compare", *made[:2])
    assert done.code == 2
    assert "the steps that were given differ in hints" in done.err
    forced = json.loads(inside("compare", *made, "--force", "--json").out)
    measured = [list(each["metrics"]) for each in forced["comparisons"]]
    assert [len(each) for each in measured] == [3, 4, 3]


def test_the_baseline_goes_on_with_what_it_is_given(inside: Inside) -> None:
    words = ("run", "baseline", "--setting", "regular", "--json")
    without, (definitions, first_pass) = (
        json.loads(inside(*words).out)["runs"][0],
        [
            json.loads(inside(*words, "--given", s).out)["runs"][0]
            for s in ("definitions", "first-pass")
        ],
    )
    solved = [
        each["figures"]["regular"]["all"]["official"]["solution_match"]["micro"]["value"]
        for each in (without, definitions, first_pass)
    ]
    assert solved[0] < solved[1] == solved[2]
    figures = definitions["figures"]["regular"]["all"]["official"]
    assert figures["first_pass_accuracy"]["micro"]["value"] == 1.0


def test_a_check_is_given_the_steps_too(inside: Inside) -> None:
    done = inside("check", "baseline", "--given", "first-pass")
    assert done.code == 0
    assert "first_pass_accuracy" not in done.out
    assert "solution_match" in done.out


def test_no_other_step_can_be_given(inside: Inside) -> None:
    assert inside("run", "baseline", "--given", "solution").code == 2
