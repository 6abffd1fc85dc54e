"""The other commands: `models`, `cache`, `serve-baseline`, and the frame around all."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
from pathlib import Path

import pytest

from apieval import loading
from apieval.cli import app
from apieval.version import VERSION
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer
from tests.e2e.program import (
    Material,
    apieval,
    configure,
    end,
    figures,
    folder,
    model,
    plain,
    start,
)


def test_the_program_says_what_it_is(inside: Inside) -> None:
    assert inside("--version").out == f"apieval {VERSION}\n"
    done = inside("--help")
    assert done.code == 0
    for name in ("run", "check", "score", "models", "serve-baseline", "cache"):
        assert name in done.out
    for words in (("run", "-h"), ("score", "-h"), ("cache", "-h"), ("cache", "clear", "-h")):
        assert inside(*words).code == 0


def test_help_is_wrapped_by_the_terminal_alone(inside: Inside) -> None:
    assert "One that stops early leaves the others" in " ".join(inside("run", "-h").out.split())
    for each in app.registered_commands:
        assert not re.search(r"[^\n]\n[^\n]", each.help or "\n"), each.name


def test_the_help_of_a_run_stands_in_groups(inside: Inside) -> None:
    said = inside("run", "--help").out
    groups = ["Arguments", "What", "How", "Money", "Files and output"]
    assert re.findall("─ ([A-Z][a-z ]+) ─", said) == groups
    assert "Example: apieval run " in said
    where = {name: said.index(f" {name} ") for name in groups}
    for option, group in (("--limit", "What"), ("--param", "How"), ("--max-cost", "Money")):
        after = [each for each in groups if where[each] > where[group]]
        assert where[group] < said.index(option, where[group]) < where[after[0]]


def test_no_help_shows_the_type_of_a_flag_or_of_an_argument(inside: Inside) -> None:
    for each in app.registered_commands:
        said = inside(each.name or "", "--help").out
        assert not re.search(r"<bool>|<str>|<list|<path>", said), each.name


def test_a_wrong_choice_is_refused_in_the_program_s_own_words(inside: Inside) -> None:
    said = " ".join(inside("run", "baseline", "--setting", "hint").err.split())
    assert "Invalid value for '--setting': 'hint' is not one of" in said


def test_models_lists_what_is_configured(
    inside: Inside, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "organizzazione-lunghissima/modello-sperimentale-istruito-70B-versione-2026-09"
    configure(
        tmp_path,
        **{
            name: model("http://127.0.0.1:9/", api_key_env="MY_API_KEY"),
            "two": model(["http://127.0.0.1:9", "http://127.0.0.1:10/v1/chat/completions"]),
        },
    )
    done = inside("models")
    assert done.code == 0
    assert name in done.out
    assert "key: MY_API_KEY (not set)" in done.out
    assert done.out.splitlines()[0].startswith("baseline")
    rows = {row["name"]: row for row in json.loads(inside("models", "--json").out)["models"]}
    assert rows[name]["api_key_set"] is False
    assert rows["two"]["base_url"] == ["http://127.0.0.1:9/v1", "http://127.0.0.1:10/v1"]
    monkeypatch.setenv("MY_API_KEY", "k")
    assert "not set" not in inside("models").out


def test_models_finds_the_package_s_own_file(inside: Inside) -> None:
    rows = json.loads(inside("models", "--json").out)["models"]
    assert {"baseline", "vllm", "sglang", "llama-cpp", "ollama", "lm-studio", "tgi"} <= {
        row["name"] for row in rows
    }


def test_the_cache_is_counted_checked_explained_and_emptied(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", "cache")
        assert inside("run", "local", *words).code == 0
        assert "10 answers" in inside("cache", "stats", "--cache", "cache").out
        stats = json.loads(inside("cache", "stats", "--cache", "cache", "--json").out)
        assert stats["answers"] == 10
        assert stats["bytes"] > 0
        checked = inside("cache", "verify", "--cache", "cache")
        assert (checked.code, checked.out) == (0, "cache: 0 damaged entries\n")
        why = json.loads(inside("cache", "why", "local", *words, "--json").out)
        assert why == {"all_cached": True, "first_differs": None}
        configure(tmp_path, local=model(server.url, params={"temperature": 0.3}))
        said = inside("cache", "why", "local", *words).out.splitlines()
        assert said[0] == "row 0 (regular) is not in the cache"
        assert said[1].startswith("body.temperature: stored 0")
        assert said[1].endswith(", asked 0.3")
        assert len(said) == 2
        other = ("--data", ten.path, "--setting", "hints", "--cache", "cache")
        said = inside("cache", "why", "local", *other, "--param", "temperature=0").out.splitlines()
        assert said[0] == "row 0 (hints) is not in the cache"
        [stored, asked] = re.findall(r" \.\.\.(.*?)\.\.\. \([\d,]+ characters\)", said[1])
        assert stored != asked
        assert stored[:20] == asked[:20]
        emptied = inside("cache", "clear", "--cache", "cache", "--yes", "--json")
        assert json.loads(emptied.out)["removed"] == 10
        assert (
            json.loads(inside("cache", "stats", "--cache", "cache", "--json").out)["answers"] == 0
        )
        assert "the cache is empty" in inside("cache", "why", "local", *words).out


def test_a_damaged_entry_is_named(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "cache")
        assert inside(*words).code == 0
        base = sqlite3.connect("cache/cache.db")
        base.execute("UPDATE Cache SET value = replace(value, 'Soluzione', '') WHERE rowid = 3")
        base.execute("UPDATE Cache SET value = '{' WHERE rowid = 4")
        base.execute("UPDATE Cache SET key = 'sha256:0' WHERE rowid = 5")
        base.commit()
        base.close()
        done = inside("cache", "verify", "--cache", "cache", "--json")
        assert done.code == 1
        assert len(json.loads(done.out)["damaged"]) == 3
        server.forget()
        assert inside(*words, "--out", "again").code == 0
        assert server.requests == 3


def test_clearing_asks_first(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", "cache")
        assert inside("run", "local", *words).code == 0
    done = inside("cache", "clear", "--cache", "cache")
    assert done.code != 0
    assert "Remove 10 cached answers" in done.err
    assert json.loads(inside("cache", "stats", "--cache", "cache", "--json").out)["answers"] == 10
    assert inside("cache", "stats", "--cache", "off").code == 2


@pytest.mark.usefixtures("measured")
def test_a_served_baseline_gives_the_embedded_one_s_figures(inside: Inside, tmp_path: Path) -> None:
    process = start("serve-baseline", "--port", "0", "--json")
    try:
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "}\n")) + "}"
        url = json.loads(said)["base_url"]
        entry = {**model(url), "model": "apieval-baseline"}
        configure(tmp_path, served=entry)
        assert inside("run", "served", "--limit", "5", "--out", "served").code == 0
        taken = inside("serve-baseline", "--port", url.rpartition(":")[2].removesuffix("/v1"))
        assert taken.code == 2
        assert "cannot be used (address already in use); choose another with --port" in taken.err
    finally:
        process.send_signal(signal.SIGINT)
        done = end(process)
    assert done.code == 0
    assert plain(done.all)
    assert inside("run", "baseline", "--limit", "5", "--out", "embedded").code == 0
    assert figures(folder(Path("served"))) == figures(folder(Path("embedded")))


def test_the_baseline_is_served_on_loopback_alone(inside: Inside) -> None:
    done = inside("serve-baseline", "--host", "0.0.0.0")  # noqa: S104 # it must be refused
    assert done.code == 2
    assert "loopback" in done.err


def test_a_command_lets_an_interrupt_be_an_exception_again(inside: Inside) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        loading.guard("apieval")
        assert inside("models").code == 0
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_outside_a_run_is_no_traceback(
    inside: Inside, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*args: object, **more: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("apieval.evaluate.datasets.load", interrupted)
    done = inside("run", "baseline")
    assert (done.code, done.err) == (130, "apieval: interrupted\n")


@pytest.mark.parametrize("env", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "cp1252"}])
def test_any_console_will_do(env: dict[str, str], tmp_path: Path) -> None:
    done = apieval("run", "baseline", "--limit", "1", **env)
    assert done.code == 0, done.err
    assert plain(done.all)
    assert "solution_match" in done.out
