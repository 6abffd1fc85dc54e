"""What a run may cost, and what must never be seen: keys."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import USAGE, FaultServer, Reply, completion, error, from_request
from tests.e2e.program import (
    KEY,
    Material,
    apieval,
    configure,
    folder,
    holders,
    material,
    model,
    stored,
    summary,
)

REGULAR: Final = ("--setting", "regular", "--cache", "off", "--yes")
PRICE: Final = {"input": 10.0, "output": 100.0}
EACH: Final = (USAGE["prompt_tokens"] * 10 + USAGE["completion_tokens"] * 100) / 1e6
WORST: Final = (1000 * 10 + 1024 * 100) / 1e6
"""No prompt here has 1,000 tokens."""


@pytest.mark.parametrize("at_once", [1, 8])
def test_max_cost_is_kept_and_a_higher_one_goes_on(
    at_once: int, inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "some.csv", 60)
    words = ("run", "local", "--data", made.path, *REGULAR)
    with FaultServer(made.answers, latency_s=0.002) as server:
        limits = {"concurrency": at_once}
        configure(tmp_path, local=model(server.url, price=PRICE, limits=limits))
        done = inside(*words, "--max-cost", "0.5")
        assert done.code == 3, done.err
        assert "--max-cost 0.5 USD is reached" in done.err
        assert 0.5 - WORST <= server.paid * EACH <= 0.5
        kept = len(stored(folder()))
        assert kept == server.paid
        cost = summary(folder())["usage"]["cost_usd"]
        assert (cost["sum"], cost["known_for"]) == (pytest.approx(kept * EACH), kept)
        # the same bound again asks nothing: what was spent before counts
        assert inside(*words, "--max-cost", "0.5").code == 3
        assert server.paid == kept
        assert inside(*words, "--max-cost", "50").code == 0
        assert server.paid == server.requests == 60


@pytest.mark.parametrize("given", ["0.5", "=0.5", "variable", "0.0001"])
def test_the_command_that_is_named_goes_on_to_the_end(
    given: str, inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = material(tmp_path / "some.csv", 60)
    words = ["run", "local", "--data", str(made.path), *REGULAR]
    bound = [f"--max-cost{given}"] if "=" in given else ["--max-cost", given]
    if given == "variable":
        bound = []
        monkeypatch.setenv("APIEVAL_MAX_COST", "0.5")
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        monkeypatch.setattr(sys, "argv", ["apieval", *bound, *words])
        done, steps = inside(*words, *bound), 0
        while done.code == 3:
            paid, steps = server.paid, steps + 1
            told = "with room for about all that is left, to resume: apieval "
            [said] = [line for line in done.err.splitlines() if line.startswith(told)]
            again = shlex.split(said.removeprefix(told))
            assert again[:-2] == words
            assert again[-2] == "--max-cost"
            assert float(again[-1]) < 10
            done = inside(*again)
            assert server.paid > paid
        assert done.code == 0
        assert server.paid == 60
        # before the first answer only the forecast is known, which errs here
        assert steps == (2 if given == "0.0001" else 1)


def test_answers_dearer_than_reserved_stop_the_run(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 60)
    usage = {"prompt_tokens": 5000, "completion_tokens": 5000, "total_tokens": 10000}
    dear = 5000 * 110 / 1e6
    body = completion("Soluzione: boh", usage=usage)
    with FaultServer(made.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside("run", "local", "--data", made.path, *REGULAR, "--max-cost", "2")
        assert done.code == 3
        assert server.paid * dear <= 2 + 8 * dear  # no more than those on their way


def test_answers_of_unknown_cost_use_up_what_was_reserved(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 60)
    body = completion("Soluzione: boh", usage=None)
    with FaultServer(made.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside("run", "local", "--data", made.path, *REGULAR, "--max-cost", "1")
        assert done.code == 3
        assert 0 < server.paid <= 1 / (1024 * 100 / 1e6)
    cost = summary(folder())["usage"]["cost_usd"]
    assert cost == {"sum": None, "known_for": 0}  # unknown, never 0


def test_answers_of_unknown_cost_count_on_going_on(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 60)
    body = completion("Soluzione: boh", usage=None)
    words = ("run", "local", "--data", made.path, *REGULAR, "--max-cost", "1")
    with FaultServer(made.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        assert inside(*words).code == 3
        paid = server.paid
        assert inside(*words).code == 3  # the same bound again asks nothing
        assert inside(*words, "--fresh").code == 3
        assert server.paid == 2 * paid


def test_a_server_that_counts_nothing_does_not_pass_for_free(
    inside: Inside, tmp_path: Path
) -> None:
    made = material(tmp_path / "some.csv", 60)
    body = completion("Soluzione: boh", usage=dict.fromkeys(USAGE, 0))
    with FaultServer(made.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside("run", "local", "--data", made.path, *REGULAR, "--max-cost", "1")
        assert done.code == 3
        assert 0 < server.paid <= 1 / (1024 * 100 / 1e6)


def test_every_attempt_is_reserved_for(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 60)
    usage = {"prompt_tokens": 700, "completion_tokens": 1024, "total_tokens": 1724}
    empty = (700 * 10 + 1024 * 100) / 1e6
    body = completion("", usage=usage)
    with FaultServer(made.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        done = inside("run", "local", "--data", made.path, *REGULAR, "--max-cost", "1")
        assert done.code == 3
        assert "--max-cost 1 USD is reached" in done.err
        assert server.paid * empty <= 1
    # and every cent is on record, those of the requests too that have no answer yet
    assert sum(each["cost_usd"] or 0 for each in stored(folder())) == pytest.approx(
        server.paid * empty
    )


@pytest.mark.parametrize(
    ("more", "lacks"),
    [({}, "price"), ({"price": PRICE, "params": {"max_tokens": None}}, "max_tokens")],
)
def test_a_bound_that_cannot_be_kept_is_refused(
    more: dict[str, Any], lacks: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, **more))
        done = inside("run", "local", "--data", ten.path, *REGULAR, "--max-cost", "1")
        assert (done.code, server.requests) == (2, 0)
    assert lacks in done.err
    assert not Path("results").exists()


def test_cached_answers_cost_nothing(inside: Inside, ten: Material, tmp_path: Path) -> None:
    words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, price=PRICE))
        assert inside(*words).code == 0
        done = inside(*words, "--out", "again", "--max-cost", "0.0001")
        assert (done.code, server.requests) == (0, 10), done.err
    assert summary(folder(Path("again")))["usage"]["cost_usd"]["sum"] == 0.0


def _nowhere(secret: str, said: str, tmp_path: Path) -> None:
    assert secret not in said
    assert holders(secret, [tmp_path / "results", tmp_path / "cache", tmp_path / "home"]) == []


ECHOES: Final = {
    "401": (401, f"chiave {KEY} non valida"),
    "500": (500, f"chiave {KEY} non valida"),
    "400": (400, f"chiave {KEY} non valida"),
    "200": (200, f"chiave {KEY} non valida"),
    "429 in a long text": (429, "x" * 190 + KEY),
}


@pytest.mark.parametrize("name", ECHOES)
def test_a_key_that_the_server_repeats_is_shown_nowhere(
    name: str, ten: Material, tmp_path: Path
) -> None:  # B55
    status, said = ECHOES[name]
    echo = error(status, {"error": {"message": said}}, retry_after="3600")
    with FaultServer(ten.answers, from_request(4, echo)) as server:
        limits = {"max_retries": 0, "concurrency": 1}
        configure(tmp_path, local=model(server.url, api_key_env="MY_API_KEY", limits=limits))
        Path("results").mkdir()
        words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
        done = apieval(*words, "--log", "results/log.jsonl", MY_API_KEY=KEY)
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    assert done.code in {1, 3}
    _nowhere(KEY, done.all, tmp_path)
    log = Path("results/log.jsonl").read_text(encoding="utf-8")
    if name.isdecimal():
        assert "chiave *** non valida" in done.err + log + str(stored(folder()))
    else:
        _nowhere(KEY[:9], done.all, tmp_path)


def test_a_key_that_serves_is_stored_nowhere(ten: Material, tmp_path: Path) -> None:  # B31
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, api_key_env="MY_API_KEY"))
        words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
        done = apieval(*words, MY_API_KEY=f"{KEY}\r\n")
        assert done.code == 0, done.err
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    _nowhere(KEY, done.all, tmp_path)


def test_an_empty_key_of_a_local_server_is_not_sent(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B31
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, api_key_env="MY_API_KEY"))
        done = inside("run", "local", "--data", ten.path, *REGULAR, MY_API_KEY="")
        assert done.code == 0, done.err
        assert not any("authorization" in seen.headers for seen in server.seen)


REFUSED: Final[dict[str, tuple[dict[str, Any], str]]] = {
    "unset": ({"api_key_env": "NOWHERE_API_KEY"}, "NOWHERE_API_KEY"),
    "accent": ({"api_key_env": "ACCENT_API_KEY"}, "ACCENT_API_KEY"),
    "two lines": ({"api_key_env": "LINES_API_KEY"}, "LINES_API_KEY"),
    "a key for a name": ({"api_key_env": KEY}, "never the key itself"),
    "in the file": ({"api_key": KEY}, "api_key_env"),
    "a variable in the file": ({"api_key": "${NOWHERE_API_KEY}"}, "api_key_env"),
    "in a header": ({"headers": {"Authorization": f"Bearer {KEY}"}}, "api_key_env"),
    "in the address": ({"base_url": f"http://127.0.0.1:1/v1?key={KEY}"}, "base_url"),
    "userinfo": ({"base_url": f"http://utente:{KEY}@127.0.0.1:1/v1"}, "api_key_env"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_key_in_the_wrong_place_is_refused_and_not_shown(
    name: str, inside: Inside, ten: Material, tmp_path: Path
) -> None:  # B31, B55
    change, names = REFUSED[name]
    path = tmp_path / "elsewhere" / "providers.yaml"
    path.parent.mkdir()
    entry = {**model("http://127.0.0.1:1/v1"), **change}
    path.write_text(json.dumps({"version": 1, "models": {"local": entry}}), encoding="utf-8")
    env = {"ACCENT_API_KEY": f"{KEY}à", "LINES_API_KEY": f"{KEY}\r\nx-evil: 1"}
    run = ("run", "local", "--data", ten.path, "--cache", "cache")
    done = inside(*run, "--config", path, **env)
    assert done.code == 2
    assert names in done.err
    _nowhere(KEY, done.all, tmp_path)
    for words in (("models",), ("models", "--json")):
        _nowhere(KEY, inside(*words, "--config", path, **env).all, tmp_path)
    assert not Path("results").exists()


def test_asking_again_what_was_cut_loses_nothing_where_it_may_not(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    words = ("run", "local", "--setting", "regular", "--data", ten.path, "--cache", "off")
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url, price={"input": 1, "output": 1}))
        assert inside(*words).code == 0
        path = folder() / "responses.jsonl"
        cut = path.read_text("utf-8").replace('"outcome":"ok"', '"outcome":"truncated"')
        path.write_text(cut, "utf-8")
        done = inside(*words, "--retry-truncated", "--max-cost", "0")
        assert (done.code, server.requests) == (3, 10)
        assert path.read_text("utf-8") == cut
        assert inside(*words).code == 0
        assert server.requests == 10
        assert inside(*words, "--retry-truncated").code == 0
        assert server.requests == 20
    assert path.read_text("utf-8").count('"outcome":"ok"') == 10
    assert (folder() / "responses.replaced.jsonl").read_text("utf-8") == cut
