"""How much better a model is on one subset than on another: what memorization would leave behind.

The first subset of the data less each of the others, as the challenge's file has them `id - ood`
(rebuses whose words were all seen in training, less the others) and `id - new`. A gap is of two
figures over different rebuses, so that its interval follows from theirs: the distances of both
figures from their bounds, put together as if at right angles. Of proportions of rebuses, whose
bounds are Wilson's, this is Newcombe's interval for two independent proportions; of figures with
a bootstrap it joins two that were resampled apart.

Sources: R. G. Newcombe, Statistics in Medicine 17 (1998) 873, method 10; G. Y. Zou and A. Donner,
Statistics in Medicine 27 (2008) 1693, for bounds of any kind.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import product
from typing import Any, Final

from apieval.analysis.statistics import Interval
from apieval.rebus.columns import ALL
from apieval.rebus.parsers import official, tolerant

PARSERS: Final = (official.NAME, tolerant.NAME)


def apart(one: float, bounds: Interval, other: float, others: Interval) -> Interval:
    """Return the interval of `one - other`, two independent figures with their own intervals."""
    low = math.hypot(one - bounds[0], others[1] - other)
    high = math.hypot(bounds[1] - one, other - others[0])
    return max(-1.0, one - other - low), min(1.0, one - other + high)


def gaps(figures: Mapping[str, Any]) -> dict[str, Any]:
    """Return `[setting][first - other][parser][metric][aggregation]` of a summary's figures.

    Where answers are missing a gap is that of the answers there are, without an interval, and has
    the bounds it can still take.
    """
    found: dict[str, Any] = {}
    for setting, by_subset in figures.items():
        first, *others = [name for name in by_subset if name != ALL] or [ALL]
        found[setting] = {
            f"{first} - {other}": _by_parser(by_subset[first], by_subset[other]) for other in others
        }
    return found


def _by_parser(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {name: {} for name in PARSERS if name in one}
    for parser, metrics in found.items():
        for name, each in product(one[parser], ("micro", "macro")):
            gap = _gap(one[parser][name][each], other[parser][name][each])
            metrics.setdefault(name, {})[each] = gap
    return found


def _gap(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    a, b = one["value"], other["value"]
    if a is None or b is None:
        return {"value": None, "low": None, "high": None}
    if "at_least" in one or "at_least" in other:
        there, others = one.get("answered", a), other.get("answered", b)
        return {
            "value": None if there is None or others is None else there - others,
            "low": None,  # the figures' intervals count what is missing as wrong
            "high": None,
            "at_least": one.get("at_least", a) - other.get("at_most", b),
            "at_most": one.get("at_most", a) - other.get("at_least", b),
        }
    low, high = apart(a, (one["low"], one["high"]), b, (other["low"], other["high"]))
    return {"value": a - b, "low": low, "high": high}
