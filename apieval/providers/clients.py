"""Which client speaks to which kind of provider, imported only when a run needs it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from apieval.config.models import Hosted
from apieval.providers.base import Checkable

if TYPE_CHECKING:
    from apieval.providers.hosted import HostedClient


def connect(
    base_urls: Sequence[str],
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    api_key: str | None = None,
    api: str = "chat",
    secret_headers: Mapping[str, str] | None = None,
) -> Checkable:
    """Return a client of an OpenAI-compatible model; inside a running event loop."""
    # httpx and aiohttp take 0.2 s to import: no command but a run pays for them
    from apieval.providers.openai_compatible import OpenAICompatibleClient  # noqa: PLC0415

    return OpenAICompatibleClient(base_urls, body, headers, api_key, api, secret_headers)


async def connect_hosted(
    model: Hosted,
    body: Mapping[str, Any],
    api_key: str | None,
    secret_headers: Mapping[str, str] | None = None,
) -> Checkable:
    """Return a client of a model behind litellm; inside a running event loop, which goes on.

    Raises:
        RunFailure: where the model takes no parameter of a name that would be sent.
    """
    client = await asyncio.to_thread(_hosted_client)
    return client(model, body, api_key, secret_headers)


def _hosted_client() -> type[HostedClient]:
    # litellm takes 5 s to import and 200 MB: only a run of a hosted model pays for it
    from apieval.providers.hosted import HostedClient  # noqa: PLC0415

    return HostedClient
