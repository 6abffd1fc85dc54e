"""What differs without speaking against the files: another version or environment made it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from apieval.analysis.claims import ABSENT, Check, Difference, State, differences
from apieval.analysis.summary import PARTS
from apieval.patterns import regex
from apieval.wording import counted

FINDINGS: Final = "findings"
READING: Final = ("status", "why", "seen_through", "seen")
"""What a line says of how an answer was read."""
_BESIDE: Final = {*READING, *PARTS, FINDINGS}
"""What a version of apieval may make otherwise with no parser changed."""
_NUMBER: Final = regex(r"\d+(?:[.,]\d+)*")
_SOURCE: Final = regex(r"(\S+) \d\S*")
_SHOWN: Final = 6

Split = tuple[list[Difference], list[Difference]]
"""What speaks against the files, and what another version may have made."""


@dataclass(frozen=True, slots=True)
class Versions:
    """Which other versions scored a folder: of these parsers, and of apieval itself."""

    found: Sequence[Difference] = ()
    parsers: frozenset[str] = frozenset()
    package: bool = False
    read: bool = True
    """Whether the answers were read anew: else no parser's version moves anything."""

    def split(self, found: Iterable[Difference]) -> Split:
        """Part differences of a summary by whether another version may have made them."""
        against: list[Difference] = []
        apart: list[Difference] = []
        for each in found:
            (apart if self.may_make(each, each.what.split(".")) else against).append(each)
        return against, apart

    def may_make(self, found: Difference, keys: Sequence[str]) -> bool:
        """Say whether another version may have made a value, by the keys that lead to it."""
        if not self.parsers.isdisjoint(keys):
            return True
        alone = found.stored is ABSENT or found.remade is ABSENT
        return self.package and (alone or not _BESIDE.isdisjoint(keys[:2]))

    def check(self, apart: Sequence[Difference], *, hold: bool) -> Check:
        """Say what another version means for what was found."""
        told = dict.fromkeys(f"{_last(each)} {each.stored}" for each in self.found)
        now = dict.fromkeys(f"{_last(each)} {each.remade}" for each in self.found)
        text = f"scored by {', '.join(told)}; this is {', '.join(now)}"
        if not hold:
            bad = f"{text}: its figures do not hold any more"
            return Check("version", State.FAILS, bad, [*self.found, *apart])
        if not apart:
            far = "" if self.read else " of the parts as they were read then"
            return Check("version", State.HOLDS, f"{text}: its figures{far} still hold", self.found)
        parts = list(dict.fromkeys(_part(each.what) for each in apart))
        more = f" and {len(parts) - _SHOWN:,} more" if parts[_SHOWN:] else ""
        text += (
            f", which makes {counted(len(apart), 'value')} otherwise ({', '.join(parts[:_SHOWN])}{more}): "
            "not checked; `apieval score` makes them anew"
        )
        return Check("version", State.UNCHECKED, text, [*apart, *self.found], parts)


def _last(found: Difference) -> str:
    return found.what.rpartition(".")[2]


def _part(what: str) -> str:
    """Return the key that leads to a value: a summary's first, or a line's parser and key."""
    if what.startswith("row "):
        return ".".join(what.rpartition(", ")[2].split(".")[:2])
    return what.partition(".")[0]


def of_findings(
    stored: object, remade: Sequence[Mapping[str, Any]]
) -> tuple[list[Difference], bool]:
    """Hold findings against those made anew; say too whether some are only worded otherwise.

    They are compared by kind: level, what else they hold, and the numbers in their text.
    """
    if not isinstance(stored, list) or not all(map(_is_finding, stored)):
        return list(differences(stored, remade, FINDINGS)), False
    old, new = _by_kind(stored), _by_kind(remade)
    found: list[Difference] = []
    reworded = False
    for place in dict.fromkeys((*new, *old)):
        one, other, path = old.get(place), new.get(place), f"{FINDINGS}.{place[0]}"
        if one is None or other is None:
            found.append(Difference(path, _or_absent(one), _or_absent(other)))
            continue
        found += differences({**one, "text": ""}, {**other, "text": ""}, path)
        if one["text"] != other["text"]:
            numbers = [_NUMBER.findall(each["text"]) for each in (one, other)]
            if numbers[0] == numbers[1]:
                reworded = True
            else:
                found.append(Difference(f"{path}.text", one["text"], other["text"]))
    if not found and list(old) != list(new):
        kinds = ([kind for kind, _ in each] for each in (old, new))
        found.append(Difference(FINDINGS, *kinds))
    return found, reworded


def _is_finding(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        isinstance(value.get(name), str) for name in ("kind", "text")
    )


def _by_kind(found: Iterable[Mapping[str, Any]]) -> dict[tuple[str, int], Mapping[str, Any]]:
    counts: Counter[str] = Counter()
    named = {}
    for each in found:
        named[each["kind"], counts[each["kind"]]] = each
        counts[each["kind"]] += 1
    return named


def _or_absent(value: object) -> object:
    return ABSENT if value is None else value


def unavailable(stored: object, remade: object, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield the paths of what one side could not make, and why: what it needs was not installed."""
    if not isinstance(stored, Mapping) or not isinstance(remade, Mapping):
        return
    if "why" in stored and "why" in remade and (why := _lacking(stored, remade)):
        yield path, why
        return
    for key in remade:
        if key in stored:
            inner = f"{path}.{key}" if path else str(key)
            yield from unavailable(stored[key], remade[key], inner)


def _lacking(stored: Mapping[str, Any], remade: Mapping[str, Any]) -> str | None:
    """Return why two sides cannot be compared; one that says why holds nothing else."""
    sides = {"when it was scored": stored, "here": remade}
    said = {side: each["why"] for side, each in sides.items() if each["why"] is not None}
    for each in (stored, remade):
        others = (value for key, value in each.items() if key != "why")
        if each["why"] is not None and any(value is not None for value in others):
            return None
    if said:
        told = stored != remade and all(isinstance(why, str) and why for why in said.values())
        return "; ".join(f"{side}: {why}" for side, why in said.items()) if told else None
    sources = [each.get("source") for each in (stored, remade)]
    if sources[0] == sources[1] or not all(isinstance(each, str) for each in sources):
        return None
    named = [_SOURCE.fullmatch(str(each)) for each in sources]
    if named[0] is None or named[1] is None or named[0][1] != named[1][1]:
        return None
    return f"scored with {sources[0]}; {sources[1]} is here"
