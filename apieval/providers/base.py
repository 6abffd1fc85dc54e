"""What the rest of the code knows of a provider: one attempt, and the end."""

from __future__ import annotations

from typing import Protocol

from apieval.schema import Reply, Request


class Provider(Protocol):
    """Ask one model one question at a time, without retries, cache or limits."""

    async def attempt(self, request: Request) -> Reply:
        """Send one request once and return what came back.

        Raises:
            AttemptFailed: one of its three kinds; nothing else leaves a provider.
        """
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
