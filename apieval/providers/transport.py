"""The connections underneath every client: httpx's transport over aiohttp's connector.

httpx's own pool fails above some fifty requests at once, and cancelling queued requests can kill
it for good; with aiohttp's connector underneath, neither happens.

aiohttp refuses a reply that gives its length twice, in `Content-Length` and by chunks, or the same
length in two lines, though nothing is unclear about it: chunks count (RFC 9112, 6.3). A gateway that
adds such a line would cost every answer behind it; so here it is taken, as curl and browsers do.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections import deque
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Any, Final, cast

import aiohttp
import httpx
from aiohttp.client_proto import ResponseHandler
from aiohttp.http import SERVER_SOFTWARE
from httpx_aiohttp import AiohttpTransport

from apieval.errors import ItemFailure
from apieval.providers.error_bodies import clipped
from apieval.providers.proxies import proxy_of
from apieval.providers.replies import Whole
from apieval.wording import in_words

CONNECT_TIMEOUT_S: Final = 15.0
KEEP_ALIVE_S: Final = 4.0
"""Below the 5 s after which uvicorn closes an idle connection under our hands."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""No answer is longer, unpacked; a server that sends more has run wild."""

SMALL: Final = 64 * 1024
STEP: Final = 256 * 1024
"""A reply beyond the small takes of the room in such steps (see `Room`)."""
PIECE: Final = 1024 * 1024
"""So much of a packed reply is unpacked at once."""
_PACKINGS: Final = frozenset({"gzip", "x-gzip", "deflate"})
"""What a request allows for; a reply packed otherwise, or twice, is taken as it is."""
_GZIP: Final = zlib.MAX_WBITS + 16
_PLAIN: Final = 0
_GZIPPED: Final = b"\x1f\x8b"
_READABLE: Final = re.compile(rb"\s*(?:[{\[]\s*[\"{}\[\]]|<[!?a-zA-Z]|(?:data|event):)")
"""How a document, a page or an event stream begins, and nothing that is packed."""
MISNAMED: Final = "headers that misname its packing"
LONGEST_LINE: Final = 256 * 1024
"""curl takes 100 KB of headers in all; gateways put whole policies and tokens into one."""
MOST_LINES: Final = 1000
TWO_LENGTHS: Final = "headers that give its length twice"
IGNORED: Final = b"x-ignored-"
"""What a line that is not followed is called from there on."""
_END: Final = re.compile(rb"\r?\n\r?\n")
_LENGTH: Final = re.compile(rb"(?im)^content-length[ \t]*:[ \t]*(\d+)[ \t]*\r?$")
_CHUNKED: Final = re.compile(
    rb"(?im)^transfer-encoding[ \t]*:[ \t]*(?:[\w-]+,[ \t]*)*chunked[ \t]*\r?$"
)
_SIZE: Final = re.compile(rb"[0-9a-fA-F]+[ \t]*(?:;[^\n]*)?\r?\n")
BROKEN: Final = (httpx.HTTPError, aiohttp.ClientError, OSError, ValueError)
"""What a connection that breaks off is raised as, by whichever library."""
ALLOWED: Final = "gzip, deflate"
"""Said with every request, else the packages at hand decide what servers may send."""
ADDED: Final = {
    **{name.lower(): value for name, value in aiohttp.ClientRequest.DEFAULT_HEADERS.items()},
    "accept-encoding": ALLOWED,
    "user-agent": SERVER_SOFTWARE,
}
"""What a session adds to a request that lacks it."""


def transport(base_url: str, headers: Mapping[str, str] | None = None) -> AiohttpTransport:
    """Return the connections to a server; inside a running event loop.

    `headers`, the session's own, go with every request.
    """
    proxy = proxy_of(base_url)
    session = aiohttp.ClientSession(
        connector=LenientConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S),
        cookie_jar=aiohttp.DummyCookieJar(),
        max_line_size=LONGEST_LINE,
        max_field_size=LONGEST_LINE,
        max_headers=MOST_LINES,
        headers={"accept-encoding": ALLOWED, **(headers or {})},
    )
    return AiohttpTransport(
        client=session,
        proxy=httpx.Proxy(proxy) if proxy else None,
        # never used, since the session has its own; the default would load every certificate
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    )


def with_key(headers: Mapping[str, str], api_key: str | None) -> dict[str, str]:
    """Return headers with the one that carries a key, where there is a key."""
    return {**headers, **({} if api_key is None else {"authorization": f"Bearer {api_key}"})}


class Room:
    """The memory for replies on their way, one for all models of the process.

    What is small needs no leave. Beyond that a reply that finds no room waits, unread, until another
    has come to its end; the first of those that wait goes on all the same, so that somebody always
    does. So there are never more than `most` bytes and one reply, besides the small ones.
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        """Start empty."""
        self.most = most
        self.held = 0
        self.highest = 0
        self._first: Share | None = None
        self._waiting: deque[asyncio.Future[None]] = deque()

    async def take(self, share: Share, more: int) -> None:
        """Wait until so many bytes more may be read."""
        while self.held + more > self.most:
            self._first = self._first or share
            if self._first is share:
                break
            turn = asyncio.get_running_loop().create_future()
            self._waiting.append(turn)
            await turn
        self.held += more
        self.highest = max(self.highest, self.held)

    def give_back(self, share: Share, held: int) -> None:
        """Let those go on that wait, in their order."""
        if not held and self._first is not share:
            return
        self.held -= held
        self._first = None if self._first is share else self._first
        waiting, self._waiting = self._waiting, deque()
        for turn in waiting:
            if not turn.done():
                turn.set_result(None)


ROOM: Final = Room()


class Share:
    """What one reply holds of the room."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._held = 0

    async def grow(self, size: int) -> None:
        """Wait until a reply may be as large as that."""
        if size > SMALL + self._held:
            more = max(STEP, size - SMALL - self._held)
            await ROOM.take(self, more)
            self._held += more

    def end(self) -> None:
        """Give everything back."""
        ROOM.give_back(self, self._held)
        self._held = 0


