"""95 % intervals: Wilson for proportions of rebuses, seeded bootstrap over rebuses for the rest.

Sources: E. B. Wilson, JASA 22 (1927), for the score interval; B. Efron, Annals of Statistics 7
(1979), for the bootstrap, here of whole rebuses, since the words of one rebus stand and fall
together. Percentile interval, fixed seed: equal scores give equal intervals.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from statistics import NormalDist
from typing import Final

CONFIDENCE: Final = 0.95
TRIALS: Final = 10_000
SEED: Final = 20_241_104
Z: Final = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)

Interval = tuple[float, float]


def wilson(right: float, n: int) -> Interval | None:
    """Return the Wilson score interval of `right` successes in `n` trials; None for no trial."""
    if n == 0:
        return None
    share, square = right / n, Z * Z / n
    centre = (share + square / 2) / (1 + square)
    half = Z / (1 + square) * math.sqrt(share * (1 - share) / n + square / (4 * n))
    # the bounds of 0 and of all right are exact, but for rounding
    return max(0.0, centre - half) if right else 0.0, min(1.0, centre + half) if right < n else 1.0


def bootstrap(items: Sequence[tuple[float, float]]) -> Interval | None:
    """Return the percentile interval of sum(first) / sum(second) over resampled items.

    An item is a rebus: (right words, words) for a micro figure, (share, 1) for a macro one. Items
    with equal values are drawn together (a multinomial over the distinct ones), which is the same
    bootstrap at a fraction of the work. Where every item has the same share there is nothing to
    resample and the interval would be a point: Wilson's for that many items stands in.
    """
    if not items:
        return None
    if len({first / second for first, second in items}) == 1:
        return wilson(items[0][0] / items[0][1] * len(items), len(items))
    # numpy takes 0.1 s to import: only what scores pays for it
    import numpy as np  # noqa: PLC0415

    distinct = sorted(Counter(items).items())
    values = np.array([value for value, _ in distinct], dtype=np.float64)
    counts = np.array([count for _, count in distinct], dtype=np.float64)
    draws = np.random.default_rng(SEED).multinomial(len(items), counts / counts.sum(), size=TRIALS)
    sums = draws @ values
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(sums[:, 0] / sums[:, 1], [tail, 1 - tail])
    return float(low), float(high)
