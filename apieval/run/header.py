"""`run.json`: what a run is, its folder's name, and whether a folder holds this run."""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, cast

from apieval.errors import StoreError
from apieval.files import replacing
from apieval.records import SETTINGS, RunSpec
from apieval.results.checking import read_object
from apieval.results.folder import HEADER
from apieval.results.header import Command, HeaderData
from apieval.signature import canonical_json, digest, public, short

FORMAT: Final = 1
_LONE: Final = re.compile("[\ud800-\udfff]")


def read(folder: Path) -> dict[str, Any] | None:
    """Return a run's header, None where the folder has none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / HEADER
    found = read_object(path, "mend it, give another --name, or start over with --fresh.")
    if found is None:
        return None
    whole = all(isinstance(found.get(name, {}), dict) for name in ("spec", "data"))
    if not whole or found.get("format") != FORMAT:
        raise StoreError(f"{path}: not the header of a run, or of a version this one cannot read.")
    return found


def write(folder: Path, header: Mapping[str, object]) -> None:
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


def commands(known: Mapping[str, object], last_answer: str | None) -> list[Command]:
    """Return the commands that sent requests of a run before: when each began, how long it took.

    A command that was killed wrote no time down: it lasted at least until the run's last answer,
    which was `created` at `last_answer`. A header of version 0.1 knows of its last command alone.
    """
    found = known.get("commands", [{name: known.get(name) for name in ("began", "took_s")}])
    listed = found if isinstance(found, list) else []
    made = [
        cast("Command", dict(each))
        for each in listed
        if isinstance(each, dict) and _seconds(each.get("began"))
    ]
    for each in made:
        if not isinstance(each.get("took_s"), int | float):
            each["took_s"] = round(_between(each.get("began"), last_answer), 3)
    return made


def took_s(listed: Sequence[Command]) -> float | None:
    """Return how many seconds commands took together, None where none sent a request."""
    return round(sum(max(0.0, each.get("took_s") or 0.0) for each in listed), 3) if listed else None


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


_PACKAGES: Final = ("apieval", "httpx", "httpx-aiohttp", "aiohttp", "tenacity", "diskcache")
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._]+")
_LONGEST: Final = 60


def folder_name(spec: RunSpec, variant: str = "") -> str:
    """Return a run's folder: model, data, settings and the short hash of the specification.

    `variant` is the prompt's name, where it is not the challenge's own.
    """
    settings = "both" if spec.settings == SETTINGS else "-".join(spec.settings)
    fingerprint = short(digest(canonical_json(spec.as_json())), 8)
    parts = [slug(spec.model), slug(Path(spec.data).stem), settings]
    return "-".join([*parts, *([slug(variant)] if variant else []), fingerprint])


def slug(text: str) -> str:
    """Return a text as a part of a folder's name that every file system takes."""
    return _UNSAFE.sub("-", text).strip("-.")[:_LONGEST] or "unnamed"


def header(spec: RunSpec, data: HeaderData) -> dict[str, object]:
    """Return what `run.json` says before the first answer: the run, its code and its machine."""
    return {
        "format": FORMAT,
        "status": "running",
        "model": spec.model,
        "spec": spec.as_json(),
        "data": data,
        "prompts": dict(spec.prompts),
        "versions": {
            "python": platform.python_version(),
            **{name: version(name) for name in _PACKAGES},
        },
        "git": _git(),
        "machine": {"platform": platform.platform(), "cpus": os.cpu_count()},
    }


def _git() -> dict[str, object] | None:
    """Return the commit of the checkout this code runs from, None where it is installed."""
    home = Path(__file__).resolve().parents[2]
    if not (home / ".git").exists():
        return None
    commands = {"commit": ("rev-parse", "HEAD"), "dirty": ("status", "--porcelain", "-uno")}
    said = {}
    for name, words in commands.items():
        try:
            done = subprocess.run(  # noqa: S603 # fixed words, no shell
                # no lock of the index is taken, at which the user's own git would fail meanwhile
                ["git", "--no-optional-locks", "-C", str(home), *words],  # noqa: S607 # the user's own git
                capture_output=True,
                text=True,
                timeout=5,
                check=True,
            )
        except (OSError, subprocess.SubprocessError):
            return None
        said[name] = done.stdout.strip()
    return {"commit": said["commit"], "dirty": bool(said["dirty"])}