async def whole(response: httpx.Response) -> Whole:
    """Return a reply once all of it has come, or as much as came before the connection broke off.

    Raises:
        TransientFailure: where it breaks off; what began well was generated, and is billed.
        ItemFailure: where it is larger than any answer.
    """
    chunks, size, share = [], 0, Share()
    two = any(name.startswith(IGNORED.decode()) for name in response.headers)
    broken, repaired = None, [TWO_LENGTHS] if two else []
    try:
        async for chunk in _unpacked(response, repaired):
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                large = ItemFailure(f"the reply is larger than {MOST_BYTES >> 20} MB")
                large.billed = response.is_success
                raise large
            await share.grow(size)
        content = b"".join(chunks)
    except BROKEN as error:
        broken = clipped(in_words(error))
        content = b"".join(chunks)
    finally:
        share.end()
        await response.aclose()
    return Whole(response.status_code, response.headers, content, broken, tuple(repaired))


async def _unpacked(response: httpx.Response, repaired: list[str]) -> AsyncIterator[bytes]:
    """Give a reply's bytes, unpacked piece by piece: a few packed bytes may stand for gigabytes."""
    named = response.headers.get("content-encoding", "").strip().lower()
    window: int | None = None
    unpacker = None
    async for chunk in cast("httpx.AsyncByteStream", response.stream):
        if unpacker is None and window is None:
            window = _window(named, chunk)
            if (window == _PLAIN) == (named in _PACKINGS):
                repaired.append(MISNAMED)
            unpacker = None if window == _PLAIN else zlib.decompressobj(window)
        if unpacker is None:
            yield chunk
            continue
        packed = chunk
        while packed and not unpacker.eof:
            try:
                piece = unpacker.decompress(packed, PIECE)
            except zlib.error as error:
                raise ValueError(f"it cannot be unpacked: {error}") from None
            packed = unpacker.unconsumed_tail
            yield piece


def _window(named: str, start: bytes) -> int:
    """Return zlib's `wbits` for what begins like that, whatever its headers name.

    Some servers leave out deflate's header; others name a packing and do not pack.
    """
    if start.startswith(_GZIPPED):
        return _GZIP
    if named not in _PACKINGS or _READABLE.match(start):
        return _PLAIN
    headed = (
        len(start) > 1 and start[0] & 15 == zlib.DEFLATED and not (start[0] << 8 | start[1]) % 31
    )
    if headed:
        return zlib.MAX_WBITS
    return -zlib.MAX_WBITS if named == "deflate" else _GZIP


class LenientConnector(aiohttp.TCPConnector):
    """Open connections that take the heads of replies as they are meant."""

    def __init__(self, **options: Any) -> None:  # noqa: ANN401 # aiohttp's
        super().__init__(**options)
        # aiohttp has no other place to say so; without it such replies are refused, and no more
        self._factory = partial(_LenientHandler, loop=self._loop)  # type: ignore[assignment] # ours is one


class _LenientHandler(ResponseHandler):
    """Hold back what comes until the head of a reply is whole, and hand it on mended."""

    _held: bytes | None = None

    def set_response_params(self, **params: Any) -> None:  # noqa: ANN401 # aiohttp's
        self._held = b""
        super().set_response_params(**params)

    def data_received(self, data: bytes) -> None:
        if self._held is None:
            super().data_received(data)
            return
        self._held += data
        found = _END.search(self._held)
        if found is None and len(self._held) <= LONGEST_LINE:
            return
        mended = mended_head(self._held, found.end()) if found else self._held
        if mended is not None:
            self._held = None
            super().data_received(mended)

    def connection_lost(self, exc: BaseException | None) -> None:
        held, self._held = self._held, None
        if held:
            super().data_received(held)
        super().connection_lost(exc)


def mended_head(data: bytes, end: int) -> bytes | None:
    """Return the beginning of a reply, its head (up to `end`) saying its length once.

    None where the first bytes of the body must show which of two lengths holds.
    """
    head, body = data[:end], data[end:]
    lower = head.lower()
    if b"content-length" not in lower:
        return data
    lengths = _LENGTH.findall(head)
    if _CHUNKED.search(head):
        if not body and lengths != [b"0"]:
            return None
        chunked = bool(_SIZE.match(body)) or not lengths
        name = b"content-length" if chunked else b"transfer-encoding"
    elif len(lengths) > 1 and len(set(lengths)) == 1:
        return _renamed(head, b"content-length", keep=1) + body
    else:
        return data
    return _renamed(head, name) + body


def _renamed(head: bytes, name: bytes, keep: int = 0) -> bytes:
    """Return a head in which all lines of that name but the first few go by another one."""
    seen = 0

    def other(found: re.Match[bytes]) -> bytes:
        nonlocal seen
        seen += 1
        return found[0] if seen <= keep else IGNORED + found[0]

    return re.sub(rb"(?im)^" + re.escape(name) + rb"(?=[ \t]*:)", other, head)
