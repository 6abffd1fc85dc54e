"""The names a server lists, or none: nothing that goes wrong here is an error of its own."""

from __future__ import annotations

import asyncio

import pytest

from apieval.providers import openai_compatible
from apieval.providers.openai_compatible import served_models
from tests.servers import Answer, Scripted, Seen


def listed(answer: Answer) -> tuple[dict[str, int | None], list[Seen]]:
    async def run() -> tuple[dict[str, int | None], list[Seen]]:
        async with Scripted([answer]) as server:
            return await served_models(server.url, {"x-lab": "uno"}, "k"), server.seen

    return asyncio.run(run())


def test_names_are_asked_for_once_with_headers_and_key() -> None:
    names, (seen,) = listed(Answer({"data": [{"id": "a"}, {"id": "b"}]}))
    assert names == {"a": None, "b": None}
    assert (seen.method, seen.path) == ("GET", "/v1/models")
    assert seen.headers["authorization"] == "Bearer k"
    assert seen.headers["x-lab"] == "uno"


def test_a_query_of_the_address_stands_behind_the_route() -> None:
    async def run() -> str:
        async with Scripted([Answer({"data": []})]) as server:
            await served_models(f"{server.url}?api-version=2024-10-21", {}, None)
            return server.seen[0].path

    assert asyncio.run(run()) == "/v1/models?api-version=2024-10-21"


@pytest.mark.parametrize(
    "answer",
    [
        Answer({"data": [{"id": "a"}]}, status=404),
        Answer("<html>"),
        Answer([]),
        Answer({"data": [{"name": "a"}]}),
        Answer({"data": None}),
        Answer(drop=True),
        Answer({}, cut=40),
    ],
)
def test_what_is_no_list_names_nothing(answer: Answer) -> None:
    assert listed(answer)[0] == {}


def test_a_slow_server_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "LISTING_TIMEOUT_S", 0.05)
    assert listed(Answer(delay_s=30))[0] == {}


def test_no_server_and_no_key() -> None:
    assert asyncio.run(served_models("http://127.0.0.1:9/v1", {}, None)) == {}


@pytest.mark.parametrize(
    ("said", "window"),
    [
        ({"max_model_len": 1850}, 1850),
        ({"context_window": 131_072}, 131_072),
        ({"max_context_length": 32_768, "capabilities": {}}, 32_768),
        ({"context_length": 8192}, 8192),
        ({"max_model_len": None, "context_length": 4096}, 4096),
        ({"max_model_len": True}, None),
        ({"max_model_len": "1850"}, None),
        ({"max_model_len": 0}, None),
        ({}, None),
    ],
)
def test_the_window_is_what_the_server_calls_it(
    said: dict[str, object], window: int | None
) -> None:
    assert listed(Answer({"data": [{"id": "a", **said}]}))[0] == {"a": window}
