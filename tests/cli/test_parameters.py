"""What goes into a request by `--preset`, `--param` and `--drop`; direct names, and their prices."""

from __future__ import annotations

import json
from collections import Counter
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from apieval.config import known as directory
from tests.e2e.conftest import Inside
from tests.e2e.faults import USAGE, FaultServer, Reply, Seen, completion
from tests.e2e.program import KEY, Material, configure, folder, model, plain, stored, summary
from tests.records import REPOSITORY

REGULAR = ("--setting", "regular", "--cache", "off", "--yes")

pytestmark = pytest.mark.usefixtures("no_waits")


def header() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder() / "run.json").read_text("utf-8"))
    return found


def cut_at_a_blank_line(made: Material, whole: int) -> Any:  # noqa: ANN401 # a plan
    """Stop as the preset says: before the blank line that every answer in the template has."""

    def plan(seen: Seen) -> Reply:
        text = made.answers[seen.rebus]
        (stop,) = seen.body["stop"]
        said = text if seen.number <= whole else text.partition(stop)[0]
        return Reply(200, completion(said), good=True)

    return plan


def test_the_challenges_preset_end_to_end(inside: Inside, ten: Material) -> None:
    configure_and_run = ("run", "local", "--data", ten.path, *REGULAR, "--preset", "calamita")
    with FaultServer(ten.answers, cut_at_a_blank_line(ten, 3)) as server:
        configure(ten.path.parent, local=model(server.url, params={"seed": 1}))
        done = inside(*configure_and_run)
        assert done.code == 0, done.err
        for seen in server.seen:
            body = {name: value for name, value in seen.body.items() if name != "messages"}
            assert body == {
                "stream": False,
                "model": "modello-prova",
                "temperature": 0,
                "max_tokens": 256,
                "stop": ["\n\n"],
                "seed": 1,
            }
    assert "7 of 10 answers without a solution line" in done.out
    assert header()["preset"] == "calamita"
    assert header()["spec"]["identity"]["body"]["stop"] == ["\n\n"]
    assert r'"stop"\:["\\n\\n"]' in summary(folder())["signatures"]["regular"]["official"]
    (found,) = [each for each in summary(folder())["findings"] if each["kind"] != "prompts_cut"]
    assert found["kind"] == "without_solution"


def test_parameters_of_the_command_line_are_sent_and_recorded(
    inside: Inside, ten: Material
) -> None:
    words = ("--param", "temperature=0.5", "--param", "max_tokens=77", "--drop", "seed")
    with FaultServer(ten.answers) as server:
        entry = model(server.url, params={"seed": 1}, drop=["top_p"])
        configure(ten.path.parent, local=entry)
        done = inside("run", "local", "--data", ten.path, *REGULAR, *words)
        assert done.code == 0, done.err
        sent = server.seen[0].body
    assert (sent["temperature"], sent["max_tokens"], "seed" in sent) == (0.5, 77, False)
    assert header()["dropped"] == ["seed", "top_p"]
    assert "left out of the request: seed, top_p" in done.out
    signed = summary(folder())["signatures"]["regular"]["official"]
    assert "|dropped:seed+top_p|" in signed


