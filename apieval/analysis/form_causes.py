"""What made the difference between the parsers on one answer: kinds of its form.

From the official figure to the tolerant one there are two ways: the same reading compared at the
level `strict` and along the key, and another reading. From the tolerant figure to the lenient one
there is one: accents.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from apieval.rebus import metrics
from apieval.rebus.characters import bare
from apieval.rebus.equality import lenient, spelled, strict
from apieval.rebus.metrics import PARTS
from apieval.rebus.scoring import PARSERS, ScoredAnswer
from apieval.schema import ItemScore, Outcome, Prediction, Rebus, Tally

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
    part = PARTS[name]
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
            moved = along is not gold and PARTS[name] == "solution_words"
            kinds.add(COMPARED_ALONG_KEY if moved else COMPARED_STRICT)
        if any(_differ(between, after)):
            kinds |= _reread(PARTS[name], official.prediction, tolerant)
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
