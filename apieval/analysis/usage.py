"""What answers took: seconds, tokens and money, as they are spread over the answers of each setting.

Fed one answer at a time; of each a few numbers are kept. A failed request is no answer and counts
nowhere. How long an answer took is told by those that were asked for in this run alone: what came
from the cache took no time. What is not known is in no figure, and is never zero.
"""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import MAXYEAR, UTC, datetime
from typing import Final

from apieval.records import SETTINGS, Outcome, Response, Setting
from apieval.results.comparison import SettingUsage, UsageSpread

AT: Final = (0.05, 0.25, 0.5, 0.75, 0.95, 0.99)
"""The quantiles that are told, as shares of the answers below them."""
_FIRST_YEAR: Final = 1970
MEASURES: Final = (
    "latency_s",
    "prompt_tokens",
    "completion_tokens",
    "reasoning_tokens",
    "tokens_per_s",
    "cost_usd",
)


def dates(created: Iterable[str]) -> tuple[datetime, datetime] | None:
    """Return when the first and the last of some answers came, None of none.

    It is the answers that have a date: a run's commands may come later and ask nothing.

    Raises:
        ValueError: for what is no date.
    """
    found = [_date(text) for text in created]
    return (min(found), max(found)) if found else None


def _date(text: str) -> datetime:
    when = datetime.fromisoformat(text)
    if not _FIRST_YEAR <= when.year < MAXYEAR:  # in another zone there may be no such year
        raise ValueError(f"{text!r}: no answer can be of that year")
    return when.replace(tzinfo=when.tzinfo or UTC).astimezone(UTC)


class Spending:
    """Take in answers, and say at the end how what they took is spread."""

    def __init__(self) -> None:
        """Begin with no answer."""
        self._values: defaultdict[tuple[Setting, str], array[float]]
        self._values = defaultdict(lambda: array("d"))
        self._answers: defaultdict[Setting, int] = defaultdict(int)
        self._cached: defaultdict[Setting, int] = defaultdict(int)

    def add(self, response: Response) -> None:
        """Take in one answer; what one from the cache once cost is its cost."""
        if response.outcome is Outcome.FAILED:
            return
        self._answers[response.setting] += 1
        self._cached[response.setting] += response.cached
        for name, value in _taken(response).items():
            if value is not None:
                self._values[response.setting, name].append(value)

    def summary(self) -> dict[Setting, SettingUsage]:
        """Return by setting `answers`, `from_cache`, and what each measure is like."""
        return {
            setting: {
                "answers": self._answers[setting],
                "from_cache": self._cached[setting],
                "latency_s": self._spread(setting, "latency_s"),
                "prompt_tokens": self._spread(setting, "prompt_tokens"),
                "completion_tokens": self._spread(setting, "completion_tokens"),
                "reasoning_tokens": self._spread(setting, "reasoning_tokens"),
                "tokens_per_s": self._spread(setting, "tokens_per_s"),
                "cost_usd": self._spread(setting, "cost_usd"),
            }
            for setting in SETTINGS
            if setting in self._answers
        }

    def _spread(self, setting: Setting, name: str) -> UsageSpread:
        return spread(self._values[setting, name])


def _taken(response: Response) -> Mapping[str, float | None]:
    """Return what one answer took; None is unknown.

    `tokens_per_s` is what was said, thoughts included, over the whole of the time, the reading of
    the prompt and the waiting at the server included.
    """
    usage = response.usage
    seconds = None if response.cached else response.latency_s
    said = usage.completion_tokens
    return {
        "latency_s": seconds,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": said,
        "reasoning_tokens": usage.reasoning_tokens,
        "tokens_per_s": said / seconds if said is not None and seconds else None,
        "cost_usd": response.cost_usd,
    }


def spread(values: Sequence[float]) -> UsageSpread:
    """Return `n`, `mean`, and by share of the answers below it each quantile, as `0.5`.

    Quantiles are exact, linear between two values (R. J. Hyndman and Y. Fan, The American
    Statistician 50 (1996) 361, definition 7). All are None of nothing.
    """
    n, rising = len(values), sorted(values)
    return {
        "n": n,
        "mean": math.fsum(rising) / n if n else None,
        "quantiles": {str(at): _quantile(rising, at) if n else None for at in AT},
    }


def _quantile(rising: Sequence[float], at: float) -> float:
    below, part = divmod((len(rising) - 1) * at, 1)
    low = rising[int(below)]
    return low + part * (rising[int(below) + 1] - low) if part else low
