from __future__ import annotations

import math
import random
from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.analysis.dependence import LEAST, Correlation, spearman


@pytest.mark.parametrize(
    ("x", "y", "rho"),
    [  # scipy.stats.spearmanr(x, y).statistic, scipy 1.17.1
        pytest.param([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5], 0.8285714285714287, id="no ties"),
        pytest.param(
            [2, 3, 3, 4, 5, 5, 5, 7], [0, 1, 0, 1, 1, 1, 0, 1], 0.46479431501930146, id="ties"
        ),
        pytest.param(
            [3, 4, 5, 6, 3, 4, 5, 6, 7, 8, 2, 2],
            [1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1],
            -0.5433893519371522,
            id="right or wrong by length",
        ),
        pytest.param(
            [4.31, 0.0, 5.9, 2.2, 4.31, 3.3],
            [0.25, 0.0, 1.0, 0.5, 0.75, 0.5],
            0.7352941176470588,
            id="shares by frequency",
        ),
        pytest.param([1, 2, 3], [3, 2, 1], -1.0, id="falling"),
    ],
)
def test_against_scipy(x: list[float], y: list[float], rho: float) -> None:
    found = spearman(x, y, range(len(x)))
    assert found.rho == pytest.approx(rho, abs=1e-9)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        pytest.param([], [], id="nothing"),
        pytest.param([3], [1], id="one"),
        pytest.param([3] * 20, [0, 1] * 10, id="one length"),
        pytest.param([1, 2] * 10, [1] * 20, id="all right"),
    ],
)
def test_what_does_not_vary_goes_with_nothing(x: list[float], y: list[float]) -> None:
    assert spearman(x, y, range(len(x))) == Correlation(None, None, None)


def test_few_rebuses_and_perfect_order_have_no_interval() -> None:
    few = LEAST - 1
    assert spearman([1, 2, 3] * few, [0, 1, 0] * few, [n // 3 for n in range(3 * few)]).low is None
    perfect = spearman(range(30), range(30), range(30))
    assert perfect.rho == pytest.approx(1.0)
    assert perfect[1:] == (None, None)


Words = tuple[list[int], list[int], list[int]]


def words(rebuses: int, seed: int) -> Words:
    """Return lengths, rights and rebuses of words: long ones are harder, a rebus's words go together."""
    rng = random.Random(seed)
    x, y, at = [], [], []
    for rebus in range(rebuses):
        ease = rng.gauss(0, 1)
        for _ in range(rng.randint(1, 5)):
            x.append(rng.randint(2, 8))
            y.append(int(rng.gauss(ease - 0.3 * (x[-1] - 5), 1) > 0))
            at.append(rebus)
    return x, y, at


def test_the_interval_is_of_whole_rebuses() -> None:
    x, y, at = words(120, 4)
    found = spearman(x, y, at)
    assert found.rho is not None
    assert found.low is not None
    assert found.high is not None
    kept = [[n for n, rebus in enumerate(at) if rebus != each] for each in range(120)]
    jackknife = [spearman([x[n] for n in k], [y[n] for n in k], k).rho or 0 for k in kept]
    error = stdev(jackknife) * 119 / math.sqrt(120)
    half = (math.atanh(found.high) - math.atanh(found.low)) / 2
    # 1.98: the quantile of t with 119 degrees of freedom
    assert half * (1 - found.rho**2) / 1.9801 == pytest.approx(error, rel=0.03)


def test_the_same_words_in_rebuses_of_ten_are_less_sure() -> None:
    x, y, _ = words(60, 5)
    rows = sorted(zip(x, y, strict=True))  # neighbours are alike
    x, y = [a for a, _ in rows], [b for _, b in rows]
    apart, together = (
        spearman(x, y, range(len(x))),
        spearman(x, y, [n // 10 for n in range(len(x))]),
    )
    assert apart.rho == together.rho
    assert together.low < apart.low < apart.high < together.high  # type: ignore[operator]


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=12, max_size=40))
def test_turned_round_it_is_the_same_with_the_other_sign(pairs: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    one, other = spearman(x, y, range(len(x))), spearman(x, [-b for b in y], range(len(x)))
    if one.rho is None:
        assert other.rho is None
    else:
        assert -1 <= one.rho <= 1
        assert other.rho == pytest.approx(-one.rho, abs=1e-12)
        if one.low is not None:
            assert other.high == pytest.approx(-one.low, abs=1e-9)
            assert one.low <= one.rho
