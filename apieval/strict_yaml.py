"""YAML and JSON files as plain values, with YAML's traps closed.

YAML 1.2 by a pure loader: `no` stays text, `1e-3` is a number, `22:30` is text; a key that stands
twice is refused instead of silently overwritten. No tag of a file makes an object.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from apieval.errors import ConfigError
from apieval.schema import well_formed

_VALUES: Final = re.compile(r' with value ".*" \(original value: ".*"\)', re.DOTALL)
"""What the loader adds about a key that stands twice; the values may be secret."""


def read(path: Path) -> object:
    """Return the value a YAML or JSON file holds.

    Raises:
        ConfigError: naming the file and the place of what cannot be read.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"{path}: not UTF-8 text (byte {error.start})"
        raise ConfigError(f"{where}; save it as UTF-8.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None
    try:
        value = _parse(text)
        _check_plain(path, value, "")
    except (YAMLError, ValueError, RecursionError) as error:
        reason = " ".join(_VALUES.sub("", str(error)).partition("To suppress")[0].split())
        raise ConfigError(f"{path}: not YAML: {reason}.") from None
    return value


def _parse(text: str) -> object:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=unique)
        except json.JSONDecodeError:
            pass  # a YAML flow mapping also starts with a brace
    return YAML(typ="safe", pure=True).load(io.StringIO(text))


def _check_plain(path: Path, value: object, place: str) -> None:
    """Refuse what JSON, and so no request and no record, can carry."""
    if isinstance(value, dict):
        for key, inner in value.items():
            _check_plain(path, key, place)
            _check_plain(path, inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            _check_plain(path, inner, f"{place}.{number}".lstrip("."))
    elif not isinstance(value, str | int | float | None):
        kind = type(value).__name__
        raise ConfigError(f"{path}: {place}: holds a {kind}; put text in quotes.")
    elif isinstance(value, str) and not value.isascii() and well_formed(value) != value:
        raise ConfigError(f"{path}: {place}: holds half a character, which nothing can carry.")
    elif isinstance(value, float) and not math.isfinite(value):
        raise ConfigError(f"{path}: {place}: {value} is no number that can be sent.")


def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object's pairs as a dictionary; an `object_pairs_hook`.

    Raises:
        ValueError: for a key that stands twice.
    """
    names = [name for name, _ in pairs]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} stands twice; keep one of them")
    return dict(pairs)
