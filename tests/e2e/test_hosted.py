"""Runs of models behind litellm, each wire against the fault server: what holds for one's own holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import (
    REFUSED_PARAMETER,
    TRANSIENT,
    FaultServer,
    Reply,
    completion,
    error,
    first,
    from_request,
    randomly,
)
from tests.e2e.program import (
    KEY,
    Material,
    configure,
    figures,
    folder,
    holders,
    material,
    stored,
)
from tests.e2e.wires import HOSTED, hosted

REGULAR: Final = ("--setting", "regular", "--cache", "off")

pytestmark = [
    pytest.mark.usefixtures("no_waits", "litellm_imported", "untraced"),
    # litellm ignores this one itself, on import; pytest sets the filters anew for every test
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier"),
]
every_wire = pytest.mark.parametrize("wire", HOSTED)


@every_wire
@pytest.mark.parametrize("name", ["500", "529", "cut body", "hang", "dropped connection"])
def test_a_lasting_fault_is_asked_for_once_and_n_times_more(
    name: str, wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B18
    with FaultServer(ten.answers, from_request(2, TRANSIENT[name])) as server:
        limits = {"max_retries": 2, "concurrency": 1}
        configure(tmp_path, far=hosted(wire, server.url, limits=limits))
        late = ("--timeout", "1") if name == "hang" else ()
        done = inside("run", "far", "--data", ten.path, "--limit", "2", *REGULAR, *late)
        assert (done.code, server.requests) == (1, 1 + 1 + 2), done.err
    _, record = stored(folder())
    assert (record["outcome"], record["attempts"]) == ("failed", 3)


@every_wire
def test_a_third_of_replies_faulty_loses_nothing(wire: str, inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 40)
    with FaultServer(made.answers) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        assert inside("run", "far", "--data", made.path, *REGULAR, "--out", "calm").code == 0
        assert (server.requests, server.paid) == (40, 40)
        server.forget(randomly(0.3, seed=7))
        done = inside("run", "far", "--data", made.path, *REGULAR, "--out", "rough")
        assert (done.code, server.paid) == (0, 40), done.err
        assert set(server.good.values()) == {1}
    assert figures(folder(Path("rough"))) == figures(folder(Path("calm")))


@every_wire
def test_the_wait_asked_for_is_heard(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    slow = error(429, {"error": {"message": "piano"}}, retry_after="3600")
    with FaultServer(ten.answers, from_request(3, slow)) as server:
        configure(tmp_path, far=hosted(wire, server.url, limits={"concurrency": 1}))
        done = inside("run", "far", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (3, 3), done.err
    assert "limits.max_wait" in done.err


@every_wire
def test_the_budget_spent_on_thought_is_a_cut_answer(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B01
    usage = {"prompt_tokens": 412, "completion_tokens": 512, "total_tokens": 924}
    thought = "La santa di Cascia è Rita…"
    cut = Reply(200, completion(None, "length", usage, reasoning_content=thought))
    with FaultServer(ten.answers, first(99, cut, [ten.rebus(3)])) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        done = inside("run", "far", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (0, 10), done.err
    (record,) = [each for each in stored(folder()) if each["id"] == 3]
    assert (record["text"], record["outcome"]) == ("", "truncated")
    assert record["reasoning"] == thought
    assert record["usage"]["completion_tokens"] == 512
    assert "truncated 1" in done.out


@every_wire
def test_an_empty_answer_is_asked_for_once_more(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B03
    empty = Reply(200, completion(None))
    with FaultServer(ten.answers, first(1, empty, [ten.rebus(3)])) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        assert inside("run", "far", "--data", ten.path, *REGULAR).code == 0
        assert server.requests == 11
        server.forget(first(99, empty, [ten.rebus(3)]))
        assert inside("run", "far", "--data", ten.path, *REGULAR, "--out", "out").code == 0
        assert server.requests == 11
    (record,) = [each for each in stored(folder(Path("out"))) if each["id"] == 3]
    assert (record["text"], record["outcome"], record["attempts"]) == ("", "empty", 2)


@every_wire
def test_unreported_tokens_cost_no_answer_and_are_not_made_up(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B10
    silent = Reply(200, completion("Soluzione: boh", usage=None), good=True)
    with FaultServer(ten.answers, first(99, silent, [ten.rebus(3)])) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        done = inside("run", "far", "--data", ten.path, *REGULAR)
        assert (done.code, server.requests) == (0, 10), done.err
    (record,) = [each for each in stored(folder()) if each["id"] == 3]
    assert record["outcome"] == "ok"
    assert set(record["usage"].values()) == {None}
    assert record["cost_usd"] is None


@every_wire
def test_a_refused_parameter_stops_the_run_at_once(
    wire: str, inside: Inside, tmp_path: Path
) -> None:  # B12
    made = material(tmp_path / "some.csv", 83)
    with FaultServer(made.answers, lambda _: error(400, REFUSED_PARAMETER)) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        done = inside("run", "far", "--data", made.path, *REGULAR, "--yes")
        assert done.code == 3
        assert server.requests <= 8
    assert "parametro non ammesso" in done.err
    assert "drop: [max_tokens]" in done.err


def test_a_parameter_the_model_does_not_take_is_refused_before_anything_is_asked(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B12
    words = ("run", "far", "--data", ten.path, *REGULAR, "--yes")
    with FaultServer(ten.answers) as server:
        configure(tmp_path, far=hosted("anthropic", server.url, params={"seed": 1}))
        done = inside(*words)
        assert (done.code, server.requests) == (3, 0)
        assert "takes no seed" in done.err
        more = {"params": {"seed": 1}, "drop": ["seed"]}
        configure(tmp_path, far=hosted("anthropic", server.url, **more))
        assert inside(*words, "--out", "dropped").code == 0
        assert all("seed" not in seen.body for seen in server.seen)
    run = json.loads((folder(Path("dropped")) / "run.json").read_text("utf-8"))
    assert run["dropped"] == ["seed"]


@every_wire
def test_an_exhausted_quota_stops_the_run_and_the_same_command_goes_on(
    wire: str, inside: Inside, tmp_path: Path
) -> None:  # B16
    made = material(tmp_path / "some.csv", 60)
    message = "credito terminato, controlla il piano"
    body = {"error": {"message": message, "type": "insufficient_quota"}}
    with FaultServer(made.answers, from_request(41, error(429, body))) as server:
        configure(tmp_path, far=hosted(wire, server.url))
        words = ("run", "far", "--data", made.path, *REGULAR, "--yes")
        done = inside(*words)
        assert done.code == 3
        assert message in done.err
        assert server.requests <= 48
        assert len(stored(folder())) == server.paid == 40
        server.forget()
        assert inside(*words).code == 0
        assert server.requests == server.paid == 20


def _changes() -> dict[str, tuple[dict[str, Any], int]]:
    return {
        "nothing": ({}, 0),
        "model": ({"model": "anthropic/claude-opus-4-1"}, 3),
        "temperature": ({"params": {"temperature": 0.7}}, 3),
        "max_tokens": ({"params": {"max_tokens": 512}}, 3),
        "stop": ({"params": {"stop": ["\n\n"]}}, 3),
        "system prompt": ({"system_prompt": "Sei un enigmista."}, 3),
        "an option": ({"options": {"api_version": "2"}}, 3),
        "a header": ({"headers": {"x-variant": "b"}}, 3),
        "limits": ({"limits": {"concurrency": 2, "max_retries": 0, "rpm": 600}}, 0),
        "key": ({"api_key_env": "OTHER_API_KEY"}, 0),
    }


@pytest.mark.parametrize("name", _changes())
def test_the_cache_knows_all_that_can_change_an_answer_and_nothing_else(
    name: str, inside: Inside, tmp_path: Path
) -> None:  # B22
    made = material(tmp_path / "three.csv", 3)
    change, requests = _changes()[name]
    words = ("run", "far", "--data", made.path, "--setting", "regular", "--cache", "cache", "--yes")
    with FaultServer(made.answers) as server:
        configure(tmp_path, far=hosted("anthropic", server.url))
        assert inside(*words, "--out", "one").code == 0
        configure(tmp_path, far=hosted("anthropic", server.url, **change))
        done = inside(*words, "--out", "two", OTHER_API_KEY="altra")
        assert (done.code, server.requests) == (0, 3 + requests), done.err


@every_wire
def test_the_key_is_read_clean_and_shown_nowhere(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B31, B55
    echo = error(500, {"error": {"message": f"chiave {KEY} non valida"}})
    with FaultServer(ten.answers, first(99, echo, [ten.rebus(3)])) as server:
        limits = {"max_retries": 0}
        entry = hosted(wire, server.url, api_key_env="FAR_API_KEY", limits=limits)
        configure(tmp_path, far=entry)
        words = ("run", "far", "--data", ten.path, "--setting", "regular", "--cache", "cache")
        done = inside(*words, "--yes", FAR_API_KEY=f"{KEY}\r\n")
        assert (done.code, server.requests) == (1, 10), done.err
        assert all(any(v.endswith(KEY) for v in seen.headers.values()) for seen in server.seen)
        assert all(KEY not in seen.path for seen in server.seen)
    assert KEY not in done.all
    assert holders(KEY, [tmp_path]) == []
    assert "***" in next(each["error"] for each in stored(folder()) if each["id"] == 3)
    accent = inside(*words, "--out", "a", FAR_API_KEY="sk-fintà")
    assert accent.code == 2
    assert "fintà" not in accent.all
    assert inside(*words, "--out", "b").code == 2, "the variable is not set"


def test_samples_are_sent_seeds_of_their_own(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, far=hosted("openai", server.url, params={"seed": 7, "temperature": 1}))
        done = inside("run", "far", "--data", ten.path, *REGULAR, "--samples", "2", "--limit", "4")
        assert (done.code, server.requests) == (0, 8), done.err
        assert sorted(seen.body["seed"] for seen in server.seen) == [7] * 4 + [8] * 4
