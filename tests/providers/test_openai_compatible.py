from __future__ import annotations

import asyncio
import gzip
import json
import socket
import ssl
import subprocess
import tracemalloc
import zlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

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
    Unreachable,
    WebPage,
)
from apieval.providers import proxies, transport
from apieval.providers.clients import connect
from apieval.providers.openai_compatible import ASIDE_S, OpenAICompatibleClient
from apieval.providers.transport import MISNAMED, TWO_LENGTHS
from apieval.records import Message, Outcome, Reply, Request, Usage
from apieval.run.retry import judge
from tests.servers import Answer, Script, Scripted, Seen, completion

KEY = "sk-finta-000111"
TEXT = "Soluzione: Verità nascosta"


def request(text: str = "Rebus: VE [Santa di Cascia]") -> Request:
    return Request(
        id=0,
        setting="regular",
        sample=0,
        messages=(Message(role="user", content=text),),
        identity="{}",
        key="sha256:0",
    )


def talk(
    script: Script,
    work: Callable[[Scripted, OpenAICompatibleClient], Awaitable[Any]],
    key: str | None = None,
    **body: object,
) -> list[Seen]:
    """Let a client talk to a scripted server; return what the server saw."""

    async def run() -> list[Seen]:
        async with Scripted(script) as server:
            client = OpenAICompatibleClient([server.url], {"model": "m", **body}, None, key)
            try:
                await work(server, client)
            finally:
                await client.aclose()
            return server.seen

    return asyncio.run(run())


def attempt(answer: Answer, key: str | None = None) -> Reply:
    """Return the reply to one attempt, which made one request."""
    got: list[Reply] = []

    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        got.append(await client.attempt(request()))

    seen = talk([answer], work, key)
    assert len(seen) == 1
    return got[0]


def failed(answer: Answer, key: str | None = None) -> AttemptFailed:
    """Return the failure of one attempt."""
    with pytest.raises(AttemptFailed) as caught:
        attempt(answer, key)
    return caught.value


def choice(message: object, reason: str | None = "stop", **fields: object) -> Answer:
    return Answer(
        {
            **completion(choices=[{"index": 0, "message": message, "finish_reason": reason}]),
            **fields,
        }
    )


# --- what is sent ----------------------------------------------------------------------------


def test_sends_body_and_messages_and_nothing_else() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        await client.attempt(request("Perché è così? \U0001f9e9 \ud83d"))

    (seen,) = talk([], work, temperature=0, max_tokens=1024)
    assert (seen.method, seen.path) == ("POST", "/v1/chat/completions")
    assert seen.json == {
        "stream": False,
        "model": "m",
        "temperature": 0,
        "max_tokens": 1024,
        "messages": [{"role": "user", "content": "Perché è così? \U0001f9e9 \ud83d"}],
    }
    assert seen.headers["content-type"] == "application/json"


@pytest.mark.parametrize("body", [{"messages": "x"}, {"messages": "x", "stop": "}"}], ids=str)
def test_no_body_takes_the_place_of_the_messages(body: dict[str, Any]) -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        await client.attempt(request("Ciao"))

    (seen,) = talk([], work, **body)
    asked = {"messages": [{"role": "user", "content": "Ciao"}]}
    assert seen.json == {"stream": False, "model": "m", **body, **asked}


def test_what_the_user_says_of_streaming_is_sent_and_what_comes_is_read() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": TEXT}, "finish_reason": "stop"}]}
    events = f"data: {json.dumps(chunk)}\n\ndata: [DONE]\n\n"
    streamed = Answer(events, headers={"content-type": "text/event-stream"})
    got: list[Reply] = []

    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        got.append(await client.attempt(request()))

    (seen,) = talk([streamed], work, stream=True)
    assert seen.json["stream"] is True
    assert got[0].text == TEXT


