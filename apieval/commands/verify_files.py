"""`scores.jsonl` and `summary.json` held against scores and figures made anew, value by value."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from apieval.analysis.claims import (
    ABSENT,
    Check,
    Difference,
    State,
    differences,
    judged,
    leaves,
    unchecked,
)
from apieval.commands.score import Onlooker
from apieval.commands.verify_apart import FINDINGS, Versions, of_findings, unavailable
from apieval.errors import StoreError
from apieval.files import ordinary
from apieval.rebus.parsers import official
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import ItemScore
from apieval.report.files import score_line
from apieval.results.folder import SCORES, SUMMARY, RunFolder, place_of
from apieval.signature import finite, parts
from apieval.wording import counted

_APART: Final = ("figures", "signatures", "responses", "audit")
"""What of a summary is not compared with the rest: it has a check of its own, or is not made here."""
_LOCKS: Final = ".lock"
_VERSIONS: Final = ("parser", "apieval")

_THESE: Final = Versions()

_Place = tuple[str, str, str, str]


def readable_summary(folder: RunFolder) -> tuple[Mapping[str, Any] | None, Check | None]:
    """Return what `summary.json` holds, or the check that fails because it cannot be read."""
    try:
        return folder.stored_summary if folder.has(SUMMARY) else None, None
    except StoreError as error:
        return None, Check("figures", State.FAILS, str(error))


def other_files(folder: Path, known: Collection[str]) -> Iterator[Check]:
    """Yield one check that names all files nobody has looked into, nothing where there are none."""
    there = [each.name + "/" * each.is_dir() for each in sorted(folder.iterdir())]
    if others := [each for each in there if each not in known and not each.startswith(_LOCKS)]:
        yield unchecked("other files", "not looked into", others)


class Scores(Onlooker):
    """Hold scores made anew against the lines of `scores.jsonl`, as they come.

    Lines are joined by id, setting, sample and parser. In the order they were written hardly
    anything is kept. Differences stand in the order of what is made anew, the data file's.
    """

    def __init__(self, folder: Path) -> None:
        """Begin with the first line."""
        self.count = 0
        self._found: list[tuple[int, str, Difference]] = []
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
        of = place_of(stored)
        if of is None:
            self._differs(self.count, f"{SCORES}, no score", stored[:80], ABSENT)
            return
        place = (str(of["id"]), of["setting"], str(of["sample"]), of["parser"])
        if place in self._made:
            self._compare(place, stored, self._made.pop(place))
        elif place in self._left:
            self._differs(self.count, f"{_said(place)}, twice", stored[:80], ABSENT)
        else:
            self._left[place] = stored

    def _compare(self, place: _Place, stored: str, made: tuple[int, str]) -> None:
        at, line = made
        found = differences(_loads(stored), json.loads(line), _said(place))
        self._found += [(at, _said(place), each) for each in found]

    def _differs(self, at: int, what: str, stored: object, remade: object) -> None:
        self._found.append((at, "", Difference(what, stored, remade)))

    def check(self, versions: Versions = _THESE) -> tuple[Check, list[Difference]]:
        """Say what came of it, once every answer was added, and what other versions may have made.

        A line that only one side has is of no version's making.
        """
        if not self.there:
            return Check("scores", State.FAILS, self.fault or f"there is no {SCORES}"), []
        for stored in self._stored:
            self._keep(stored)
        for place, (at, line) in self._made.items():
            self._differs(at, _said(place), ABSENT, json.loads(line))
        for place, line in self._left.items():
            self._differs(self.count, _said(place), _loads(line), ABSENT)
        against: list[Difference] = []
        apart: list[Difference] = []
        for _, line, each in sorted(self._found, key=lambda found: found[0]):
            keys = [line.rpartition(", ")[2], *each.what.removeprefix(f"{line}.").split(".")]
            other = line and versions.may_make(each, keys)
            (apart if other else against).append(each)
        same = f", but for {counted(len(apart), 'value')}" if apart else ""
        made = "it is made anew" if versions.read else "the parts in its line give it"
        good = f"{counted(self.count, 'score')}, each as {made}{same}"
        return judged("scores", good, f"{SCORES} is not what the answers give", against), apart


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
    stored: Mapping[str, Any], remade: Mapping[str, Any], scores: Scores, *, read: bool = True
) -> Iterator[Check]:
    """Yield the checks of scores, figures, everything beside them, and signatures.

    `read` says whether the answers were read anew: else no parser's version moves anything.
    """
    versions = _versions(stored, remade, read=read)
    of_scores, apart = scores.check(versions)
    if not scores.count and not of_scores.differences and scores.there:
        of_scores = unchecked("scores", "there is no answer")
    found = differences(stored.get("figures", ABSENT), remade["figures"], "figures")
    against, more = versions.split(found)
    figures = judged(
        "figures",
        f"{leaves(remade['figures']) - len(more):,} values of {SUMMARY}, each as it is made anew",
        f"{SUMMARY} is not what the answers give",
        against,
    )
    rest, of_rest = _rest(stored, remade, versions)
    yield from (of_scores, figures, *rest, _signatures(stored, remade))
    if versions.found:
        hold = State.FAILS not in {of_scores.state, figures.state}
        yield versions.check([*apart, *more, *of_rest], hold=hold)
    if "audit" in stored:
        yield unchecked("audit", "it was made by `apieval score --audit`", [f"{SUMMARY}: audit"])


def _rest(
    stored: Mapping[str, Any], remade: Mapping[str, Any], versions: Versions
) -> tuple[list[Check], list[Difference]]:
    """Return the checks of all that has none of its own, and what another version may have made."""
    made: list[Check] = []
    names = [name for name in {**remade, **stored} if name not in _APART]
    if versions.found:  # a version has parts of its own
        alone = [name for name in names if name not in stored or name not in remade]
        names = [name for name in names if name not in alone]
        if alone:
            made.append(unchecked(f"more of {SUMMARY}", "only one of the versions has it", alone))
    there = [name for name in names if name != FINDINGS or name not in remade]
    one, other = ({name: each.get(name, ABSENT) for name in there} for each in (stored, remade))
    plain = json.loads(json.dumps({k: v for k, v in other.items() if v is not ABSENT}))
    other = {**other, **plain}
    lacking = dict(unavailable(one, other))
    inside = tuple(f"{path}." for path in lacking)
    found = [each for each in differences(one, other) if not each.what.startswith(inside)]
    if reworded := _findings(stored, remade, names, found):
        made.append(reworded)
    against, apart = versions.split(found)
    if lacking:
        why = "; ".join(dict.fromkeys(lacking.values()))
        made.append(unchecked(f"parts of {SUMMARY}", f"not compared; {why}", lacking))
    good = f"also of {SUMMARY}, as made anew: {', '.join(names)}"
    bad = f"other parts of {SUMMARY} are not what the answers give"
    return [judged("summary", good, bad, against), *made], apart


def _findings(
    stored: Mapping[str, Any],
    remade: Mapping[str, Any],
    names: Collection[str],
    found: list[Difference],
) -> Check | None:
    """Add what differs in the findings; return a check where texts are only worded otherwise."""
    if FINDINGS not in names or FINDINGS not in remade:
        return None
    more, reworded = of_findings(stored.get(FINDINGS, ABSENT), remade[FINDINGS])
    found += more
    if not reworded:
        return None
    why = "some are worded otherwise here; kinds, levels and numbers were compared"
    return unchecked("texts of findings", why, [f"{FINDINGS}.text"])


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


def _versions(stored: Mapping[str, Any], remade: Mapping[str, Any], *, read: bool) -> Versions:
    """Return what other versions made a summary; the official parser's scores hold in all of them."""
    found: list[Difference] = []
    parsers: set[str] = set()
    for path, old, new in _pairs(stored["signatures"], remade["signatures"]):
        if old is not ABSENT and new is not ABSENT:
            for name in _VERSIONS:
                found += differences(old.get(name, ABSENT), new[name], f"{path}.{name}")
            name = path.rpartition(".")[2]
            if read and name != official.NAME and old.get("parser") != new["parser"]:
                parsers.add(name)
    package = any(each.what.endswith(".apieval") for each in found)
    return Versions(found, frozenset(parsers), package, read)


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


def parts_of(signatures: Mapping[Any, Any], setting: str, parser: str) -> dict[str, str] | None:
    """Return the parts of one of a summary's signatures, None where there is none."""
    named = signatures.get(setting)
    text = named.get(parser) if isinstance(named, dict) else None
    try:
        return parts(text) if isinstance(text, str) else None
    except ValueError:
        return None
