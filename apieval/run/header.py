"""`run.json`: what a run is, readable without its rows, and whether a folder holds this one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from apieval.errors import StoreError
from apieval.schema import RunSpec
from apieval.signature import finite, public
from apieval.whole_file import ordinary, replacing
from apieval.wording import in_words

FORMAT: Final = 1
HEADER: Final = "run.json"
ASIDE: Final = ".before-"
"""Stands between a run's name and the time at which it was set aside."""
_LONE: Final = re.compile("[\ud800-\udfff]")


def read(folder: Path) -> dict[str, Any] | None:
    """Return a run's header, None where the folder has none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / HEADER
    try:
        text = ordinary(path).read_text(encoding="utf-8")
        header: Any = json.loads(text, parse_constant=finite, parse_float=finite)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(
            f"{path}: cannot be read ({in_words(error)}); mend it, give another --name, or start over with "
            "--fresh."
        ) from None
    parts = [header.get(name, {}) for name in ("spec", "data")] if isinstance(header, dict) else [0]
    whole = all(isinstance(part, dict) for part in parts)
    if not whole or header.get("format") != FORMAT:
        raise StoreError(f"{path}: not the header of a run, or of a version this one cannot read.")
    return dict(header)


def write(folder: Path, header: dict[str, Any]) -> None:
    """Write a run's header whole or not at all; fields this version does not know are kept."""
    known = read(folder) or {}
    text = json.dumps({**known, **header}, ensure_ascii=False, indent=2) + "\n"
    if not text.isascii():  # a path may hold bytes that are no UTF-8, and must be found again
        text = _LONE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text)
    try:
        with replacing(folder / HEADER) as file:
            file.write(text)
    except OSError as error:
        raise StoreError(f"{folder / HEADER}: cannot be written: {error.strerror}.") from None


def commands(known: Mapping[str, Any], last_answer: str | None) -> list[dict[str, Any]]:
    """Return the commands that sent requests of a run before: when each began, how long it took.

    A command that was killed wrote no time down: it lasted at least until the run's last answer,
    which was `created` at `last_answer`. A header of version 0.1 knows of its last command alone.
    """
    found = known.get("commands", [{name: known.get(name) for name in ("began", "took_s")}])
    listed = found if isinstance(found, list) else []
    made = [dict(each) for each in listed if isinstance(each, dict) and _seconds(each.get("began"))]
    for each in made:
        if not isinstance(each.get("took_s"), int | float):
            each["took_s"] = round(_between(each["began"], last_answer), 3)
    return made


def took_s(listed: Sequence[Mapping[str, Any]]) -> float | None:
    """Return how many seconds commands took together, None where none sent a request."""
    return round(sum(max(0.0, each["took_s"]) for each in listed), 3) if listed else None


def _between(began: object, ended: object) -> float:
    first, last = _seconds(began), _seconds(ended)
    return max(0.0, last - first) if first and last else 0.0


def _seconds(when: object) -> float | None:
    try:
        return datetime.fromisoformat(str(when)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None


_SECTIONS: Final = frozenset({"identity", "body", "headers", "prompts"})
"""Parts of a specification whose own parts are named one by one, as the user set them."""
_SHOWN: Final = 80


def _differences(
    then: Mapping[str, Any], now: Mapping[str, Any], prefix: str = ""
) -> Iterator[str]:
    """Yield what differs between two specifications, each setting by its own name."""
    for name in sorted({*then, *now}):
        old, new = then.get(name), now.get(name)
        if old == new:
            continue
        if name in _SECTIONS and isinstance(old, dict) and isinstance(new, dict):
            kind = name.removesuffix("s") + " " if name in {"headers", "prompts"} else ""
            yield from _differences(old, new, kind)
        elif prefix:  # hashes say nothing to anybody
            yield f"{prefix}{name}: {'changed' if old and new else 'only then' if old else 'only now'}"
        else:
            yield f"{name}: {_word(old)} then, {_word(new)} now"


def _word(value: object) -> str:
    if value is None:
        return "not set"
    shown = repr(value)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}…"


def check_same_run(folder: Path, spec: RunSpec, data_digest: str) -> None:
    """Refuse a folder that holds another run, or this one on a data file that has changed since.

    Raises:
        StoreError: saying what differs, and the remedy.
    """
    header = read(folder)
    if header is None:
        return
    now, then = spec.as_json(), header.get("spec") or {}
    if isinstance(then.get("identity"), dict):
        then = {**then, "identity": public(then["identity"])}  # version 0.1 wrote headers out
    remedy = "give another --name, or start over with --fresh."
    if differs := [*_differences(then, now)]:
        raise StoreError(f"{folder}: holds another run ({'; '.join(differs)}); {remedy}")
    data = header.get("data") or {}
    if (old := data.get("digest")) != data_digest:
        if commit := data.get("revision"):  # of the hub, where it still is
            remedy = f"go back with `apieval data fetch --revision {commit}`, {remedy}"
        raise StoreError(
            f"{folder}: the data file {spec.data!r} has changed since this run began "
            f"({old} then, {data_digest} now); {remedy}"
        )