def test_without_a_key_there_is_no_authorization_header(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    (seen,) = talk([], lambda _, client: client.attempt(request()))
    assert "authorization" not in seen.headers


def test_with_a_key_there_is_one() -> None:
    (seen,) = talk([], lambda _, client: client.attempt(request()), key=KEY)
    assert seen.headers["authorization"] == f"Bearer {KEY}"


def test_configured_headers_are_sent() -> None:
    async def run() -> None:
        async with Scripted() as server:
            client = connect([server.url], {"model": "m"}, {"X-Title": "apieval"})
            await client.attempt(request())
            await client.aclose()
            assert server.seen[0].headers["x-title"] == "apieval"

    asyncio.run(run())


# --- good answers ----------------------------------------------------------------------------


def test_reads_all_there_is() -> None:
    details = {
        "completion_tokens_details": {"reasoning_tokens": 7},
        "prompt_tokens_details": {"cached_tokens": 5},
    }
    usage = {"prompt_tokens": 412, "completion_tokens": 96, "total_tokens": 508, **details}
    assert attempt(Answer(completion(usage=usage, system_fingerprint="fp_1"))) == Reply(
        text=TEXT,
        finish_reason="stop",
        served_model="modello-prova",
        system_fingerprint="fp_1",
        usage=Usage(
            prompt_tokens=412,
            completion_tokens=96,
            total_tokens=508,
            reasoning_tokens=7,
            cached_tokens=5,
        ),
    )


def test_all_tokens_spent_on_reasoning() -> None:
    thought = "La santa di Cascia è Rita, quindi VE Rita…"
    message = {"role": "assistant", "content": None, "reasoning_content": thought}
    reply = attempt(choice(message, "length", usage={"completion_tokens": 512}))
    assert (reply.text, reply.reasoning) == ("", thought)
    assert judge(reply) is Outcome.TRUNCATED
    assert reply.usage == Usage(completion_tokens=512)


@pytest.mark.parametrize("content", [None, "", "   \n"])
def test_nothing_with_stop_is_empty(content: str | None) -> None:
    reply = attempt(choice({"role": "assistant", "content": content}))
    assert reply.text == (content or "")
    assert judge(reply) is Outcome.EMPTY


def test_content_that_is_left_out_is_none() -> None:
    reply = attempt(choice({"role": "assistant"}, "length"))
    assert judge(reply) is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (
            [{"type": "text", "text": "Prima "}, {"type": "text", "text": "lettura"}],
            "Prima lettura",
        ),
        (
            [{"type": "image_url"}, "testo nudo ", {"type": "text", "text": "x"}, {"text": 5}],
            "testo nudo x",
        ),
        ([], ""),
        ("mezza \ud83d emoji", "mezza � emoji"),
        ("\ud83e\udde9 intera", "\U0001f9e9 intera"),
        ("a\x00b\u2028c", "a\x00b\u2028c"),
    ],
)
def test_content_in_every_form(content: object, text: str) -> None:
    reply = attempt(choice({"role": "assistant", "content": content}))
    assert reply.text == text
    reply.model_dump_json()  # it can be written down


@pytest.mark.parametrize(
    ("fields", "reasoning"),
    [
        ({"reasoning_content": "penso"}, "penso"),
        ({"reasoning": "penso"}, "penso"),
        ({"reasoning_content": None, "reasoning": "penso"}, "penso"),
        ({"reasoning": [{"text": "pen"}, {"text": "so"}]}, "penso"),
        ({"reasoning": "mezza \ud83d"}, "mezza �"),
        ({"reasoning": {"steps": 3}}, None),
        ({"reasoning": 5}, None),
        ({}, None),
    ],
)
def test_reasoning_in_every_form_and_none_costs_the_answer(
    fields: dict[str, Any], reasoning: str | None
) -> None:
    reply = attempt(choice({"role": "assistant", "content": TEXT, **fields}))
    assert (reply.text, reply.reasoning) == (TEXT, reasoning)


@pytest.mark.parametrize(
    ("usage", "known"),
    [
        (None, Usage()),
        ([], Usage()),
        ("508", Usage()),
        (
            {
                "prompt_tokens": 412,
                "completion_tokens": None,
                "total_tokens": 412,
                "completion_tokens_details": {"reasoning_tokens": None},
                "prompt_tokens_details": None,
            },
            Usage(prompt_tokens=412, total_tokens=412),
        ),
        ({"prompt_tokens": "412", "completion_tokens": -1, "total_tokens": True}, Usage()),
        ({"prompt_tokens": 1.5, "completion_tokens": float("nan")}, Usage()),
        (
            {"prompt_tokens": 10**400, "completion_tokens": 10**9, "total_tokens": 0},
            Usage(),
        ),
        ({"prompt_tokens_details": 5, "completion_tokens_details": []}, Usage()),
    ],
)
def test_usage_that_is_not_known_is_not_zero_and_costs_no_answer(
    usage: object, known: Usage
) -> None:
    reply = attempt(Answer(completion(usage=usage)))
    assert (reply.text, reply.usage) == (TEXT, known)


