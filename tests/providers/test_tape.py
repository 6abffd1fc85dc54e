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
from tests.servers import Answer, Scripted

Read = Callable[[Whole, str], Reply | None]


async def _sent(
    server: Scripted, *urls: str, read: Read = lambda *_: None, origin: str | None = None
) -> tuple[Tape, list[httpx.Response]]:
    """Send requests to these addresses within one attempt, until one is the last."""
    connections = transport(server.url)
    tape = Tape(connections, httpx.URL(origin or server.url), read)
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


def test_what_is_understood_ends_litellms_part() -> None:
    async def main() -> None:
        async with Scripted() as server:
            reply = Reply(text="letto")
            url = f"{server.url}/x?key=segreto"
            tape, responses = await _sent(server, url, read=lambda *_: reply)
            assert (tape.end, responses) == (reply, [])
            assert tape.url == f"{server.url}/x"

    asyncio.run(main())


def test_what_is_not_understood_goes_on_unpacked() -> None:
    async def main() -> None:
        packed = gzip.compress(json.dumps({"nuovo": "formato"}).encode())
        headers = {"content-encoding": "gzip", "x-request-id": "r1"}
        async with Scripted([Answer(packed, headers=headers)]) as server:
            tape, (response,) = await _sent(server, f"{server.url}/x")
            assert tape.end is None
            assert response.json() == {"nuovo": "formato"}
            assert response.headers["x-request-id"] == "r1"
            assert "content-encoding" not in response.headers

    asyncio.run(main())


def test_a_second_request_is_not_sent() -> None:
    async def main() -> None:
        async with Scripted() as server:
            tape, _ = await _sent(server, f"{server.url}/x", f"{server.url}/y")
            assert isinstance(tape.end, RunFailure)
            assert "a second request" in str(tape.end)
            assert [seen.path for seen in server.seen] == ["/v1/x"]

    asyncio.run(main())


@pytest.mark.parametrize("where", ["https://127.0.0.1:{port}", "http://127.0.0.2:{port}", "other"])
def test_no_other_place_is_asked(where: str) -> None:
    async def main() -> None:
        async with Scripted() as server, Scripted() as other:
            url = other.url if where == "other" else where.format(port=server.port)
            tape, _ = await _sent(server, f"{url}/x?key=segreto")
            assert isinstance(tape.end, RunFailure)
            assert "segreto" not in str(tape.end)
            assert "meant to send the key to" in str(tape.end)
            assert not [*server.seen, *other.seen]

    asyncio.run(main())


def test_outside_of_an_attempt_nothing_is_sent() -> None:
    async def main() -> None:
        async with Scripted() as server:
            async with httpx.AsyncClient(transport=TapedTransport()) as client:
                with pytest.raises(NotLetThrough, match="of its own accord"):
                    await client.post(f"{server.url}/x")
            assert not server.seen

    asyncio.run(main())
