"""`apieval run`: what it prints and writes, its options, its refusals."""

from __future__ import annotations

import asyncio
import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.rebus import dataset
from apieval.records import Response
from apieval.run.store import Store
from tests.e2e.conftest import Inside
from tests.e2e.faults import FaultServer, Manner, Reply
from tests.e2e.program import (
    Done,
    Material,
    configure,
    figures,
    folder,
    lines,
    material,
    model,
    plain,
    stored,
    summary,
)
from tests.servers import Answer, Scripted, Seen, clamped

METRICS: Final = (
    "word_guess_accuracy",
    "word_guess_length_accuracy",
    "first_pass_accuracy",
    "solution_word_accuracy",
    "solution_word_length_accuracy",
    "solution_match",
)
DEAD: Final = "http://127.0.0.1:9/v1"
SAMPLE: Final = dataset.load()
NEW, OOD = (len(SAMPLE.select([name]).rebuses) for name in ("new", "ood"))

pytestmark = pytest.mark.usefixtures("no_waits")


def test_the_main_job_on_the_sample(inside: Inside) -> None:
    done = inside("run", "baseline")
    assert done.code == 0, done.err
    assert plain(done.all)
    for name in METRICS:
        assert name in done.out
    assert f"run folder: {folder()}" in done.out
    found = summary(folder())
    for setting in ("regular", "hints"):
        assert found["outcomes"][setting]["ok"] == len(SAMPLE.rebuses)
        table = found["figures"][setting]
        assert set(table) == {"all", "id", "ood", "new"}
        for subset in table.values():
            assert list(subset["official"]) == list(METRICS)
            for figure in subset["official"].values():
                assert {"value", "low", "high", "n"} <= set(figure["micro"]) & set(figure["macro"])
    match = found["figures"]["regular"]["all"]["official"]["solution_match"]["micro"]
    assert 0 < match["value"] < 1
    assert match["low"] <= match["value"] <= match["high"]
    assert match["n"] == len(SAMPLE.rebuses)


def test_a_run_folder_holds_what_the_contract_names(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1").code == 0
    header = json.loads((folder() / "run.json").read_text("utf-8"))
    assert {
        "format", "status", "spec", "data", "prompts", "versions", "git", "machine", "served",
        "outcomes", "usage", "began", "ended",
    } <= set(header)  # fmt: skip
    assert header["status"] == "done"
    assert header["data"]["digest"].startswith("sha256:")
    assert header["prompts"]["regular"].startswith("sha256:74b5bd34")
    assert header["prompts"]["hints"].startswith("sha256:cc87d31f")
    answers = stored(folder())
    assert len(answers) == 6
    assert list(answers[0]) == list(Response.model_fields)
    assert list(answers[0]) == [
        "id", "setting", "sample", "key", "text", "reasoning", "finish_reason", "outcome",
        "served_model", "system_fingerprint", "usage", "cost_usd", "latency_s", "attempts",
        "error", "created", "cached",
    ]  # fmt: skip
    scores = [each for each in lines(folder() / "scores.jsonl") if each["parser"] == "official"]
    assert len(scores) == 6
    for each in scores:
        assert {"id", "setting", "sample", "subset", "parser", "first_pass", "solution"} <= set(
            each
        )
        assert isinstance(each["word_guesses"], list)
        assert isinstance(each["solution_words"], list)
        assert all(each[name] == round(each[name], 4) for name in METRICS)
    assert {each["subset"] for each in scores} == {"id", "ood", "new"}


def _header() -> dict[str, Any]:
    header: dict[str, Any] = json.loads((folder() / "run.json").read_text("utf-8"))
    return header


def _as_if(**changes: object) -> dict[str, Any]:
    """Change what the run's header says, and return it."""
    header = {**_header(), **changes}
    (folder() / "run.json").write_text(json.dumps(header), "utf-8")
    return header


_NOVEMBER: Final = {
    "began": "2026-11-03T08:00:00+00:00",
    "ended": "2026-11-03T09:00:00+00:00",
    "took_s": 3600.0,
    "commands": [{"began": "2026-11-03T08:00:00+00:00", "took_s": 3600.0}],
}


@pytest.mark.parametrize("of_version_01", [False, True])
def test_a_finished_run_keeps_its_times(inside: Inside, *, of_version_01: bool) -> None:
    assert inside("run", "baseline", "--limit", "1").code == 0
    was = _as_if(**_NOVEMBER)
    if of_version_01:
        del was["commands"]
        (folder() / "run.json").write_text(json.dumps(was), "utf-8")
    assert inside("run", "baseline", "--limit", "1").code == 0
    now = _header()
    assert {name: now[name] for name in _NOVEMBER} == _NOVEMBER


def _forget_the_last_answer() -> dict[str, Any]:
    path = folder() / "responses.jsonl"
    *kept, last = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(kept))
    answer: dict[str, Any] = json.loads(last)
    return answer


