"""`scores.jsonl` and `summary.json` held against scores and figures made anew, value by value."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from apieval.analysis.checked import (
    ABSENT,
    Check,
    Difference,
    State,
    differences,
    judged,
    leaves,
    unchecked,
)
from apieval.errors import StoreError
from apieval.rebus.scoring import ScoredAnswer
from apieval.report.files import SCORES, SUMMARY, score_line
from apieval.schema import ItemScore
from apieval.signature import finite, parts
from apieval.verbs.results import Onlooker
from apieval.whole_file import ordinary
from apieval.wording import counted

_APART: Final = ("figures", "signatures", "responses", "audit")
"""What of a summary is not compared with the rest: it has a check of its own, or is not made here."""
_LOCKS: Final = ".lock"
_VERSIONS: Final = ("parser", "apieval")

_Place = tuple[str, ...]


def readable_summary(folder: Path) -> tuple[dict[str, Any] | None, Check | None]:
    """Return what `summary.json` holds, or the check that fails because it cannot be read."""
    try:
        return read_summary(folder), None
    except StoreError as error:
        return None, Check("figures", State.FAILS, str(error))


def other_files(folder: Path, known: Collection[str]) -> Iterator[Check]:
    """Yield one check that names all files nobody has looked into, nothing where there are none."""
    there = [each.name + "/" * each.is_dir() for each in sorted(folder.iterdir())]
    if others := [each for each in there if each not in known and not each.startswith(_LOCKS)]:
        yield unchecked("other files", "not looked into", others)


def read_summary(folder: Path) -> dict[str, Any] | None:
    """Return what `summary.json` holds, None where there is none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / SUMMARY
    try:
        text = ordinary(path).read_text(encoding="utf-8")
        found = json.loads(text, parse_constant=finite, parse_float=finite)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise StoreError(f"{path}: cannot be read ({error}).") from None
    if not isinstance(found, dict) or not isinstance(found.get("signatures"), dict):
        raise StoreError(f"{path}: no summary of scores.")
    return found


class Scores(Onlooker):
    """Hold scores made anew against the lines of `scores.jsonl`, as they come.

    Lines are joined by id, setting, sample and parser. In the order they were written hardly
    anything is kept. Differences stand in the order of what is made anew, the data file's.
    """

    def __init__(self, folder: Path) -> None:
        """Begin with the first line."""
        self.count = 0
        self._found: list[tuple[int, Difference]] = []
        self.fault: str | None = None
        try:
            self.there = _readable(folder / SCORES)
        except StoreError as error:
            self.there, self.fault = False, str(error)
        self._stored = _lines(folder / SCORES) if self.there else iter(())
        self._left: dict[_Place, str] = {}
        self._made: dict[_Place, tuple[int, str]] = {}

    def add(self, answer: ScoredAnswer, beside: Mapping[str, Mapping[str, Any]]) -> None:
        """Take in the scores of one answer."""
        for score in answer.scores.values():
            self._one(score, beside.get(score.parser, {}))

    def _one(self, score: ItemScore, beside: Mapping[str, Any]) -> None:
        made, stored = score_line(score, beside), next(self._stored, None)
        self.count += 1
        if stored == made:
            return
        if stored is not None:
            self._keep(stored)
        place = (str(score.id), score.setting, str(score.sample), score.parser)
        if place in self._left:
            self._compare(place, self._left.pop(place), (self.count, made))
        else:
            self._made[place] = self.count, made

    def _keep(self, stored: str) -> None:
        try:
            value = _loads(stored)
            place = tuple(str(value[name]) for name in ("id", "setting", "sample", "parser"))
        except (LookupError, TypeError, ValueError, RecursionError):
            self._differs(self.count, f"{SCORES}, no score", stored[:80], ABSENT)
            return
        if place in self._made:
            self._compare(place, stored, self._made.pop(place))
        elif place in self._left:
            self._differs(self.count, f"{_said(place)}, twice", stored[:80], ABSENT)
        else:
            self._left[place] = stored

    def _compare(self, place: _Place, stored: str, made: tuple[int, str]) -> None:
        at, line = made
        found = differences(_loads(stored), json.loads(line), _said(place))
        self._found += [(at, each) for each in found]

    def _differs(self, at: int, what: str, stored: object, remade: object) -> None:
        self._found.append((at, Difference(what, stored, remade)))

    def check(self) -> Check:
        """Say what came of it, once every answer was added."""
        if not self.there:
            return Check("scores", State.FAILS, self.fault or f"there is no {SCORES}")
        for stored in self._stored:
            self._keep(stored)
        for place, (at, line) in self._made.items():
            self._differs(at, _said(place), ABSENT, json.loads(line))
        for place, line in self._left.items():
            self._differs(self.count, _said(place), _loads(line), ABSENT)
        found = [each for _, each in sorted(self._found, key=lambda pair: pair[0])]
        good = f"{counted(self.count, 'score')}, each as it is made anew"
        return judged("scores", good, f"{SCORES} is not what the answers give", found)


