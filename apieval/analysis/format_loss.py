"""Format loss: what a model loses by the format of its answers, and which kinds of format cause it.

Every metric by the official parser, by the tolerant one, and by that with lenient equality, over
the same answers; the difference that the tolerant parser makes, with its interval; and the kinds of
format behind it. A difference is looked for word by word: an answer that gains one word and loses
another counts as both.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from apieval.analysis import figures
from apieval.analysis.paired_tests import apart
from apieval.analysis.setup import Measured
from apieval.rebus import metrics
from apieval.rebus.characters import bare
from apieval.rebus.columns import ALL
from apieval.rebus.equality import lenient, spelled, strict
from apieval.rebus.metrics import METRICS, told, total
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.records import ItemScore, Outcome, Prediction, Rebus, Setting, Tally
from apieval.results.figures import ChangedAnswers, Changes, MetricLoss, SettingLoss

_OFFICIAL, _STRICT, _LENIENT = PARSERS

COMPARED_ALONG_KEY: Final = "compared_along_key"
COMPARED_STRICT: Final = "compared_strict"
NOT_READ_BY_OFFICIAL: Final = "not_read_by_official"
NOT_READ_BY_TOLERANT: Final = "not_read_by_tolerant"
READ_OTHERWISE: Final = "read_otherwise"
ACCENT: Final = "accent"
ACCENT_APOSTROPHE: Final = "accent_apostrophe"


class Change(NamedTuple):
    """What a step changes of one answer in one metric: so many right more and fewer, by these kinds.

    `step` is the parser that makes the difference.
    """

    metric: str
    step: str
    more: int
    fewer: int
    kinds: frozenset[str]


def changes(answer: ScoredAnswer) -> Iterator[Change]:
    """Yield what the parsers find different in an answer; nothing in one that counts wrong anyway."""
    official, tolerant, at_last = (answer.scores[name] for name in PARSERS)
    if official.outcome is not Outcome.OK:
        return
    measured = official.tallies or {}  # without what a model was given
    if names := [name for name in measured if _may_differ(name, official, tolerant)]:
        yield from _to_tolerant(names, official, tolerant, answer.gold)
    if names := [name for name in measured if _tally(name, tolerant) != _tally(name, at_last)]:
        gold = PARSERS[_LENIENT].gold(answer.gold)
        yield from _to_lenient(names, tolerant.prediction, gold)


def _may_differ(name: str, one: ItemScore, other: ItemScore) -> bool:
    """Return whether a word may be right in one alone, though as many may be right in both."""
    part = METRICS[name].part
    if getattr(one.prediction, part) != getattr(other.prediction, part):
        return True
    return _tally(name, one) != _tally(name, other)


def _tally(name: str, score: ItemScore) -> Tally | None:
    return score.tallies[name] if score.tallies else None


def _to_tolerant(
    names: Sequence[str], official: ItemScore, tolerant: ItemScore, gold: Rebus
) -> Iterator[Change]:
    along = PARSERS[_STRICT].gold(gold)
    meant = spelled(strict, along)
    same, other = (spelled(strict, each.prediction) for each in (official, tolerant))
    for name in names:
        before = metrics.rights(name, official.prediction, gold)
        between = metrics.rights(name, same, meant)
        after = metrics.rights(name, other, meant)
        more, fewer = _differ(before, after)
        if not more and not fewer:
            continue
        kinds = set()
        if any(_differ(before, between)):
            moved = along is not gold and METRICS[name].part == "solution_words"
            kinds.add(COMPARED_ALONG_KEY if moved else COMPARED_STRICT)
        if any(_differ(between, after)):
            kinds |= _reread(METRICS[name].part, official.prediction, tolerant)
        yield Change(name, _STRICT, more, fewer, frozenset(kinds))


def _differ(before: Sequence[bool], after: Sequence[bool]) -> tuple[int, int]:
    """Return how many are right more and fewer; by their sums where they are of different words."""
    if len(before) == len(after):
        pairs = list(zip(before, after, strict=True))
        return pairs.count((False, True)), pairs.count((True, False))
    gained = sum(after) - sum(before)
    return max(gained, 0), max(-gained, 0)


def _reread(part: metrics.Part, official: Prediction, tolerant: ItemScore) -> set[str]:
    """Return what a part was read through that the official parser does not see through."""
    kinds = set(tolerant.seen_in.get(part, ()))
    for prediction, kind in (
        (official, NOT_READ_BY_OFFICIAL),
        (tolerant.prediction, NOT_READ_BY_TOLERANT),
    ):
        if not any(getattr(prediction, part)):
            kinds.add(kind)
    return kinds or {READ_OTHERWISE}


def _to_lenient(names: Sequence[str], prediction: Prediction, gold: Rebus) -> Iterator[Change]:
    for name in names:
        plain, unaccented, at_last = (
            metrics.rights(name, spelled(each, prediction), spelled(each, gold))
            for each in (strict, _unaccented, lenient)
        )
        more, fewer = _differ(plain, at_last)
        kinds = set()
        if plain != unaccented:
            kinds.add(ACCENT)
        if unaccented != at_last:
            kinds.add(ACCENT_APOSTROPHE)
        yield Change(name, _LENIENT, more, fewer, frozenset(kinds))


def _unaccented(text: str) -> str:
    return bare(strict(text))


OFFICIAL, TOLERANT, LENIENT = PARSERS
STEPS: Final = {TOLERANT: (OFFICIAL, TOLERANT), LENIENT: (TOLERANT, LENIENT)}
"""By the parser that makes a difference: beside which one, and which."""


@dataclass(slots=True)
class _Count:
    """How many answers a difference is in, of how many words, and what made it."""

    answers: int = 0
    words: int = 0
    kinds: Counter[str] = field(default_factory=Counter)

    def add(self, words: int, kinds: frozenset[str]) -> None:
        self.answers += 1
        self.words += words
        self.kinds.update(kinds)

    def plus(self, other: _Count) -> None:
        self.answers += other.answers
        self.words += other.words
        self.kinds.update(other.kinds)

    def as_json(self) -> ChangedAnswers:
        kinds = sorted(self.kinds.items(), key=lambda item: (-item[1], item[0]))
        return {"answers": self.answers, "words": self.words, "kinds": dict(kinds)}


_Cell = tuple[Setting, str | None, str, str, str]
"""Setting, subset, metric, step, and whether there is `more` or `fewer`."""


class FormatLoss:
    """Take in scored answers one at a time; of each rebus keep what is right by each parser."""

    def __init__(self, measured: Measured) -> None:
        """Begin with no answer."""
        self._rebuses = measured.selection.rebuses
        self._settings = measured.settings
        self._names = [name for name in METRICS if name not in told(measured.given)]
        self._whole = set(PARSERS) <= set(measured.parsers)
        self._places = {rebus.id: place for place, rebus in enumerate(self._rebuses)}
        self._answers: dict[Setting, array[int]] = {}
        self._rights: dict[tuple[Setting, str, str], array[int]] = {}
        self._counts: defaultdict[_Cell, _Count] = defaultdict(_Count)
        for setting in measured.settings if self._whole else ():
            self._answers[setting] = array("i", [0]) * len(self._rebuses)
            for parser in PARSERS:
                for name in self._names:
                    self._rights[setting, parser, name] = array("i", [0]) * len(self._rebuses)

    def add(self, answer: ScoredAnswer) -> None:
        """Take in one answer; a failed one has no figures to lose."""
        if not self._whole or answer.scores[OFFICIAL].tallies is None:
            return
        first = answer.scores[OFFICIAL]
        place = self._places[first.id]
        self._answers[first.setting][place] += 1
        for parser, score in answer.scores.items():
            for name, tally in (score.tallies or {}).items():
                if tally.right:
                    self._rights[first.setting, parser, name][place] += tally.right
        for change in changes(answer):
            self._take(first.setting, answer.gold.subset, change)

    def _take(self, setting: Setting, subset: str | None, change: Change) -> None:
        for direction, words in (("more", change.more), ("fewer", change.fewer)):
            if words:
                cell = (setting, subset, change.metric, change.step, direction)
                self._counts[cell].add(words, change.kinds)

    def summary(self) -> dict[Setting, dict[str, SettingLoss]] | None:
        """Return all of it by setting and subset; None where not every parser could read."""
        if not self._whole:
            return None
        golds = {name: [*map(parser.gold, self._rebuses)] for name, parser in PARSERS.items()}
        return {
            setting: {
                subset: self._of(setting, subset, places, golds)
                for subset, places in figures.places(self._rebuses).items()
            }
            for setting in self._settings
        }

    def _of(
        self,
        setting: Setting,
        subset: str,
        places: Sequence[int],
        golds: Mapping[str, Sequence[Rebus]],
    ) -> SettingLoss:
        answers = self._answers[setting]
        answered = [place for place in places if answers[place]]
        return {
            "answers": sum(answers[place] for place in answered),
            "metrics": {
                name: _figures(
                    self._items(setting, name, answered, golds),
                    self._changed(setting, subset, name, TOLERANT),
                    self._changed(setting, subset, name, LENIENT),
                )
                for name in self._names
            },
        }

    def _items(
        self,
        setting: Setting,
        name: str,
        places: Sequence[int],
        golds: Mapping[str, Sequence[Rebus]],
    ) -> dict[str, list[tuple[int, int]]]:
        """Return by parser what is right of each rebus, and of how many, over its answers."""
        answers = self._answers[setting]
        return {
            parser: [
                (
                    self._rights[setting, parser, name][place],
                    answers[place] * total(name, golds[parser][place]),
                )
                for place in places
            ]
            for parser in PARSERS
        }

    def _changed(self, setting: Setting, subset: str, name: str, step: str) -> Changes:
        return {
            "more": self._counted(setting, subset, name, step, "more").as_json(),
            "fewer": self._counted(setting, subset, name, step, "fewer").as_json(),
        }

    def _counted(self, setting: Setting, subset: str, name: str, step: str, way: str) -> _Count:
        count = _Count()
        for cell, each in self._counts.items():
            if (cell[0], *cell[2:]) == (setting, name, step, way) and subset in (ALL, cell[1]):
                count.plus(each)
        return count


def _figures(
    items: Mapping[str, Sequence[tuple[int, int]]], tolerant: Changes, lenient: Changes
) -> MetricLoss:
    values = {parser: _value(each) for parser, each in items.items()}
    difference = low = high = None
    before, after = values[OFFICIAL], values[TOLERANT]
    if before is not None and after is not None:
        pairs = zip(items[OFFICIAL], items[TOLERANT], strict=True)
        low, high = apart([(*a, *b) for a, b in pairs])
        difference = after - before
    return {
        "n": sum(of for _, of in items[TOLERANT]),
        "values": values,
        "difference": difference,
        "low": low,
        "high": high,
        "tolerant": tolerant,
        "tolerant-lenient": lenient,
    }


def _value(items: Sequence[tuple[int, int]]) -> float | None:
    n = sum(of for _, of in items)
    return sum(right for right, _ in items) / n if n else None
