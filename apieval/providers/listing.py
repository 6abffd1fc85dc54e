"""Which models an OpenAI-compatible server says it has, and how long their windows are: one short look."""

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
WINDOWS: Final = ("max_model_len", "context_window", "max_context_length", "context_length")
"""What servers call the window of a model: vLLM and SGLang, Groq, Mistral, OpenRouter and Together."""


async def served_models(
    base_url: str, headers: Mapping[str, str], api_key: str | None
) -> dict[str, int | None]:
    """Return the windows, in tokens, by the names at an address's `/models`; None is not said.

    There is no name where the server has no such route, or fails. Nothing is raised: this only adds
    to what is known already.
    """
    connections = transport(base_url)
    try:
        async with asyncio.timeout(TIMEOUT_S):
            asked = httpx.Request(
                "GET", at(base_url, "/models"), headers=with_key(headers, api_key)
            )
            reply = await whole(await connections.handle_async_request(asked))
    except (httpx.HTTPError, aiohttp.ClientError, OSError, ValueError, AttemptFailed):
        return {}  # a TimeoutError is an OSError
    finally:
        await connections.aclose()
    return _windows(reply.content) if reply.status == HTTPStatus.OK else {}


def _windows(content: bytes) -> dict[str, int | None]:
    try:
        listed = json.loads(content)["data"]
        return {each["id"]: _window(each) for each in listed if isinstance(each["id"], str)}
    except (ValueError, LookupError, TypeError, RecursionError):
        return {}


def _window(model: Mapping[str, object]) -> int | None:
    values = (model.get(name) for name in WINDOWS)
    return next((each for each in values if type(each) is int and each > 0), None)
