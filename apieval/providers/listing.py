"""Which models an OpenAI-compatible server says it has: one short look, for an error's remedy."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Final

import aiohttp
import httpx

from apieval.errors import AttemptFailed
from apieval.fields import at
from apieval.providers.transport import transport, whole, with_key

TIMEOUT_S: Final = 5.0


async def served_models(
    base_url: str, headers: Mapping[str, str], api_key: str | None
) -> tuple[str, ...]:
    """Return the names at the route `/models` of an address; none where the server has no such route, or fails.

    Nothing is raised: this only adds to a failure that is known already.
    """
    connections = transport(base_url)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            asked = httpx.Request(
                "GET", at(base_url, "/models"), headers=with_key(headers, api_key)
            )
            reply = await whole(await connections.handle_async_request(asked))
    except (httpx.HTTPError, aiohttp.ClientError, OSError, ValueError, AttemptFailed):
        return ()  # a TimeoutError is an OSError
    finally:
        await connections.aclose()
    return _names(reply.content) if reply.status == HTTPStatus.OK else ()


def _names(content: bytes) -> tuple[str, ...]:
    try:
        listed = json.loads(content)["data"]
        return tuple(each["id"] for each in listed if isinstance(each["id"], str))
    except (ValueError, LookupError, TypeError, RecursionError):
        return ()
