"""A connector that takes replies whose heads say more than they should, as curl and browsers do.

aiohttp refuses a reply that gives its length twice, in `Content-Length` and by chunks, or the same
length in two lines, though nothing is unclear about it: chunks count (RFC 9112, 6.3). A gateway that
adds such a line would cost every answer behind it.
"""

from __future__ import annotations

import re
from functools import partial
from typing import Any, Final

import aiohttp
from aiohttp.client_proto import ResponseHandler

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
