"""Ranks that respect what is not known: the first and the last place a run may have.

A run's first place is behind all that are shown to be better, its last before all that are shown to
be worse; shown is a paired test with p below 5 % after Holm's adjustment over the comparison.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from apieval.analysis.paired import ALPHA
from apieval.rebus.metrics import HEADLINE

Pair = Mapping[str, Any]
"""One of a comparison's `comparisons`: two runs in one setting."""


def ranked(summaries: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the names of the runs that have a rank: models, and dictionaries only among themselves.

    A dictionary's solver is a best case if the clues come from its dictionary.
    """
    models = [name for name, each in summaries.items() if not each.get("coverage")]
    return models or list(summaries)


def shown_better(pair: Pair, metric: str) -> tuple[str, str] | None:
    """Return the better and the worse run of a pair by one metric, None where neither is shown."""
    found = pair["metrics"].get(metric)
    if found is None or found["p_holm"] >= ALPHA:
        return None
    return (pair["b"], pair["a"]) if found["difference"] > 0 else (pair["a"], pair["b"])


def ranks(comparison: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
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


def best(comparison: Mapping[str, Any], names: Sequence[str]) -> dict[str, dict[str, str]]:
    """Return `[setting][metric]`: the run that is shown to be better than each of the others."""
    found: dict[str, dict[str, str]] = {}
    for setting, pairs in by_setting(comparison, names).items():
        others = len(_present(pairs, names)) - 1
        for metric in dict.fromkeys(metric for each in pairs for metric in each["metrics"]):
            ahead = [better for better, _ in _shown(pairs, metric)]
            for name in names:
                if ahead.count(name) == others:
                    found.setdefault(setting, {})[metric] = name
    return found


def by_setting(comparison: Mapping[str, Any], names: Collection[str]) -> dict[str, list[Pair]]:
    """Return the pairs of these runs by setting, those that have a rebus in common."""
    found: dict[str, list[Pair]] = {}
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
