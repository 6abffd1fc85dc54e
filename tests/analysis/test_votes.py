from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from apieval.analysis.samples import MOST, Votes, draws, majority, pass_at


@pytest.mark.parametrize(
    ("k", "right", "answers", "share"),
    [
        (1, 0, 1, 0.0),
        (1, 1, 1, 1.0),
        (1, 3, 10, 0.3),
        (2, 1, 3, 2 / 3),  # of 3 pairs 2 hold the right one
        (2, 3, 10, 1 - 21 / 45),
        (5, 3, 10, 1 - 21 / 252),
        (8, 3, 10, 1.0),
        (100, 1, 1000, 0.1),
    ],
)
def test_pass_at(k: int, right: int, answers: int, share: float) -> None:
    assert pass_at(k, right, answers) == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(
    ("votes", "shares"),
    [
        pytest.param(Votes(1, (), 0), (1.0,), id="one right answer"),
        pytest.param(Votes(0, (1,), 0), (0.0,), id="one wrong answer"),
        pytest.param(Votes(0, (), 2), (0.0, 0.0), id="nobody says anything"),
        # pairs: right+wrong twice, a tie each; right+right once
        pytest.param(Votes(2, (1,), 0), (2 / 3, (0.5 + 0.5 + 1) / 3, 1.0), id="two of three"),
        pytest.param(Votes(1, (2,), 0), (1 / 3, (0.5 + 0.5 + 0) / 3, 0.0), id="one of three"),
        pytest.param(Votes(1, (1, 1), 0), (1 / 3,) * 3, id="all differ"),
        # whoever says nothing has no vote: with the right one it wins, alone it loses
        pytest.param(Votes(1, (), 2), (1 / 3, 2 / 3, 1.0), id="one right, two silent"),
        pytest.param(Votes(1, (1,), 1), (1 / 3, (0.5 + 1 + 0) / 3, 0.5), id="one of each"),
    ],
)
def test_majorities_worked_by_hand(votes: Votes, shares: tuple[float, ...]) -> None:
    assert majority(votes) == pytest.approx(shares, abs=1e-12)


def drawn_one_by_one(votes: Votes, k: int) -> float:
    texts = ["right"] * votes.right + [""] * votes.none
    for number, count in enumerate(votes.wrong):
        texts += [f"wrong {number}"] * count
    shares = []
    for draw in combinations(texts, k):
        counts = Counter(text for text in draw if text)
        best = [text for text, count in counts.items() if count == max(counts.values())]
        shares.append(("right" in best) / len(best) if best else 0.0)
    return sum(shares) / len(shares)


@settings(max_examples=60)
@given(
    st.builds(
        Votes,
        st.integers(0, 4),
        st.lists(st.integers(1, 3), max_size=3).map(lambda found: tuple(sorted(found))),
        st.integers(0, 2),
    )
)
def test_against_all_draws(votes: Votes) -> None:
    expected = [drawn_one_by_one(votes, k) for k in draws(votes.answers)]
    assert majority(votes) == pytest.approx(expected, abs=1e-12)


def test_of_many_answers_some_k_are_told() -> None:
    assert draws(3) == [1, 2, 3]
    assert draws(MOST) == [*range(1, MOST + 1)]
    assert draws(MOST + 1) == [*range(1, MOST + 1), MOST + 1]
    assert draws(1000)[-2:] == [MOST, 1000]


@pytest.mark.parametrize(
    ("votes", "last"),
    [
        (Votes(10, (9, 1), 0), 1.0),
        (Votes(10, (10, 10), 0), 1 / 3),
        (Votes(9, (10, 1), 0), 0.0),
        (Votes(0, (), 20), 0.0),
        (Votes(1, (), 19), 1.0),
    ],
)
def test_all_of_many_answers_together(votes: Votes, last: float) -> None:
    found = majority(votes)
    assert len(found) == MOST + 1
    assert found[-1] == pytest.approx(last)
    assert found[0] == pytest.approx(votes.right / votes.answers)


def test_a_thousand_answers_take_no_time() -> None:
    found = majority(Votes(400, (1,) * 300, 300))
    assert found[0] == pytest.approx(0.4)
    assert found[-1] == 1.0
