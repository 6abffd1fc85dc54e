from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.intervals import Z, bootstrap, clustered, student, wilson


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [  # scipy.stats.t.ppf(0.975, freedom), scipy 1.17.1
        (1, 12.706204736174694),
        (2, 4.302652729749462),
        (3, 3.1824463052837078),
        (4, 2.7764451051977934),
        (7, 2.364624251592784),
        (30, 2.0422724563012378),
        (200, 1.9718962236339088),
        (201, 1.971836506779859),
        (1000, 1.9623390808264083),
    ],
)
def test_student(freedom: int, quantile: float) -> None:
    assert student(freedom) == pytest.approx(quantile, abs=2e-9)


def test_worked_by_hand() -> None:
    # 6 of 10 words; residuals -0.2, 0.6, -1.2, 0.8; variance 2.48 * 4 / 3 / 100; t with 3 degrees
    words = 0.24 / (2.48 * 4 / 3 / 100) * (Z / 3.1824463052837078) ** 2
    assert words == pytest.approx(2.753, abs=1e-3)
    found = clustered([(1, 2), (3, 4), (0, 2), (2, 2)])
    assert found == pytest.approx(wilson(0.6 * words, words), abs=1e-9)


@pytest.mark.parametrize(
    ("items", "right", "n"),
    [
        pytest.param([(0, 4)] * 25, 0, 25, id="nothing right"),
        pytest.param([(3, 3), (2, 2), (7, 7)], 3, 3, id="everything right"),
        pytest.param([(1, 3)], 1 / 3, 1, id="one rebus"),
        pytest.param([(1, 2), (2, 4)], 1, 2, id="all half right"),
        pytest.param([(1, 3), (2, 6), (3, 9)], 1, 3, id="all alike but for rounding"),
        pytest.param([(1, 1)] * 3 + [(0, 1)] * 7, 3, 10, id="rebuses that count once"),
    ],
)
def test_without_a_spread_each_rebus_counts_once(
    items: list[tuple[int, int]], right: float, n: int
) -> None:
    assert clustered(items) == pytest.approx(wilson(right, n), abs=1e-9)


def test_few_rebuses_say_little_even_where_they_agree_by_luck() -> None:
    # two rebuses of 2 and 3 words, nearly alike: their percentiles would be 0.5 to 0.67
    low, high = clustered([(1, 2), (2, 3)])
    assert low < 0.1
    assert high > 0.9


item: st.SearchStrategy[tuple[int, int]] = st.integers(1, 6).flatmap(
    lambda n: st.tuples(st.integers(0, n), st.just(n))
)


@given(st.lists(item, min_size=1, max_size=40))
def test_holds_the_share_and_stays_a_share(items: list[tuple[int, int]]) -> None:
    low, high = clustered(items)
    share = sum(right for right, _ in items) / sum(total for _, total in items)
    assert 0 <= low <= share + 1e-12
    assert share - 1e-12 <= high <= 1
    assert low < high


@settings(max_examples=30)
@given(st.lists(item, min_size=1, max_size=20))
def test_is_never_narrower_than_of_independent_words(items: list[tuple[int, int]]) -> None:
    right, total = (sum(each) for each in zip(*items, strict=True))
    low, high = clustered(items)
    apart = wilson(right, total)
    assert high - low >= apart[1] - apart[0] - 1e-9


def test_agrees_with_the_bootstrap_where_there_are_many() -> None:
    items = [(float(n * n % (2 + n % 4)), 2.0 + n % 4) for n in range(400)]
    assert clustered(items) == pytest.approx(bootstrap(items)[0], abs=0.005)