def test_usage_may_be_absent() -> None:
    document = completion()
    del document["usage"]
    assert attempt(Answer(document)).usage == Usage()


def test_odd_fields_beside_the_answer_cost_no_answer() -> None:
    reply = attempt(choice({"content": TEXT}, reason=None, model=5, system_fingerprint=["x"]))
    assert reply == Reply(text=TEXT, usage=reply.usage)


def test_a_compressed_answer() -> None:
    packed = gzip.compress(json.dumps(completion()).encode())
    assert attempt(Answer(packed, headers={"content-encoding": "gzip"})).text == TEXT


@pytest.mark.parametrize("window", [15, -15, 31])
def test_every_packing_that_is_allowed_for(window: int) -> None:
    packer = zlib.compressobj(wbits=window)
    packed = packer.compress(json.dumps(completion()).encode()) + packer.flush()
    name = "x-gzip" if window > 15 else "Deflate"
    assert attempt(Answer(packed + b"rest", headers={"content-encoding": name})).text == TEXT


@pytest.mark.parametrize("packing", ["br", "zstd", "gzip, gzip", "identity", ""])
def test_what_was_not_allowed_for_is_taken_as_it_is(packing: str) -> None:
    assert attempt(Answer(headers={"content-encoding": packing})).text == TEXT
    seen = talk([Answer()], lambda _, client: client.attempt(request()))
    assert seen[0].headers["accept-encoding"] == "gzip, deflate"


def test_a_bomb_is_given_up_before_it_is_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 3_000_000)
    bomb = gzip.compress(bytes(200_000_000))
    tracemalloc.start()
    try:
        end = failed(Answer(bomb, headers={"content-encoding": "gzip"}))
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "larger than" in str(end)
    assert most < 30_000_000


def test_an_error_that_is_null_is_none() -> None:
    assert attempt(Answer(completion(error=None))).text == TEXT


# --- bad answers -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "kind", "said"),
    [
        (Answer({"object": "error", "message": "troppi token"}, 400), ItemFailure, "troppi token"),
        (Answer({"error": {"message": "troppi token"}}, 400), ItemFailure, "troppi token"),
        (Answer({"error": "troppe richieste"}, 429), TransientFailure, "troppe richieste"),
        (Answer({"detail": [{"msg": "campo mancante"}]}, 422), ItemFailure, "campo mancante"),
        (Answer("<html>gateway guasto</html>", 502), TransientFailure, "gateway guasto"),
        (Answer("<!doctype html><title>Accedi</title>"), WebPage, "is this an API address"),
        (Answer("", 500), TransientFailure, "HTTP 500"),
        (Answer("", 200), TransientFailure, "not JSON"),
        (Answer("data: {}\n\n"), TransientFailure, "event stream broke off"),
        (Answer("[" * 100_000), TransientFailure, "not JSON"),
        (Answer('{"choices": [{"mess'), TransientFailure, "not JSON"),
        (Answer({"error": "guasto"}), WebPage, "error inside: guasto"),
        (Answer({"error": "motore guasto, try again"}), TransientFailure, "motore guasto"),
        (Answer({"detail": "Not Found"}), WebPage, "error inside: Not Found"),
        (
            Answer(
                {
                    "choices": None,
                    "base_resp": {"status_code": 1008, "status_msg": "insufficient balance"},
                }
            ),
            RunFailure,
            "top up",
        ),
        (
            Answer(
                {
                    "choices": None,
                    "base_resp": {"status_code": 1027, "status_msg": "output new_sensitive"},
                }
            ),
            ContentRefused,
            "new_sensitive",
        ),
        (
            Answer({"error": "Unexpected endpoint or method. (POST /chat/completions)"}),
            RunFailure,
            "check base_url",
        ),
        (Answer({"choices": []}), TransientFailure, "malformed"),
        (Answer({"choices": None}), TransientFailure, "malformed"),
        (Answer({"choices": {"0": 1}}), TransientFailure, "malformed"),
        (Answer({"choices": [None]}), TransientFailure, "malformed"),
        (Answer({"choices": [{"index": 0}]}), TransientFailure, "malformed"),
        (Answer({"choices": [{"message": None}]}), TransientFailure, "malformed"),
        (Answer({"choices": [{"message": "ciao"}]}), TransientFailure, "malformed"),
        (choice({"content": 5}), TransientFailure, "malformed"),
        (Answer([]), TransientFailure, "malformed"),
        (Answer("null"), TransientFailure, "malformed"),
        (Answer("5"), TransientFailure, "malformed"),
        (Answer({"error": {"message": "chiave"}}, 401), RunFailure, "api_key_env"),
        (Answer({}, 307, {"location": "/altrove"}), RunFailure, "/altrove"),
    ],
)
def test_what_is_no_answer_is_a_failure_of_its_kind(
    answer: Answer, kind: type[AttemptFailed], said: str
) -> None:
    end = failed(answer)
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
            client = OpenAICompatibleClient([base], {"model": "m"})
            with pytest.raises(AttemptFailed) as caught:
                await client.attempt(request())
            await client.aclose()
            return caught.value, base

    failure, base = asyncio.run(run())
    assert (f"try {base}/v1 as base_url" in str(failure)) is told


