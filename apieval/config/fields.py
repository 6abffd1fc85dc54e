"""The kinds of values in `providers.yaml`, each with its check: addresses, headers, names of variables.

A key never stands in the file: what looks like one is refused, and never repeated.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from ipaddress import ip_address
from typing import Annotated, Any, Final, Literal
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit, urlunsplit

from pydantic import AfterValidator, BeforeValidator, Field, PlainValidator, PositiveInt

from apieval.config.secrets import (
    field_is_secret,
    holds_a_key,
    is_a_key,
    names_a_secret,
    path_is_secret,
    query_is_secret,
)
from apieval.records import well_formed

MOST_AT_ONCE: Final = 10_000
_FULL_PATHS: Final = ("/chat/completions", "/completions")
_ELSEWHERE: Final = "name its variable in headers_env, or in api_key_env"
_HEADER_NAME: Final = re.compile(r"[!#$%&'*+\-.^_`|~0-9A-Za-z]+")
"""A token of RFC 9110, section 5.6.2."""
_FRAMED: Final = "leave it out"
OWN_HEADERS: Final[Mapping[str, str]] = {
    "host": "it follows from base_url",
    **dict.fromkeys(
        (
            *(
                "accept-encoding",
                "connection",
                "content-encoding",
                "content-length",
                "content-type",
            ),
            *("expect", "http2-settings", "keep-alive", "proxy-connection", "te", "trailer"),
            *("transfer-encoding", "upgrade"),
        ),
        _FRAMED,
    ),
}
"""What says how a request is framed and packed, and the hop-by-hop headers (RFC 9110, sections 7.2,
7.6.1 and 8; RFC 9112), with the remedy."""
_SAMPLES: Final = "ask for several answers with --samples, each a request of its own"
_STREAM: Final = "answers are not streamed; leave it out"
_COUNTED: Final = frozenset(
    ["n", "best_of", "num_return_sequences", "candidate_count", "candidateCount", "num_generations"]
)
_STREAMED: Final = frozenset({"stream"})
OWN_FIELDS: Final[Mapping[str, str]] = {
    **dict.fromkeys(sorted(_COUNTED), _SAMPLES),
    "stream": _STREAM,
    "stream_options": _STREAM,
    "model": "name it as model, beside extra_body",
    "messages": "give a prompt with --prompt, or a system_prompt",
    "prompt": "give a prompt with --prompt",
    "input": "give a prompt with --prompt",
    "contents": "give a prompt with --prompt",
}
"""Fields of a body that make another request than the one that is paid for and stored once."""
_PARAMETER_SECTIONS: Final = frozenset(
    ["generation_config", "generationConfig", "options", "parameters", "sampling_params"]
)
"""Where Google, Ollama, TGI and SGLang read parameters from, beside the body itself."""


def is_loopback(url: str) -> bool:
    """Say whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def at(base_url: str, path: str) -> str:
    """Return an address with a path put behind its own; its query stays behind that."""
    parts = urlsplit(base_url)
    return urlunsplit(parts._replace(path=parts.path + path))


