"""A request as it goes over the wire, for people to see: everything in it but the secrets."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
import httpx
from aiohttp.http import SERVER_SOFTWARE

from apieval.providers.base import Wire
from apieval.providers.masking import Mask
from apieval.providers.transport import ALLOWED
from apieval.secret_forms import names_a_secret

MASKED: Final = "***"
_ADDED: Final = {
    **{name.lower(): value for name, value in aiohttp.ClientRequest.DEFAULT_HEADERS.items()},
    "accept-encoding": ALLOWED,
    "user-agent": SERVER_SOFTWARE,
}
"""What the transport adds to a request that lacks it."""
_SCHEMES: Final = frozenset({"apikey", "basic", "bearer", "digest", "key", "token"})
"""What stands before a secret; any other first word may be a part of it."""


def wire_of(request: httpx.Request, mask: Mask, configured: Iterable[str] = ()) -> Wire:
    """Return a request that is ready to be sent, without what must not be seen.

    Secrets are known by the key itself and by the names of headers and query fields: a cloud's
    token or signature is made on the way, and is no key that anybody configured. Of headers that
    the user `configured` the name alone is shown.
    """
    hidden = {name.lower() for name in configured}
    lacking = {name: each for name, each in _ADDED.items() if name not in request.headers}
    headers = {
        name: _shown(name, value, mask, hidden)
        for name, value in {**request.headers, **lacking}.items()
    }
    return Wire(request.method, _url(str(request.url), mask), headers, _body(request.content, mask))


def _shown(name: str, value: str, mask: Mask, hidden: Collection[str]) -> str:
    if names_a_secret(name):
        return _scheme(value)
    return MASKED if name in hidden else mask.text(value)


def _scheme(value: str) -> str:
    """Return an authorization with its scheme alone, as in `Bearer ***`."""
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASKED}" if blank and scheme.lower() in _SCHEMES else MASKED


def _url(url: str, mask: Mask) -> str:
    parts = urlsplit(url)
    fields = [
        (name, MASKED if names_a_secret(name) else mask.text(value))
        for name, value in parse_qsl(parts.query, keep_blank_values=True)
    ]
    query = urlencode(fields, safe="*")
    return parts._replace(query=query, path=mask.text(parts.path)).geturl()


def _body(content: bytes, mask: Mask) -> Any:  # noqa: ANN401 # any JSON
    try:
        return mask.value(json.loads(content))
    except ValueError:
        return mask.text(content.decode("utf-8", "replace"))