def test_the_body_of_a_malformed_reply_is_kept() -> None:
    document = {"id": "x", "object": "chat.completion", "choices": [{"index": 0}]}
    assert json.dumps(document) in str(failed(Answer(document)))


def test_a_wait_is_carried_along() -> None:
    assert failed(Answer({}, 429, {"Retry-After": "7"})).retry_after_s == 7


@pytest.mark.parametrize(
    "answer",
    [
        Answer(drop=True),
        Answer(cut=5),
        Answer(cut=60),
        Answer(cut=200),
        Answer(b"x" * 100, headers={"content-encoding": "gzip"}),
        Answer(headers={"transfer-encoding": "chunked", "content-length": "5"}),
        Answer(headers={"x": "y" * 300_000}),
        Answer(headers={"content-length": "tanti"}),
    ],
)
def test_a_broken_reply_may_pass(answer: Answer) -> None:
    end = failed(answer)
    assert isinstance(end, TransientFailure)
    assert not isinstance(end, ServerDown)
    assert "/chat/completions" in str(end)
    assert end.__suppress_context__


# --- connections -----------------------------------------------------------------------------


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_where_nothing_listens_the_server_is_down(host: str) -> None:
    async def run() -> None:
        client = OpenAICompatibleClient([f"http://{host}:{free_port()}/v1"], {})
        with pytest.raises(ServerDown, match="nothing listens"):
            await client.attempt(request())
        await client.aclose()

    asyncio.run(run())


def end_at(url: str) -> AttemptFailed:
    """Return the failure of one attempt at an address."""

    async def run() -> AttemptFailed:
        client = OpenAICompatibleClient([url], {"model": "m"})
        try:
            with pytest.raises(AttemptFailed) as caught:
                await client.attempt(request())
        finally:
            await client.aclose()
        return caught.value

    return asyncio.run(run())


def test_an_unknown_name_is_told_with_its_remedy() -> None:  # C12
    end = end_at("http://nessuno.invalid/v1")
    assert type(end) is Unreachable
    assert "no address is known of 'nessuno.invalid'" in str(end)
    assert "check its spelling in base_url" in str(end)


