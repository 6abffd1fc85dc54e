"""Secrets through a whole run: answers stay as they came, and what is shown or kept holds no key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Reply, Seen, completion
from tests.e2e.program import KEY, Material, configure, folder, model, stored, summary

RUN = ("run", "local", "--setting", "regular", "--cache", "cache", "--yes")


def holders(secret: str, where: Path) -> list[Path]:
    """Return the files of a folder that hold a text."""
    files = [each for each in where.rglob("*") if each.is_file()]
    return [each for each in files if secret.encode() in each.read_bytes()]


@pytest.mark.parametrize("word", ["Soluzione", "lettura", "Prima", "11", "EMPTY", "ok"])
def test_a_word_given_for_a_key_changes_no_stored_answer(
    word: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, api_key_env="MY_KEY"))
        done = inside(*RUN, "--data", ten.path, MY_KEY=word)
        assert done.code == 0, done.err
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {word}"}
    said = {ten.answers[ten.rebus(row)] for row in range(10)}
    assert {each["text"] for each in stored(folder())} == said
    assert "***" not in done.all
    assert not [
        each for each in summary(folder())["findings"] if each["kind"] == "answers_hold_key"
    ]


def test_an_answer_that_holds_the_key_is_kept_as_it_came_and_told(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    leak = f"La tua chiave: {KEY}\nSoluzione: boh"

    def plan(seen: Seen) -> Reply | None:
        return Reply(body=completion(leak), good=True) if seen.rebus == ten.rebus(4) else None

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url, api_key_env="MY_KEY"))
        done = inside(*RUN, "--data", ten.path, MY_KEY=KEY)
        assert done.code == 0, done.err
    lines = {each["id"]: each for each in stored(folder())}
    assert lines[4]["text"] == leak
    assert [row for row, each in lines.items() if "holds_key" in each] == [4]
    (found,) = [x for x in summary(folder())["findings"] if x["kind"] == "answers_hold_key"]
    assert found["level"] == "warning"
    assert "1 of 10 answers hold the API key that was sent (rows 4)" in found["text"]
    assert KEY not in done.all
    assert "hold the API key" in done.all
    assert KEY not in (folder() / "run.json").read_text("utf-8")


def test_a_check_shows_an_answer_without_the_key(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    leak = Reply(body=completion(f"Chiave: {KEY}\nSoluzione: {KEY}"), good=True)
    with FaultServer(ten.answers, lambda _: leak) as server:
        configure(tmp_path, local=model(server.url, api_key_env="MY_KEY"))
        for more in ((), ("--json",), ("--full",)):
            done = inside("check", "local", "--data", ten.path, *more, MY_KEY=KEY)
            assert KEY not in done.all
            assert "***" in done.out
    json.loads(inside("models", "--json", MY_KEY=KEY).out)
