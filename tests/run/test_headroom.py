from __future__ import annotations

import pytest

from apieval.records import Room
from apieval.run.limiter import FEW, LOOK_S, Headroom


def heard(remaining: float, reset_s: float = 60.0, limit: float | None = None) -> Headroom:
    """Return what is known after one request and its answer, at moment 0."""
    each = Headroom()
    each.hear(each.take(0.0, 1), Room(remaining=remaining, reset_s=reset_s, limit=limit), 0.0)
    return each


def test_nothing_is_held_up_before_anything_is_said() -> None:
    assert Headroom().wait_s(0.0, 1) == 0.0


@pytest.mark.parametrize(("remaining", "limit"), [(FEW + 1, None), (51, 500), (1, 9)])
def test_plenty_is_left_alone(remaining: float, limit: float | None) -> None:
    assert heard(remaining, limit=limit).wait_s(0.0, 1) == 0.0


@pytest.mark.parametrize(("remaining", "limit"), [(FEW, None), (50, 500), (0, 5)])
def test_little_is_spread(remaining: float, limit: float | None) -> None:
    assert heard(remaining, limit=limit).wait_s(0.0, 1) == LOOK_S


def test_little_is_spread_evenly_up_to_the_reset() -> None:
    each, moment, moments = heard(4, reset_s=10.0), 0.0, []
    while moment < 10:
        if wait := each.wait_s(moment, 1):
            moment += wait
        else:
            each.take(moment, 1)
            moments.append(moment)
    assert moments == pytest.approx([2, 4, 6, 8])


def test_a_larger_amount_waits_for_a_larger_share() -> None:
    each = heard(8, reset_s=1.0)
    assert each.wait_s(0.0, 1) == pytest.approx(1 / 9)
    assert each.wait_s(0.0, 4) == pytest.approx(4 / 12)


def test_with_nothing_left_it_is_the_reset() -> None:
    each = heard(0, reset_s=0.3)
    assert each.wait_s(0.0, 1) == pytest.approx(0.3)
    assert each.wait_s(0.3, 1) == 0.0


def test_what_was_sent_since_counts() -> None:
    each = heard(FEW + 2)
    each.take(0.0, 1)
    assert each.wait_s(0.0, 1) == 0.0
    each.take(0.0, 1)
    assert each.wait_s(0.0, 1) > 0.0


def test_of_hints_that_know_nothing_of_each_other_the_lower_one_counts() -> None:
    each = Headroom()
    together = [each.take(0.0, 1) for _ in range(3)]
    each.hear(together[2], Room(remaining=1, reset_s=60.0), 0.1)
    each.hear(together[0], Room(remaining=100, reset_s=60.0), 0.1)
    assert each.wait_s(0.1, 1) > 0.0
    each.hear(each.take(0.2, 1), Room(remaining=100, reset_s=60.0), 0.3)
    assert each.wait_s(0.3, 1) == 0.0
    each.hear(together[1], Room(remaining=0, reset_s=60.0), 0.3)
    assert each.wait_s(0.3, 1) > 0.0


def test_nothing_is_held_up_beyond_the_reset_until_something_was_reset() -> None:
    each = heard(0, reset_s=1.0)
    assert each.wait_s(0.5, 1) > 0.0
    each.hear(each.take(0.9, 1), Room(remaining=0, reset_s=1.0), 0.9)
    assert each.wait_s(0.95, 1) > 0.0
    assert each.wait_s(1.1, 1) == 0.0
    each.hear(each.take(1.1, 1), Room(remaining=FEW + 1, reset_s=1.0), 1.1)
    assert each.wait_s(1.1, 1) == 0.0
    each.hear(each.take(1.2, 1), Room(remaining=0, reset_s=1.0), 1.2)
    assert each.wait_s(1.3, 1) > 0.0