def test_https_in_front_of_a_plain_server_is_told_at_once() -> None:  # C12
    async def plain(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        writer.close()

    async def run() -> AttemptFailed:
        server = await asyncio.start_server(plain, "127.0.0.1", 0)
        async with server:
            port = server.sockets[0].getsockname()[1]
            client = OpenAICompatibleClient([f"https://127.0.0.1:{port}/v1"], {"model": "m"})
            try:
                with pytest.raises(AttemptFailed) as caught:
                    await client.attempt(request())
            finally:
                await client.aclose()
            return caught.value

    end = asyncio.run(run())
    assert type(end) is RunFailure
    assert "write http:// in base_url" in str(end)


# --- heads -----------------------------------------------------------------------------------


@pytest.mark.parametrize("length", [9_000, 60_000, 200_000])
def test_a_long_header_costs_no_answer(length: int) -> None:  # C06
    headers = {"x-gateway-info": "y" * length, "content-security-policy": "z" * length}
    assert attempt(Answer(headers=headers)).text == TEXT


def test_many_headers_cost_no_answer() -> None:
    assert attempt(Answer(headers={f"x-{number}": "y" for number in range(500)})).text == TEXT


DOCUMENT = json.dumps(completion()).encode()
CHUNKED = b"%x\r\n%s\r\n0\r\n\r\n" % (len(DOCUMENT), DOCUMENT)
LENGTH = b"content-length: %d\r\n" % len(DOCUMENT)
CHUNKS = b"Transfer-Encoding: chunked\r\n"


def raw(*pieces: bytes) -> Reply:
    """Return the reply to one attempt at a server that sends these bytes, each by itself."""

    async def run() -> Reply:
        done = asyncio.Event()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.005)
            writer.close()
            done.set()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with server:
            url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
            client = OpenAICompatibleClient([url], {"model": "m"})
            try:
                return await client.attempt(request())
            finally:
                await done.wait()
                await client.aclose()

    return asyncio.run(run())


OK = b"HTTP/1.1 200 OK\r\n"
END = b"\r\n"


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param((OK + LENGTH + CHUNKS + END + CHUNKED,), id="in one piece"),
        pytest.param((OK + CHUNKS + LENGTH + END, CHUNKED), id="the head by itself"),
        pytest.param((OK[:5], OK[5:] + CHUNKS, LENGTH + END + CHUNKED), id="in pieces"),
        pytest.param((OK + LENGTH + CHUNKS + END + DOCUMENT,), id="not in chunks at all"),
        pytest.param((OK + b"Content-Length: 7\r\n" + CHUNKS + END + CHUNKED,), id="wrong length"),
        pytest.param((OK + LENGTH + LENGTH.title() + END + DOCUMENT,), id="the same twice"),
    ],
)
def test_a_length_given_twice_costs_no_answer(pieces: tuple[bytes, ...]) -> None:
    reply = raw(*pieces)
    assert reply.text == TEXT
    assert reply.repaired == (TWO_LENGTHS,)


@pytest.mark.parametrize(
    "pieces",
    [
        pytest.param((OK + CHUNKS + END + CHUNKED,), id="chunks alone"),
        pytest.param((OK + LENGTH + END, DOCUMENT[:50], DOCUMENT[50:]), id="a length alone"),
        pytest.param(
            (OK.replace(b"\r", b"") + LENGTH.replace(b"\r", b"") + b"\n" + DOCUMENT,), id="bare"
        ),
        pytest.param((OK + END + DOCUMENT,), id="until the end"),
    ],
)
def test_a_head_that_is_right_is_left_as_it_is(pieces: tuple[bytes, ...]) -> None:
    assert (raw(*pieces).text, raw(*pieces).repaired) == (TEXT, ())


def test_lengths_that_differ_are_no_length() -> None:
    with pytest.raises(TransientFailure):
        raw(OK + LENGTH + b"content-length: 5\r\n" + END + DOCUMENT)


@pytest.mark.parametrize(
    ("body", "packing", "repaired"),
    [
        (DOCUMENT, "gzip", (MISNAMED,)),
        (DOCUMENT, "deflate", (MISNAMED,)),
        (gzip.compress(DOCUMENT), "", (MISNAMED,)),
        (gzip.compress(DOCUMENT), "deflate", ()),
        (zlib.compress(DOCUMENT), "gzip", ()),
        (gzip.compress(DOCUMENT), "br", (MISNAMED,)),
    ],
)
def test_a_packing_that_is_misnamed_costs_no_answer(
    body: bytes, packing: str, repaired: tuple[str, ...]
) -> None:
    reply = attempt(Answer(body, headers={"content-encoding": packing}))
    assert (reply.text, reply.repaired) == (TEXT, repaired)


def test_an_answer_shorter_than_its_length_is_whole_where_it_is_whole() -> None:
    reply = attempt(Answer(headers={"content-length": str(len(DOCUMENT) + 7)}, last=True))
    assert reply.text == TEXT
    assert "broke off" in str(reply.repaired)


def test_one_after_the_other_takes_one_connection() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        for _time in range(5):
            await client.attempt(request())

    assert {seen.connection for seen in talk([], work)} == {0}


