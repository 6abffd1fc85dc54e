"""Servers that speak OpenAI's `/v1/chat/completions`, over httpx with the aiohttp transport.

httpx's own pool fails above some fifty requests at once, and cancelling queued requests can kill
it for good; with aiohttp's connector underneath, neither happens. Everything that opens a
socket to a model of one's own is imported here, and this module only when a run needs it.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

import aiohttp
import httpx
from httpx_aiohttp import AiohttpTransport

from apieval.config.fields import at
from apieval.config.models import for_sample, seeded
from apieval.errors import AttemptFailed, RunFailure, ServerDown
from apieval.providers.base import Wire, unexpected
from apieval.providers.connection_faults import connection_failure, hung_up, speaks_https
from apieval.providers.failures import REMEDIES
from apieval.providers.masking import Mask, secrets_in
from apieval.providers.proxies import proxy_of, secrets_of
from apieval.providers.reasons import Meaning
from apieval.providers.replies import Whole, read_reply
from apieval.providers.transport import ADDED, BROKEN, CONNECT_TIMEOUT_S, transport, whole, with_key
from apieval.providers.wire_formats import WIRE_FORMATS
from apieval.records import Reply, Request

ASIDE_S: Final = 10.0
"""How long a server that gives no reply takes requests only where no other is left."""
_EXTENSIONS: Final = {"timeout": {"connect": CONNECT_TIMEOUT_S}}
"""No read timeout: the wall-clock limit of an attempt is the runner's."""
LISTING_TIMEOUT_S: Final = 5.0
WINDOWS: Final = ("max_model_len", "context_window", "max_context_length", "context_length")
"""What servers call the window of a model: vLLM and SGLang, Groq, Mistral, OpenRouter and Together."""


@dataclass(slots=True)
class _Endpoint:
    url: httpx.URL
    transport: AiohttpTransport
    in_flight: int = 0
    aside_until: float = 0.0
    https: bool | None = None
    looking: asyncio.Lock = field(default_factory=asyncio.Lock)

    def load(self) -> tuple[bool, int]:
        """Return what the next request's server has least of."""
        return self.is_aside(), self.in_flight

    def is_aside(self) -> bool:
        """Say whether it takes requests only where no other server is left."""
        return time.monotonic() < self.aside_until

    def set_aside(self) -> None:
        """Give it no request for a while."""
        self.aside_until = time.monotonic() + ASIDE_S


