from __future__ import annotations

import asyncio
import os
import signal
import socket
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import httpx
import pytest

from apieval.errors import ConfigError
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.baseline.server import serve_forever, serving
from apieval.rebus.baseline.solver import MODEL, VERSION, solve

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

PROMPT = "Rebus: L [Precede il tuono]\nChiave di lettura: 1 ' 5"
CHAT = "/chat/completions"


@pytest.fixture(scope="module")
def lexicon() -> Lexicon:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "lexicon.csv"
        path.write_text("Precede il tuono,lampo\n", encoding="utf-8")
        return Lexicon.load(path)


def ask(
    lexicon: Lexicon, talk: Callable[[httpx.AsyncClient], Awaitable[httpx.Response]]
) -> httpx.Response:
    async def run() -> httpx.Response:
        async with (
            serving(lexicon) as base_url,
            httpx.AsyncClient(base_url=base_url, trust_env=False) as client,
        ):
            return await talk(client)

    return asyncio.run(run())


def body(**changes: object) -> dict[str, object]:
    return {"model": MODEL, "messages": [{"role": "user", "content": PROMPT}], **changes}


def test_answers_as_openai_does(lexicon: Lexicon) -> None:
    reply = ask(lexicon, lambda client: client.post(CHAT, json=body(temperature=0, seed=1)))
    text = solve("L [Precede il tuono]", "1 ' 5", lexicon)
    document = reply.json()
    assert reply.status_code == 200
    assert document.pop("id").startswith("chatcmpl-")
    assert document.pop("created") > 1_700_000_000
    asked, answered = (len(PROMPT) + 3) // 4, (len(text) + 3) // 4
    assert document == {
        "object": "chat.completion",
        "model": MODEL,
        "system_fingerprint": f"baseline-{VERSION}-{lexicon.fingerprint}",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": text},
                "finish_reason": "stop",
            }
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": answered,
            "total_tokens": asked + answered,
        },
    }


def test_message_content_may_come_in_parts(lexicon: Lexicon) -> None:
    parts = [{"type": "text", "text": PROMPT[:20]}, {"type": "text", "text": PROMPT[20:]}]
    messages = [{"role": "system", "content": "Rebus: A"}, {"role": "user", "content": parts}]
    reply = ask(lexicon, lambda client: client.post(CHAT, json=body(messages=messages)))
    assert reply.json()["choices"][0]["message"]["content"].endswith("Soluzione: L'lampo")


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
@pytest.mark.parametrize(
    ("most", "length", "reason"),
    [
        pytest.param(3, 12, "length", id="cut"),
        pytest.param(4096, None, "stop", id="enough"),
        pytest.param(None, None, "stop", id="null"),
    ],
)
def test_the_allowance_is_honoured(
    lexicon: Lexicon, name: str, most: int | None, length: int | None, reason: str
) -> None:
    reply = ask(lexicon, lambda client: client.post(CHAT, json=body(**{name: most})))
    text = solve("L [Precede il tuono]", "1 ' 5", lexicon)
    choice = reply.json()["choices"][0]
    assert choice["finish_reason"] == reason
    assert choice["message"]["content"] == text[:length]
    assert reply.json()["usage"]["completion_tokens"] == (len(text[:length]) + 3) // 4


@pytest.mark.parametrize(
    ("changes", "status", "param", "says"),
    [
        pytest.param({"model": None}, 400, "model", "model is missing", id="no model"),
        pytest.param({"model": "apieval-base"}, 404, "model", "did you mean", id="other model"),
        pytest.param({"messages": None}, 400, "messages", "missing", id="no messages"),
        pytest.param({"messages": []}, 400, "messages", "missing", id="empty messages"),
        pytest.param({"messages": "a"}, 400, "messages", "no list", id="text for messages"),
        pytest.param({"messages": ["a"]}, 400, "messages[0]", "content", id="no object"),
        pytest.param({"messages": [{}]}, 400, "messages[0]", "content", id="no content"),
        pytest.param(
            {"messages": [{"content": [{"type": "image_url"}]}]},
            400,
            "messages[0]",
            "no text",
            id="a picture",
        ),
        pytest.param({"messages": [{"content": "a"}]}, 400, "messages", "Rebus:", id="no rebus"),
        pytest.param({"stream": True}, 400, "stream", "not supported", id="stream"),
        pytest.param({"n": 2}, 400, "n", "not supported", id="choices"),
        pytest.param({"max_tokens": 0}, 400, "max_tokens", "above 0", id="no tokens"),
        pytest.param({"max_tokens": "9"}, 400, "max_tokens", "above 0", id="text for tokens"),
        pytest.param({"max_tokens": True}, 400, "max_tokens", "above 0", id="truth for tokens"),
    ],
)
def test_refuses_in_openais_form(
    lexicon: Lexicon, changes: dict[str, object], status: int, param: str, says: str
) -> None:
    reply = ask(lexicon, lambda client: client.post(CHAT, json=body(**changes)))
    error = reply.json()["error"]
    assert (reply.status_code, error["param"]) == (status, param)
    assert error["type"] == "invalid_request_error"
    assert says in error["message"]
    assert error["code"] == ("model_not_found" if status == 404 else None)