def _parts(url: str) -> SplitResult:
    """Return the parts of an address that holds no secret and no fragment."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:  # its message may repeat a password
        raise ValueError("not an address: write it as http://HOST:PORT/v1") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("not an address: write it as http://HOST:PORT/v1")
    if "@" in parts.netloc:
        raise ValueError("holds a user name or password: name a variable in api_key_env instead")
    if parts.fragment:
        raise ValueError("holds a fragment: only a query may follow '?' or '#'")
    if not url.strip().isprintable() or " " in url.strip():
        raise ValueError("holds a blank or a control character, which no address can")
    if path_is_secret(unquote(parts.path)) or holds_a_key(parts.netloc):
        raise ValueError(f"its path seems to hold a key: {_ELSEWHERE}")
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if query_is_secret(name, value):
            raise ValueError(f"has a key behind '?': {_ELSEWHERE}")
    return parts


def _address(url: str) -> str:
    """Return an address as it was given, without the slash at its end."""
    parts = _parts(url)
    if parts.query:
        raise ValueError("has something after '?': api_version belongs under options")
    return urlunsplit(parts).rstrip("/")


def _base_url(url: str) -> str:
    """Return an address up to and without what is appended to it, in its one normal form."""
    parts = _parts(url)
    given = parts.path.rstrip("/")
    for full in _FULL_PATHS:
        given = given.removesuffix(full)
    path = given or "/v1"
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, parts.query, ""))


def _header_names(headers: Iterable[str]) -> None:
    """Refuse names that no request can carry, that the request itself sets, or that stand twice.

    Raises:
        ValueError: naming the header.
    """
    seen: set[str] = set()
    for name in headers:
        if not _HEADER_NAME.fullmatch(name):
            raise ValueError(f"{name!r} holds a character that no HTTP header can carry")
        if name.lower() in OWN_HEADERS:
            raise ValueError(f"{name!r} is set by the request itself: {OWN_HEADERS[name.lower()]}")
        if name.lower() in seen:
            raise ValueError(f"{name!r} appears twice, whatever the case of its letters; keep one")
        seen.add(name.lower())


def _public_headers(headers: dict[str, str]) -> dict[str, str]:
    for name, value in headers.items():
        if names_a_secret(name):
            raise ValueError(f"{name!r} carries a key: {_ELSEWHERE}")
        if is_a_key(value):
            raise ValueError(f"the value of {name!r} seems to be a key: {_ELSEWHERE}")
        if not (value.isascii() and value.isprintable()):
            raise ValueError(f"{name!r} holds a character that no HTTP header can carry")
    _header_names(headers)
    return headers


def _secret_headers(headers: dict[str, str]) -> dict[str, str]:
    _header_names(headers)
    return headers


def _public_body(body: dict[str, Any]) -> dict[str, Any]:
    for path, text in _texts_of(body):
        if field_is_secret(path, text):
            shown = "a field's name" if holds_a_key(path[-1]) else repr(path[-1])
            raise ValueError(f"{shown} seems to be a key: name its variable in api_key_env")
    for name, value in _fields_of(body):
        if name in OWN_FIELDS and not _harmless(name, value):
            raise ValueError(f"{name!r} is set by apieval itself: {OWN_FIELDS[name]}")
    return body


def _fields_of(body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the fields of a body, and those of the sections that servers read parameters from."""
    for name, value in body.items():
        yield name, value
        if name in _PARAMETER_SECTIONS and isinstance(value, dict):
            yield from value.items()


def _harmless(name: str, value: object) -> bool:
    """Say whether a field says what is so anyway: one answer, and that whole."""
    return value is False if name in _STREAMED else value == 1 and name in _COUNTED


def _texts_of(
    value: object, path: tuple[str, ...] = ("",)
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Yield every field at any depth: the names that lead to it, and its text where it is one."""
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts_of(inner, (*path, name))
    elif isinstance(value, list):
        for inner in value:
            yield from _texts_of(inner, path)
    yield path, value if isinstance(value, str) else ""


def _whole(text: str) -> str:
    if not text.isascii() and well_formed(text) != text:
        raise ValueError("holds half a character, which no request can carry")
    if holds_a_key(text):
        raise ValueError("seems to hold a key: name its variable in api_key_env or headers_env")
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
Words = Annotated[str, Field(min_length=1), AfterValidator(_whole)]
Texts = Annotated[list[Text], BeforeValidator(listed, json_schema_input_type=str | list[str])]
Concurrency = Annotated[
    int | Literal["auto"],
    PlainValidator(_concurrency, json_schema_input_type=PositiveInt | Literal["auto"]),
]
VariableName = Annotated[str, Field(pattern="^[A-Z_][A-Z0-9_]*$")]
"""In capitals, so that a key pasted here by mistake is refused and not printed as a name."""
SecretHeaders = Annotated[dict[str, VariableName], AfterValidator(_secret_headers)]
