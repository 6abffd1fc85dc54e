"""Secrets through a whole run: answers stay as they came, and what is shown or kept holds no key."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from apieval.signature import digest
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Reply, Seen, completion, error
from tests.e2e.program import KEY, Material, configure, folder, holders, model, stored, summary
from tests.e2e.wires import HOSTED, hosted

RUN = ("run", "local", "--setting", "regular", "--cache", "cache", "--yes")


pytestmark = [
    pytest.mark.usefixtures("no_waits", "litellm_imported", "untraced"),
    # litellm ignores this one itself, on import; pytest sets the filters anew for every test
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier"),
]


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


GATEWAY = "gw-fintissima-000222"


@pytest.mark.parametrize("wire", ["openai-compatible", *HOSTED])
def test_secret_headers_come_from_variables_and_are_written_nowhere(
    wire: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    secret = {"X-Gateway-Pass": "GATEWAY_PASS", "Cookie": "GATEWAY_COOKIE"}
    more = {"headers_env": secret, "headers": {"X-Team": "squadra-blu"}}
    said = {"GATEWAY_PASS": f"Bearer {GATEWAY}\r\n", "GATEWAY_COOKIE": f"session={GATEWAY}x"}

    def plan(seen: Seen) -> Reply | None:
        if seen.rebus == ten.rebus(2):
            return error(400, {"error": {"message": f"rifiutato: {GATEWAY}"}})
        return None

    with FaultServer(ten.answers, plan) as server:
        here = model(server.url, **more) if "-" in wire else hosted(wire, server.url, **more)
        configure(tmp_path, local=here)
        checked = inside("check", "local", "--data", ten.path, "--full", **said)
        done = inside(*RUN, "--data", ten.path, "--log", "log.jsonl", **said)
        assert (checked.code, done.code) == (0, 1), done.err
        for seen in server.seen:
            assert seen.headers["x-gateway-pass"] == f"Bearer {GATEWAY}"
            assert seen.headers["cookie"] == f"session={GATEWAY}x"
            assert seen.headers["x-team"] == "squadra-blu"
        requests = server.requests
        again = inside(*RUN, "--data", ten.path, "--out", "again", **said)
        assert server.requests == requests + 1, "what was answered came out of the cache"
    assert holders(GATEWAY, [tmp_path]) == []
    assert holders("squadra-blu", [tmp_path]) == [tmp_path / "providers.yaml"]
    for shown in (checked.all, done.all, again.all):
        assert GATEWAY not in shown
        assert "squadra-blu" not in shown
    assert "x-team: ***" in checked.out
    assert "rifiutato: ***" in done.all + str(stored(folder()))
    header = json.loads((folder() / "run.json").read_text("utf-8"))
    assert header["headers_env"] == secret
    assert header["spec"]["identity"]["headers"] == {"X-Team": digest("squadra-blu")}


def test_a_run_whose_headers_are_hidden_goes_on_and_is_verified(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, headers={"X-Team": "squadra-blu"}))
        assert inside(*RUN, "--data", ten.path).code == 0
        header = folder() / "run.json"
        known = json.loads(header.read_text("utf-8"))
        known["spec"]["identity"]["headers"] = {"X-Team": "squadra-blu"}  # as version 0.1 wrote it
        header.write_text(json.dumps(known), "utf-8")
        assert inside(*RUN, "--data", ten.path).code == 0
        assert server.requests == 10
    assert "squadra-blu" not in header.read_text("utf-8")
    done = inside("verify", folder(), "--json")
    checks = {each["name"]: each for each in json.loads(done.out)["checks"]}
    assert done.code == 0, done.out
    assert "hashes alone" in checks["keys"]["text"]


@pytest.mark.parametrize("name", ["Ocp-Apim-Subscription-Key", "Authorization"])
def test_a_secret_header_whose_variable_is_not_set_is_an_error(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, headers_env={name: "NOWHERE_1"}))
        done = inside(*RUN, "--data", ten.path)
        assert (done.code, server.requests) == (2, 0)
        assert "NOWHERE_1 is not set" in done.err
        assert "headers_env" in done.err
        assert not Path("results").exists()
        assert "key: NOWHERE_1 (not set)" in inside("models").out
        odd = inside(*RUN, "--data", ten.path, NOWHERE_1="perché")
        assert (odd.code, server.requests) == (2, 0)
        assert "perché" not in odd.all


def test_a_query_of_the_address_is_sent_with_every_request_and_is_part_of_what_was_asked(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    for number, version in enumerate(("2024-10-21", "2025-01-01")):
        with FaultServer(ten.answers) as server:
            url = f"{server.url}/chat/completions?api-version={version}"
            same = {"headers_env": {"api-key": "AZURE_KEY"}}
            configure(tmp_path, local=model(url, **same))
            out = f"out-{number}"
            done = inside(*RUN, "--data", ten.path, "--out", out, AZURE_KEY=KEY)
            assert (done.code, server.requests) == (0, 10), done.err
            paths = {seen.path for seen in server.seen}
            assert paths == {f"/v1/chat/completions?api-version={version}"}
        header = json.loads((folder(Path(out)) / "run.json").read_text("utf-8"))
        (endpoint,) = header["spec"]["identity"]["endpoint"]
        assert endpoint.endswith(f"/v1?api-version={version}")
