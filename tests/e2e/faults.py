"""A chat server that fails as told: on loopback, in a thread of its own, counting what it does.

What each request gets is decided by a plan, a function of what was seen of it; None is the good
answer. `good` counts the answers a provider would have billed, `seen` holds every request, `most_flying`
is how many were on their way at once.
"""

from __future__ import annotations

import asyncio
import json
import random
import re
import socket
import struct
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from enum import Enum
from typing import Any, Final, Self

from tests.e2e.wires import question, spoken

PATIENCE_S: Final = 60.0
"""How long a test waits for what must come; never reached unless something is broken."""
_REBUS: Final = re.compile(r"^Rebus: (.*)$", re.MULTILINE)
REFUSED_PARAMETER: Final = {
    "error": {
        "message": "parametro non ammesso: max_tokens",
        "type": "invalid_request_error",
        "param": "max_tokens",
        "code": "unsupported_parameter",
    }
}
"""What newer OpenAI models say of a parameter they do not take (B12)."""
USAGE: Final = {"prompt_tokens": 700, "completion_tokens": 200, "total_tokens": 900}


class Manner(Enum):
    """How a reply goes over the wire."""

    WHOLE = "whole"
    CUT = "half of the body, then the end"
    DRIP = "a byte now and then, without an end"
    DROP = "no byte, then the end"
    RESET = "no byte, then a reset"
    LAST = "the whole, then the end without a word of it"
    STALE = "the whole; the next request on this connection meets its end"
    HANG = "nothing at all"
    HOLD = "the whole, when the test says so"


@dataclass(frozen=True, slots=True)
class Reply:
    """What one request gets; `good` replies are counted as answers."""

    status: int = 200
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    manner: Manner = Manner.WHOLE
    good: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """One request: when it came, the how-manieth for its rebus and on its connection, all from 1."""

    number: int
    attempt: int
    on_connection: int
    rebus: str
    path: str
    headers: Mapping[str, str]
    body: dict[str, Any]


Plan = Callable[[Seen], Reply | Manner | None]


def completion(
    content: str | None,
    finish_reason: str | None = "stop",
    usage: Mapping[str, Any] | None = USAGE,
    **message: str,
) -> bytes:
    """Return the body of an answer."""
    said = {"role": "assistant", "content": content, **message}
    choice = {"index": 0, "message": said, "finish_reason": finish_reason}
    return json.dumps(
        {
            "id": "chatcmpl-prova-1",
            "object": "chat.completion",
            "created": 1790000000,
            "model": "modello-prova",
            "choices": [choice],
            "usage": usage,
        }
    ).encode()


