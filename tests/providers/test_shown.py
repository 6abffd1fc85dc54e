"""What is shown of a request is what goes over the wire, and no secret is in it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest

from apieval.config.models import Hosted
from apieval.providers.base import Wire
from apieval.providers.clients import connect, connect_hosted
from apieval.providers.masking import Mask
from apieval.records import Message, Request
from tests.servers import Answer, Scripted, Seen

KEY = "sk-finta-000111"
MESSAGES = (Message(role="system", content="Parla."), Message(role="user", content="È così?"))


def request() -> Request:
    return Request(
        id=0, setting="regular", sample=0, messages=MESSAGES, identity="{}", key="sha256:0"
    )


def shown(**more: Any) -> Wire:  # noqa: ANN401 # what httpx takes
    return Mask(KEY).wire(httpx.Request("POST", **{"url": "http://127.0.0.1/v1", **more}), {}, ())


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_what_is_shown_is_what_the_server_gets(api: Any) -> None:  # noqa: ANN401 # a literal
    async def run() -> tuple[Wire | None, list[Seen]]:
        async with Scripted() as server:
            body, headers = {"model": "m", "seed": 1}, {"x-lab": "uno"}
            client = connect([server.url], body, headers, KEY, api)
            wire = await client.shown(request())
            assert server.seen == [], "looking sends nothing"
            await client.attempt(request())
            await client.aclose()
            return wire, server.seen

    wire, (seen,) = asyncio.run(run())
    assert wire is not None
    assert (wire.method, httpx.URL(wire.url).path) == (seen.method, seen.path)
    assert wire.body == seen.json
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert wire.headers == {**seen.headers, "authorization": "Bearer ***", "x-lab": "***"}
    assert KEY not in json.dumps(wire)


def test_what_litellm_would_send_is_shown_without_being_sent() -> None:
    said = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-haiku-5-5",
        "content": [{"type": "text", "text": "Soluzione: Verità nascosta"}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 412, "output_tokens": 96},
    }

    async def run() -> tuple[Wire | None, Wire | None, list[Seen]]:
        async with Scripted([Answer(said)]) as server:
            where = server.url.removesuffix("/v1")
            names = ("anthropic/claude-haiku-5-5", "azure/m")
            models = [Hosted(provider="litellm", model=name, api_base=where) for name in names]
            ours, theirs = [
                await connect_hosted(model, {"model": model.model, "max_tokens": 9}, KEY)
                for model in models
            ]
            wires = await ours.shown(request()), await theirs.shown(request())
            assert server.seen == [], "looking sends nothing"
            assert (await ours.attempt(request())).text == "Soluzione: Verità nascosta"
            await ours.aclose()
            await theirs.aclose()
            return *wires, server.seen

    wire, over_the_sdk, (seen,) = asyncio.run(run())
    assert over_the_sdk is not None
    assert httpx.URL(over_the_sdk.url).path == "/openai/deployments/m/chat/completions"
    assert over_the_sdk.headers["api-key"] == "***"
    assert wire is not None
    assert (httpx.URL(wire.url).path, wire.body) == (seen.path, seen.json)
    assert seen.headers["x-api-key"] == KEY
    assert wire.headers == {**seen.headers, "x-api-key": "***"}


@pytest.mark.parametrize(
    ("name", "value", "masked"),
    [
        ("authorization", f"Bearer {KEY}", "Bearer ***"),
        ("authorization", "AWS4-HMAC-SHA256 Signature=abc", "***"),
        ("proxy-authorization", "basic dXNlcjpwYXNz", "basic ***"),
        ("x-auth", "correct horse battery staple", "***"),
        ("cookie", "session abc", "***"),
        ("x-goog-api-key", KEY, "***"),
        ("x-amz-security-token", "made-on-the-way", "***"),
        ("x-lab", f"a {KEY} b", "a *** b"),
        ("anthropic-version", "2023-06-01", "2023-06-01"),
    ],
)
def test_a_header_that_carries_a_secret_shows_none(name: str, value: str, masked: str) -> None:
    assert shown(headers={name: value}).headers[name] == masked


@pytest.mark.parametrize(
    ("url", "masked"),
    [
        (f"http://h/v1?key={KEY}&alt=json", "http://h/v1?key=***&alt=json"),
        ("http://h/v1?access_token=other", "http://h/v1?access_token=***"),
        (f"http://h/v1/{KEY}?q={KEY}&e=", "http://h/v1/***?q=***&e="),
    ],
)
def test_an_address_shows_no_secret(url: str, masked: str) -> None:
    assert shown(url=url).url == masked


def test_a_key_in_a_body_is_masked_at_any_depth() -> None:
    body = {"a": [{"b": f"x{KEY}"}, 1, None], KEY: True}
    assert shown(json=body).body == {"a": [{"b": "x***"}, 1, None], "***": True}


def test_a_body_that_is_no_json_is_text() -> None:
    assert shown(content=f"{{{KEY} \xe9".encode("latin-1")).body == "{*** \ufffd"