def test_a_connection_the_server_closes_under_a_request_is_a_passing_fault() -> None:
    """The second request goes to its end; the third on a new connection."""

    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        await client.attempt(request())
        with pytest.raises(TransientFailure):
            await client.attempt(request())
        await client.attempt(request())

    seen = talk([Answer(), Answer(drop=True), Answer()], work)
    assert [each.connection for each in seen] == [0, 0, 1]


def test_a_connection_the_server_closed_meanwhile_is_not_used_again() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        for _time in range(3):
            await client.attempt(request())
            await asyncio.sleep(0.02)

    assert [seen.connection for seen in talk([Answer(last=True)], work)] == [0, 1, 2]


def test_idle_connections_are_dropped_before_servers_do() -> None:
    assert transport.KEEP_ALIVE_S < 5


def test_three_hundred_at_once() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        replies = await asyncio.gather(*(client.attempt(request(str(i))) for i in range(300)))
        assert {reply.text for reply in replies} == {TEXT}

    seen = talk([Answer(delay_s=0.05)], work)
    assert sorted(int(each.json["messages"][0]["content"]) for each in seen) == list(range(300))


def test_those_who_give_up_do_not_block_the_others() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        tasks = [asyncio.create_task(client.attempt(request("slow"))) for _ in range(100)]
        await asyncio.sleep(0.05)
        for task in tasks:
            task.cancel()
        ends = await asyncio.gather(*tasks, return_exceptions=True)
        assert {type(end) for end in ends} == {asyncio.CancelledError}
        replies = await asyncio.gather(*(client.attempt(request()) for _ in range(100)))
        assert len(replies) == 100

    def script(seen: Seen) -> Answer:
        return Answer(delay_s=30 if b"slow" in seen.body else 0)

    talk(script, work)


# --- proxies ---------------------------------------------------------------------------------


def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    assert attempt(Answer()).text == TEXT


@pytest.mark.parametrize("no_proxy", ["", "modelli.example"])
def test_other_addresses_do_unless_excepted(monkeypatch: pytest.MonkeyPatch, no_proxy: str) -> None:
    async def run() -> None:
        async with Scripted() as proxy:
            monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{proxy.port}")
            monkeypatch.setenv("no_proxy", no_proxy)
            client = OpenAICompatibleClient(["http://modelli.example/v1"], {"model": "m"})
            if no_proxy:
                assert proxies.proxy_of("http://modelli.example/v1") is None
            else:
                assert (await client.attempt(request())).text == TEXT
                assert proxy.seen[0].path == "http://modelli.example/v1/chat/completions"
            await client.aclose()

    asyncio.run(run())


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
    end = failed(Answer(), KEY)
    assert type(end) is Unexpected
    assert str(end) == "unexpected RuntimeError: authorization: Bearer ***"
    assert end.__suppress_context__


def test_no_traceback_shows_the_key() -> None:
    client_repr: list[str] = []

    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        client_repr.append(repr(client))
        await client.attempt(request())

    with pytest.raises(TransientFailure) as caught:
        talk([Answer(drop=True)], work, KEY)
    assert KEY not in str(caught.value)
    assert KEY not in client_repr[0]


# --- several servers of one model ------------------------------------------------------------


def test_the_least_loaded_server_takes_the_next_request() -> None:
    async def run() -> None:
        async with Scripted([Answer(delay_s=0.3)]) as slow, Scripted() as quick:
            client = OpenAICompatibleClient([slow.url, quick.url], {"model": "m"})
            first = asyncio.create_task(client.attempt(request()))
            await asyncio.sleep(0.05)
            for _ in range(5):
                await client.attempt(request())
            await first
            assert (len(slow.seen), len(quick.seen)) == (1, 5)
            await asyncio.gather(*(client.attempt(request()) for _ in range(10)))
            assert (len(slow.seen), len(quick.seen)) == (6, 10)
            await client.aclose()

    asyncio.run(run())


def test_a_server_that_is_down_costs_no_attempt_while_another_is_up() -> None:
    """A dead server fails at once, so it is always the least loaded: it must not draw them all."""

    async def run() -> None:
        loading = Answer({"error": {"message": "Loading model"}}, 503)
        async with Scripted([loading]) as third, Scripted() as up:
            urls = [f"http://127.0.0.1:{free_port()}/v1", third.url, up.url]
            client = OpenAICompatibleClient(urls, {"model": "m"})
            for _ in range(5):
                await client.attempt(request())
            assert (len(third.seen), len(up.seen)) == (1, 5)
            for endpoint in client._endpoints:
                endpoint.aside_until -= ASIDE_S
            await client.attempt(request())
            assert (len(third.seen), len(up.seen)) == (2, 6)
            await client.aclose()

    asyncio.run(run())


