"""Check, without a network, that the lock files are in step with pyproject.toml.

Owns the first line of each lock, which carries a digest of pyproject's dependency tables, and
the rules a lock keeps: exact versions, hashes, no index, no path. Resolving is uv's matter
(`make lock`).
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

RUNTIME_LOCK = "requirements.lock"
DEV_LOCK = "requirements-dev.lock"
DOCS_LOCK = "requirements-docs.lock"
LOCKS = (RUNTIME_LOCK, DEV_LOCK, DOCS_LOCK)
DOCS_GROUP = "docs"
REMEDY = "run `make lock`"

HEADER = "# Made by `make lock`; not edited by hand. Dependency tables: sha256:"
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")
FOREIGN = re.compile(
    r"://|--(?:extra-)?index-url|--find-links|(?:^|[\s=@'\"])(?:/|~/|[A-Za-z]:\\)\w"
)


@dataclass(frozen=True, slots=True)
class Pin:
    """One locked version of one package; a package has several where markers divide it."""

    line: int
    requirement: Requirement

    @property
    def name(self) -> str:
        """The package's canonical name."""
        return canonicalize_name(self.requirement.name)

    @property
    def version(self) -> str:
        """The locked version; empty where the line does not lock one."""
        found = [one.version for one in self.requirement.specifier if one.operator == "=="]
        return found[0] if len(self.requirement.specifier) == len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class Lock:
    """What one lock file says, and what is wrong with its lines."""

    name: str
    header: str
    pins: tuple[Pin, ...]
    faults: tuple[str, ...]


def dependency_tables(project: Mapping[str, Any]) -> dict[str, Any]:
    """Pick from pyproject's content everything that decides what is locked."""
    table = project["project"]
    return {
        "build-system": project["build-system"]["requires"],
        "dependencies": table["dependencies"],
        "dependency-groups": project.get("dependency-groups", {}),
        "optional-dependencies": table.get("optional-dependencies", {}),
        "requires-python": table["requires-python"],
    }


def header_line(project: Mapping[str, Any]) -> str:
    """Write the first line that a lock made from this project carries."""
    text = json.dumps(dependency_tables(project), sort_keys=True, ensure_ascii=True)
    return HEADER + hashlib.sha256(text.encode()).hexdigest()


def direct_requirements(project: Mapping[str, Any], lock: str) -> list[Requirement]:
    """List what pyproject asks for in so many words, for the lock of this name."""
    tables = dependency_tables(project)
    groups = dict(tables["dependency-groups"])
    docs = groups.pop(DOCS_GROUP, [])
    texts = [*tables["dependencies"], *tables["build-system"]]
    if lock == DEV_LOCK:
        for group in (tables["optional-dependencies"], groups):
            texts += [text for one in group.values() for text in one if isinstance(text, str)]
    return [Requirement(text) for text in (docs if lock == DOCS_LOCK else texts)]


def logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each entry with the number of its first line, continuations joined, no comments."""
    start, parts = 0, list[str]()
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#") or not (parts or line.strip()):
            continue
        start = start if parts else number
        parts.append(line.removesuffix("\\").strip())
        if not line.endswith("\\"):
            yield start, " ".join(parts)
            parts = []
    if parts:  # the file ends inside an entry
        yield start, " ".join(parts)


def read_pin(number: int, entry: str) -> Pin | str:
    """Read one entry of a lock, or say what is wrong with it."""
    spelled = HASH.sub("", entry).strip()
    try:
        pin = Pin(number, Requirement(spelled))
    except InvalidRequirement:
        return f"line {number}: {spelled[:60]!r} is no pinned package"
    if not pin.version or "*" in pin.version:
        return f"line {number}: {pin.name!r} is not pinned to one version"
    if not HASH.search(entry):
        return f"line {number}: {pin.name!r} has no sha256 hash"
    return pin


def read_lock(name: str, text: str) -> Lock:
    """Read a lock file's text."""
    lines = text.splitlines()
    faults = [
        f"line {number}: names an address or a machine's path: {line.strip()[:60]!r}"
        for number, line in enumerate(lines, 1)
        if FOREIGN.search(line)
    ]
    read = [read_pin(number, entry) for number, entry in logical_lines(text)]
    faults += [one for one in read if isinstance(one, str)]
    pins = tuple(one for one in read if isinstance(one, Pin))
    return Lock(name, lines[0] if lines else "", pins, tuple(faults))


def drift(project: Mapping[str, Any], lock: Lock) -> Iterator[str]:
    """Yield each way in which a lock is out of step with pyproject."""
    if lock.header != header_line(project):
        yield f"made from other dependency tables than pyproject.toml has: {REMEDY}"
    for wanted in direct_requirements(project, lock.name):
        name = canonicalize_name(wanted.name)
        versions = [pin.version for pin in lock.pins if pin.name == name]
        if not versions:
            yield f"{name!r} is required and not locked: {REMEDY}"
        for version in versions:
            if not wanted.specifier.contains(version, prereleases=True):
                yield f"{name!r} is locked at {version}, required is {wanted.specifier}: {REMEDY}"


def disagreement(runtime: Lock, dev: Lock) -> Iterator[str]:
    """Yield each package that tests would meet at another version than users do."""
    tested = {(pin.name, pin.version) for pin in dev.pins}
    for pin in runtime.pins:
        if (pin.name, pin.version) not in tested:
            yield f"{pin.name!r} {pin.version} is not what {dev.name} has: {REMEDY}"


def check(root: Path) -> list[str]:
    """Return every fault of the lock files under a project's root, each with its file."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    missing = [name for name in LOCKS if not (root / name).is_file()]
    if missing:
        return [f"{name}: missing: {REMEDY}" for name in missing]
    locks = [read_lock(name, (root / name).read_text(encoding="utf-8")) for name in LOCKS]
    runtime, dev, _ = locks
    faults = [
        f"{lock.name}: {fault}" for lock in locks for fault in (*lock.faults, *drift(project, lock))
    ]
    return faults + [f"{runtime.name}: {fault}" for fault in disagreement(runtime, dev)]


def stamp(root: Path) -> None:
    """Give each lock the first line that says what they were made from."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))
    for name in LOCKS:
        path = root / name
        lines = path.read_text(encoding="utf-8").rstrip("\n").splitlines()
        body = [line for line in lines if not line.startswith(HEADER)]
        path.write_text("\n".join([header_line(project), *body, ""]), encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Check the locks, or stamp them after resolving; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--root", type=Path, default=Path(__file__).resolve().parent.parent)
    parser.add_argument("--stamp", action="store_true", help="write the first line of each lock")
    options = parser.parse_args(arguments)
    if options.stamp:
        stamp(options.root)
    faults = check(options.root)
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        print(f"{', '.join(LOCKS)}: in step with pyproject.toml")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
