"""What really went over the wire while litellm was asked: one request, one reply, recorded.

litellm invents statuses, drops headers and calls some failures answers; the reply itself does
not lie. A second request within one attempt would be a retry of somebody else's, and one to
another host would carry the key where it does not belong: neither is let through.
"""

from __future__ import annotations

from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlsplit

import httpx

from apieval.providers.replies import Whole
from apieval.providers.transport import whole


@dataclass(slots=True)
class Tape:
    """What one attempt sent and got, over which connections.

    `host` is where alone a request may go, None where litellm knows the address; `fault` is what
    broke the connection.
    """

    connections: httpx.AsyncBaseTransport
    host: str | None
    request: httpx.Request | None = None
    whole: Whole | None = None
    fault: Exception | None = None

    @property
    def url(self) -> str | None:
        """Return where the request went, without a query, which may hold a key."""
        if self.request is None:
            return None
        parts = urlsplit(str(self.request.url))
        return parts._replace(query="", fragment="").geturl()


TAPE: Final[ContextVar[Tape | None]] = ContextVar("tape", default=None)


class NotLetThrough(Exception):  # a barrier, not an error of the server's
    """Refuse a request that nobody asked for."""


class TapedTransport(httpx.AsyncBaseTransport):
    """Send over the connections of the attempt at hand, and record on its tape."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request once, and read its reply whole."""
        tape = TAPE.get()
        if tape is None or tape.request is not None:
            raise NotLetThrough("litellm sent a second request within one attempt")
        if tape.host is not None and request.url.host != tape.host:
            raise NotLetThrough(f"litellm meant to send the key to {request.url.host}")
        tape.request = request
        try:
            await request.aread()
            response = await tape.connections.handle_async_request(request)
            tape.whole = await whole(response)
        except Exception as error:
            tape.fault = error
            raise
        # the body is unpacked, so the headers must not say that it is packed
        plain = [(k, v) for k, v in response.headers.raw if k.lower() not in _OF_PACKING]
        return httpx.Response(tape.whole.status, headers=plain, content=tape.whole.content)


class Nowhere(httpx.AsyncBaseTransport):
    """Send nothing: connections for a request that is only looked at."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Refuse, as where nobody can be reached."""
        raise httpx.ConnectError("only looked at, not sent", request=request)


_OF_PACKING: Final = frozenset({b"content-encoding", b"content-length", b"transfer-encoding"})