def test_a_server_that_breaks_off_is_set_aside_and_its_request_left_to_the_retries() -> None:
    async def run() -> None:
        async with Scripted([Answer(drop=True)]) as broken, Scripted() as up:
            client = OpenAICompatibleClient([broken.url, up.url], {"model": "m"})
            with pytest.raises(TransientFailure, match="no reply from"):
                await client.attempt(request())
            for _ in range(5):
                await client.attempt(request())
            assert (len(broken.seen), len(up.seen)) == (1, 5)
            await client.aclose()

    asyncio.run(run())


def test_where_every_server_is_down_that_is_said() -> None:
    async def run() -> None:
        urls = [f"http://127.0.0.1:{free_port()}/v1" for _ in range(2)]
        client = OpenAICompatibleClient(urls, {"model": "m"})
        with pytest.raises(ServerDown, match="nothing listens"):
            await client.attempt(request())
        await client.aclose()

    asyncio.run(run())


def test_where_every_server_fails_one_is_tried_all_the_same() -> None:
    async def work(_: Scripted, client: OpenAICompatibleClient) -> None:
        with pytest.raises(TransientFailure):
            await client.attempt(request())
        await client.attempt(request())

    assert len(talk([Answer(drop=True), Answer()], work)) == 2


# --- TLS -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    words = (
        f"openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 "
        f"-keyout {key} -out {cert} -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    )
    try:
        subprocess.run(words.split(), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no openssl here to make a certificate")
    return cert, key


@pytest.mark.parametrize("trusted", [True, False])
def test_certificates_are_checked(
    certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch, trusted: bool
) -> None:
    cert, key = certificate
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(cert, key)
    ours = ssl.create_default_context(cafile=str(cert) if trusted else None)
    monkeypatch.setattr("aiohttp.connector._SSL_CONTEXT_VERIFIED", ours)

    async def run() -> None:
        async with Scripted(tls=context) as server:
            url = f"https://localhost:{server.port}/v1"
            client = OpenAICompatibleClient([url], {"model": "m"}, None, KEY)
            if trusted:
                assert (await client.attempt(request())).text == TEXT
            else:
                with pytest.raises(RunFailure, match=r"self-signed certificate.*SSL_CERT_FILE"):
                    await client.attempt(request())
                assert server.seen == []
            await client.aclose()

    asyncio.run(run())


def test_an_answer_that_echoes_the_key_is_kept_as_it_came_and_told() -> None:
    reply = {
        "model": f"m {KEY}",
        "system_fingerprint": KEY,
        "choices": [
            {"message": {"content": f"ecco {KEY}", "reasoning": KEY}, "finish_reason": KEY}
        ],
    }
    found = attempt(Answer(reply), KEY)
    assert (found.text, found.reasoning, found.holds_key) == (f"ecco {KEY}", KEY, True)
    assert (found.served_model, found.system_fingerprint) == ("m ***", "***")


def test_a_refusal_in_a_field_of_its_own_is_one() -> None:
    found = attempt(choice({"content": None, "refusal": "Non posso"}))
    assert (found.text, found.finish_reason) == ("Non posso", "refusal")


def test_a_reply_without_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "MOST_BYTES", 10_000)
    end = failed(Answer("x" * 50_000))
    assert type(end) is ItemFailure
    assert "larger than" in str(end)


def test_an_error_without_end_is_told_by_its_start() -> None:
    end = failed(Answer({"error": {"message": "temperature " * 200_000}}, 400))
    assert "temperature" in str(end)
    assert len(str(end)) < 400
    said = str(failed(Answer(headers={"x": "y" * 300_000})))
    assert len(said) < 400
    assert "\n" not in said


def test_a_malformed_reply_with_tokens_was_paid_for() -> None:
    assert failed(Answer({"choices": [], "usage": {"prompt_tokens": 5}})).billed
    assert not failed(Answer({"choices": []})).billed
