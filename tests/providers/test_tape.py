"""The barrier under litellm: one request, to one place, and only when asked for."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import Callable

import httpx
import pytest

from apieval.errors import RunFailure
from apieval.providers.replies import Whole
from apieval.providers.tape import TAPE, Heard, NotLetThrough, Tape, TapedTransport
from apieval.providers.transport import transport
from apieval.records import Reply
from tests.servers import Answer, Script, Scripted

Read = Callable[[Whole, str], Reply | None]


async def _sent(server: Scripted, *urls: str, read: Read) -> tuple[Tape, list[httpx.Response]]:
    """Send requests to these addresses within one attempt, until one is the last."""
    connections = transport(server.url)
    tape = Tape(connections, httpx.URL(server.url), read)
    token = TAPE.set(tape)
    responses = []
    try:
        async with httpx.AsyncClient(transport=TapedTransport()) as client:
            for url in urls:
                responses += [await client.post(url, content=b"{}")]
    except Heard:
        pass
    finally:
        TAPE.reset(token)
        await connections.aclose()
    return tape, responses


def sent(
    *urls: str, script: Script = (), read: Read = lambda *_: None
) -> tuple[Tape, list[httpx.Response], list[str]]:
    """Send requests to these addresses of a server; return the tape, what came, what was asked."""

    async def main() -> tuple[Tape, list[httpx.Response], list[str]]:
        async with Scripted(script) as server:
            where = [url.format(here=f"127.0.0.1:{server.port}", port=server.port) for url in urls]
            tape, responses = await _sent(server, *where, read=read)
            return tape, responses, [seen.path for seen in server.seen]

    return asyncio.run(main())


def test_what_is_understood_ends_litellms_part() -> None:
    reply = Reply(text="letto")
    tape, responses, _ = sent("http://{here}/x?key=segreto", read=lambda *_: reply)
    assert (tape.end, responses) == (reply, [])
    assert tape.url is not None
    assert tape.url.endswith("/x")


def test_what_is_not_understood_goes_on_unpacked() -> None:
    packed = gzip.compress(json.dumps({"nuovo": "formato"}).encode())
    headers = {"content-encoding": "gzip", "x-request-id": "r1"}
    tape, (response,), _ = sent("http://{here}/x", script=[Answer(packed, headers=headers)])
    assert tape.end is None
    assert response.json() == {"nuovo": "formato"}
    assert response.headers["x-request-id"] == "r1"
    assert "content-encoding" not in response.headers


def test_a_second_request_is_not_sent() -> None:
    tape, _, seen = sent("http://{here}/x", "http://{here}/y")
    assert isinstance(tape.end, RunFailure)
    assert "a second request" in str(tape.end)
    assert seen == ["/x"]


@pytest.mark.parametrize(
    "where", ["https://127.0.0.1:{port}", "http://127.0.0.2:{port}", "http://127.0.0.1:9"]
)
def test_no_other_place_is_asked(where: str) -> None:
    tape, _, seen = sent(f"{where}/x?key=segreto")
    assert isinstance(tape.end, RunFailure)
    assert "segreto" not in str(tape.end)
    assert "meant to send the key to" in str(tape.end)
    assert not seen


def test_outside_of_an_attempt_nothing_is_sent() -> None:
    async def main() -> None:
        async with Scripted() as server, httpx.AsyncClient(transport=TapedTransport()) as client:
            with pytest.raises(NotLetThrough, match="of its own accord"):
                await client.post(f"{server.url}/x")
            assert not server.seen

    asyncio.run(main())