@pytest.mark.parametrize("day", ["2026-11-03", "2199-01-01"], ids=["earlier", "clock set back"])
def test_times_of_commands_are_summed_and_the_beginning_stays(inside: Inside, day: str) -> None:
    assert inside("run", "baseline", "--limit", "1").code == 0
    began = f"{day}T08:00:00+00:00"
    _as_if(**{**_NOVEMBER, "began": began, "commands": [{"began": began, "took_s": 3600.0}]})
    _forget_the_last_answer()
    assert inside("run", "baseline", "--limit", "1").code == 0
    now = _header()
    first, second = now["commands"]
    assert (now["began"], first) == (began, {"began": began, "took_s": 3600.0})
    assert now["took_s"] == pytest.approx(3600.0 + second["took_s"])
    assert second["took_s"] >= 0
    assert now["ended"] >= began
    assert now["ended"] != _NOVEMBER["ended"]


def test_a_command_that_was_killed_counts_up_to_its_last_answer(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1").code == 0
    path = folder() / "responses.jsonl"
    *_, line = [json.loads(each) for each in path.read_text("utf-8").splitlines()][:-1]
    last = datetime.fromisoformat(line["created"])
    began = (last - timedelta(seconds=90)).isoformat()
    _as_if(
        status="running", began=began, ended=None, took_s=None,
        commands=[{"began": began, "took_s": None}],
    )  # fmt: skip
    _forget_the_last_answer()
    assert inside("run", "baseline", "--limit", "1").code == 0
    killed, _ = _header()["commands"]
    assert killed == {"began": began, "took_s": 90.0}


def test_json_is_the_summary_with_model_dir_and_status(inside: Inside) -> None:
    done = inside("run", "baseline", "--limit", "1", "--json")
    (only,) = json.loads(done.out)["runs"]
    expected = {**summary(folder()), "model": "baseline", "dir": str(folder()), "status": "done"}
    assert only == expected


def test_the_same_command_again_asks_nothing(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--cache", "off")
        first = inside(*words)
        assert (first.code, server.requests) == (0, 20)
        before = (folder() / "responses.jsonl").read_bytes()
        again = inside(*words, "--concurrency", "2", "--timeout", "9")
        assert (again.code, server.requests) == (0, 20)
    assert (folder() / "responses.jsonl").read_bytes() == before
    assert again.out == first.out
    assert "20 of them answered before" in again.err


def test_a_finished_run_again_changes_no_byte_of_what_is_made_of_it(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    def made() -> dict[str, bytes]:
        run = folder()
        assert inside(*words).code == 0
        assert inside("report", run).code == 0
        for layout in ("csv", "lm-eval", "parquet", "eee"):
            assert inside("export", run, "--format", layout).code == 0
        files = (each for each in run.rglob("*") if each.is_file() and "lock" not in each.name)
        kept = {str(each.relative_to(run)): each.read_bytes() for each in files}
        return {name: content for name, content in kept.items() if name != "run.json"}

    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path)
        assert inside(*words).code == 0
        first, again = made(), made()
        assert server.requests == 20
    assert {"report.md", "report.html", "table.csv", "scores.jsonl"} <= first.keys()
    assert len([name for name in first if name.startswith("export/")]) >= 8
    assert [name for name in first | again if first.get(name) != again.get(name)] == []


def test_samples_are_different_questions(inside: Inside, ten: Material, tmp_path: Path) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--setting", "hints", "--samples", "3")
        assert inside(*words, "--cache", "cache").code == 0
        assert server.requests == 30
        assert set(server.good.values()) == {3}
    assert {each["sample"] for each in stored(folder())} == {0, 1, 2}


def test_fresh_starts_over_and_keeps_what_was_paid(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--cache", "off")
        assert inside(*words).code == 0
        done = inside(*words, "--fresh")
        assert (done.code, server.requests) == (0, 40)
    old, new = sorted(Path("results").iterdir(), key=lambda each: -len(each.name))
    assert ".before-" in old.name
    assert len(stored(old)) == len(stored(new)) == 20


def test_the_hint_how_to_go_on_never_starts_over(
    inside: Inside, ten: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ["run", "local", "--data", "ten.csv", "--fresh", "--cache", "off"]
    monkeypatch.setattr("sys.argv", ["apieval", *words])
    configure(tmp_path, local=model(DEAD))
    done = inside(*words, "--wait-for-server", "0")
    assert done.code == 3
    assert "to resume: apieval run local --data ten.csv --cache off" in done.err


def test_one_model_that_fails_leaves_the_others_alone(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(
            tmp_path,
            gone=model(DEAD),
            local=model(server.url),
        )
        words = ("run", "gone", "local", "baseline", "--data", ten.path, "--cache", "off")
        done = inside(*words, "--wait-for-server", "0", "--json")
        assert server.requests == 20
    assert done.code == 3
    runs = json.loads(done.out)["runs"]
    assert [each["model"] for each in runs] == ["gone", "local", "baseline"]
    assert [each["status"] for each in runs] == ["stopped", "done", "done"]


_NOT_IN_THE_WAY: Final = {
    "APIEVAL_SETTING": "hints",
    "APIEVAL_SAMPLES": "2",
    "APIEVAL_NAME": "mine",
    "APIEVAL_CACHE": "off",
    "APIEVAL_CONCURRENCY": "2",
    "APIEVAL_TIMEOUT": "30",
    "APIEVAL_FRESH": "1",
    "APIEVAL_YES": "1",
    "APIEVAL_LOG": "log.jsonl",
}
OPTIONS: Final[dict[str, tuple[dict[str, str], Any]]] = {
    "several at once": (
        _NOT_IN_THE_WAY,
        lambda run: (
            (run["settings"], run["samples"], run["status"]) == (["hints"], 2, "done")
            and run["dir"] == "results/mine"
            and not Path("home").exists()
            and Path("log.jsonl").exists()
        ),
    ),
    "data": ({"APIEVAL_DATA": "ten.csv"}, lambda run: run["data"]["n"] == 10),
    "limit": ({"APIEVAL_LIMIT": "1"}, lambda run: run["data"]["n"] == 3),
    "subset": ({"APIEVAL_SUBSET": "new"}, lambda run: run["data"]["n"] == NEW),
    "subsets": ({"APIEVAL_SUBSET": "new ood"}, lambda run: run["data"]["n"] == NEW + OOD),
    "out": ({"APIEVAL_OUT": "there"}, lambda run: run["dir"].startswith("there/")),
    "lexicon": (
        {"APIEVAL_LEXICON": "lexicon.csv"},
        lambda run: (
            run["figures"]["hints"]["all"]["official"]["solution_match"]["micro"]["value"] == 0
        ),
    ),
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_can_be_set_in_the_environment(name: str, inside: Inside, ten: Material) -> None:
    Path("lexicon.csv").write_text("clue,answer\nuna cosa,cosa\n", encoding="utf-8")
    env, holds = OPTIONS[name]
    more = [] if name in {"limit", "subset", "subsets"} else ["--limit", "2"]
    more = [] if name == "data" else more
    done = inside("run", "baseline", "--json", *more, **env)
    assert done.code == 0, done.err
    (only,) = json.loads(done.out)["runs"]
    assert holds(only)


def test_json_can_be_set_in_the_environment(inside: Inside) -> None:
    for words in (("run", "baseline", "--limit", "1"), ("models",), ("cache", "stats")):
        json.loads(inside(*words, APIEVAL_JSON="1").out)


@pytest.mark.parametrize(
    "env",
    [
        {"APIEVAL_CONFIG": "nowhere.yaml"},
        {"APIEVAL_MAX_COST": "1"},
        {"APIEVAL_RETRY_TRUNCATED": "perhaps"},
        {"APIEVAL_WAIT_FOR_SERVER": "-1"},
        {"APIEVAL_LIMIT": "0"},
        {"APIEVAL_CONCURRENCY": "many"},
    ],
)
def test_what_the_environment_says_is_checked_too(env: dict[str, str], inside: Inside) -> None:
    done = inside("run", "baseline", **env)
    assert done.code == 2
    assert plain(done.all)


def _refused(done: Done, *words: str) -> None:
    assert done.code == 2, done.all
    assert plain(done.all)
    assert done.out == ""
    for word in words:
        assert word in done.err
    assert not Path("results").exists() or not list(Path("results").iterdir())


USAGE: Final[dict[str, tuple[tuple[str, ...], tuple[str, ...]]]] = {
    "no model": (("run",), ("MODEL",)),
    "unknown model": (("run", "basline"), ("'basline'", "did you mean 'baseline'?")),
    "a model twice": (("run", "baseline", "baseline"), ("twice",)),
    "one name for two": (("run", "baseline", "vllm", "--name", "x"), ("--name",)),
    "a name that is a path": (("run", "baseline", "--name", "../x"), ("--name",)),
    "unknown option": (("run", "baseline", "--limti", "3"), ("--limti", "--limit")),
    "unknown command": (("rnu",), ("rnu",)),
    "limit of none": (("run", "baseline", "--limit", "0"), ("--limit",)),
    "no samples": (("run", "baseline", "--samples", "0"), ("--samples",)),
    "concurrency": (("run", "baseline", "--concurrency", "0"), ("--concurrency",)),
    "negative money": (("run", "baseline", "--max-cost", "-1"), ("--max-cost",)),
    "unknown setting": (("run", "baseline", "--setting", "both-of-them"), ("--setting",)),
    "unknown subset": (("run", "baseline", "--subset", "odd"), ("'odd'", "did you mean 'ood'")),
    "missing data": (
        ("run", "baseline", "--data", "none.csv"),
        ("none.csv", "there is no such file"),
    ),
    "empty data": (("run", "baseline", "--data", "empty.csv"), ("empty.csv", "empty")),
    "header alone": (("run", "baseline", "--data", "header.csv"), ("header.csv", "no rows")),
    "not UTF-8": (("run", "baseline", "--data", "latin.csv"), ("latin.csv, line 2", "UTF-8")),
    "a folder": (("run", "baseline", "--data", "folder.csv"), ("folder.csv",)),
    "another kind": (("run", "baseline", "--data", "text.txt"), ("text.txt", ".csv")),
    "other columns": (("run", "baseline", "--data", "other.csv"), ("missing column",)),
    "an empty cell": (("run", "baseline", "--data", "hole.csv"), ("line 2", "'solution'", "empty")),
    "missing config": (("run", "baseline", "--config", "none.yaml"), ("none.yaml",)),
    "file in the way": (("run", "baseline", "--out", "text.txt"), ("text.txt", "--out")),
    "cache in the way": (("run", "vllm", "--cache", "text.txt"), ("text.txt", "--cache")),
    "log in the way": (("run", "baseline", "--log", "none/log"), ("none/log", "--log")),
    "lexicon": (("run", "baseline", "--lexicon", "none.csv"), ("none.csv",)),
    "words": (("run", "baseline", "--words", "none.txt"), ("none.txt", "--words")),
}


@pytest.mark.parametrize("name", USAGE)
def test_what_cannot_be_used_is_refused_before_anything_is_asked(
    name: str, inside: Inside, ten: Material
) -> None:
    head, first = ten.path.read_text("utf-8").splitlines()[:2]
    Path("empty.csv").write_text("", "utf-8")
    Path("header.csv").write_text(f"{head}\n", "utf-8")
    Path("latin.csv").write_bytes(f"{head}\n{first}\n".encode("latin-1"))
    Path("folder.csv").mkdir()
    Path("text.txt").write_text("no data\n", "utf-8")
    Path("other.csv").write_text("a,b\n1,2\n", "utf-8")
    hole = first.rpartition(",")[0]
    Path("hole.csv").write_text(f"{head}\n{hole},\n", "utf-8")
    words, expected = USAGE[name]
    done = inside(*words)
    _refused(done, *expected)


CONFIGURATIONS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "misspelt key": (
        (
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            "    base_url: http://127.0.0.1:9\n    model: m\n    params: {temprature: 0}\n"
        ),
        ("'temprature'", "did you mean 'temperature'"),
    ),
    "misspelt section": (
        (
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            "    base_ulr: http://127.0.0.1:9\n    model: m\n"
        ),
        ("'base_ulr'", "did you mean 'base_url'"),
    ),
    "parameter outside": (
        (
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            "    base_url: http://127.0.0.1:9\n    model: m\n    max_token: 5\n"
        ),
        ("'max_token'", "did you mean 'max_tokens'", "params"),
    ),
    "a boolean for a text": (
        (
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            "    base_url: http://127.0.0.1:9\n    model: m\n    params: {stop: [true, Rebus]}\n"
        ),
        ("stop", "quotes"),
    ),
    "a number for a text": (
        (
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            "    base_url: http://127.0.0.1:9\n    model: 11\n"
        ),
        ("model", "quotes"),
    ),
    "duplicate key": ("version: 1\nversion: 1\n", ("version", "duplicate")),
    "not YAML": ("version: [1\n", ("not YAML",)),
    "a list": ("- 1\n", ("must hold keys",)),
    "unknown provider": (
        "version: 1\nmodels: {x: {provider: openai, model: m}}\n",
        ("'openai'", "openai-compatible"),
    ),
}


@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_a_faulty_configuration_is_named_with_the_remedy(
    name: str, inside: Inside, ten: Material
) -> None:  # B30
    text, expected = CONFIGURATIONS[name]
    Path("providers.yaml").write_text(text, "utf-8")
    _refused(inside("run", "x", "--data", ten.path), "providers.yaml", *expected)


def test_numbers_are_numbers_in_every_notation(
    inside: Inside, ten: Material
) -> None:  # B30: what YAML 1.1 would make a text of
    with FaultServer(ten.answers) as server:
        Path("providers.yaml").write_text(
            "version: 1\nmodels:\n  x:\n    provider: openai-compatible\n"
            f"    base_url: {server.url}\n    model: m\n"
            "    params: {temperature: 1e-1, stop: [NO, Rebus]}\n",
            "utf-8",
        )
        assert inside("run", "x", "--data", ten.path, "--limit", "1").code == 0
        assert server.seen[0].body["temperature"] == 0.1
        assert server.seen[0].body["stop"] == ["NO", "Rebus"]


def test_an_unset_variable_is_named(inside: Inside, ten: Material, tmp_path: Path) -> None:
    configure(tmp_path, local=model(DEAD, api_key_env="MY_OWN_KEY"))
    _refused(inside("run", "local", "--data", ten.path), "MY_OWN_KEY", "is not set")


def test_a_refused_port_is_not_waited_for_without_patience(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    configure(tmp_path, local=model(DEAD))
    done = inside("run", "local", "--data", ten.path, "--wait-for-server", "0")
    assert done.code == 3
    assert plain(done.all)
    assert "is the server running, and is base_url right?" in done.err
    assert "0 of 20 answers saved" in done.err


def test_a_server_of_pages_stops_the_run_early(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    page = Reply(200, b"<!doctype html><h1>Accedi</h1>", {"content-type": "text/html"})
    with FaultServer(ten.answers, lambda _: page) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, "--setting", "regular")
        assert server.requests < 40
    assert done.code == 3
    assert plain(done.all)
    assert "is this an API address?" in done.err
    assert "Accedi" in done.err


def test_a_changed_data_file_is_refused_saying_what_changed(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, local=model(server.url))
        words = ("run", "local", "--data", ten.path, "--cache", "off")
        assert inside(*words).code == 0
        before = json.loads((folder() / "run.json").read_text("utf-8"))["data"]["digest"]
        with ten.path.open("a", encoding="utf-8") as file:
            file.write("\n")
        done = inside(*words)
        assert (done.code, server.requests) == (2, 20)
        assert before in done.err
        assert "'ten.csv' has changed" in done.err
        assert "--fresh" in done.err
        assert inside("score", folder()).code == 2


def test_another_run_under_the_same_name_is_refused(inside: Inside) -> None:
    assert inside("run", "baseline", "--limit", "1", "--name", "mine").code == 0
    done = inside("run", "baseline", "--limit", "2", "--name", "mine")
    assert done.code == 2
    assert "limit: 1 then, 2 now" in done.err


def test_a_log_tells_what_happened(inside: Inside, ten: Material, tmp_path: Path) -> None:
    once = {"first": True}

    def plan(seen: object) -> Manner | None:
        return Manner.DROP if once.pop("first", None) else None

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, "--log", "log.jsonl")
        assert done.code == 0
    events = [each["event"] for each in lines(Path("log.jsonl"))]
    assert events[0] == "began"
    assert events[-1] == "ended"
    assert events.count("answered") == 20
    assert events.count("attempt failed") == 1


def test_rows_that_break_a_rule_are_used_and_counted(inside: Inside, tmp_path: Path) -> None:
    made = material(tmp_path / "some.csv", 3)
    text = made.path.read_text("utf-8").replace(made.rows[1]["solution_key"] + ",", "1 1 1,", 1)
    made.path.write_text(text, "utf-8")
    with FaultServer(made.answers) as server:
        configure(tmp_path, local=model(server.url))
        done = inside("run", "local", "--data", made.path)
        assert (done.code, server.requests) == (0, 6)
    assert "1 row breaks a rule of the game (the key is not the solution's)" in done.err
    assert "used all the same: 1\n" in done.err


def test_limits_and_settings_choose_what_is_asked(inside: Inside) -> None:
    assert inside("run", "baseline", "--setting", "hints", "--subset", "new").code == 0
    assert {each["setting"] for each in stored(folder())} == {"hints"}
    assert len(stored(folder())) == NEW
    assert set(figures(folder())["hints"]) == {"all", "new"}


def test_of_several_models_none_is_asked_where_one_cannot_be(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, one=model(server.url), two=model(server.url))
        words = ("--data", ten.path, "--setting", "regular", "--cache", "off")
        assert inside("run", "two", *words).code == 0
        held = Store.open(folder())
        done = inside("run", "one", "two", *words)
        held.close()
        assert (done.code, server.requests) == (2, 10)
        assert "another process is at this run" in done.err
        assert inside("run", "one", "two", *words).code == 0
        assert server.requests == 20


def test_answers_cut_by_a_full_window_are_told_of_with_what_helps(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    lengths = iter(range(7, 200))

    def cut(seen: Seen) -> Answer:
        del seen
        return Answer(clamped(1850, next(lengths)))

    async def talk() -> Done:
        async with Scripted(cut) as server:
            configure(tmp_path, local=model(server.url))
            words = ("run", "local", "--data", ten.path, "--setting", "regular", "--cache", "off")
            return await asyncio.to_thread(inside, *words)

    done = asyncio.run(talk())
    assert done.code == 0
    why = (
        "although max_tokens is 1,024: the server's window (1,850) is full; start it with a larger"
    )
    assert done.err.count(why) == 1, "while it runs, once"
    (found,) = [each for each in summary(folder())["findings"] if each["kind"] == "answers_cut"]
    assert found["text"].startswith(
        f"10 of 10 answers cut at the length limit: cut after 7 to 16 tokens {why} --max-model-len"
    )
    assert "raise max_tokens" not in found["text"]


def test_a_limit_beyond_the_window_ends_a_run_after_few_requests(
    inside: Inside, ten: Material, tmp_path: Path
) -> None:
    message = (
        "'max_tokens' or 'max_completion_tokens' is too large: 1024. This model's maximum context "
        "length is 1024 tokens and your request has 700 input tokens (1024 > 1024 - 700)."
    )

    async def talk() -> tuple[Done, int]:
        async with Scripted([Answer({"error": {"message": message}}, status=400)]) as server:
            configure(tmp_path, local=model(server.url, limits={"concurrency": 2}))
            words = ("run", "local", "--data", ten.path, "--cache", "off")
            return await asyncio.to_thread(inside, *words), len(server.seen)

    done, requests = asyncio.run(talk())
    assert done.code == 3
    assert requests <= 2
    assert "has no room for max_tokens beside the prompt" in done.err
    assert done.err.count("to resume: ") == 1
