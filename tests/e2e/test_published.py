"""A real model's answers to the study's 2,000 rebuses, replayed: the figures of its README."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.analysis.variants import steps_alone
from apieval.rebus.conversation import GO_ON
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Plan, Reply, Seen, completion, randomly
from tests.e2e.program import apieval, configure, figures, folder, model, stored
from tests.records import PUBLISHED, needs_published

pytestmark = [needs_published, pytest.mark.usefixtures("untraced")]
MICRO: Final = (0.5550, 0.6411, 0.1510, 0.2675, 0.5262, 0.1070)
MACRO: Final = ("0.556813", "0.6406", "0.151000", "0.265069", "0.514382", "0.107000")
METRICS: Final = (
    "word_guess_accuracy",
    "word_guess_length_accuracy",
    "first_pass_accuracy",
    "solution_word_accuracy",
    "solution_word_length_accuracy",
    "solution_match",
)


RUN: Final = (
    "run", "local", "--data", PUBLISHED / "dataset.csv", "--setting", "regular", "--yes",
)  # fmt: skip


def _replayed() -> dict[str, str]:
    answers = {}
    with (PUBLISHED / "gpt4o_answers.jsonl").open(encoding="utf-8") as file:
        for line in file:
            each = json.loads(line)
            answers[each["v"]] = answers[each["h"]] = each["answer"]
    return answers


def _published(run: Path) -> None:
    found = figures(run)["regular"]["all"]["official"]
    assert [round(found[name]["micro"]["value"], 4) for name in METRICS] == list(MICRO)
    for name, printed in zip(METRICS, MACRO, strict=True):
        places = len(printed.partition(".")[2])  # one of them is printed with four alone
        assert f"{found[name]['macro']['value']:.{places}f}" == printed


def test_two_thousand_real_answers_give_the_published_figures(
    inside: Inside, tmp_path: Path
) -> None:
    answers, words = _replayed(), RUN
    cache = ("--cache", "cache")
    with FaultServer(answers) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 128}))
        done = apieval(*words, *cache)
        assert (done.code, server.requests, server.paid) == (0, 2000, 2000), done.err
        _published(folder())
        assert inside(*words, *cache).code == 0
        assert server.requests == 2000
        assert inside(*words, *cache, "--out", "other").code == 0
        assert server.requests == 2000
    assert figures(folder(Path("other"))) == figures(folder())
    assert len(stored(folder(Path("other")))) == 2000


@pytest.mark.usefixtures("no_waits")
def test_with_a_third_of_replies_faulty_the_figures_are_the_same(
    inside: Inside, tmp_path: Path
) -> None:
    with FaultServer(_replayed(), randomly(0.3, seed=5)) as server:
        configure(tmp_path, local=model(server.url, limits={"concurrency": 64}))
        done = inside(*RUN, "--cache", "off")
        assert (done.code, server.paid) == (0, 2000), done.err
        assert set(server.good.values()) == {1}
        assert server.requests > 2500
    _published(folder())


@pytest.mark.parametrize("gold", ["dataset.csv", "gold.csv"])
def test_the_published_parses_give_the_published_figures(gold: str, inside: Inside) -> None:
    words = ("score", PUBLISHED / "gpt4o_parsed.csv", "--data", PUBLISHED / gold, "--out", "out")
    done = inside(*words)
    assert done.code == 0, done.err
    _published(Path("out"))
    with (PUBLISHED / "gpt4o_parsed.csv").open(encoding="utf-8", newline="") as file:
        assert len(list(csv.DictReader(file))) == 2000


FEW: Final = ("--limit", "100", "--cache", "off")
TEMPLATES: Final = {
    "breve.j2": "Risolvi.\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}\n",
    "inglese.j2": "Solve it.\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}\n",
    "lungo.j2": "{{ examples[0].answer }}\n\nRebus: {{ verbalized_rebus }}\n{{ solution_key }}\n",
}


def _as_asked(answers: dict[str, str]) -> Plan:
    """Replay the answers as a model would give them: in bold to one prompt, going on where begun."""

    def plan(seen: Seen) -> Reply:
        asked, text = seen.body["messages"][-1]["content"], answers[seen.rebus]
        if asked.startswith("Risolvi"):
            text = text.replace("Soluzione: ", "**Soluzione:** ")
        if GO_ON in asked:
            begun = asked.partition(GO_ON)[2]
            from_there = "Ora componiamo" if "Prima lettura: " in begun else "Prima lettura: "
            text = text[max(text.find(from_there), 0) :]
        return Reply(200, completion(text), good=True)

    return plan


@needs_published
def test_other_prompts_and_given_steps_on_real_answers(inside: Inside, tmp_path: Path) -> None:
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, source in TEMPLATES.items():
        (folder / name).write_text(source, "utf-8")
    answers = _replayed()
    ways: dict[str, tuple[str | Path, ...]] = {
        "official": (),
        "prompts": ("--prompt-set", folder),
        "definitions": ("--given", "definitions"),
        "first-pass": ("--given", "first-pass"),
    }
    with FaultServer(answers, _as_asked(answers)) as server:
        configure(tmp_path, local=model(server.url))
        done = {
            name: inside(*RUN, *FEW, *words, "--out", name, "--json")
            for name, words in ways.items()
        }
    found = {name: json.loads(each.out) for name, each in done.items()}
    assert {each.code for each in done.values()} == {0}
    plain, *_ = found["official"]["runs"]
    in_bold, in_english, longer = found["prompts"]["runs"]
    assert _micros(in_english) == _micros(longer) == _micros(plain)
    assert _micros(in_bold, "tolerant") == _micros(
        plain, "tolerant"
    )  # bold is no fault of reasoning
    solved = _micros(plain)["solution_match"]
    (spread,) = found["prompts"]["prompts"]
    assert solved
    assert _micros(in_bold)["solution_match"] == 0
    assert spread["metrics"]["solution_match"]["values"] == [0, solved, solved]
    assert spread["metrics"]["first_pass_accuracy"]["range"] == 0
    for name, given in (("definitions", METRICS[:2]), ("first-pass", METRICS[:3])):
        hidden = dict.fromkeys(given)  # the rest is what GPT-4o said, from there on
        assert _micros(found[name]["runs"][0]) == {**_micros(plain), **hidden}
    whole = steps_alone([plain, *found["definitions"]["runs"], *found["first-pass"]["runs"]])
    assert [each["given"] for each in whole[0]["runs"]] == [None, "definitions", "first-pass"]


def _micros(summary: dict[str, Any], parser: str = "official") -> dict[str, float | None]:
    figures = summary["figures"]["regular"]["all"][parser]
    return {name: figures[name]["micro"]["value"] for name in METRICS}
