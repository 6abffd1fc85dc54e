from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.rebus import conversation, examples, prompts, scoring
from apieval.rebus.conversation import Conversation, request
from apieval.records import GIVENS, SETTINGS, Given, Message, Prefill, Setting
from tests.records import ANSWER, rebus, response

ROW = rebus()
STEPS = """\
Procediamo alla risoluzione del rebus passo per passo:
- V E = V E
- [Santa di Cascia] = Rita
- N A = N A
- [Sposta da un lato] = scosta"""
BEGUN: dict[Given, str] = {
    "definitions": STEPS,
    "first-pass": f"{STEPS}\nPrima lettura: VE Rita NA scosta",
}


@pytest.mark.parametrize("step", GIVENS)
def test_a_beginning_is_that_of_the_right_answer(step: Given) -> None:
    assert conversation.beginning(ROW, step) == BEGUN[step]
    assert examples.write(ROW).startswith(BEGUN[step] + "\n")


@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("step", GIVENS)
def test_what_is_given_goes_into_the_question(step: Given, setting: Setting) -> None:
    (asked,) = Conversation(given=step).messages(ROW, setting)
    own = prompts.build(ROW, setting).rstrip()
    assert asked == Message(role="user", content=f"{own}\n{conversation.GO_ON}{BEGUN[step]}")


@pytest.mark.parametrize("prefill", ["assistant", "continue", "prefix"])
def test_or_it_is_a_message_of_the_assistants(prefill: Prefill) -> None:
    said = Conversation(system="Sii breve.", given="definitions", prefill=prefill)
    before, asked, begun = said.messages(ROW, "regular")
    assert before.wire() == {"role": "system", "content": "Sii breve."}
    assert asked == Message(role="user", content=prompts.build(ROW, "regular"))
    marked = {"prefix": True} if prefill == "prefix" else {}
    assert begun.wire() == {"role": "assistant", "content": STEPS, **marked}


def test_each_way_of_asking_is_another_question() -> None:
    ways = [
        Conversation(),
        Conversation(system="Sii breve."),
        *(Conversation(given=step) for step in GIVENS),
        Conversation(given="definitions", prefill="assistant"),
        Conversation(given="definitions", prefill="prefix"),
    ]
    keys = {conversation.request(ROW, "regular", 0, {}, way).key for way in ways}
    assert len(keys) == len(ways)


REST = "Prima lettura: VE Rita NA scosta\n6 = Verità\n8 = nascosta\nSoluzione: Verità nascosta"


@pytest.mark.parametrize(
    "text",
    [REST, f"\n{REST}", f"{STEPS}\n{REST}", f"\n {STEPS}\n{REST}", f"Ecco:\n{STEPS}\n{REST}"],
    ids=["goes on", "a line end first", "says it again", "blanks before", "a word before"],
)
def test_an_answer_is_read_from_its_beginning_on(text: str) -> None:
    for score in scoring.score(response(text=text), ROW, "definitions"):
        assert score.tallies
        assert set(score.tallies) == {
            *("first_pass_accuracy", "solution_word_accuracy"),
            *("solution_word_length_accuracy", "solution_match"),
        }
        assert all(tally.share == 1.0 for tally in score.tallies.values())
        assert score.prediction.word_guesses[:2] == ("Rita", "scosta")


def test_of_a_given_first_pass_the_solution_alone_is_measured() -> None:
    text = "Soluzione: Verità nascosta"
    for score in scoring.score(response(text=text), ROW, "first-pass"):
        assert score.tallies
        assert score.tallies["solution_match"].right == 1
        assert "first_pass_accuracy" not in score.tallies


@given(st.text(st.characters(exclude_categories=["Cs"])), st.sampled_from(GIVENS))
def test_nothing_a_model_says_is_lost_by_joining(text: str, step: Given) -> None:
    whole = conversation.joined(ROW, step, text)
    assert whole.endswith(text)
    assert whole.lstrip().startswith(BEGUN[step])
    assert conversation.joined(ROW, None, text) == text


@pytest.mark.parametrize("step", GIVENS)
def test_lengths_are_those_of_what_is_asked_and_left(step: Given) -> None:
    prompt, answer = conversation.lengths(ROW, "regular", prompts.official(), step)
    whole, _ = conversation.lengths(ROW, "regular", prompts.official())
    assert prompt == whole + len(BEGUN[step]) + len(conversation.GO_ON)
    assert 0 < answer < len(ANSWER)


@pytest.mark.parametrize(
    ("body", "given", "cut"),
    [
        pytest.param({"stop": ["\n"]}, None, 2, id="a line end"),
        pytest.param({"stop": "Soluzione"}, None, 2, id="a label, a text alone"),
        pytest.param({"stop_sequences": ["###", "Prima lettura"]}, None, 2, id="by another name"),
        pytest.param({"stop": "Prima lettura"}, "first-pass", 0, id="in what is given"),
        pytest.param({"stop": ["ROMA"]}, None, 1, id="in one answer alone"),
        pytest.param({"stop": ["# Esempio", "Rebus:", "\n\n"]}, None, 0, id="behind an answer"),
        pytest.param({"stop": None, "temperature": 0}, None, 0, id="none"),
        pytest.param({"stop": [7, ""]}, None, 0, id="no texts"),
    ],
)
def test_stop_sequences_that_right_answers_hold(
    body: dict[str, Any], given: Given | None, cut: int
) -> None:
    rows = [rebus(), rebus(first_pass="VE ROMA NA scosta")]
    found = list(conversation.stops_too_soon(body, rows, given))
    assert len(found) == bool(cut)
    assert all(f"it cuts {cut} of 2 right answers" in each for each in found)


# --- seeds of samples ------------------------------------------------------------------------


SEEDED = [
    pytest.param({"seed": 7}, lambda body: body["seed"], id="seed"),
    pytest.param({"random_seed": 7}, lambda body: body["random_seed"], id="Mistral's"),
    pytest.param({"options": {"seed": 7}}, lambda body: body["options"]["seed"], id="Ollama's"),
    pytest.param({"sampling_seed": 7}, lambda body: body["sampling_seed"], id="SGLang's"),
    pytest.param({"a": [{"seed": 7}]}, lambda body: body["a"][0]["seed"], id="in a list"),
]


@pytest.mark.parametrize(("body", "seed"), SEEDED)
def test_each_sample_has_a_seed_of_its_own(
    body: dict[str, Any], seed: Callable[[Any], int]
) -> None:
    identity = {"body": {"model": "m", **body}}
    made = [*conversation.requests([rebus()], ["regular"], 4, identity)]
    assert [seed(json.loads(each.identity)["body"]) for each in made] == [7, 8, 9, 10]
    assert len({each.key for each in made}) == 4
    before = [request(rebus(), "regular", n, identity, one_seed=True) for n in range(4)]
    assert made[0] == before[0], "what was paid for before holds"
    assert {seed(json.loads(each.identity)["body"]) for each in before} == {7}


@pytest.mark.parametrize(
    "body", [{}, {"seed": None}, {"seed": "7"}, {"seed": True}, {"schema": {"seed": {"type": "x"}}}]
)
def test_what_is_no_seed_stays(body: dict[str, Any]) -> None:
    for identity in ({"body": body}, {}):
        made = request(rebus(), "regular", 3, identity)
        assert made == request(rebus(), "regular", 3, identity, one_seed=True)
