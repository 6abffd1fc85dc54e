"""What a run is and where it lives: its specification, its folder's name, its header."""

from __future__ import annotations

import os
import platform
import re
import subprocess
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from apieval.run.header import FORMAT
from apieval.schema import SETTINGS, RunSpec
from apieval.signature import canonical_json, digest, short

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


def header(spec: RunSpec, data: dict[str, Any]) -> dict[str, Any]:
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


def _git() -> dict[str, Any] | None:
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
