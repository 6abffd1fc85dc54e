"""Which client speaks to which kind of provider, imported only when a run needs it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from apieval.providers.base import Provider


def connect(
    base_urls: Sequence[str],
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    api_key: str | None = None,
) -> Provider:
    """Return a client of an OpenAI-compatible model; inside a running event loop."""
    # httpx and aiohttp take 0.2 s to import: no command but a run pays for them
    from apieval.providers.openai_compatible import OpenAICompatibleClient  # noqa: PLC0415

    return OpenAICompatibleClient(base_urls, body, headers, api_key)
