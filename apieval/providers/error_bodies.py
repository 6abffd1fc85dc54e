"""What an error body says, gathered from every depth: names, texts, a filter's categories, headers.

Gateways wrap a provider's own error in theirs, some as text inside text. What was asked comes back
in some fields; that is nobody's word, and is left out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Final

from apieval.providers.reasons import spelled
from apieval.records import well_formed

NAMES: Final = frozenset(
    {"code", "type", "status", "reason", "name", "error_code", "error_type", "finish_reason"}
    | {"limit_source", "quota_id", "block_reason"}
)
TEXTS: Final = frozenset(
    {
        "message",
        "detail",
        "details",
        "error",
        "raw",
        "msg",
        "status_msg",
        "error_message",
        "error_msg",
    }
)
ECHOES: Final = frozenset({"input", "messages", "prompt", "ctx", "request", "content"})
"""Fields in which what was asked comes back."""
FLAGGED: Final = "flagged_input"
"""OpenRouter's field for what a filter found; what stands in it was asked. Zhipu's is a list."""
CATEGORIES: Final = frozenset({"reasons", "categories"})
_JUDGED: Final = frozenset({"filtered", "blocked", "probability", "severity"})
"""Beside a category these say whether it was found; alone, it was."""
_CHECK: Final = re.compile(r"SAFETY_CHECK_TYPE_(\w+)")
_NO_ERRORS: Final = (0, "0", 200, "200")
"""What some gateways write beside every answer as the code of no error."""
_SHOWN: Final = 200
_TAG: Final = re.compile(r"<[^>]*>")


READ: Final = 4096
"""So many bytes of what is no JSON are looked at."""
_MOST: Final = 500
_DEEPEST: Final = 12


@dataclass(slots=True)
class ErrorBody:
    """What an error says; `headers` are those of another reply, quoted inside it."""

    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def category(self) -> str | None:
        """Return what a filter found, as it names it; None where it names nothing."""
        return clipped(", ".join(dict.fromkeys(map(clipped, self.categories)))) or None

    def add(self, name: str, value: object) -> None:
        """Take in a field, by its name in one spelling."""
        if name == FLAGGED or (name == "content_filter" and isinstance(value, list) and value):
            self.names.append("content_filter")
        elif name in NAMES and isinstance(value, str | int):
            self.names.append(str(value))
        elif name in TEXTS and isinstance(value, str):
            self.texts.append(value)
            self.categories += _CHECK.findall(value)
        elif name in CATEGORIES:
            each = value if isinstance(value, list) else [value]
            self.categories += [word for word in each if isinstance(word, str)]
        elif name == "headers" and isinstance(value, dict):
            self.headers |= {k.lower(): v for k, v in value.items() if isinstance(v, str)}


def error_body(value: object) -> ErrorBody:
    """Return what an error body says, `value` being any JSON."""
    found = ErrorBody()
    for name, inner in islice(_fields(value, "", 0), _MOST):
        found.add(name, inner)
        if isinstance(inner, dict) and (category := _category(name, inner)):
            found.categories.append(category)
    return found


def _category(name: str, value: Mapping[str, Any]) -> str | None:
    """Return what a filter found, where an object says that it found it; `name` is the object's."""
    word = value.get("category")
    if value.get("filtered") is True or value.get("blocked") is True:
        return word if isinstance(word, str) else name
    return word if isinstance(word, str) and not _JUDGED & value.keys() else None


def _fields(value: object, name: str, depth: int) -> Iterator[tuple[str, Any]]:
    """Yield every field with its name in one spelling, outer ones first; lists share their name."""
    if depth > _DEEPEST:
        return
    if isinstance(value, str) and name in TEXTS and value.lstrip().startswith("{"):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return
    if isinstance(value, dict):
        known = [(spelled(key), inner) for key, inner in value.items()]
        known = [(key, inner) for key, inner in known if key not in ECHOES]
        yield from known
        for key, inner in known:
            if key != FLAGGED:
                yield from _fields(inner, key, depth + 1)
    elif isinstance(value, list):
        for inner in value:
            if isinstance(inner, dict):
                yield name, inner
            yield from _fields(inner, name, depth + 1)


def is_error(value: object) -> bool:
    """Say whether a document tells of an error, in an object of its own, by itself, or as a number."""
    if not isinstance(value, dict):
        return False
    code = value["base_resp"].get("status_code") if isinstance(value.get("base_resp"), dict) else 0
    error = value.get("error")
    if isinstance(error, dict) and value.get("choices") and error.get("code") in _NO_ERRORS:
        error = None
    if error or (code and not value.get("choices")):
        return True
    texts = [value.get(name) for name in ("message", "detail", "msg", "error_msg")]
    return "choices" not in value and any(isinstance(each, str) for each in texts)


def server_message(body: bytes) -> str:
    """Return the server's own words out of any shape of error body, at most 200 characters.

    Known shapes: `{"error": {"message"}}`, `{"error": "text"}`, `{"message"}`, FastAPI's
    `{"detail"}`, Mistral's of that inside `message`, HTML, plain text, nothing.
    """
    return clipped(message_in(body)) or "no message"


def message_in(body: bytes) -> str:
    """Return the server's own words, however long."""
    error = error_object(body)
    for name in ("message", "detail", "error", "status_msg", "error_msg"):
        if said := error.get(name):
            plain = isinstance(said, str)
            return said if plain else json.dumps(_without_echo(said), ensure_ascii=False)
    return _TAG.sub(" ", body[:READ].decode("utf-8", "replace"))


def _without_echo(said: Any) -> Any:  # noqa: ANN401 # any JSON
    """Return FastAPI's list of faults, in Mistral's wrapping or bare, without what was sent."""
    if isinstance(said, dict) and isinstance(said.get("detail"), list):
        said = said["detail"]
    if not isinstance(said, list):
        return said
    faults = [each for each in said if isinstance(each, dict)]
    return [{k: v for k, v in each.items() if k != "input"} for each in faults] or said


def parsed(body: bytes) -> Any:  # noqa: ANN401 # any JSON
    """Return what a body says as JSON, None where it is none."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def error_object(body: bytes) -> dict[str, Any]:
    """Return the innermost object that describes the error; empty where there is none."""
    value = parsed(body)
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict):
        return {}
    inner = value.get("error") or value.get("base_resp")  # the latter is MiniMax's
    return inner if isinstance(inner, dict) else value


def clipped(text: str) -> str:
    """Return a text as one line that is not too long to be shown."""
    line = " ".join(well_formed(text[:READ]).split())
    return line if len(line) <= _SHOWN else f"{line[:_SHOWN]}…"
