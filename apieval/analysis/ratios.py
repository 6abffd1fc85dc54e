"""The interval of a difference between two ratios of the same rebuses, by the paired bootstrap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from apieval.analysis import paired
from apieval.analysis.statistics import Interval, resampled_sums


def apart(items: Sequence[tuple[int, int, int, int]]) -> Interval:
    """Return the 95 % interval of the second ratio of sums less the first, over resampled rebuses.

    An item is a rebus, from 1: what is right of how many, by the first and by the second. Where
    both count as many of every rebus, it is what `paired.bootstrap` gives.
    """
    if all(of == of_second for _, of, _, of_second in items):
        return paired.bootstrap([(second - first, of) for first, of, second, _ in items])[0]
    distinct = sorted(Counter(items).items())
    if len(distinct) == 1:
        first, of, second, of_second = items[0]
        # every rebus alike: as unsure as one difference of so many rebuses
        return paired.bootstrap([(second / of_second - first / of, 1.0)] * len(items))[0]

    def difference(sums: Any) -> Any:  # noqa: ANN401 # numpy's
        return sums[:, 2] / sums[:, 3] - sums[:, 0] / sums[:, 1]

    return resampled_sums(distinct, len(items), difference)
