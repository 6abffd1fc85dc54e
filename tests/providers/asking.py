"""One question to one scripted server, and how it ended."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from apieval.errors import AttemptFailed
from apieval.providers.openai_compatible import OpenAICompatibleClient
from apieval.records import Message, Reply, Request
from tests.servers import Answer, Script, Scripted, Seen

KEY = "sk-finta-000111"
TEXT = "Soluzione: Verità nascosta"
Work = Callable[[OpenAICompatibleClient], Awaitable[Any]]


def request(text: str = "Rebus: VE [Santa di Cascia]") -> Request:
    asked = (Message(role="user", content=text),)
    return Request(id=0, setting="regular", sample=0, messages=asked, identity="{}", key="sha256:0")


async def at(
    *urls: str,
    work: Work = lambda client: client.attempt(request()),
    key: str | None = None,
    **body: object,
) -> Any:  # noqa: ANN401 # what the work returns
    """Do some work with a client of servers, and close it."""
    client = OpenAICompatibleClient(urls, {"model": "m", **body}, None, key)
    try:
        return await work(client)
    finally:
        await client.aclose()


def talk(script: Script, work: Work, key: str | None = None, **body: object) -> list[Seen]:
    """Let a client talk to a scripted server; return what the server saw."""

    async def run() -> list[Seen]:
        async with Scripted(script) as server:
            await at(server.url, work=work, key=key, **body)
            return server.seen

    return asyncio.run(run())


def attempt(answer: Answer, key: str | None = None, **body: object) -> Reply:
    """Return the reply to one attempt, which made one request."""
    got: list[Reply] = []

    async def work(client: OpenAICompatibleClient) -> None:
        got.append(await client.attempt(request()))

    assert len(talk([answer], work, key, **body)) == 1
    return got[0]


def failed(answer: Answer, key: str | None = None, **body: object) -> AttemptFailed:
    """Return the failure of one attempt."""
    with pytest.raises(AttemptFailed) as caught:
        attempt(answer, key, **body)
    return caught.value


async def failure_at(*urls: str, key: str | None = None) -> AttemptFailed:
    """Return the failure of one attempt at an address."""
    with pytest.raises(AttemptFailed) as caught:
        await at(*urls, key=key)
    return caught.value


async def raw(work: Callable[[str], Awaitable[Any]], *pieces: bytes, tls: bool = False) -> Any:  # noqa: ANN401 # the work's
    """Do some work at a server that sends these bytes, each by itself, whatever it is asked."""

    served: set[asyncio.Task[None] | None] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        served.add(asyncio.current_task())
        try:
            await (reader.read(1) if tls else reader.readuntil(b"\r\n\r\n"))
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
                await asyncio.sleep(0.005)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass  # whoever asked has gone
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        try:
            return await work(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        finally:  # a task that the loop's end cancels is an error on Python 3.11
            await asyncio.wait_for(asyncio.gather(*filter(None, served)), 5)


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
