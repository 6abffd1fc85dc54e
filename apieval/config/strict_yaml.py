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
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from apieval.errors import ConfigError
from apieval.records import well_formed

MOST_BYTES: Final = 1_000_000
MOST_VALUES: Final = 100_000
LARGEST: Final = 2**64
_VALUES: Final = re.compile(r' with value ".*" \(original value: ".*"\)', re.DOTALL)
"""What the loader adds about a key that appears twice; the values may be secret."""


def read(path: Path) -> object:
    """Return the value a YAML or JSON file holds.

    Raises:
        ConfigError: naming the file and the place of what cannot be read.
    """
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
        if len(content) > MOST_BYTES:
            raise ConfigError(
                f"{path}: larger than {MOST_BYTES:,} bytes, which no configuration is; is it the "
                "right file?"
            )
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        where = f"{path}: not UTF-8 text (byte {error.start})"
        raise ConfigError(f"{where}; save it as UTF-8.") from None
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}.") from None
    try:
        value = _parse(text)
        _check_plain(path, value)
    except (YAMLError, ValueError, RecursionError) as error:
        told = (
            _VALUES.sub("", str(error)).partition("To suppress")[0].replace(' in "<file>",', " at")
        )
        reason = " ".join(told.split())
        remedy = "; indent with blanks, not tabs" if r"'\t'" in reason else ""
        raise ConfigError(f"{path}: not YAML: {reason}{remedy}.") from None
    return value


def _parse(text: str) -> object:
    if text.lstrip().startswith("{"):
        try:
            return json.loads(text, object_pairs_hook=unique)
        except json.JSONDecodeError:
            pass  # a YAML flow mapping also starts with a brace
    return YAML(typ="safe", pure=True).load(io.StringIO(text))


def _check_plain(path: Path, whole: object) -> None:
    """Refuse what JSON, and so no request and no record, can carry."""
    for number, (place, value) in enumerate(_parts(whole, "")):
        shown = f"{path}: {place or 'the file'}"
        if number > MOST_VALUES:  # a few aliases of aliases stand for billions
            raise ConfigError(
                f"{path}: holds more than {MOST_VALUES:,} values, aliases written out."
            )
        if not isinstance(value, dict | list | str | int | float | None):
            raise ConfigError(f"{shown}: holds a {type(value).__name__}; put text in quotes.")
        if isinstance(value, str) and not value.isascii() and well_formed(value) != value:
            raise ConfigError(f"{shown}: holds half a character, which nothing can carry.")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{shown}: {value} is no number that can be sent.")
        if isinstance(value, int) and abs(value) > LARGEST:
            raise ConfigError(f"{shown}: the number is larger than any that can be sent.")


def _parts(value: object, place: str) -> Iterator[tuple[str, object]]:
    """Yield a value and all that is in it, keys too, each with its place."""
    yield place, value
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _parts(key, place)
            yield from _parts(inner, f"{place}.{key}".lstrip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _parts(inner, f"{place}.{number}".lstrip("."))


def unique(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object's pairs as a dictionary; an `object_pairs_hook`.

    Raises:
        ValueError: for a key that appears twice.
    """
    names = [name for name, _ in pairs]
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ValueError(f"the key {twice!r} appears twice; keep one of them")
    return dict(pairs)
