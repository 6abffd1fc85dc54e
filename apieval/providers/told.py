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

from apieval.providers.meanings import spelled

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
_MOST: Final = 500
_DEEPEST: Final = 12


@dataclass(slots=True)
class Told:
    """What an error says; `headers` are those of another reply, told of inside it."""

    names: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    categories: list[str] = field(default_factory=list)
    headers: dict[str, str] = field(default_factory=dict)


def told_of(value: object) -> Told:
    """Return what an error body says, `value` being any JSON."""
    told = Told()
    for name, inner in islice(_fields(value, "", 0), _MOST):
        _take(told, name, inner)
        if isinstance(inner, dict) and (found := _category(name, inner)):
            told.categories.append(found)
    return told


def _category(name: str, value: Mapping[str, Any]) -> str | None:
    """Return what a filter found, where an object says that it found it; `name` is the object's."""
    word = value.get("category")
    if value.get("filtered") is True or value.get("blocked") is True:
        return word if isinstance(word, str) else name
    return word if isinstance(word, str) and not _JUDGED & value.keys() else None


def _take(told: Told, name: str, value: object) -> None:
    if name == FLAGGED or (name == "content_filter" and isinstance(value, list) and value):
        told.names.append("content_filter")
    elif name in NAMES and isinstance(value, str | int):
        told.names.append(str(value))
    elif name in TEXTS and isinstance(value, str):
        told.texts.append(value)
        told.categories += _CHECK.findall(value)
    elif name in CATEGORIES:
        each = value if isinstance(value, list) else [value]
        told.categories += [word for word in each if isinstance(word, str)]
    elif name == "headers" and isinstance(value, dict):
        told.headers |= {k.lower(): v for k, v in value.items() if isinstance(v, str)}


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
