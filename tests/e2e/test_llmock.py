"""Runs against `llmock`, which others wrote after the providers' own wires, and which judges clients."""

from __future__ import annotations

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.e2e.conftest import Inside
from tests.e2e.program import PROGRAM, Material, configure, folder, stored

ENTRIES: Final = {
    "openai": {"provider": "openai-compatible", "base_url": "/v1", "model": "gpt-4o-mini"},
    "together": {"provider": "litellm", "api_base": "/together/v1", "model": "together_ai/a/b"},
    "anthropic": {
        "provider": "litellm",
        "api_base": "/anthropic",
        "model": "anthropic/claude-sonnet-4-5",
    },
    "gemini": {
        "provider": "litellm",
        "api_base": "/gemini/v1beta",
        "model": "gemini/gemini-2.5-flash",
    },
    "mistral": {
        "provider": "litellm",
        "api_base": "/mistral/v1",
        "model": "mistral/mistral-large-latest",
    },
}
STARTS_WITHIN_S: Final = 60.0

pytestmark = [
    pytest.mark.usefixtures("litellm_imported"),
    # litellm ignores this one itself, on import; pytest sets the filters anew for every test
    pytest.mark.filterwarnings("ignore:.*`ReadOnly` qualifier"),
]
every_wire = pytest.mark.parametrize("wire", ENTRIES)


class Mock:
    """The server's address, and its own way to be told and asked."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}"

    def control(self, what: str, body: object = None, method: str = "GET") -> Any:  # noqa: ANN401
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.url}/{what}", data, method=method)  # noqa: S310
        with urllib.request.urlopen(request, timeout=10) as response:  # noqa: S310
            return json.load(response)

    def plan(self, *behaviors: dict[str, Any]) -> None:
        self.control("_llmock/scenario", {"behaviors": list(behaviors)}, "POST")

    def statuses(self) -> list[int]:
        return [each["status"] for each in self.control("_llmock/requests")["requests"]]

    def configure(self, path: Path, wire: str, **more: object) -> None:
        entry: dict[str, Any] = {**ENTRIES[wire], "limits": {"concurrency": 1}, **more}
        for name in ("base_url", "api_base"):
            if name in entry:
                entry[name] = self.url + entry[name]
        configure(path, far=entry)


@pytest.fixture(scope="module")
def running() -> Iterator[Mock]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    words = ("serve", "--port", str(port), "--log-level", "error")
    with subprocess.Popen(
        [PROGRAM.with_name("llmock"), *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        mock, until = Mock(port), time.monotonic() + STARTS_WITHIN_S
        while True:
            try:
                mock.control("health")
                break
            except (urllib.error.URLError, ConnectionError):
                assert process.poll() is None
                assert time.monotonic() < until, "llmock never came up"
                time.sleep(0.05)
        yield mock
        process.terminate()


@pytest.fixture
def mock(running: Mock) -> Mock:
    running.control("_llmock/reset", method="POST")
    return running


def _words(ten: Material) -> tuple[str, ...]:
    return ("run", "far", "--data", str(ten.path), "--setting", "regular", "--limit", "3",
            "--cache", "off", "--yes")  # fmt: skip


@every_wire
def test_a_calm_run_is_one_request_an_answer(
    wire: str, inside: Inside, ten: Material, tmp_path: Path, mock: Mock
) -> None:
    mock.plan({"type": "reply", "text": "Soluzione: Verità nascosta", "times": 3})
    mock.configure(tmp_path, wire)
    done = inside(*_words(ten))
    assert done.code == 0, done.err
    assert mock.statuses() == [200] * 3
    for record in stored(folder()):
        assert (record["text"], record["outcome"]) == ("Soluzione: Verità nascosta", "ok")
        assert record["usage"]["prompt_tokens"] > 100
        assert record["usage"]["completion_tokens"] > 0


@every_wire
def test_trouble_is_borne_as_the_server_would_have_it(
    wire: str, inside: Inside, ten: Material, tmp_path: Path, mock: Mock
) -> None:
    mock.plan(
        {"type": "fail", "status": 429, "retry_after": 1},
        {"type": "fail", "status": 500},
        {"type": "fail", "status": 503, "retry_after": 1},
    )
    mock.configure(tmp_path, wire)
    done = inside(*_words(ten))
    assert done.code == 0, done.err
    assert sorted(mock.statuses()) == [200, 200, 200, 429, 500, 503]
    findings = mock.control("_llmock/verdict")["findings"]
    assert not [each for each in findings if each["severity"] == "error"], findings


@every_wire
@pytest.mark.parametrize("status", [401, 404])
def test_what_every_request_would_meet_ends_the_run(
    status: int,
    wire: str,
    inside: Inside,
    ten: Material,
    tmp_path: Path,
    mock: Mock,
) -> None:
    mock.plan({"type": "fail", "status": status, "message": "no, così no"})
    mock.configure(tmp_path, wire)
    done = inside(*_words(ten))
    assert (done.code, mock.statuses()) == (3, [status]), done.err
    assert "no, così no" in done.err


@every_wire
def test_a_fault_that_lasts_is_asked_for_once_and_n_times_more(
    wire: str, inside: Inside, ten: Material, tmp_path: Path, mock: Mock
) -> None:  # B18
    mock.plan({"type": "fail", "status": 500, "times": 2})
    mock.configure(tmp_path, wire, limits={"concurrency": 1, "max_retries": 1})
    done = inside(*_words(ten))
    assert done.code == 1, done.err
    assert mock.statuses() == [500, 500, 200, 200]
