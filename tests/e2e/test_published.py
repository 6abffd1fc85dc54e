"""A real model's answers to the study's 2,000 rebuses, replayed: the figures of its README."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, randomly
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
