"""The program with a hosted model, in a process of its own: whom it asks, what it says, how it ends."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.faults import TRANSIENT, FaultServer, Manner, Reply, Seen, error
from tests.e2e.program import (
    KEY,
    Material,
    apieval,
    configure,
    end,
    model,
    plain,
    start,
    stored,
)
from tests.e2e.watch import Watch
from tests.e2e.wires import HOSTED, hosted

# litellm ignores this one itself, on import; pytest sets the filters anew for every test
pytestmark = pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier")
REGULAR: Final = ("--setting", "regular", "--cache", "off", "--yes")
IMPORTS: Final = {"import litellm"}
OTHERS: Final = "altrui-999"
NOISE: Final = ("litellm", "LiteLLM", "Feedback", "Warning", "Task was", "Unclosed", "exception")
TEMPTING: Final = {
    **{
        f"{name}_API_KEY": OTHERS
        for name in ("OPENAI", "ANTHROPIC", "GEMINI", "GOOGLE", "MISTRAL", "AZURE", "COHERE")
    },
    "AWS_ACCESS_KEY_ID": OTHERS,
    "AWS_SECRET_ACCESS_KEY": OTHERS,
    "ANTHROPIC_BASE_URL": "http://127.0.0.1:9",
    "OPENAI_BASE_URL": "http://127.0.0.1:9",
    "HTTP_PROXY": "http://127.0.0.1:9",
    "HTTPS_PROXY": "http://127.0.0.1:9",
    "ALL_PROXY": "http://127.0.0.1:9",
    "LITELLM_LOG": "DEBUG",
    "LITELLM_LOCAL_MODEL_COST_MAP": "False",
}


@pytest.fixture
def watch(tmp_path: Path) -> Watch:
    return Watch(tmp_path / "watch")


def _all_sorts_of_trouble(seen: Seen) -> Reply | Manner | None:
    names = ("500", "429 seconds", "cut body", "HTML", "empty choices", "dropped connection")
    return TRANSIENT[names[seen.number % len(names)]] if seen.attempt == 1 else None


def test_a_hosted_run_asks_its_endpoint_and_nobody_else(
    ten: Material, tmp_path: Path, watch: Watch
) -> None:
    """Every wire, one beside the other in one process, in trouble, and tempted; one is refused."""
    (tmp_path / ".env").write_text(f"ANTHROPIC_API_KEY={OTHERS}\n", encoding="utf-8")
    refusal = error(401, {"error": {"message": "no, così no"}})
    with (
        FaultServer(ten.answers, _all_sorts_of_trouble) as server,
        FaultServer(ten.answers, lambda _: refusal) as refusing,
    ):
        key = {"api_key_env": "FAR_API_KEY", "limits": {"concurrency": 4}}
        entries = {wire: hosted(wire, server.url, **key) for wire in HOSTED}
        entries["azure"] = {
            **hosted("openai", server.url, **key),
            "model": "azure/modello-prova",
            "options": {"api_version": "2024-10-21"},
        }
        refused = hosted("anthropic", refusing.url, **key)
        config = configure(tmp_path, **entries, refused=refused)
        words = ("--data", str(ten.path), *REGULAR, "--config", str(config))
        env = {**TEMPTING, **watch.env(server.url, refusing.url), "FAR_API_KEY": KEY}
        done = apieval("run", *entries, "refused", *words, **env)
        assert done.code == 3, done.err
        assert done.err.count("stopped: ") == 1
        assert f"HTTP 401 from {refusing.url}/messages: no, così no" in done.err
        assert watch.seen == IMPORTS
        assert server.paid == 10 * len(entries)
        for seen in (*server.seen, *refusing.seen):
            said = f"{seen.path} {seen.headers} {seen.body}"
            assert OTHERS not in said
            assert KEY in said
        assert not [word for word in NOISE if word in done.all.replace("litellm/", "")], done.err
        assert plain(done.all)

        server.forget()
        again = apieval("run", *entries, *words, **{**TEMPTING, **watch.env(), "FAR_API_KEY": KEY})
        assert (again.code, server.requests) == (0, 0), again.err
        assert watch.seen == set(), "all answers are stored: nothing is imported for them"


def test_nothing_but_a_run_of_a_hosted_model_imports_litellm(
    ten: Material, tmp_path: Path, watch: Watch
) -> None:
    with FaultServer(ten.answers) as server:
        far = hosted("anthropic", "http://127.0.0.1:9/v1")
        configure(tmp_path, near=model(server.url), far=far)
        env = watch.env(server.url)
        assert apieval("run", "near", "--data", ten.path, *REGULAR, **env).code == 0
        (run,) = Path("results").iterdir()
        for words in (
            ("--help",),
            ("--version",),
            ("run", "--help"),
            ("models",),
            ("score", str(run), "--data", str(ten.path)),
        ):
            done = apieval(*words, **env)
            assert done.code == 0, done.err
        assert watch.seen == set()
    assert apieval("run", "baseline", "--limit", "1", **watch.env("loopback:*/")).code == 0
    assert watch.seen == set()


def _wait_for(watch: Watch, line: str) -> None:
    for _ in range(6000):
        if line in watch.seen:
            return
        time.sleep(0.01)
    pytest.fail(f"never seen: {line}")


@pytest.mark.usefixtures("litellm_imported")
def test_ctrl_c_while_litellm_is_imported_leaves_a_run_to_go_on_with(
    inside: Inside, ten: Material, tmp_path: Path, watch: Watch
) -> None:
    with FaultServer(ten.answers) as server:
        configure(tmp_path, far=hosted("anthropic", server.url))
        words = ("run", "far", "--data", ten.path, *REGULAR)
        process = start(*words, **watch.env(server.url))
        _wait_for(watch, "import litellm")
        process.send_signal(signal.SIGINT)
        done = end(process)
        assert (done.code, server.requests) == (130, 0), done.err
        assert plain(done.all), done.err
        assert "to resume" in done.err
        assert inside(*words).code == 0
        assert server.requests == server.paid == 10


@pytest.mark.usefixtures("litellm_imported")
@pytest.mark.parametrize("times", [1, 2])
def test_ctrl_c_keeps_what_is_saved_and_the_same_command_goes_on(
    times: int, inside: Inside, ten: Material, tmp_path: Path
) -> None:
    def plan(seen: Seen) -> Manner | None:
        return Manner.HOLD if seen.number > 3 else None

    with FaultServer(ten.answers, plan) as server:
        configure(tmp_path, far=hosted("anthropic", server.url, limits={"concurrency": 2}))
        words = ("run", "far", "--data", ten.path, *REGULAR)
        process = start(*words)
        server.wait_for_requests(5)
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        for line in process.stderr:
            if "stopping" in line:
                break
        if times > 1:
            process.send_signal(signal.SIGINT)
        else:
            server.release()
        done = end(process)
        assert done.code == 130, done.err
        assert plain(done.all), done.err
        assert not [word for word in NOISE if word in done.all], done.err
        (run,) = Path("results").iterdir()
        outcomes = [each["outcome"] for each in stored(run)]
        assert (outcomes.count("ok"), len(outcomes)) == (5 if times == 1 else 3, 5)
        server.release()
        server.forget()
        assert inside(*words).code == 0
        assert len(stored(run)) == 10