class OpenAICompatibleClient:
    """Ask one model behind one or several servers; the least loaded takes the next request."""

    def __init__(
        self,
        base_urls: Sequence[str],
        body: Mapping[str, Any],
        headers: Mapping[str, str] | None = None,
        api_key: str | None = None,
        api: str = "chat",
        secret_headers: Mapping[str, str] | None = None,
    ) -> None:
        """Open no connection yet. `body` is what every request holds besides its messages.

        Must be called inside a running event loop.
        """
        self._sent_names = frozenset(body)
        self._format = WIRE_FORMATS[api]
        whole = {"stream": False, **body}  # some servers stream unless they are told not to
        self._body = whole
        self._begin = self._without_end(whole)
        self._seeded = seeded(body)
        given = {**(headers or {}), **(secret_headers or {})}
        proxies = [each for url in base_urls for each in secrets_of(url)]
        self._mask = Mask(api_key, *secrets_in(secret_headers or {}), passwords=proxies)
        self._configured = tuple(given)
        self._headers = with_key({"content-type": "application/json", **given}, api_key)
        self._endpoints = [
            _Endpoint(httpx.URL(at(url, self._format.path)), transport(url, self._headers))
            for url in base_urls
        ]

    async def attempt(self, request: Request) -> Reply:
        """Send one request once and return what came back.

        Raises:
            AttemptFailed: for a connection fault, a bad status or a reply that is none.
        """
        try:
            return self._mask.reply(await self._from_least_loaded(self._content(request)))
        except AttemptFailed as error:
            raise self._mask.failure(error) from None
        except Exception as error:  # noqa: BLE001 # one item's failure
            # a fault of our own or of a library's, whose words may hold what was sent
            raise self._mask.failure(unexpected(error)) from None

    async def _from_least_loaded(self, content: bytes) -> Reply:
        """Send to the least loaded server; to the next one where it is not up, and so got nothing."""
        while True:
            endpoint = min(self._endpoints, key=_Endpoint.load)
            try:
                endpoint.in_flight += 1
                reply = await self._post(endpoint, content)
                return read_reply(reply, str(endpoint.url), self._sent_names)
            except ServerDown:
                endpoint.set_aside()
                if all(each.is_aside() for each in self._endpoints):
                    raise
            finally:
                endpoint.in_flight -= 1

    def _content(self, request: Request) -> bytes:
        begin = self._begin
        if self._seeded and request.sample:
            begin = self._without_end(for_sample(self._body, request.sample))
        return f"{begin}, {json.dumps(self._format.question(request.messages))[1:]}".encode()

    def _without_end(self, body: Mapping[str, Any]) -> str:
        """Return the JSON of a body up to its question: the same for all requests."""
        ours = self._format.question(())
        return json.dumps({name: each for name, each in body.items() if name not in ours})[:-1]

    async def shown(self, request: Request) -> Wire:
        """Return what `attempt` would send to the first server, without sending it."""
        sent = httpx.Request(
            "POST", self._endpoints[0].url, headers=self._headers, content=self._content(request)
        )
        return self._mask.wire(sent, ADDED, self._configured)

    async def aclose(self) -> None:
        """Close every connection."""
        for endpoint in self._endpoints:
            await endpoint.transport.aclose()

    async def _post(self, endpoint: _Endpoint, content: bytes) -> Whole:
        try:
            reply = await self._sent(endpoint, content)
        except BROKEN as error:
            endpoint.set_aside()
            await self._look_for_https(endpoint, error)
            raise connection_failure(error, str(endpoint.url)) from None
        endpoint.https = False
        if reply.broken:
            endpoint.set_aside()
        return reply

    async def _look_for_https(self, endpoint: _Endpoint, error: Exception) -> None:
        """Look once whether a server that hangs up on the first request speaks https.

        Raises:
            RunFailure: where it does.
        """
        url = str(endpoint.url)
        if endpoint.https is False or not hung_up(error, url) or proxy_of(url):
            return
        async with endpoint.looking:  # one look for all that hung up together
            if endpoint.https is None:
                endpoint.https = await speaks_https(url)
        if endpoint.https:
            said = f"no reply from {url}"
            raise RunFailure(f"{said} ({REMEDIES[Meaning.WANTS_TLS]})")

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
        return await whole(response)


async def served_models(
    base_url: str, headers: Mapping[str, str], api_key: str | None
) -> dict[str, int | None]:
    """Return the windows, in tokens, by the names at an address's `/models`; None is not said.

    There is no name where the server has no such route, or fails. Nothing is raised: this only adds
    to what is known already.
    """
    connections = transport(base_url)
    try:
        async with asyncio.timeout(LISTING_TIMEOUT_S):
            asked = httpx.Request(
                "GET", at(base_url, "/models"), headers=with_key(headers, api_key)
            )
            reply = await whole(await connections.handle_async_request(asked))
    except (httpx.HTTPError, aiohttp.ClientError, OSError, ValueError, AttemptFailed):
        return {}  # a TimeoutError is an OSError
    finally:
        await connections.aclose()
    try:
        models = json.loads(reply.content)["data"] if reply.status == HTTPStatus.OK else []
        return {each["id"]: _window(each) for each in models if isinstance(each["id"], str)}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}


def _window(model: Mapping[str, object]) -> int | None:
    values = (model.get(name) for name in WINDOWS)
    return next((each for each in values if type(each) is int and each > 0), None)
