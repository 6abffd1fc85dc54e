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


def _whole(*names: str) -> AfterValidator:
    def check(value: Mapping[str, object]) -> Mapping[str, object]:
        if 0 < sum(name in value for name in names) < len(names):
            raise ValueError(f"not all of {', '.join(names)}")
        return value

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


class Cer(TypedDict):
    """Character error rates."""

    all: Found
    wrong: Found
    letters: Found
    study: NotRequired[Found]


class DiagnosisShares(TypedDict):
    """What the answers of a setting and subset show."""

    n: Count
    broke_first: dict[str, Found]
    word_accuracy: dict[str, Found]
    words_wrong: dict[str, dict[str, Found]]
    of_own_guesses: Found
    letters_kept: Found
    key_obeyed: Found
    right_despite_wrong_steps: Found
    wrong_despite_right_first_pass: Found
    cer: Cer
    near_miss: dict[str, Found]
    copied_example: Found
    loop: Found
    other_language: dict[str, Found]


class ChangedAnswers(TypedDict):
    """In how many answers a parser makes a difference, of how many words, by what kinds of format."""

    answers: Count
    words: Count
    kinds: dict[str, Count]


class Changes(TypedDict):
    """What a parser finds right more, and what fewer."""

    more: ChangedAnswers
    fewer: ChangedAnswers


MetricLoss = TypedDict(
    "MetricLoss",
    {
        "n": Count,
        "values": dict[str, Share | None],
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

    groups: list[Group] | None
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
