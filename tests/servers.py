"""A scripted server on loopback, in the test's own event loop: it answers as told and records.

A script is a list of answers, the last of which is repeated, or a function of the request.
"""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final, Self

HEADERS_END: Final = b"\r\n\r\n"


def completion(
    text: str | None = "Soluzione: Verità nascosta", **changes: object
) -> dict[str, Any]:
    """Return a chat completion; `changes` replace fields of the document."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text},
        "finish_reason": "stop",
    }
    return {
        "id": "chatcmpl-prova-1",
        "object": "chat.completion",
        "created": 1_790_000_000,
        "model": "modello-prova",
        "choices": [choice],
        "usage": {"prompt_tokens": 412, "completion_tokens": 96, "total_tokens": 508},
        **changes,
    }


def clamped(window: int, tokens: int) -> dict[str, Any]:
    """Return an answer of so many tokens, cut where prompt and answer together fill a window."""
    message = {"role": "assistant", "content": "Procediamo"}
    return completion(
        choices=[{"index": 0, "message": message, "finish_reason": "length"}],
        usage={"prompt_tokens": window - tokens, "completion_tokens": tokens},
    )


@dataclass(frozen=True, slots=True)
class Seen:
    """One request as it arrived; `connection` counts the connections, from 0."""

    connection: int
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:  # noqa: ANN401 # any JSON
        return json.loads(self.body)


@dataclass(frozen=True, slots=True)
class Answer:
    """What one request gets: a document, a text or bytes; `cut` sends so many bytes, then closes.

    `drop` closes without a byte, `last` closes after the reply without having said so.
    """

    body: Any = field(default_factory=completion)
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    delay_s: float = 0.0
    cut: int | None = None
    drop: bool = False
    last: bool = False

    def wire(self) -> bytes:
        plain = self.body.encode() if isinstance(self.body, str) else self.body
        content = plain if isinstance(plain, bytes) else json.dumps(plain).encode()
        fields = {
            "content-type": "application/json",
            "content-length": str(len(content)),
            **self.headers,
        }
        head = f"HTTP/1.1 {self.status} said\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in fields.items()
        )
        return head.encode("latin-1") + b"\r\n" + content


Script = Sequence[Answer] | Callable[[Seen], Answer]


class Scripted:
    """Listen on a free port of loopback as long as the context lasts."""

    def __init__(self, script: Script = (), tls: ssl.SSLContext | None = None) -> None:
        self.seen: list[Seen] = []
        self._script, self._tls = script, tls
        self._connections = 0
        self._open: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(
            self._serve, "127.0.0.1", 0, backlog=1024, ssl=self._tls
        )
        self.port: int = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/v1"
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        tasks = list(self._open)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _answer(self, seen: Seen) -> Answer:
        self.seen.append(seen)
        if callable(self._script):
            return self._script(seen)
        if not self._script:
            return Answer()
        return self._script[min(len(self.seen), len(self._script)) - 1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._open[task] = writer
        number, self._connections = self._connections, self._connections + 1
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
                while await self._one(number, reader, writer):
                    pass
        finally:
            del self._open[task]
            writer.close()
            with suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _one(
        self, number: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> bool:
        head = (await reader.readuntil(HEADERS_END)).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ")
        pairs = (line.partition(": ") for line in head[1:] if line)
        headers = {name.lower(): value for name, _, value in pairs}
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        answer = self._answer(Seen(number, method, path, headers, body))
        if answer.delay_s:
            await asyncio.sleep(answer.delay_s)
        if answer.drop:
            return False
        wire = answer.wire()
        writer.write(wire if answer.cut is None else wire[: answer.cut])
        await writer.drain()
        return answer.cut is None and not answer.last