def error(status: int, body: object, **headers: str) -> Reply:
    """Return an error reply with a JSON body; `_` in a header's name stands for `-`."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, json.dumps(body).encode(), named)


def in_a_while(seconds: float) -> str:
    """Return an HTTP date."""
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


_SLOW_DOWN: Final = {"error": {"message": "piano, per favore", "type": "rate_limit_error"}}

TRANSIENT: Final[Mapping[str, Reply | Manner]] = {
    "429 bare": error(429, _SLOW_DOWN),
    "429 seconds": error(429, _SLOW_DOWN, retry_after="0"),
    "429 fraction": error(429, _SLOW_DOWN, retry_after="0.05"),
    "429 milliseconds": error(429, _SLOW_DOWN, retry_after_ms="50"),
    "429 past date": error(429, _SLOW_DOWN, retry_after=in_a_while(-3600)),
    "429 senseless": error(429, _SLOW_DOWN, retry_after="domani"),
    "408": error(408, {"error": "tempo scaduto"}),
    "409": error(409, {"detail": "conflitto"}),
    "425": error(425, {}),
    "500": error(500, {"error": {"message": "guasto"}}),
    "500 empty": Reply(500),
    "502 HTML": Reply(502, b"<html><h1>Bad Gateway</h1></html>", {"content-type": "text/html"}),
    "503 loading": error(503, {"error": {"message": "Loading model", "code": 503}}),
    "503": error(503, {"error": {"message": "sovraccarico"}}),
    "529": error(529, {"type": "error", "error": {"type": "overloaded_error", "message": "pieno"}}),
    "slow drip": Manner.DRIP,
    "cut body": Manner.CUT,
    "malformed JSON": Reply(200, b'{"choices'),
    "HTML": Reply(200, b"<!doctype html><title>Accedi</title>", {"content-type": "text/html"}),
    "200 with an error": error(200, {"error": {"message": "upstream error", "code": 502}}),
    "empty choices": error(200, {"id": "x", "object": "chat.completion", "choices": []}),
    "choice without message": error(200, {"id": "x", "choices": [{"index": 0}]}),
    "an array": error(200, []),
    "null": error(200, None),
    "not UTF-8, and cut": Reply(200, b'{"choices": [{"message": {"content": "\xff'),
    "dropped connection": Manner.DROP,
    "reset connection": Manner.RESET,
    "hang": Manner.HANG,
    "empty answer": Reply(200, completion(None)),
}
"""Faults that another attempt may not meet, by name."""

PAID: Final = frozenset({"cut body", "malformed JSON", "not UTF-8"})
"""Those of a good status: what came of them was generated."""

QUICK: Final = tuple(
    name
    for name in TRANSIENT
    if name not in {"slow drip", "hang", "503 loading", "empty answer"}
    and (name == "429 seconds" or not name.startswith("429"))
)
"""Those that cost little time and no retry of another kind: for random faults. A refusal slows
the whole run down, so of these there is one."""


def first(count: int, fault: Reply | Manner, rebuses: Sequence[str] = ()) -> Plan:
    """Let the first attempts at each of these rebuses (none named: at all) meet a fault."""

    def plan(seen: Seen) -> Reply | Manner | None:
        concerned = not rebuses or seen.rebus in rebuses
        return fault if concerned and seen.attempt <= count else None

    return plan


def from_request(number: int, fault: Reply | Manner) -> Plan:
    """Let every request from that one on meet a fault."""
    return lambda seen: fault if seen.number >= number else None


def randomly(rate: float, seed: int, names: Sequence[str] = QUICK, at_most: int = 4) -> Plan:
    """Let a share of the attempts meet a fault; the same ones whatever the order they come in.

    No rebus meets more than `at_most`, so that a client with as many retries gets every answer; nor
    more than two of those that were paid for, of which three are enough for one request.
    """

    def drawn(rebus: str, attempt: int) -> str | None:
        chance = random.Random(f"{seed} {rebus} {attempt}")
        name = chance.choice(names)
        return name if chance.random() < rate else None

    def plan(seen: Seen) -> Reply | Manner | None:
        if seen.attempt > at_most:
            return None
        *before, name = [drawn(seen.rebus, each + 1) for each in range(seen.attempt)]
        if name in PAID and sum(each in PAID for each in before) > 1:
            name = "500"
        return TRANSIENT[name] if name else None

    return plan


class FaultServer:
    """Answer from a table of answers by rebus, faults as planned, on whichever wire is asked."""

    def __init__(
        self, answers: Mapping[str, str], plan: Plan | None = None, latency_s: float = 0.0
    ) -> None:
        """Start with `with`."""
        self.answers, self.plan, self.latency_s = answers, plan, latency_s
        self.seen: list[Seen] = []
        self.good: Counter[str] = Counter()
        self.flying = self.most_flying = 0
        self.url = ""
        self._attempts: Counter[str] = Counter()
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._held = asyncio.Event()
        self._ready = threading.Event()
        self._end = asyncio.Event()
        self._thread = threading.Thread(target=self._live, name="fault-server")

    def __enter__(self) -> Self:
        self._thread.start()
        self._ready.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._loop.call_soon_threadsafe(self._end.set)
        self._thread.join()

    @property
    def requests(self) -> int:
        """Return how many requests came."""
        return len(self.seen)

    @property
    def paid(self) -> int:
        """Return how many good answers were given."""
        return self.good.total()

    def forget(self, plan: Plan | None = None) -> None:
        """Begin counting anew, with another plan."""
        self.plan = plan
        self.seen.clear()
        self.good.clear()
        self._attempts.clear()

    def release(self) -> None:
        """Send what is held, and hold nothing from now on."""
        self._loop.call_soon_threadsafe(self._held.set)

    def wait_for_requests(self, count: int) -> None:
        """Wait until so many requests have come."""
        self._wait(lambda: self.requests >= count, f"{count} requests")

    def wait_for_answers(self, count: int) -> None:
        """Wait until so many good answers were given."""
        self._wait(lambda: self.paid >= count, f"{count} answers")

    def _wait(self, done: Callable[[], bool], what: str) -> None:
        with self._changed:
            if not self._changed.wait_for(done, PATIENCE_S):
                raise TimeoutError(f"{what} never came: {self.requests} and {self.paid}")

    def _live(self) -> None:
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve())
        self._loop.close()

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._connection, "127.0.0.1", 0, backlog=1024)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
        self._ready.set()
        await self._end.wait()
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        count, stale = 0, False
        try:
            while not stale:
                head = await reader.readuntil(b"\r\n\r\n")
                path, headers = _parsed(head)
                text = await reader.readexactly(int(headers.get("content-length", 0)))
                count += 1
                seen = self._see(count, path, headers, json.loads(text))
                reply = self._reply(seen)
                self.flying += 1
                self.most_flying = max(self.flying, self.most_flying)
                try:
                    if not await self._may_go(reply, reader):
                        return
                finally:
                    self.flying -= 1
                if not await self._send(seen, reply, writer):
                    return
                if reply.manner is Manner.STALE:
                    stale = True
                    head = await reader.readuntil(b"\r\n\r\n")
                    self._see(count + 1, *_parsed(head), None)
        except (OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client is gone, or the test over
        finally:
            writer.close()

    def _see(
        self, count: int, path: str, headers: Mapping[str, str], body: dict[str, Any] | None
    ) -> Seen:
        text = question(body) if body else "Rebus: "
        rebus = _REBUS.findall(text)[-1].strip()
        with self._changed:
            self._attempts[rebus] += bool(body)
            number, attempt = len(self.seen) + 1, self._attempts[rebus]
            seen = Seen(number, attempt, count, rebus, path, headers, body or {})
            self.seen.append(seen)
            self._changed.notify_all()
        return seen

    def _reply(self, seen: Seen) -> Reply:
        planned = self.plan(seen) if self.plan else None
        if isinstance(planned, Reply):
            return planned
        manner = planned or Manner.WHOLE
        return Reply(
            200, completion(self.answers[seen.rebus]), manner=manner, good=manner in _ARRIVING
        )

    async def _may_go(self, reply: Reply, reader: asyncio.StreamReader) -> bool:
        """Wait as long as a reply is to wait; say whether its client is still there."""
        if self.latency_s:
            await asyncio.sleep(self.latency_s)
        if reply.manner not in {Manner.HOLD, Manner.HANG}:
            return True
        held = self._held if reply.manner is Manner.HOLD else self._end
        waits = [asyncio.ensure_future(held.wait()), asyncio.ensure_future(reader.read(1))]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
        return waits[1] not in done

    async def _send(self, seen: Seen, reply: Reply, writer: asyncio.StreamWriter) -> bool:
        """Send a reply; say whether the connection goes on."""
        if reply.manner is Manner.RESET:
            linger = struct.pack("ii", 1, 0)
            writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if reply.manner in {Manner.DROP, Manner.RESET}:
            return False
        if reply.good:
            with self._changed:
                self.good[seen.rebus] += 1
                self._changed.notify_all()
        reply = replace(reply, body=spoken(seen.path, reply.body))
        writer.write(_head(reply))
        if reply.manner is Manner.DRIP:
            for byte in reply.body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(0.05)
        writer.write(reply.body[:20] if reply.manner is Manner.CUT else reply.body)
        await writer.drain()
        return reply.manner not in {Manner.CUT, Manner.DRIP, Manner.LAST}


_ARRIVING: Final = frozenset({Manner.WHOLE, Manner.LAST, Manner.STALE, Manner.HOLD})


def _parsed(head: bytes) -> tuple[str, dict[str, str]]:
    first, *lines = head.decode("latin-1").rstrip().split("\r\n")
    pairs = (line.partition(":") for line in lines)
    return first.split()[1], {name.lower(): value.strip() for name, _, value in pairs}


def _head(reply: Reply) -> bytes:
    headers = {
        "content-type": "application/json",
        **reply.headers,
        "content-length": str(len(reply.body)),
    }
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return f"HTTP/1.1 {reply.status} Prova\r\n{lines}\r\n".encode("latin-1")