def test_a_cut_answer_names_the_limit_the_model_has(inside: Inside, ten: Material) -> None:
    body = completion("Prima lettura: x", "length")
    entry = {"params": {"max_completion_tokens": 50}, "drop": ["max_tokens"]}
    with FaultServer(ten.answers, lambda _: Reply(200, body, good=True)) as server:
        configure(ten.path.parent, local=model(server.url, **entry))
        done = inside("run", "local", "--data", ten.path, *REGULAR, "--param", "max_tokens=9")
        assert {seen.body["max_completion_tokens"] for seen in server.seen} == {9}
        assert not any("max_tokens" in seen.body for seen in server.seen)
    told = "10 of 10 answers cut at the length limit: raise max_completion_tokens"
    assert told in done.out
    assert told in inside("score", folder()).out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--preset", "calamit"), "did you mean 'calamita'?"),
        (("--param", "temprature=1"), "did you mean 'temperature'?"),
        (("--param", "temperature"), "NAME=VALUE"),
        (("--param", "seed=1", "--param", "seed=2"), "given twice"),
        (("--drop", "tempratur"), "did you mean 'temperature'?"),
        (("--param", "max_tokens=1e3"), "max_tokens"),
        (("--param", "stop=" + "[" * 10_000 + "5"), None),
    ],
)
def test_what_cannot_be_sent_is_refused_before_anything_is_asked(
    words: tuple[str, ...], said: str | None, inside: Inside, ten: Material
) -> None:
    with FaultServer(ten.answers) as server:
        configure(ten.path.parent, local=model(server.url))
        done = inside("run", "local", "--data", ten.path, *REGULAR, *words)
        assert (done.code, server.requests) == ((2, 0) if said else (0, 10)), done.err
    assert plain(done.all)
    assert (said or "") in done.all


def test_a_server_by_its_address(inside: Inside, ten: Material) -> None:
    with FaultServer(ten.answers) as server:
        done = inside("run", f"{server.url}#org/model", "--data", ten.path, *REGULAR)
        assert done.code == 0, done.err
        assert {seen.body["model"] for seen in server.seen} == {"org/model"}
        assert not any("authorization" in seen.headers for seen in server.seen)
    assert header()["price"] is None
    assert len(stored(folder())) == 10


def test_a_password_in_an_address_is_nowhere(inside: Inside, ten: Material) -> None:
    done = inside("run", f"http://utente:{KEY}@127.0.0.1:9/v1#m", "--data", ten.path)
    assert done.code == 2
    assert KEY not in done.all


