"""What the rest of the code knows of a provider: one attempt, what it looks like, and the end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, Protocol

from apieval.errors import Unexpected
from apieval.records import Reply, Request
from apieval.wording import in_words


class Wire(NamedTuple):
    """A request as it goes over the wire, every secret in it replaced by `***`.

    `body` is JSON where it is, else text; header names are in lower case.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    body: Any


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


class Checkable(Provider, Protocol):
    """Tell besides what an attempt would send; a run has no use for it, a check does."""

    async def shown(self, request: Request) -> Wire | None:
        """Return what `attempt` would send, without sending it; None where nobody can tell."""
        ...


def unexpected(error: BaseException) -> Unexpected:
    """Return a fault of our own or of a library's as one item's failure, until every item has it."""
    kind, said = type(error).__name__, in_words(error)
    return Unexpected(f"unexpected {kind}" if said == kind else f"unexpected {kind}: {said}")
