from __future__ import annotations

import pytest

from apieval.analysis.ranks import Place, places
from tests.records import Json

BEST, NEAR, LOWER, NONE = Place.HIGHEST, Place.NOT_TOLD_APART, Place.LOWER, Place.NONE


def figure(value: float | None, low: float | None = None, high: float | None = None) -> Json:
    return {"value": value, "low": low, "high": high}


@pytest.mark.parametrize(
    ("figures", "expected"),
    [
        ([], []),
        ([figure(0.5, 0.4, 0.6)], [NONE]),
        ([figure(0.5, 0.4, 0.6), figure(0.9, 0.8, 1.0)], [LOWER, BEST]),
        ([figure(0.5, 0.4, 0.8), figure(0.9, 0.8, 1.0)], [NEAR, BEST]),
        (
            [figure(0.5, 0.4, 0.6), figure(0.5, 0.3, 0.7), figure(0.3, 0.2, 0.35)],
            [BEST, BEST, NEAR],
        ),
        ([None, figure(0.5, 0.4, 0.6), figure(0.1, 0.0, 0.2)], [NONE, BEST, LOWER]),
        ([None, figure(0.5, 0.4, 0.6)], [NONE, NONE]),
        ([figure(None), figure(0.5, 0.4, 0.6), figure(0.0, 0.0, 0.1)], [NONE, BEST, LOWER]),
    ],
)
def test_a_figure_stands_where_its_interval_says(
    figures: list[Json | None], expected: list[Place]
) -> None:
    assert places(figures) == expected
