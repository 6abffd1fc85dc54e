"""What really went over the wire while litellm was asked: one request, one reply, recorded.

litellm invents statuses, drops headers, guesses token counts and calls some failures answers;
the reply itself does not lie. So litellm's part ends where a reply has come that is understood
here. A second request within one attempt would be a retry of somebody else's, and one to another
host would carry the key where it does not belong: neither is let through.
"""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

import httpx

from apieval.errors import AttemptFailed, RunFailure
from apieval.providers.connection_faults import connection_failure
from apieval.providers.replies import Whole
from apieval.providers.transport import ALLOWED, BROKEN, whole
from apieval.records import Reply


@dataclass(slots=True)
class Tape:
    """What one attempt sent and got, over which connections.

    `origin` is where alone a request may go, None where litellm knows the address. `read` makes a
    reply of what came, None of what it does not understand; `end` is how that went.
    """

    connections: httpx.AsyncBaseTransport
    origin: httpx.URL | None
    read: Callable[[Whole, str], Reply | None]
    request: httpx.Request | None = None
    whole: Whole | None = None
    end: Reply | AttemptFailed | None = None

    @property
    def url(self) -> str | None:
        """Return where the request went, without its query."""
        return bare(self.request.url) if self.request else None


TAPE: Final[ContextVar[Tape | None]] = ContextVar("tape", default=None)


_OF_PACKING: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class Heard(BaseException):
    """End litellm's part of an attempt: how it ended is known, and on the tape.

    No `Exception`: those are litellm's to map, log and answer, at more cost than all the rest.
    """


class NotLetThrough(Exception):  # a barrier, not an error of the server's
    """Refuse a request that nobody asked for."""


class TapedTransport(httpx.AsyncBaseTransport):
    """Send over the connections of the attempt at hand, and record on its tape."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once, read its reply whole, and return it where litellm is to read it.

        Raises:
            Heard: where nothing is left to read.
            NotLetThrough: for a request outside of any attempt.
        """
        tape = TAPE.get()
        if tape is None:
            raise NotLetThrough(f"litellm meant to ask {bare(request.url)} of its own accord")
        tape.end = await _end(tape, request)
        if tape.end is not None or tape.whole is None:
            raise Heard
        # the body is unpacked, so the headers must not say that it is packed
        plain = [(k, v) for k, v in tape.whole.headers.items() if k.lower() not in _OF_PACKING]
        return httpx.Response(tape.whole.status, headers=plain, content=tape.whole.content)


class Nowhere(httpx.AsyncBaseTransport):
    """Send nothing: connections for a request that is only looked at."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Refuse, as where nobody can be reached."""
        raise httpx.ConnectError("only looked at, not sent", request=request)


async def _end(tape: Tape, request: httpx.Request) -> Reply | AttemptFailed | None:
    """Send a request and return how that ended, None where it is not understood."""
    url = bare(request.url)
    if tape.request is not None:
        return RunFailure(f"litellm meant to send a second request, to {url}, for one answer")
    if tape.origin is not None and _origin(request.url) != _origin(tape.origin):
        return RunFailure(f"litellm meant to send the key to {url}, not to {bare(tape.origin)}")
    request.headers["accept-encoding"] = ALLOWED
    tape.request = request
    try:
        await request.aread()
        tape.whole = await whole(await tape.connections.handle_async_request(request))
        return tape.read(tape.whole, url)
    except AttemptFailed as error:
        return error
    except BROKEN as error:
        return connection_failure(error, url)


def bare(url: httpx.URL) -> str:
    """Return an address without its query, which may hold a key."""
    return str(url.copy_with(query=None, fragment=None))


def _origin(url: httpx.URL) -> tuple[str, str, int | None]:
    return url.scheme, url.host, url.port
