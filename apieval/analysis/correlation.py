"""Spearman's rank correlation, with ties, of pairs that stand in rebuses.

Tied values share the mean of their ranks (C. Spearman, American Journal of Psychology 15 (1904);
M. G. Kendall, Biometrika 33 (1945) 239, for ties): Pearson's correlation of the ranks. The study
reports it of a word's length and frequency (G. Sarti et al., Non Verbis, Sed Rebus, CLiC-it 2024).

The 95 % interval is of whole rebuses: what each pair adds to the correlation (its influence, F. R.
Hampel, JASA 69 (1974) 383) is summed by rebus, the spread of the sums is that of the correlation,
and Fisher's z (R. A. Fisher, Biometrika 10 (1915) 507) keeps it within -1 and 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from apieval.analysis.clustered import student

LEAST: Final = 10
"""Of fewer rebuses there is no interval: their spread says too little."""
_ALMOST: Final = 1 - 1e-12


class Correlation(NamedTuple):
    """Spearman's rho and its interval; None where nothing varies, or too little is known."""

    rho: float | None
    low: float | None = None
    high: float | None = None


def spearman(x: Sequence[float], y: Sequence[float], rebuses: Sequence[int]) -> Correlation:
    """Return the correlation of two values of each word (or rebus), and of which rebus it is."""
    if len(set(x)) < 2 or len(set(y)) < 2:  # noqa: PLR2004 # what does not vary goes with nothing
        return Correlation(None)
    import numpy as np  # noqa: PLC0415 # as in statistics

    n = len(x)
    ranks_x, ranks_y = _Ranks(x), _Ranks(y)
    f, g = ranks_x.each, ranks_y.each
    spread_x, spread_y = float(f @ f) / n, float(g @ g) / n
    scale = math.sqrt(spread_x * spread_y)
    rho = max(-1.0, min(1.0, float(f @ g) / n / scale))
    _, at = np.unique(np.asarray(rebuses), return_inverse=True)
    clusters = int(at.max()) + 1
    if clusters < LEAST or abs(rho) > _ALMOST:
        return Correlation(rho)
    together = f * g + ranks_x.moved(g) + ranks_y.moved(f) - 3 * rho * scale
    alone_x = f * f + 2 * ranks_x.moved(f) - 3 * spread_x
    alone_y = g * g + 2 * ranks_y.moved(g) - 3 * spread_y
    influence = together / scale - rho / 2 * (alone_x / spread_x + alone_y / spread_y)
    sums = np.bincount(at, weights=influence)
    error = math.sqrt(float(sums @ sums) * clusters / (clusters - 1)) / n
    middle, half = math.atanh(rho), student(clusters - 1) * error / (1 - rho * rho)
    return Correlation(rho, math.tanh(middle - half), math.tanh(middle + half))


class _Ranks:
    """The mid-ranks of some values, from -1/2 to 1/2: the share below and half that of the equal.

    `each` is by value. A pair moves the ranks of all others: `moved` is what that does to the mean
    of something, by the pair's own value.
    """

    def __init__(self, values: Sequence[float]) -> None:
        import numpy as np  # noqa: PLC0415 # as in statistics

        _, self._at, counts = np.unique(
            np.asarray(values, dtype=np.float64), return_inverse=True, return_counts=True
        )
        self._n = len(values)
        self.each: Any = ((np.cumsum(counts) - counts / 2) / self._n - 0.5)[self._at]

    def moved(self, something: Any) -> Any:  # noqa: ANN401 # numpy's, imported late
        import numpy as np  # noqa: PLC0415 # as in statistics

        sums = np.bincount(self._at, weights=something)
        from_here = np.cumsum(sums[::-1])[::-1]
        return ((from_here - sums / 2) / self._n)[self._at]
