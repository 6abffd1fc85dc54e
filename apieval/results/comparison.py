"""What runs are beside each other: the document that `apieval compare --json` prints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NotRequired, TypedDict

from apieval.records import Given, RowId, Setting
from apieval.results.figures import Figure
from apieval.results.summary import Finding


class MacroDifference(TypedDict):
    """Both figures of a metric, and B's less A's."""

    a: float
    b: float
    difference: float
    low: float
    high: float


class MetricDifference(MacroDifference):
    """A metric of two runs, micro: how sure the difference is, and what could have been seen."""

    n: int
    macro: MacroDifference
    p: float
    test: str
    interval: str
    smallest: float | None
    discordance: float | None
    p_holm: NotRequired[float]


class Rebuses(TypedDict):
    """Some rebuses, and which."""

    count: int
    ids: list[RowId]


class Solved(TypedDict):
    """How many rebuses both runs solve, neither, and only one."""

    both: int
    neither: int
    only_a: Rebuses
    only_b: Rebuses


class Pair(TypedDict):
    """Two runs in one setting, over the rebuses that both answered."""

    a: str
    b: str
    setting: Setting
    rebuses: int
    answers: int
    left_out: dict[str, int]
    metrics: dict[str, MetricDifference]
    solved: Solved
    sentence: str
    answers_a: int
    answers_b: int


class ComparedRun(TypedDict):
    """One of the runs that are compared."""

    name: str
    model: str
    dir: str
    data: str
    settings: list[Setting]
    signatures: Mapping[Setting, Mapping[str, str]]


class Comparison(TypedDict):
    """All pairs of some runs; their tests are one family for Holm's adjustment."""

    format: int
    parser: str
    confidence: float
    alpha: float
    power: float
    trials: int
    seed: int
    tests: int
    baseline: str | None
    findings: list[Finding]
    runs: list[ComparedRun]
    common_to_all: dict[Setting, int]
    comparisons: list[Pair]


class HintsEffect(TypedDict):
    """What hints do to one run: its settings held against each other, `b` with hints."""

    rebuses: int
    answers: int
    left_out: int
    tests: int
    metrics: dict[str, MetricDifference]


class Spread(TypedDict):
    """How far the figures of several prompts lie apart."""

    values: list[float]
    mean: float
    sd: float
    least: float
    most: float
    range: float


class PromptSpread(TypedDict):
    """What the prompt moves of a model's figures in one setting."""

    model: str
    given: Given | None
    setting: Setting
    prompts: list[str | None]
    metrics: dict[str, Spread | None]


class GivenRun(TypedDict):
    """A run begun with some steps, and its figures; None of what was given."""

    given: Given | None
    metrics: dict[str, Figure | None]


class Steps(TypedDict):
    """How a model does in one setting with nothing given, and with steps given."""

    model: str
    prompt: str | None
    setting: Setting
    runs: list[GivenRun]


class UsageSpread(TypedDict):
    """How one measure is spread over the answers of a setting."""

    n: int
    mean: float | None
    quantiles: dict[str, float | None]


class SettingUsage(TypedDict):
    """What the answers of a setting took."""

    answers: int
    from_cache: int
    latency_s: UsageSpread
    prompt_tokens: UsageSpread
    completion_tokens: UsageSpread
    reasoning_tokens: UsageSpread
    tokens_per_s: UsageSpread
    cost_usd: UsageSpread
