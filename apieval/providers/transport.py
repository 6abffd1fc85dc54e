"""The connections underneath every client: httpx's transport over aiohttp's connector.

httpx's own pool fails above some fifty requests at once, and cancelling queued requests can kill
it for good; with aiohttp's connector underneath, neither happens.
"""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator, Mapping
from typing import Final, cast

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from apieval.errors import ItemFailure, ServerDown, TransientFailure
from apieval.providers.proxies import proxy_of
from apieval.providers.replies import Whole
from apieval.schema import well_formed

CONNECT_TIMEOUT_S: Final = 15.0
KEEP_ALIVE_S: Final = 4.0
"""Below the 5 s after which uvicorn closes an idle connection under our hands."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""No answer is longer, unpacked; a server that sends more has run wild."""


def transport(base_url: str, headers: Mapping[str, str] | None = None) -> AiohttpTransport:
    """Return the connections to a server; inside a running event loop.

    `headers`, the session's own, go with every request.
    """
    proxy = proxy_of(base_url)
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S)
    session = aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=headers
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


async def whole(response: httpx.Response) -> Whole:
    """Return a reply once all of it has come.

    Raises:
        ItemFailure: where it is larger than any answer.
    """
    chunks, size = [], 0
    try:
        async for chunk in _unpacked(response):
            chunks.append(chunk)
            size += len(chunk)
            if size > MOST_BYTES:
                raise ItemFailure(f"the reply is larger than {MOST_BYTES >> 20} MB")
    finally:
        await response.aclose()
    return Whole(response.status_code, response.headers, b"".join(chunks))


def _unpacked(response: httpx.Response) -> AsyncIterator[bytes]:
    """Give a reply's bytes, past httpx's decoders where there is nothing to unpack."""
    if "content-encoding" in response.headers:
        return response.aiter_bytes()
    return aiter(cast("httpx.AsyncByteStream", response.stream))


def fault(error: BaseException, url: str) -> TransientFailure:
    """Return the failure that a broken or refused connection stands for."""
    if _refused(error):
        return ServerDown(f"nothing listens at {url}")
    what = well_formed(str(error)) or type(error).__name__
    return TransientFailure(f"no reply from {url}: {what}")


def _refused(error: BaseException) -> bool:
    """Say whether nothing listens at an address; the transport's own class does not tell."""
    cause = error.__cause__
    return isinstance(cause, aiohttp.ClientConnectorError) and isinstance(
        cause.os_error, ConnectionRefusedError
    )
