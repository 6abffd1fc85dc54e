"""Several answers to the same rebus (`--samples K`): variance, pass@k and maj@k.

For the metrics that count once a rebus, by setting and parser, over the rebuses that have all K
answers; one with a failed or missing answer is left out and counted (`incomplete`).

The parts of the variance are those of a one-way layout of right and wrong, rebuses at random (S. R.
Searle, G. Casella and C. E. McCulloch, Variance Components (1992), chapter 3, analysis-of-variance
estimators, unbiased and so sometimes below 0): `between_items` is how much rebuses differ in how
often they are solved, `within_items` how much the answers to one rebus do. `between_samples` is the
plain variance (over K - 1) of the K samples' own accuracies; `expected`, next to it, is `within_items`
over the number of rebuses, its value if every sample were drawn alike.

Intervals are percentiles of the bootstrap over rebuses.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import chain, product
from math import comb
from typing import Any, Final, NamedTuple

from apieval.analysis.intervals import Interval, bootstrap, resampled_sums
from apieval.analysis.setup import Measured
from apieval.rebus.equality import LEVELS
from apieval.rebus.metrics import METRICS, OF_REBUSES, told
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import PARSERS as KNOWN
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import ItemScore, Outcome, Setting
from apieval.results.figures import Estimate, OverSamples, SampleSpread

MOST: Final = 16
"""Up to so many answers every k is told; beyond, these and all of them together."""


class Votes(NamedTuple):
    """The answers to one question: how many are right, agree on each wrong text, and say nothing."""

    right: int
    wrong: tuple[int, ...]
    none: int

    @property
    def answers(self) -> int:
        """Return how many there are."""
        return self.right + sum(self.wrong) + self.none


def draws(answers: int) -> list[int]:
    """Return the k that are told of so many answers."""
    return [*range(1, min(answers, MOST) + 1), *([answers] if answers > MOST else ())]


def pass_at(k: int, right: int, answers: int) -> float:
    """Return the chance that one of k answers is right, of those drawn from all."""
    return float(1 - Fraction(comb(answers - right, k), comb(answers, k)))


@cache
def majority(votes: Votes) -> tuple[float, ...]:
    """Return for each k of `draws` the chance that the text with most of k votes is right."""
    answers = votes.answers
    ways = _ways(votes, min(answers, MOST))
    shares = [float(ways[k] / comb(answers, k)) for k in range(1, len(ways))]
    return (*shares, *([_of_all(votes)] if answers > MOST else ()))


def _of_all(votes: Votes) -> float:
    most = max((votes.right, *votes.wrong))
    return 1 / (1 + votes.wrong.count(most)) if votes.right == most > 0 else 0.0


def _ways(votes: Votes, most: int) -> list[Fraction]:
    """Return for each k up to `most` in how many draws of k the right text wins, ties by share.

    It wins with `mine` votes where no wrong text has more, and shares with those that have as many.
    """
    won = [Fraction(0)] * (most + 1)
    for mine in range(1, min(votes.right, most) + 1):
        spread = _Spread(most - mine)
        spread.silent(votes.none)
        for size, count in Counter(votes.wrong).items():
            for _ in range(count):
                spread.add(size, mine)
        for (drawn, tied), ways in spread.ways.items():
            won[mine + drawn] += Fraction(comb(votes.right, mine) * ways, 1 + tied)
    return won


class _Spread:
    """In how many ways so many answers are drawn from some texts, so many of which tie for most."""

    def __init__(self, most: int) -> None:
        self._most = most
        self.ways: Mapping[tuple[int, int], int] = {(0, 0): 1}

    def silent(self, count: int) -> None:
        """Take in answers that vote for no text."""
        self._take([(drawn, 0, comb(count, drawn)) for drawn in range(count + 1)])

    def add(self, size: int, most: int) -> None:
        """Take in a text of so many answers, of which no more than `most` may be drawn."""
        upto = range(min(size, most) + 1)
        self._take([(drawn, int(drawn == most), comb(size, drawn)) for drawn in upto])

    def _take(self, choices: Sequence[tuple[int, int, int]]) -> None:
        ways: dict[tuple[int, int], int] = {}
        for (before, ties), so_far in self.ways.items():
            for drawn, tied, count in choices:
                if before + drawn <= self._most:
                    place = before + drawn, ties + tied
                    ways[place] = ways.get(place, 0) + so_far * count
        self.ways = ways


PARSERS: Final = (official.NAME, tolerant.NAME)
_RIGHT: Final = -1
_NONE: Final = -2
_NO_ANSWER: Final = -3
"""Votes beside those for a wrong text, which go by its hash."""

_Answers = Sequence[int]
"""The votes of a rebus's answers, by sample."""