def _loads(line: str) -> Any:  # noqa: ANN401 # any JSON
    return json.loads(line, parse_constant=finite, parse_float=finite)


def _said(place: _Place) -> str:
    given, setting, sample, parser = place
    return f"row {given}, {setting}, sample {sample}, {parser}"


def _readable(path: Path) -> bool:
    """Say whether a file is there.

    Raises:
        StoreError: where it is, and cannot be read.
    """
    try:
        ordinary(path).open("rb").close()
    except FileNotFoundError:
        return False
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None
    return True


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8", errors="replace", newline="\n") as file:
        for line in file:
            yield line.removesuffix("\n")


def of_summary(
    stored: Mapping[str, Any], remade: Mapping[str, Any], scores: Scores
) -> Iterator[Check]:
    """Yield the checks of scores, figures, everything beside them, and signatures."""
    versions = list(_versions(stored, remade))
    of_scores = scores.check()
    if not scores.count and not of_scores.differences and scores.there:
        of_scores = unchecked("scores", "there is no answer")
    figures = judged(
        "figures",
        f"{leaves(remade['figures']):,} values of {SUMMARY}, each as it is made anew",
        f"{SUMMARY} is not what the answers give",
        differences(stored.get("figures", ABSENT), remade["figures"], "figures"),
    )
    rest = _rest(stored, remade, same_version=not versions)
    yield from (of_scores, figures, *rest, _signatures(stored, remade))
    if versions:
        yield _other_version(versions, hold=not (of_scores.differences or figures.differences))
    if "audit" in stored:
        yield unchecked(
            "audit", "it stands there as `apieval score --audit` made it", [f"{SUMMARY}: audit"]
        )


def _rest(
    stored: Mapping[str, Any], remade: Mapping[str, Any], *, same_version: bool
) -> Iterator[Check]:
    names = [name for name in {**remade, **stored} if name not in _APART]
    if not same_version:  # a version has parts of its own
        alone = [name for name in names if name not in stored or name not in remade]
        names = [name for name in names if name not in alone]
        if alone:
            yield unchecked(f"more of {SUMMARY}", "only one of the versions has it", alone)
    good = f"everything else in {SUMMARY}: {', '.join(names)}"
    bad = f"other parts of {SUMMARY} are not what the answers give"
    pairs = [{name: each.get(name, ABSENT) for name in names} for each in (stored, remade)]
    made = json.loads(json.dumps({k: v for k, v in pairs[1].items() if v is not ABSENT}))
    yield judged("summary", good, bad, differences(pairs[0], {**pairs[1], **made}))


def _signatures(stored: Mapping[str, Any], remade: Mapping[str, Any]) -> Check:
    """Hold signatures against those made anew, part by part; versions have a check of their own."""
    found: list[Difference] = []
    for path, old, new in _pairs(stored["signatures"], remade["signatures"]):
        if old is ABSENT or new is ABSENT:
            found.append(Difference(path, old, new))
            continue
        one, other = ({k: v for k, v in each.items() if k not in _VERSIONS} for each in (old, new))
        found += differences(one, other, path)
    good = f"{counted(sum(map(len, remade['signatures'].values())), 'signature')}, as made anew"
    return judged("signatures", good, "the signatures are of another set-up", found)


def _versions(stored: Mapping[str, Any], remade: Mapping[str, Any]) -> Iterator[Difference]:
    for path, old, new in _pairs(stored["signatures"], remade["signatures"]):
        if old is not ABSENT and new is not ABSENT:
            for name in _VERSIONS:
                yield from differences(old.get(name, ABSENT), new[name], f"{path}.{name}")


def _pairs(stored: Any, remade: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:  # noqa: ANN401 # any JSON
    """Yield the parts of every two signatures; `ABSENT` for one that is not there, or is none."""
    for setting in {**remade, **stored}:
        names = [each.get(setting) for each in (remade, stored)]
        for parser in dict.fromkeys(
            name for each in names if isinstance(each, dict) for name in each
        ):
            old, new = (parts_of(each, setting, parser) for each in (stored, remade))
            path = f"signatures.{setting}.{parser}"
            yield path, ABSENT if old is None else old, ABSENT if new is None else new


def parts_of(signatures: Mapping[str, Any], setting: str, parser: str) -> dict[str, str] | None:
    """Return the parts of one of a summary's signatures, None where there is none."""
    named = signatures.get(setting)
    text = named.get(parser) if isinstance(named, dict) else None
    try:
        return parts(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _other_version(found: list[Difference], *, hold: bool) -> Check:
    told = dict.fromkeys(f"{each.what.rpartition('.')[2]} {each.stored}" for each in found)
    now = dict.fromkeys(f"{each.what.rpartition('.')[2]} {each.remade}" for each in found)
    text = f"scored by {', '.join(told)}; this is {', '.join(now)}"
    if hold:
        return Check("version", State.HOLDS, f"{text}: its figures still hold", found)
    return Check("version", State.FAILS, f"{text}: its figures do not hold any more", found)
