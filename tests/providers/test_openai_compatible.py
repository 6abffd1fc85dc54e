"""The client of servers of one's own: what it sends, what it shows, and which server it asks."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import httpx
import pytest
from httpx_aiohttp import AiohttpTransport

from apieval.errors import (
    AttemptFailed,
    ContentRefused,
    ItemFailure,
    RunFailure,
    ServerDown,
    TransientFailure,
    Unexpected,
    WebPage,
)
from apieval.providers import openai_compatible
from apieval.providers.base import Wire
from apieval.providers.clients import connect
from apieval.providers.openai_compatible import ASIDE_S, OpenAICompatibleClient, served_models
from apieval.records import Message, Reply, Request, Usage
from tests.providers.asking import (
    KEY,
    TEXT,
    at,
    attempt,
    failed,
    failure_at,
    free_port,
    request,
    talk,
)
from tests.servers import Answer, Scripted, Seen, completion

# --- what is sent ----------------------------------------------------------------------------


def test_sends_body_and_messages_and_nothing_else() -> None:
    said = "Perché è così? \U0001f9e9 \ud83d"
    work = lambda client: client.attempt(request(said))  # noqa: E731 # short
    (seen,) = talk([], work, temperature=0, max_tokens=1024)
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.json == {
        "stream": False,
        "model": "m",
        "temperature": 0,
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": said}],
    }
    assert seen.headers["content-type"] == "application/json"
    assert seen.headers["accept-encoding"] == "gzip, deflate"


@pytest.mark.parametrize("body", [{"messages": "x"}, {"messages": "x", "stop": "}"}], ids=str)
def test_no_body_takes_the_place_of_the_messages(body: dict[str, Any]) -> None:
    (seen,) = talk([], lambda client: client.attempt(request("Ciao")), **body)
    asked = {"messages": [{"role": "user", "content": "Ciao"}]}
    assert seen.json == {"stream": False, "model": "m", **body, **asked}


def test_what_the_user_says_of_streaming_is_sent_and_what_comes_is_read() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": TEXT}, "finish_reason": "stop"}]}
    events = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    got: list[Reply] = []

    async def work(client: OpenAICompatibleClient) -> None:
        got.append(await client.attempt(request()))

    (seen,) = talk(
        [Answer(events, headers={"content-type": "text/event-stream"})], work, stream=True
    )
    assert seen.json["stream"] is True
    assert got[0].text == TEXT


@pytest.mark.parametrize("key", [None, KEY])
def test_the_key_is_sent_where_there_is_one(
    monkeypatch: pytest.MonkeyPatch, key: str | None
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "altrui")
    (seen,) = talk([], lambda client: client.attempt(request()), key)
    assert seen.headers.get("authorization") == (key and f"Bearer {key}")


@pytest.mark.parametrize("api", ["chat", "completions"])
def test_what_is_shown_is_what_the_server_gets(api: str) -> None:
    said = (Message(role="system", content="Parla."), Message(role="user", content="È così?"))
    asked = Request(id=0, setting="regular", sample=0, messages=said, identity="{}", key="sha256:0")

    async def run() -> tuple[Wire | None, list[Seen]]:
        async with Scripted() as server:
            body, headers = {"model": "m", "seed": 1}, {"x-lab": "uno"}
            client = connect([server.url], body, headers, KEY, api)
            wire = await client.shown(asked)
            assert server.seen == [], "looking sends nothing"
            await client.attempt(asked)
            await client.aclose()
            return wire, server.seen

    wire, (seen,) = asyncio.run(run())
    assert wire is not None
    assert (wire.method, httpx.URL(wire.url).path) == (seen.method, seen.path)
    assert wire.body == seen.json
    assert (seen.headers["authorization"], seen.headers["x-lab"]) == (f"Bearer {KEY}", "uno")
    assert wire.headers == {**seen.headers, "authorization": "Bearer ***", "x-lab": "***"}
    assert KEY not in json.dumps(wire)


# --- what comes ------------------------------------------------------------------------------


def test_reads_all_there_is() -> None:
    details = {
        "completion_tokens_details": {"reasoning_tokens": 7},
        "prompt_tokens_details": {"cached_tokens": 5},
    }
    usage = {"prompt_tokens": 412, "completion_tokens": 96, "total_tokens": 508, **details}
    counts = {name: each for name, each in usage.items() if isinstance(each, int)}
    assert attempt(Answer(completion(usage=usage, system_fingerprint="fp_1", error=None))) == Reply(
        text=TEXT,
        finish_reason="stop",
        served_model="modello-prova",
        system_fingerprint="fp_1",
        usage=Usage(**counts, reasoning_tokens=7, cached_tokens=5),
    )


def base_resp(code: int, said: str) -> Answer:
    """Return an error as MiniMax says it, on status 200."""
    return Answer({"choices": None, "base_resp": {"status_code": code, "status_msg": said}})


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Answer({"object": "error", "message": "troppi token"}, 400), ItemFailure, "troppi token"),
        (Answer("<html>gateway guasto</html>", 502), TransientFailure, "gateway guasto"),
        (Answer("<!doctype html><title>Accedi</title>"), WebPage, "is this an API address"),
        (Answer("", 200), TransientFailure, "not JSON"),
        (Answer("data: {}\n\n"), TransientFailure, "event stream broke off"),
        (Answer({"error": "guasto"}), WebPage, "error inside: guasto"),
        (Answer({"detail": "Not Found"}), WebPage, "error inside: Not Found"),
        (base_resp(1008, "insufficient balance"), RunFailure, "top up"),
        (base_resp(1027, "output new_sensitive"), ContentRefused, "new_sensitive"),
        (Answer({"error": "Unexpected endpoint or method. (POST /x)"}), RunFailure, "base_url"),
        (Answer({"choices": []}), TransientFailure, "malformed reply from http://127.0.0.1"),
        (Answer({"choices": [{"index": 0}]}), TransientFailure, '{"choices": [{"index": 0}]}'),
        (Answer({}, 307, {"location": "/altrove"}), RunFailure, "/altrove"),
        (Answer({"error": {"message": "temperature " * 200_000}}, 400), RunFailure, "temperature"),
    ],
)
def test_what_is_no_answer_is_a_failure_of_its_kind(
    answer: Answer, kind: type[AttemptFailed], said: str
) -> None:
    end = failed(answer, temperature=0)
    assert type(end) is kind
    assert said in str(end)
    assert end.status == answer.status
    assert len(str(end)) < 500


@pytest.mark.parametrize(
    ("path", "answer", "told"),
    [
        ("/api", Answer("404 page not found", 404), True),
        ("/api", Answer({"error": "Unexpected endpoint"}), True),
        ("/api", Answer({"error": "Unexpected endpoint or method. (POST /x)"}), True),
        ("/api", Answer("<html>Benvenuti</html>"), True),
        ("/openai/v1", Answer("404 page not found", 404), False),
        ("/v1beta/openai", Answer("<html>Benvenuti</html>"), False),
        ("/api", Answer({"error": "no"}, 401), False),
    ],
)
def test_an_address_that_lacks_v1_is_told_of(path: str, answer: Answer, told: bool) -> None:
    async def run() -> tuple[AttemptFailed, str]:
        async with Scripted([answer]) as server:
            base = f"http://127.0.0.1:{server.port}{path}"
            return await failure_at(base), base

    failure, base = asyncio.run(run())
    assert (f"try {base}/v1 as base_url" in str(failure)) is told


def test_a_wait_is_carried_along() -> None:
    assert failed(Answer({}, 429, {"Retry-After": "7"})).retry_after_s == 7


# --- secrets ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 400, 401, 500])
def test_a_key_the_server_repeats_is_masked(status: int) -> None:
    end = failed(Answer({"error": {"message": f"chiave {KEY} non valida"}}, status), KEY)
    assert KEY not in str(end)
    assert KEY not in repr(end)
    assert "chiave *** non valida" in str(end)


@pytest.mark.parametrize("before", range(180, 201))
def test_a_key_that_is_cut_is_masked_too(before: int) -> None:
    said = "x" * (before - 1) + " " + KEY + " fine" * 9
    assert "finta" not in str(failed(Answer({"error": {"message": said}}, 401), KEY))


def test_not_even_an_unexpected_fault_shows_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    async def broken(*_: object) -> object:
        raise RuntimeError(f"authorization: Bearer {KEY}")

    monkeypatch.setattr(AiohttpTransport, "handle_async_request", broken)
    end = asyncio.run(failure_at("http://127.0.0.1:9/v1", key=KEY))
    assert type(end) is Unexpected
    assert str(end) == "unexpected RuntimeError: authorization: Bearer ***"
    assert end.__suppress_context__


def test_no_traceback_shows_the_key() -> None:
    assert KEY not in str(failed(Answer(drop=True), KEY))

    async def look(client: OpenAICompatibleClient) -> str:
        return repr(client)

    assert KEY not in asyncio.run(at("http://127.0.0.1:9/v1", work=look, key=KEY))


def test_an_answer_that_echoes_the_key_is_kept_as_it_came_and_told() -> None:
    message = {"content": f"ecco {KEY}", "reasoning": KEY}
    choices = [{"message": message, "finish_reason": KEY}]
    reply = {"model": f"m {KEY}", "system_fingerprint": KEY, "choices": choices}
    found = attempt(Answer(reply), KEY)
    assert (found.text, found.reasoning, found.holds_key) == (f"ecco {KEY}", KEY, True)
    assert (found.served_model, found.system_fingerprint) == ("m ***", "***")


# --- several servers of one model ------------------------------------------------------------


def test_the_least_loaded_server_takes_the_next_request() -> None:
    async def run() -> None:
        async with Scripted([Answer(delay_s=0.3)]) as slow, Scripted() as quick:

            async def work(client: OpenAICompatibleClient) -> None:
                first = asyncio.create_task(client.attempt(request()))
                await asyncio.sleep(0.05)
                for _ in range(5):
                    await client.attempt(request())
                await first
                assert (len(slow.seen), len(quick.seen)) == (1, 5)
                await asyncio.gather(*(client.attempt(request()) for _ in range(10)))
                assert (len(slow.seen), len(quick.seen)) == (6, 10)

            await at(slow.url, quick.url, work=work)

    asyncio.run(run())


def test_a_server_that_is_down_costs_no_attempt_while_another_is_up() -> None:
    """A dead server fails at once, so it is always the least loaded: it must not draw them all."""

    async def run() -> None:
        loading = Answer({"error": {"message": "Loading model"}}, 503)
        async with Scripted([loading]) as third, Scripted() as up:

            async def work(client: OpenAICompatibleClient) -> None:
                for _ in range(5):
                    await client.attempt(request())
                assert (len(third.seen), len(up.seen)) == (1, 5)
                for endpoint in client._endpoints:
                    endpoint.aside_until -= ASIDE_S
                await client.attempt(request())
                assert (len(third.seen), len(up.seen)) == (2, 6)

            await at(f"http://127.0.0.1:{free_port()}/v1", third.url, up.url, work=work)

    asyncio.run(run())


def test_a_server_that_breaks_off_is_set_aside_and_its_request_left_to_the_retries() -> None:
    async def run() -> None:
        async with Scripted([Answer(drop=True)]) as broken, Scripted() as up:

            async def work(client: OpenAICompatibleClient) -> None:
                with pytest.raises(TransientFailure, match="no reply from"):
                    await client.attempt(request())
                for _ in range(5):
                    await client.attempt(request())
                assert (len(broken.seen), len(up.seen)) == (1, 5)

            await at(broken.url, up.url, work=work)

    asyncio.run(run())


def test_where_every_server_is_down_that_is_said() -> None:
    end = asyncio.run(failure_at(*(f"http://127.0.0.1:{free_port()}/v1" for _ in range(2))))
    assert type(end) is ServerDown
    assert "nothing listens" in str(end)


def test_where_every_server_fails_one_is_tried_all_the_same() -> None:
    async def work(client: OpenAICompatibleClient) -> None:
        with pytest.raises(TransientFailure):
            await client.attempt(request())
        await client.attempt(request())

    assert len(talk([Answer(drop=True), Answer()], work)) == 2


# --- the models that a server lists ----------------------------------------------------------


def listed(answer: Answer) -> tuple[dict[str, int | None], list[Seen]]:
    async def run() -> tuple[dict[str, int | None], list[Seen]]:
        async with Scripted([answer]) as server:
            where = f"{server.url}?api-version=2024-10-21"
            return await served_models(where, {"x-lab": "uno"}, "k"), server.seen

    return asyncio.run(run())


def test_names_are_asked_for_once_with_headers_and_key() -> None:
    names, (seen,) = listed(Answer({"data": [{"id": "a"}, {"id": "b"}]}))
    assert names == {"a": None, "b": None}
    assert (seen.method, seen.path) == ("GET", "/v1/models?api-version=2024-10-21")
    assert seen.headers["authorization"] == "Bearer k"
    assert seen.headers["x-lab"] == "uno"


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
        Answer(delay_s=30),
    ],
)
def test_what_is_no_list_names_nothing(answer: Answer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_compatible, "LISTING_TIMEOUT_S", 0.3)
    assert listed(answer)[0] == {}
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