class Samples:
    """Take in answers, of each a number for what it votes for; nothing where there is one sample."""

    def __init__(self, measured: Measured) -> None:
        """Expect so many answers to each rebus in each setting."""
        self._samples = measured.samples
        self._metrics = [
            each for each in METRICS if each in OF_REBUSES and each not in told(measured.given)
        ]
        self._places = {rebus.id: place for place, rebus in enumerate(measured.selection.rebuses)}
        parsers = [name for name in PARSERS if name in measured.parsers]
        votes = len(self._places) * (self._samples if self._samples > 1 else 0)
        self._votes = {
            cell: array("q", [_NO_ANSWER]) * votes
            for cell in product(measured.settings, parsers, self._metrics)
        }

    def add(self, answer: ScoredAnswer) -> None:
        """Take in one answer; a failed one is none."""
        if self._samples == 1:
            return
        for score in answer.scores.values():
            if score.parser in PARSERS and score.tallies is not None:
                at = self._places[score.id] * self._samples + score.sample
                for metric in self._metrics:
                    self._votes[score.setting, score.parser, metric][at] = _vote(score, metric)

    def summary(self) -> dict[Setting, dict[str, dict[str, OverSamples]]] | None:
        """Return `[setting][parser][metric]`; None where there is one sample."""
        if self._samples == 1:
            return None
        found: dict[Setting, dict[str, dict[str, OverSamples]]] = {}
        for (setting, parser, metric), votes in self._votes.items():
            begins = range(0, len(votes), self._samples)
            answered = [votes[begin : begin + self._samples] for begin in begins]
            whole = [each for each in answered if _NO_ANSWER not in each]
            shown = _shown(whole, self._samples, len(answered) - len(whole))
            found.setdefault(setting, {}).setdefault(parser, {})[metric] = shown
        return found


def _vote(score: ItemScore, metric: str) -> int:
    """Return what an answer votes for; one that is right, whatever its letters' case, is one text."""
    if score.tallies and score.tallies[metric].right:
        return _RIGHT
    text = getattr(score.prediction, METRICS[metric].part)
    if level := KNOWN[score.parser].equality:
        text = LEVELS[level](text)
    if score.outcome is not Outcome.OK or not text.strip():
        return _NONE
    return hash(text.lower()) & 0x7FFF_FFFF_FFFF_FFFF


def _shown(answered: Sequence[_Answers], samples: int, incomplete: int) -> OverSamples:
    votes = [_counted(each) for each in answered]
    ks = draws(samples)
    right = [each.right for each in votes]
    rates = [
        (
            each.right / samples,
            float(0 < each.right < samples),
            2 * each.right * (samples - each.right) / (samples * (samples - 1)),
            *(pass_at(k, each.right, samples) for k in ks),
            *majority(each),
        )
        for each in votes
    ]
    mean, flips, disagreement, *at = _means(rates, 3 + 2 * len(ks))
    within = _half(disagreement)
    return {
        "samples": samples,
        "rebuses": len(answered),
        "incomplete": incomplete,
        "mean": mean,
        "by_sample": _by_sample(answered, samples),
        "between_samples": _between_samples(answered, samples, within["value"]),
        "between_items": _between_items(right, samples),
        "within_items": within,
        "pass_at": {str(k): at[place] for place, k in enumerate(ks)},
        "maj_at": {str(k): at[len(ks) + place] for place, k in enumerate(ks)},
        "flip_rate": flips,
        "disagreement": disagreement,
    }


def _counted(votes: Iterable[int]) -> Votes:
    counts = Counter(votes)
    right, none = counts.pop(_RIGHT, 0), counts.pop(_NONE, 0)
    return Votes(right, tuple(sorted(counts.values())), none)


def _means(rates: Sequence[tuple[float, ...]], width: int) -> list[Estimate]:
    """Return the means of some values of each rebus, with intervals all from the same draws."""
    if not rates:
        return [{"value": None, "low": None, "high": None} for _ in range(width)]
    n = len(rates)
    # drawn by what is right alone, as the figures are, so that equal means have equal intervals
    items = [tuple(chain(*((value, 1.0) for value in each))) for each in rates]
    intervals = bootstrap(items, lead=2)
    return [
        _value(math.fsum(values) / n, interval)
        for values, interval in zip(zip(*rates, strict=True), intervals, strict=True)
    ]


def _value(value: float | None, interval: Interval | None) -> Estimate:
    low, high = interval or (None, None)
    return {"value": value, "low": low, "high": high}


def _half(of: Estimate) -> Estimate:
    """Return the variance within rebuses: half the chance that two answers to one disagree."""
    value, low, high = (
        each if each is None else each / 2 for each in (of["value"], of["low"], of["high"])
    )
    return {"value": value, "low": low, "high": high}


def _by_sample(answered: Sequence[_Answers], samples: int) -> list[float | None]:
    return [
        sum(each[sample] == _RIGHT for each in answered) / len(answered) if answered else None
        for sample in range(samples)
    ]


def _between_samples(
    answered: Sequence[_Answers], samples: int, within: float | None
) -> SampleSpread:
    shares = [each for each in _by_sample(answered, samples) if each is not None]
    if not shares or within is None:
        return {"value": None, "expected": None}
    mean = math.fsum(shares) / samples
    spread = math.fsum((each - mean) ** 2 for each in shares) / (samples - 1)
    return {"value": spread, "expected": within / len(answered)}


def _between_items(right: Sequence[int], samples: int) -> Estimate:
    n = len(right)
    if n < 2:  # noqa: PLR2004 # one rebus has no spread
        return _value(None, None)

    def estimate(rights: Any, squares: Any) -> Any:  # noqa: ANN401 # numbers, or numpy's columns
        spread = (squares - rights * rights / n) / (n - 1) / samples**2
        within = (rights / samples - squares / samples**2) / n / (samples - 1)
        return spread - within

    value = estimate(sum(right), sum(each * each for each in right))
    distinct = sorted(Counter((each, each * each) for each in right).items())
    if len(distinct) == 1:  # nothing to resample
        return _value(value, None)
    return _value(value, resampled_sums(distinct, n, lambda sums: estimate(sums[:, 0], sums[:, 1])))
