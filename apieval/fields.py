"""The kinds of values in `providers.yaml`, each with its check: addresses, headers, names of variables.

A key never stands in the file: what looks like one is refused, and never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address
from typing import Annotated, Any, Final, Literal
from urllib.parse import SplitResult, urlsplit, urlunsplit

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, PositiveInt

from apieval.schema import well_formed

MOST_AT_ONCE: Final = 10_000
_SECRET_HEADER: Final = re.compile(
    r"(?i)(^|[-_])(proxy-?)?(auth(?!ors?\b)\w*|api-?key|key|\w*token|secret|password|cookie)($|[-_])"
)
_SECRET_FIELD: Final = re.compile(
    r"(?i)api[-_]?key|secret|password|authori[sz]ation|credential|(access|auth|bearer)[-_]?token"
)
_SECRET_VALUE: Final = re.compile(r"(sk|hf|gsk|xai|pk|ghp)[-_][-\w]{12}|AIza[-\w]{12}|(?i:bearer )")
_FULL_PATHS: Final = ("/chat/completions", "/completions")


def names_a_secret(name: str) -> bool:
    """Say whether what goes by that name, a header's or a query field's, is a secret."""
    return bool(_SECRET_HEADER.search(name))


def is_loopback(url: str) -> bool:
    """Say whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def _parts(url: str) -> SplitResult:
    """Return the parts of an address that holds no secret and nothing behind its path."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:  # its message may repeat a password
        raise ValueError("not an address: write it as http://HOST:PORT/v1") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("not an address: write it as http://HOST:PORT/v1")
    if "@" in parts.netloc:
        raise ValueError("holds a user name or password: name a variable in api_key_env instead")
    if parts.query or parts.fragment:
        raise ValueError("has something behind '?' or '#': give the address up to /v1 alone")
    return parts


def _address(url: str) -> str:
    """Return an address as it was given, without the slash at its end."""
    return urlunsplit(_parts(url)).rstrip("/")


def _base_url(url: str) -> str:
    """Return an address up to and without what is appended to it, in its one normal form."""
    parts = _parts(url)
    given = parts.path.rstrip("/")
    for full in _FULL_PATHS:
        given = given.removesuffix(full)
    path = given or "/v1"
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, "", ""))


def _public_headers(headers: dict[str, str]) -> dict[str, str]:
    secret = sorted(name for name in headers if _SECRET_HEADER.search(name))
    if secret:
        raise ValueError(f"{secret[0]!r} carries a key: name its variable in api_key_env instead")
    for name, value in headers.items():
        if not (f"{name}{value}".isascii() and f"{name}{value}".isprintable()):
            raise ValueError(f"{name!r} holds a character that no HTTP header can carry")
    return headers


def _public_body(body: dict[str, Any]) -> dict[str, Any]:
    for name, text in _texts_of(body):
        if _SECRET_FIELD.search(name) or _SECRET_VALUE.match(text):
            raise ValueError(f"{name!r} seems to be a key: name its variable in api_key_env")
    return body


def _texts_of(value: object, name: str = "") -> Iterator[tuple[str, str]]:
    """Yield every field at any depth: its name, and its text where it is one."""
    if isinstance(value, dict):
        for inner_name, inner in value.items():
            yield from _texts_of(inner, inner_name)
        yield name, ""
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner, name)
        yield name, ""
    else:
        yield name, value if isinstance(value, str) else ""


def _whole(text: str) -> str:
    if not text.isascii() and well_formed(text) != text:
        raise ValueError("holds half a character, which no request can carry")
    return text


def listed(value: object) -> object:
    """Let one text stand for a list of one."""
    return [value] if isinstance(value, str) else value


def _concurrency(value: object) -> int | Literal["auto"]:
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_AT_ONCE:
        return value
    raise ValueError(f"must be a whole number of requests at once, 1 to {MOST_AT_ONCE}, or auto")


Address = Annotated[str, AfterValidator(_address)]
BaseUrl = Annotated[str, AfterValidator(_base_url)]
Body = Annotated[dict[str, Any], AfterValidator(_public_body)]
Headers = Annotated[dict[str, str], AfterValidator(_public_headers)]
Text = Annotated[str, AfterValidator(_whole)]
Texts = Annotated[list[Text], BeforeValidator(listed, json_schema_input_type=str | list[str])]
Concurrency = Annotated[
    int | Literal["auto"],
    PlainValidator(_concurrency, json_schema_input_type=PositiveInt | Literal["auto"]),
]
VariableName = Annotated[str, Field(pattern="^[A-Z_][A-Z0-9_]*$")]
"""In capitals, so that a key pasted here by mistake is refused and not printed as a name."""
