"""A loopback server that speaks just enough of OpenAI's API, or of Anthropic's, at hardly any cost.

Runs by path in a process of its own and prints its port. Every POST gets one fixed answer in the
answer template, after a latency; beyond a rate, 429 with `Retry-After: 1`. `GET /stats` gives the
counters and, on the monotonic clock that all processes of a machine share, the times of the first
request and of the last reply: a run's span is measured here, not by the client under test.
`GET /reset` sets the counters to nothing. No HTTP library: a request costs some 30 us.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import re
import time
from dataclasses import asdict, dataclass
from typing import Final

BACKLOG: Final = 4096
ANSWER: Final = """\
Procediamo alla risoluzione del rebus passo per passo:
- A C = A C
- [Un mollusco nell'insalata di mare] = cozza
- G L I = G L I
- [Lo è l'operaio che lavora in cantiere] = edile
- S T O = S T O
- [Soldati da trincea] = fanti
- [Parente, ma di quelle molto lontane] = ava
- N Z = N Z
- [Lo fa doppio l'opportunista] = gioco
Prima lettura: AC cozza GLI edile S TO fanti ava NZ gioco
Ora componiamo la soluzione seguendo la chiave risolutiva:
11 = Accozzaglie
2 = di
10 = lestofanti
6 = avanzi
2 = di
5 = gioco
Soluzione: Accozzaglie di lestofanti avanzi di gioco
"""
PADDING: Final = "- passo che non porta da nessuna parte, come capita\n"
_LENGTH: Final = re.compile(rb"\r\ncontent-length:[ \t]*(\d+)", re.IGNORECASE)
_REFUSAL: Final = b'{"error":{"message":"rate limit","type":"rate_limit_error"}}'


def http(status: str, body: bytes, header: str = "") -> bytes:
    """Return a whole HTTP/1.1 response; `header` is further lines, each with its line end."""
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\n{header}"
    return f"{head}content-length: {len(body)}\r\n\r\n".encode() + body


def padded(characters: int) -> str:
    """Return the one answer's text with at least so many characters."""
    return PADDING * ((characters - len(ANSWER)) // len(PADDING)) + ANSWER


def completion(characters: int = 0) -> bytes:
    """Return the one answer there is, as an OpenAI chat completion; padded to so many characters."""
    message = {"role": "assistant", "content": padded(characters)}
    value = {
        "id": "chatcmpl-bench",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "bench-model",
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 700, "completion_tokens": 210, "total_tokens": 910},
    }
    return http("200 OK", json.dumps(value).encode())


def message(characters: int = 0) -> bytes:
    """Return the same answer, as Anthropic says it."""
    value = {
        "id": "msg_bench",
        "type": "message",
        "role": "assistant",
        "model": "bench-model",
        "content": [{"type": "text", "text": padded(characters)}],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 700, "output_tokens": 210},
    }
    return http("200 OK", json.dumps(value).encode())


WIRES: Final = {"openai": completion, "anthropic": message}


@dataclass(slots=True)
class Counters:
    """What came in and went out since the last reset; times in seconds, monotonic."""

    requests: int = 0
    ok: int = 0
    refused: int = 0
    connections: int = 0
    most_in_flight: int = 0
    first_request: float | None = None
    last_reply: float | None = None


class Bucket:
    """Allow so many requests a second, and so many at once."""

    def __init__(self, rate: float, burst: float) -> None:
        """Start full."""
        self.rate = rate
        self.burst = burst
        self.tokens = self.burst
        self.since = time.monotonic()

    def take(self) -> bool:
        """Take a token where there is one."""
        now = time.monotonic()
        self.tokens = min(self.burst, self.tokens + (now - self.since) * self.rate)
        self.since = now
        if self.tokens < 1:
            return False
        self.tokens -= 1
        return True


class Service:
    """What all connections share: the answer, the counters, the bucket."""

    def __init__(self, latency_s: float, bucket: Bucket | None, characters: int, wire: str) -> None:
        """Answer after `latency_s` seconds over that wire; `bucket` None is no limit."""
        self.loop = asyncio.get_running_loop()
        self.latency_s = latency_s
        self.bucket = bucket
        self.answer = WIRES[wire](characters)
        self.refusal = http("429 Too Many Requests", _REFUSAL, "retry-after: 1\r\n")
        self.cpu = 0.0
        self.in_flight = 0
        self.reset()

    def reset(self) -> None:
        """Count from nothing."""
        self.counters = Counters()
        self.cpu = time.process_time()

    def post(self, transport: asyncio.Transport) -> None:
        """Take a question: answer it later, or refuse it at once."""
        counters = self.counters
        counters.requests += 1
        if counters.first_request is None:
            counters.first_request = time.monotonic()
        if self.bucket and not self.bucket.take():
            counters.refused += 1
            transport.write(self.refusal)
            return
        self.in_flight += 1
        counters.most_in_flight = max(counters.most_in_flight, self.in_flight)
        if self.latency_s:
            self.loop.call_later(self.latency_s, self.reply, transport)
        else:
            self.reply(transport)

    def reply(self, transport: asyncio.Transport) -> None:
        """Answer a question, unless whoever asked is gone."""
        self.in_flight -= 1
        if not transport.is_closing():
            transport.write(self.answer)
            self.counters.ok += 1
            self.counters.last_reply = time.monotonic()

    def get(self, path: bytes) -> bytes:
        """Return the whole response to `/stats` and `/reset`."""
        if path == b"/reset":
            self.reset()
        elif path != b"/stats":
            return http("404 Not Found", b"{}")
        stats = {**asdict(self.counters), "cpu_s": time.process_time() - self.cpu}
        return http("200 OK", json.dumps(stats).encode())


class Connection(asyncio.Protocol):
    """One keep-alive connection."""

    transport: asyncio.Transport

    def __init__(self, service: Service) -> None:
        """Wait for the first byte."""
        self.service = service
        self.waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        if isinstance(transport, asyncio.Transport):
            self.transport = transport
        self.service.counters.connections += 1

    def data_received(self, data: bytes) -> None:
        """Serve every request that is whole."""
        self.waiting += data
        while (end := self.waiting.find(b"\r\n\r\n")) >= 0:
            head = self.waiting[:end]
            length = _LENGTH.search(head)
            whole = end + 4 + (int(length[1]) if length else 0)
            if len(self.waiting) < whole:
                return
            self.waiting = self.waiting[whole:]
            if head.startswith(b"POST "):
                self.service.post(self.transport)
            else:
                self.transport.write(self.service.get(head.split(b" ", 2)[1]))


async def serve(latency_s: float, bucket: Bucket | None, characters: int, wire: str) -> None:
    """Serve until the process is ended."""
    service = Service(latency_s, bucket, characters, wire)
    server = await service.loop.create_server(
        lambda: Connection(service), "127.0.0.1", 0, backlog=BACKLOG
    )
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def main() -> None:
    """Read the options and serve."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each answer")
    parser.add_argument("--rate", type=float, help="requests a second; 429 beyond")
    parser.add_argument("--burst", type=float, help="requests at once [default: rate / 10]")
    parser.add_argument("--characters", type=int, default=0, help="an answer has, at least")
    parser.add_argument("--wire", choices=WIRES, default="openai", help="whose API to speak")
    options = parser.parse_args()
    rate = options.rate
    bucket = Bucket(rate, options.burst or max(1.0, rate / 10)) if rate else None
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(serve(options.latency, bucket, options.characters, options.wire))


if __name__ == "__main__":
    main()
