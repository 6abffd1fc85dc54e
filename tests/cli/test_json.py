"""`--json`: one document on stdout, whatever happens."""

from __future__ import annotations

import json
from typing import Any, Final

import pytest

from apieval import evaluate
from apieval.cli import output
from apieval.errors import StoreError
from tests.e2e.conftest import Inside
from tests.e2e.program import Done

FAILING: Final = {
    "unknown model": ("run", "basline"),
    "no such file": ("score", "nowhere"),
    "no such option": ("run", "baseline", "--limti", "3"),
    "no model": ("run",),
    "a bad value": ("run", "baseline", "--limit", "0"),
    "of a group": ("cache", "stats", "--cache", "off"),
    "no such configuration": ("models", "--config", "none.yaml"),
}


def document(done: Done) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(done.out)
    return found


@pytest.mark.parametrize("words", FAILING.values(), ids=FAILING)
def test_a_failing_command_says_why_in_one_document(words: tuple[str, ...], inside: Inside) -> None:
    done = inside(*words, "--json")
    found = document(done)
    assert list(found) == ["error", "exit_code"]
    assert done.code == found["exit_code"] == 2
    assert found["error"]
    assert "Traceback" not in done.all
    first = found["error"].splitlines()[0]
    assert first[:40] in " ".join(done.err.split()) or "--" in first  # and to people, as ever
    assert inside(*words).out == ""


def test_so_it_does_where_the_environment_asks_for_json(inside: Inside) -> None:
    assert document(inside("run", "basline", APIEVAL_JSON="1"))["exit_code"] == 2
    assert inside("run", "basline", APIEVAL_JSON="0").out == ""


def test_so_it_does_when_it_is_interrupted(inside: Inside, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(evaluate, "run", interrupted)
    done = inside("run", "baseline", "--json")
    assert document(done) == {"error": "interrupted", "exit_code": 130}
    assert done.code == 130


def test_a_stdout_that_takes_nothing_hides_no_error(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: object) -> None:
        raise StoreError("the output cannot be written: No space left on device.")

    monkeypatch.setattr(output, "document", full)
    done = inside("models", "--json")
    assert done.code == 2
    assert "No space left on device" in done.err
    assert "Traceback" not in done.err