@pytest.mark.parametrize(
    ("content", "says"),
    [
        pytest.param(b"", "not JSON", id="empty"),
        pytest.param(b"{", "not JSON", id="broken"),
        pytest.param(b"\xff\xfe\xfa", "not JSON", id="no text"),
        pytest.param(b"[" * 100_000, "not JSON", id="deep"),
        pytest.param(b"[]", "not a JSON object", id="list"),
    ],
)
def test_refuses_what_is_no_json_object(lexicon: Lexicon, content: bytes, says: str) -> None:
    reply = ask(lexicon, lambda client: client.post(CHAT, content=content))
    assert reply.status_code == 400
    assert says in reply.json()["error"]["message"]


@pytest.mark.parametrize(
    ("method", "path", "content", "status"),
    [
        pytest.param("GET", "/embeddings", b"", 404, id="unknown path"),
        pytest.param("GET", CHAT, b"", 405, id="wrong method"),
        pytest.param("POST", CHAT, b"a" * 5_000_000, 413, id="too long"),
    ],
)
def test_the_frameworks_refusals_have_the_same_form(
    lexicon: Lexicon, method: str, path: str, content: bytes, status: int
) -> None:
    reply = ask(lexicon, lambda client: client.request(method, path, content=content))
    assert reply.status_code == status
    assert path in reply.json()["error"]["message"]


def test_half_a_surrogate_pair_does_no_harm(lexicon: Lexicon) -> None:
    content = b'{"model": "%s", "messages": [{"content": "%s"}]}' % (
        MODEL.encode(),
        rb"Rebus: \ud83d A\nChiave di lettura: 1",
    )
    reply = ask(lexicon, lambda client: client.post(CHAT, content=content))
    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["content"].endswith("Soluzione: A")


def test_lists_its_one_model(lexicon: Lexicon) -> None:
    reply = ask(lexicon, lambda client: client.get("/models"))
    assert [model["id"] for model in reply.json()["data"]] == [MODEL]


def test_tells_its_health(lexicon: Lexicon) -> None:
    reply = ask(lexicon, lambda client: client.get(str(client.base_url.join("/health"))))
    assert reply.json() == {"status": "ok", "version": VERSION}


def test_serves_many_at_once_and_closes_its_port(lexicon: Lexicon) -> None:
    async def run() -> tuple[list[httpx.Response], int]:
        async with (
            serving(lexicon) as base_url,
            httpx.AsyncClient(base_url=base_url, trust_env=False) as client,
        ):
            asked = [client.post(CHAT, json=body()) for _ in range(60)]
            return await asyncio.gather(*asked), client.base_url.port or 0

    replies, port = asyncio.run(run())
    assert {reply.status_code for reply in replies} == {200}
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_serves_until_a_signal(lexicon: Lexicon, number: signal.Signals) -> None:
    told: list[str] = []

    def on_ready(base_url: str) -> None:
        told.append(base_url)
        os.kill(os.getpid(), number)

    serve_forever(lexicon, "localhost", 0, on_ready)
    assert len(told) == 1
    assert told[0].endswith("/v1")


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::", "example.org", ""])  # noqa: S104 - what must be refused
def test_serves_this_machine_alone(lexicon: Lexicon, host: str) -> None:
    with pytest.raises(ConfigError, match=r"use --host 127\.0\.0\.1"):
        serve_forever(lexicon, host, 0, lambda _: None)


def test_a_port_in_use_is_named(lexicon: Lexicon) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(ConfigError, match=rf"port {port} of 127\.0\.0\.1.*--port"):
            serve_forever(lexicon, "127.0.0.1", port, lambda _: None)


def test_a_port_that_is_none_is_named(lexicon: Lexicon) -> None:
    with pytest.raises(ConfigError, match="port 70000"):
        serve_forever(lexicon, "127.0.0.1", 70_000, lambda _: None)
