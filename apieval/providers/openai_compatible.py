"""Servers that speak OpenAI's `/v1/chat/completions`, over httpx with the aiohttp transport.

httpx's own pool fails above some fifty requests at once, and cancelling queued requests can kill
it for good; with aiohttp's connector underneath, neither happens. Everything that opens a
socket to a model of one's own is imported here, and this module only when a run needs it.
"""

from __future__ import annotations

import json
import ssl
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from apieval.config import is_loopback
from apieval.errors import AttemptFailed, ItemFailure, ServerDown, TransientFailure
from apieval.providers.replies import Whole, read_reply
from apieval.schema import Reply, Request, well_formed

CONNECT_TIMEOUT_S: Final = 15.0
KEEP_ALIVE_S: Final = 4.0
"""Below the 5 s after which uvicorn closes an idle connection under our hands."""
ASIDE_S: Final = 10.0
"""How long a server that gives no reply takes requests only where no other is left."""
MOST_BYTES: Final = 64 * 1024 * 1024
"""No answer is longer, unpacked; a server that sends more has run wild."""
_LEAST_SHOWN: Final = 4
_EXTENSIONS: Final = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
"""No read timeout: the wall-clock limit of an attempt is the runner's."""


@dataclass(slots=True)
class _Endpoint:
    url: httpx.URL
    transport: AiohttpTransport
    in_flight: int = 0
    aside_until: float = 0.0

    def load(self) -> tuple[bool, int]:
        """Return what the next request's server has least of."""
        return time.monotonic() < self.aside_until, self.in_flight


class OpenAICompatibleClient:
    """Ask one model behind one or several servers; the least loaded takes the next request."""

    def __init__(
        self,
        base_urls: Sequence[str],
        body: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
        api_key: str | None = None,
    ) -> None:
        """Open no connection yet. `body` is what every request holds besides its messages.

        Must be called inside a running event loop.
        """
        self._begin = _without_end(body)
        self._key = api_key
        of_all = {"content-type": "application/json", **(headers or {})}
        if api_key is not None:
            of_all["authorization"] = f"Bearer {api_key}"
        self._endpoints = [
            _Endpoint(httpx.URL(f"{url}/chat/completions"), _transport(url, of_all))
            for url in base_urls
        ]

    async def attempt(self, request: Request) -> Reply:
        """Send one request once and return what came back.

        Raises:
            AttemptFailed: for a connection fault, a bad status or a reply that is none.
        """
        messages = json.dumps([message.model_dump() for message in request.messages])
        content = f"{self._begin}{messages}}}".encode()
        endpoint = min(self._endpoints, key=_Endpoint.load)
        endpoint.in_flight += 1
        try:
            reply = read_reply(await self._post(endpoint, content), str(endpoint.url))
            return self._without_key(reply)
        except AttemptFailed as error:
            # a server may put the key into its message
            error.args = (self._masked(str(error)),)
            raise
        finally:
            endpoint.in_flight -= 1

    async def aclose(self) -> None:
        """Close every connection."""
        for endpoint in self._endpoints:
            await endpoint.transport.aclose()

    async def _post(self, endpoint: _Endpoint, content: bytes) -> Whole:
        try:
            return await self._sent(endpoint, content)
        except (httpx.HTTPError, aiohttp.ClientError, OSError, ValueError) as error:
            endpoint.aside_until = time.monotonic() + ASIDE_S
            if _refused(error):
                raise ServerDown(f"nothing listens at {endpoint.url}") from None
            what = well_formed(str(error)) or type(error).__name__
            raise TransientFailure(f"no reply from {endpoint.url}: {what}") from None

    async def _sent(self, endpoint: _Endpoint, content: bytes) -> Whole:
        """Return the whole reply.

        By the transport itself: httpx's client around it (redirects, cookies, authentication) costs
        more time than all the rest of an attempt, and nothing of it is wanted here.
        """
        # as a stream, since of content httpx makes headers, which aiohttp makes too
        request = httpx.Request(
            "POST", endpoint.url, stream=httpx.ByteStream(content), extensions=_EXTENSIONS
        )
        request.read()
        response = await endpoint.transport.handle_async_request(request)
        chunks, size = [], 0
        try:
            async for chunk in _unpacked(response):
                chunks.append(chunk)
                size += len(chunk)
                if size > MOST_BYTES:
                    raise ItemFailure(f"the reply from {endpoint.url} is larger than 64 MB")
        finally:
            await response.aclose()
        return Whole(response.status_code, response.headers, b"".join(chunks))

    def _without_key(self, reply: Reply) -> Reply:
        """Return a reply whose texts do not hold the key, which a server may echo."""
        texts = {
            name: value.replace(self._key, "***")
            for name in ("text", "reasoning", "finish_reason", "served_model", "system_fingerprint")
            if self._key and (value := getattr(reply, name)) and self._key in value
        }
        return reply.model_copy(update=texts) if texts else reply

    def _masked(self, text: str) -> str:
        """Return a text without the key, also where the text was cut in the middle of it."""
        if not self._key:
            return text
        text = text.replace(self._key, "***")
        for length in range(len(self._key) - 1, _LEAST_SHOWN, -1):
            text = text.replace(f"{self._key[:length]}…", "***…")
        return text


def _refused(error: BaseException) -> bool:
    """Say whether nothing listens at an address; the transport's own class does not tell."""
    cause = error.__cause__
    return isinstance(cause, aiohttp.ClientConnectorError) and isinstance(
        cause.os_error, ConnectionRefusedError
    )


def _without_end(body: Mapping[str, Any]) -> str:
    """Return a body's JSON up to the place of its messages, which is the same for all requests."""
    rest = {name: value for name, value in body.items() if name != "messages"}
    return json.dumps({**rest, "messages": 0}).removesuffix("0}")


def _unpacked(response: httpx.Response) -> AsyncIterator[bytes]:
    """Give a reply's bytes, past httpx's decoders where there is nothing to unpack."""
    if "content-encoding" in response.headers:
        return response.aiter_bytes()
    return aiter(cast("httpx.AsyncByteStream", response.stream))


def _transport(base_url: str, headers: Mapping[str, str]) -> AiohttpTransport:
    """Return the way to a server; `headers`, the session's own, go with every request."""
    connector = aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE_S)
    session = aiohttp.ClientSession(
        connector=connector, cookie_jar=aiohttp.DummyCookieJar(), headers=headers
    )
    return AiohttpTransport(
        client=session,
        proxy=_proxy(base_url),
        # never used, since the session has its own; the default would load every certificate
        verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    )


def _proxy(base_url: str) -> httpx.Proxy | None:
    """Return the proxy the environment names for an address; loopback never goes through one."""
    parts = urlsplit(base_url)
    if is_loopback(base_url) or proxy_bypass(parts.netloc):
        return None
    url = getproxies().get(parts.scheme)
    return httpx.Proxy(url) if url else None
