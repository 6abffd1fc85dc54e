"""Ranks as ranges: the first and the last place a run may have, and which figures are the highest.

A run's first place comes after all runs that are significantly better, its last before all that are
significantly worse: a paired test with p below 5 % with Holm's correction over the comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import Final

from apieval.analysis.paired_tests import ALPHA
from apieval.rebus.metrics import HEADLINE
from apieval.records import Setting
from apieval.results.comparison import Comparison, Pair
from apieval.results.figures import Figure, interval_of
from apieval.results.summary import Summary


def ranked(summaries: Mapping[str, Summary]) -> list[str]:
    """Return the names of the runs that have a rank: models, and dictionaries only among themselves.

    A dictionary's solver is a best case if the clues come from its dictionary.
    """
    models = [name for name, each in summaries.items() if not each["coverage"]]
    return models or list(summaries)


def shown_better(pair: Pair, metric: str) -> tuple[str, str] | None:
    """Return the better and the worse run of a pair by one metric, None where neither is shown."""
    found = pair["metrics"].get(metric)
    if found is None or found["p_holm"] >= ALPHA:
        return None
    return (pair["b"], pair["a"]) if found["difference"] > 0 else (pair["a"], pair["b"])


def ranks(
    comparison: Comparison, names: Sequence[str]
) -> dict[Setting, dict[str, tuple[int, int]]]:
    """Return `[setting][name]`: the first and the last place, by the headline metric."""
    return {
        setting: {
            name: (
                1 + sum(worse == name for _, worse in shown),
                len(present) - sum(better == name for better, _ in shown),
            )
            for name in present
        }
        for setting, pairs in by_setting(comparison, names).items()
        for present in [_present(pairs, names)]
        for shown in [list(_shown(pairs, HEADLINE))]
    }


def best(comparison: Comparison, names: Sequence[str]) -> dict[Setting, dict[str, str]]:
    """Return `[setting][metric]`: the run that is shown to be better than each of the others."""
    found: dict[Setting, dict[str, str]] = {}
    for setting, pairs in by_setting(comparison, names).items():
        others = len(_present(pairs, names)) - 1
        for metric in dict.fromkeys(metric for each in pairs for metric in each["metrics"]):
            ahead = [better for better, _ in _shown(pairs, metric)]
            for name in names:
                if ahead.count(name) == others:
                    found.setdefault(setting, {})[metric] = name
    return found


def by_setting(comparison: Comparison, names: Collection[str]) -> dict[Setting, list[Pair]]:
    """Return the pairs of these runs by setting, those that have a rebus in common."""
    found: dict[Setting, list[Pair]] = {}
    for each in comparison["comparisons"]:
        if each["a"] in names and each["b"] in names and each["metrics"]:
            found.setdefault(each["setting"], []).append(each)
    return found


def _present(pairs: Iterable[Pair], names: Sequence[str]) -> list[str]:
    there = {name for each in pairs for name in (each["a"], each["b"])}
    return [name for name in names if name in there]


def _shown(pairs: Iterable[Pair], metric: str) -> Iterator[tuple[str, str]]:
    for each in pairs:
        if (found := shown_better(each, metric)) is not None:
            yield found


_FEWEST: Final = 2


class Place(StrEnum):
    """Where a figure stands among others; `NONE` is that of one that is not held against them."""

    HIGHEST = "highest"
    NOT_TOLD_APART = "not told apart"
    LOWER = "lower"
    NONE = "none"


def places(figures: Sequence[Figure | None]) -> list[Place]:
    """Return where each figure stands; equal ones stand alike.

    None is the figure of a partial run, which stands nowhere, as does the figure of nothing. Of
    fewer than two others none is the highest.
    """
    there = [found for each in figures if each and (found := interval_of(each))]
    if len(there) < _FEWEST:
        return [Place.NONE] * len(figures)
    most = max(value for value, *_ in there)
    low = min(low for value, low, _ in there if value == most)
    return [_place(each and interval_of(each), most, low) for each in figures]


def _place(figure: tuple[float, float, float] | None, most: float, low: float) -> Place:
    if figure is None:
        return Place.NONE
    value, _, high = figure
    if value == most:
        return Place.HIGHEST
    return Place.NOT_TOLD_APART if high >= low else Place.LOWER
