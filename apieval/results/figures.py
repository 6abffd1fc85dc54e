"""The values that `summary.json` is made of: figures with their intervals, by what they are of.

The types are of dictionaries, since a file is written as it was read, key for key.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, NotRequired

from pydantic import AfterValidator
from typing_extensions import TypedDict  # pydantic takes typing's from 3.12 on

from apieval.results.checking import Count, Number, Points, Share


class Figure(TypedDict):
    """A share with its interval; the bounds it can still take where answers are missing."""

    value: Share | None
    low: Share | None
    high: Share | None
    n: Count
    at_least: NotRequired[Share]
    at_most: NotRequired[Share]
    answered: NotRequired[Share | None]


class Gap(TypedDict):
    """One figure less another."""

    value: Points | None
    low: Points | None
    high: Points | None
    at_least: NotRequired[Points]
    at_most: NotRequired[Points]


def _whole(*bounds: str) -> AfterValidator:
    """Return the check of a figure: no value without its interval, nothing of something."""

    def check(figure: Mapping[str, object]) -> Mapping[str, object]:
        if 0 < sum(name in figure for name in bounds) < len(bounds):
            raise ValueError(f"not all of {', '.join(bounds)}")
        if (figure["low"] is None) is not (figure["high"] is None):
            raise ValueError("one end of an interval")
        if "n" in figure and (figure["value"] is None) is not (figure["n"] == 0):
            raise ValueError(f"value {figure['value']} of {figure['n']}")
        return figure

    return AfterValidator(check)


class Both(TypedDict):
    """A metric by the two aggregations."""

    micro: Annotated[Figure, _whole("at_least", "at_most", "answered")]
    macro: Annotated[Figure, _whole("at_least", "at_most", "answered")]


class BothGaps(TypedDict):
    """The gap of a metric by the two aggregations."""

    micro: Annotated[Gap, _whole("at_least", "at_most")]
    macro: Annotated[Gap, _whole("at_least", "at_most")]


class Estimate(TypedDict):
    """A value with its interval, as every figure has it."""

    value: Number | None
    low: Number | None
    high: Number | None


class Found(Estimate):
    """A share, a mean or a ratio, and of how many."""

    n: Count


_Found = Annotated[Found, _whole()]


class Cer(TypedDict):
    """Character error rates."""

    all: _Found
    wrong: _Found
    letters: _Found
    study: NotRequired[_Found]


class DiagnosisShares(TypedDict):
    """What the answers of a setting and subset show."""

    n: Count
    broke_first: dict[str, _Found]
    word_accuracy: dict[str, _Found]
    words_wrong: dict[str, dict[str, _Found]]
    of_own_guesses: _Found
    letters_kept: _Found
    key_obeyed: _Found
    right_despite_wrong_steps: _Found
    wrong_despite_right_first_pass: _Found
    cer: Cer
    near_miss: dict[str, _Found]
    copied_example: _Found
    loop: _Found
    other_language: dict[str, _Found]


class ChangedAnswers(TypedDict):
    """In how many answers a parser makes a difference, of how many words, by what kinds of format."""

    answers: Count
    words: Count
    kinds: dict[str, Count]


class Changes(TypedDict):
    """What a parser finds right more, and what fewer."""

    more: ChangedAnswers
    fewer: ChangedAnswers


def _by_parsers(values: dict[str, Share | None]) -> dict[str, Share | None]:
    if missing := {"official", "tolerant", "tolerant-lenient"} - set(values):
        raise ValueError(f"no {', '.join(sorted(missing))}")
    return values


MetricLoss = TypedDict(
    "MetricLoss",
    {
        "n": Count,
        "values": Annotated[dict[str, Share | None], AfterValidator(_by_parsers)],
        "difference": Points | None,
        "low": Points | None,
        "high": Points | None,
        "tolerant": Changes,
        "tolerant-lenient": Changes,
    },
)


class SettingLoss(TypedDict):
    """The format loss of a setting and subset, by metric."""

    answers: Count
    metrics: dict[str, MetricLoss]


Group = TypedDict(
    "Group",
    {
        "from": Number,
        "below": Number | None,
        "value": Share | None,
        "low": Share | None,
        "high": Share | None,
        "n": Count,
        "rebuses": Count,
    },
)


class Correlation(TypedDict):
    """A rank correlation with its interval."""

    rho: Points | None
    low: Points | None
    high: Points | None
    n: Count


class Groups(TypedDict):
    """A metric over groups of words or rebuses; `why` there are none."""

    groups: list[Annotated[Group, _whole()]] | None
    spearman: Correlation | None
    why: str | None
    source: NotRequired[str | None]


class SampleSpread(TypedDict):
    """The variance between samples, and what it would be were all drawn alike."""

    value: Number | None
    expected: Number | None


class OverSamples(TypedDict):
    """What several answers to each rebus show of one metric."""

    samples: Count
    rebuses: Count
    incomplete: Count
    mean: Estimate
    by_sample: list[Share | None]
    between_samples: SampleSpread
    between_items: Estimate
    within_items: Estimate
    pass_at: dict[str, Estimate]
    maj_at: dict[str, Estimate]
    flip_rate: Estimate
    disagreement: Estimate


def interval_of(figure: Estimate) -> tuple[float, float, float] | None:
    """Return a value and its bounds, None where there are none."""
    value, low, high = figure["value"], figure["low"], figure["high"]
    return None if value is None or low is None or high is None else (value, low, high)


def loss_of(loss: MetricLoss) -> tuple[float, float, float] | None:
    """Return a difference and its bounds, None where there are none."""
    return interval_of({"value": loss["difference"], "low": loss["low"], "high": loss["high"]})


def known(value: float | None) -> float:
    """Return a value that is there, as that of a figure of something is."""
    if value is None:
        raise ValueError("a figure of nothing")
    return value
