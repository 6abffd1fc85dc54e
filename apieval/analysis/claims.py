"""What files claim held against what was made anew: one check a claim, each difference by name."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

TOLERANCE: Final = 1e-9
"""Sums of floats may be added up in another order; no figure has so many digits."""


class State(StrEnum):
    """What became of a check; only `FAILS` speaks against the files."""

    HOLDS = "holds"
    FAILS = "fails"
    UNCHECKED = "unchecked"


class _Absent:
    def __repr__(self) -> str:
        return "absent"


ABSENT: Final = _Absent()


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not what was made anew; `what` is its path in the file."""

    what: str
    stored: Any
    remade: Any

    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it: what is absent has no key."""
        both = {"stored": self.stored, "remade": self.remade}
        return {"what": self.what, **{k: v for k, v in both.items() if v is not ABSENT}}


@dataclass(frozen=True, slots=True)
class Check:
    """One claim of the files, what became of it, and every difference that was found.

    `parts` names what was not held against anything: keys of a file by their paths, or files.
    """

    name: str
    state: State
    text: str
    differences: Sequence[Difference] = ()
    parts: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return it as `--json` prints it."""
        return {
            "name": self.name,
            "state": self.state.value,
            "text": self.text,
            "differences": [each.as_json() for each in self.differences],
            **({"parts": list(self.parts)} if self.parts else {}),
        }


def holds(name: str, text: str) -> Check:
    """Return a check that holds."""
    return Check(name, State.HOLDS, text)


def unchecked(name: str, text: str, parts: Iterable[str] = ()) -> Check:
    """Return a check that could not be made; the text says why, and names the parts it is of."""
    named = list(dict.fromkeys(parts))
    said = f"{', '.join(named)}: {text}" if named else text
    return Check(name, State.UNCHECKED, said, parts=named)


def judged(name: str, good: str, bad: str, found: Iterable[Difference]) -> Check:
    """Return a check that holds where there is no difference."""
    listed = list(found)
    return Check(name, State.FAILS, bad, listed) if listed else holds(name, good)


def differences(stored: object, remade: object, path: str = "") -> Iterator[Difference]:
    """Yield every value that differs between two JSON documents, floats beyond the tolerance."""
    if isinstance(stored, Mapping) and isinstance(remade, Mapping):
        for key in dict.fromkeys((*remade, *stored)):
            inner = f"{path}.{key}" if path else str(key)
            yield from differences(stored.get(key, ABSENT), remade.get(key, ABSENT), inner)
    elif _lists(stored, remade):
        for at, (one, other) in enumerate(zip(stored, remade, strict=True)):  # type: ignore[call-overload] # lists
            yield from differences(one, other, f"{path}[{at}]")
    elif not _same(stored, remade):
        yield Difference(path, stored, remade)


def leaves(value: object) -> int:
    """Return how many single values a JSON document holds."""
    if isinstance(value, Mapping):
        return sum(map(leaves, value.values()))
    if isinstance(value, Sequence) and not isinstance(value, str):
        return sum(map(leaves, value))
    return 1


def _lists(stored: object, remade: object) -> bool:
    plain = (list, tuple)
    return isinstance(stored, plain) and isinstance(remade, plain) and len(stored) == len(remade)


def _same(stored: object, remade: object) -> bool:
    if isinstance(stored, bool) or isinstance(remade, bool):
        return stored is remade
    if isinstance(stored, int | float) and isinstance(remade, int | float):
        return stored == remade or _close(stored, remade)
    if isinstance(stored, list) and isinstance(remade, tuple):
        return stored == list(remade)
    return stored == remade


def _close(one: float, other: float) -> bool:
    try:
        return math.isclose(one, other, rel_tol=TOLERANCE, abs_tol=TOLERANCE)
    except OverflowError:  # a whole number that no float holds
        return False
