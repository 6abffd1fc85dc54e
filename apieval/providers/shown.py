"""A request as it goes over the wire, for people to see: everything in it but the secrets."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode, urlsplit

import aiohttp
import httpx
from aiohttp.http import SERVER_SOFTWARE

from apieval.fields import names_a_secret
from apieval.providers.base import Wire
from apieval.providers.masking import Mask
from apieval.providers.transport import ALLOWED

MASKED: Final = "***"
_ADDED: Final = {
    **{name.lower(): value for name, value in aiohttp.ClientRequest.DEFAULT_HEADERS.items()},
    "accept-encoding": ALLOWED,
    "user-agent": SERVER_SOFTWARE,
}
"""What the transport adds to a request that lacks it."""


def wire_of(request: httpx.Request, mask: Mask) -> Wire:
    """Return a request that is ready to be sent, without what must not be seen.

    Secrets are known by the key itself and by the names of headers and query fields: a cloud's
    token or signature is made on the way, and is no key that anybody configured.
    """
    lacking = {name: each for name, each in _ADDED.items() if name not in request.headers}
    headers = {
        name: _scheme(value) if names_a_secret(name) else mask.text(value)
        for name, value in {**request.headers, **lacking}.items()
    }
    return Wire(request.method, _url(str(request.url), mask), headers, _body(request.content, mask))


def _scheme(value: str) -> str:
    """Return an authorization with its scheme alone, as in `Bearer ***`."""
    scheme, blank, _ = value.partition(" ")
    return f"{scheme} {MASKED}" if blank and scheme.isalpha() else MASKED


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