def test_a_price_of_litellms_table_is_used_and_its_source_recorded(
    inside: Inside, ten: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    with FaultServer(ten.answers) as server:
        here = directory.PLAIN["openai"]._replace(base_url=server.url)
        monkeypatch.setattr(directory, "PLAIN", {"openai": here})
        words = ("run", "openai/gpt-4o", "--data", ten.path, *REGULAR)
        assert "OPENAI_API_KEY is not set" in inside(*words).err
        done = inside(*words, "--max-cost", "5", OPENAI_API_KEY=KEY)
        assert done.code == 0, done.err
        assert {seen.headers["authorization"] for seen in server.seen} == {f"Bearer {KEY}"}
    price = header()["price"]
    assert price.pop("as_of") <= datetime.now(UTC).date().isoformat()
    source = f"litellm {version('litellm')}"
    assert price == {"input": 2.5, "cached_input": 1.25, "output": 10.0, "source": source}
    each = (USAGE["prompt_tokens"] * 2.5 + USAGE["completion_tokens"] * 10) / 1e6
    assert summary(folder())["usage"]["cost_usd"]["sum"] == pytest.approx(10 * each)


def test_reasoning_outside_the_completion_is_counted_and_paid(
    inside: Inside, ten: Material
) -> None:
    """As xAI counts it."""
    usage = {
        "prompt_tokens": 700,
        "completion_tokens": 20,
        "total_tokens": 1020,
        "completion_tokens_details": {"reasoning_tokens": 300},
    }

    def plan(seen: Seen) -> Reply:
        return Reply(200, completion(ten.answers[seen.rebus], usage=usage), good=True)

    with FaultServer(ten.answers, plan) as server:
        configure(ten.path.parent, local=model(server.url, price={"input": 1, "output": 10}))
        assert inside("run", "local", "--data", ten.path, *REGULAR).code == 0
    used = summary(folder())["usage"]
    assert used["completion_tokens"] == {"sum": 3200, "known_for": 10}
    assert used["reasoning_tokens"] == {"sum": 3000, "known_for": 10}
    assert used["cost_usd"]["sum"] == pytest.approx(10 * (700 + 3200) / 1e6)


def test_a_system_prompt_is_sent_signed_and_told_apart(inside: Inside, ten: Material) -> None:
    with FaultServer(ten.answers) as server:
        configure(
            ten.path.parent,
            silent=model(server.url),
            local=model(server.url, system_prompt="Sei un enigmista."),
        )
        words = ("--data", ten.path, "--setting", "regular", "--cache", "cache")
        assert inside("run", "local", *words).code == 0
        first = {"role": "system", "content": "Sei un enigmista."}
        assert all(seen.body["messages"][0] == first for seen in server.seen)
        signed = summary(folder())["signatures"]["regular"]["official"]
        assert "+system-" in signed
        assert header()["spec"]["prompts"]["system"].startswith("sha256:")
        assert inside("run", "silent", *words, "--out", "other").code == 0
        assert server.requests == 20  # the other's answers are not this one's


def test_the_schema_of_the_configuration_is_the_documented_one(inside: Inside) -> None:
    done = inside("models", "--schema")
    assert done.code == 0
    documented = (REPOSITORY / "docs" / "providers.schema.json").read_text("utf-8")
    assert json.loads(done.out) == json.loads(documented)


def test_models_shows_where_each_is_reached(inside: Inside, ten: Material) -> None:
    hosted = {"provider": "litellm", "model": "anthropic/claude-x", "api_key_env": "MY_KEY"}
    configure(
        ten.path.parent,
        far=hosted,
        gate={**hosted, "api_base": "https://g.example"},
        near={"provider": "embedded"},
    )
    lines = {line.split()[0]: line for line in inside("models").out.splitlines()}
    assert lines["far"].endswith("anthropic/claude-x  through litellm  key: MY_KEY (not set)")
    assert "https://g.example" in lines["gate"]
    assert lines["near"].endswith("embedded, no network")
    rows = {row["name"]: row for row in json.loads(inside("models", "--json").out)["models"]}
    assert (rows["far"]["base_url"], rows["far"]["provider"]) == ([], "litellm")


def test_samples_are_sent_seeds_of_their_own(inside: Inside, ten: Material) -> None:
    entry = {"params": {"seed": 7, "temperature": 1}, "extra_body": {"options": {"seed": 3}}}
    words = (
        "run",
        "local",
        "--data",
        ten.path,
        "--setting",
        "regular",
        "--cache",
        "cache",
        "--yes",
    )
    with FaultServer(ten.answers) as server:
        configure(ten.path.parent, local=model(server.url, **entry))
        assert inside(*words, "--out", "alone").code == 0
        assert {seen.body["seed"] for seen in server.seen} == {7}
        done = inside(*words, "--samples", "3")
        assert (done.code, server.requests) == (0, 30), "sample 0 came out of the cache"
        sent = Counter((seen.body["seed"], seen.body["options"]["seed"]) for seen in server.seen)
        assert sent == {(7, 3): 10, (8, 4): 10, (9, 5): 10}
    assert header()["spec"]["seeds"] == "seed + sample"
    assert header()["spec"]["identity"]["body"]["seed"] == 7
    assert (
        "seeds" not in json.loads((folder(Path("alone")) / "run.json").read_text("utf-8"))["spec"]
    )
    checks = json.loads(inside("verify", folder(), "--json").out)["checks"]
    assert {each["name"]: each["state"] for each in checks}["keys"] == "holds"


def test_a_run_whose_samples_had_one_seed_is_another(inside: Inside, ten: Material) -> None:
    words = ("run", "local", "--data", ten.path, *REGULAR, "--samples", "2", "--name", "mio")
    with FaultServer(ten.answers) as server:
        configure(ten.path.parent, local=model(server.url, params={"seed": 7}))
        assert inside(*words).code == 0
        known = header()
        del known["spec"]["seeds"]  # as version 0.1 wrote it
        (folder() / "run.json").write_text(json.dumps(known), "utf-8")
        done = inside(*words)
        assert (done.code, server.requests) == (2, 20)
    assert "seeds" in done.err
