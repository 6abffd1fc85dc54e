"""Files of results held against the types of what they hold: what is wrong, key by key.

The types are of dictionaries, since a file is written as it was read, key for key; what a later
version adds is passed over.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import ConfigDict, Field, TypeAdapter, ValidationError

from apieval.errors import StoreError
from apieval.files import ordinary
from apieval.signature import finite

STRICT: Final = ConfigDict(strict=True, allow_inf_nan=False, extra="allow")
_MOST_SHOWN: Final = 3
_OF_UNIONS: Final[Mapping[object, str]] = {"int": "int_type", "str": "string_type"}
"""What pydantic says of each kind that a value of several may have, and under which key."""
_PLAIN: Final = {"missing": "missing", "json_invalid": "not complete JSON in UTF-8"}

Count = Annotated[int, Field(ge=0, le=2**53)]
Share = Annotated[float, Field(ge=0, le=1)]
Points = Annotated[float, Field(ge=-1, le=1)]
Amount = Annotated[float, Field(ge=0, le=1e300)]
Number = Annotated[float, Field(ge=-1e300, le=1e300)]


def refusal(path: Path, found: Sequence[str], remedy: str, where: str = "") -> StoreError:
    """Return the error that names a file, the first keys that are wrong, and the remedy.

    `where` is a place in the file, as `, line 3`.
    """
    more = f", and {len(found) - _MOST_SHOWN:,} more" if found[_MOST_SHOWN:] else ""
    return StoreError(f"{path}{where}: {'; '.join(found[:_MOST_SHOWN])}{more}; {remedy}")


def check(path: Path, found: Sequence[str], remedy: str, where: str = "") -> None:
    """Refuse a file in which something is wrong.

    Raises:
        StoreError: as `refusal` words it.
    """
    if found:
        raise refusal(path, found, remedy, where)


def faults(shape: Any, value: object, within: str = "") -> list[str]:  # noqa: ANN401 # any type
    """Return what is wrong with a value, a key each: `figures.hints.all: missing`."""
    try:
        checker(shape).validate_python(value)
    except ValidationError as error:
        return told(error, within)
    except RecursionError:
        return ["nested too deeply"]
    return []


@cache
def checker(shape: Any) -> TypeAdapter[Any]:  # noqa: ANN401 # any type
    """Return what holds values against a type; it takes a moment to build."""
    return TypeAdapter(shape)


def told(error: ValidationError, within: str = "") -> list[str]:
    """Return what an error says, by the keys that lead there."""
    found: dict[str, str] = {}
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        place = [within, *each["loc"]] if within else [*each["loc"]]
        if place and _OF_UNIONS.get(place[-1]) == each["type"]:
            place.pop()
        where = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in place)
        what = _PLAIN.get(each["type"]) or each["msg"].removeprefix("Value error, ")
        what = f"{what[:1].lower()}{what[1:]}"
        if where in found:
            what = f"{found[where]} or {what.removeprefix('input should be ')}"
        found[where] = what
    return [f"{where[1:]}: {what}" if where else what for where, what in found.items()]


def read_object(path: Path, remedy: str) -> dict[str, Any] | None:
    """Return the object in a JSON file, None where there is no file.

    Raises:
        StoreError: where it cannot be read, or holds anything else.
    """
    try:
        text = ordinary(path).read_text(encoding="utf-8")
        value: Any = json.loads(text, parse_constant=finite, parse_float=finite)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise unreadable(path, error) from None
    except (ValueError, RecursionError) as error:
        why = "not complete JSON in UTF-8" if isinstance(error, ValueError) else "nested too deeply"
        raise StoreError(f"{path}: {why}; {remedy}") from None
    if not isinstance(value, dict):
        raise StoreError(f"{path}: no JSON object; {remedy}")
    return value


def unreadable(path: Path, error: OSError) -> StoreError:
    """Return the error of a file that the system does not give."""
    return StoreError(f"{path}: cannot be read: {error.strerror or error}.")
