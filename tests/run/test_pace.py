"""How long a run takes: by latency and slots, or by a limit a minute, whichever is slower."""

from __future__ import annotations

from typing import Any

import pytest

from apieval.config.models import Limits
from apieval.run.limiter import AUTO_FIRST
from apieval.run.trial import pace


@pytest.mark.parametrize(
    ("limits", "requests", "seconds", "bound"),
    [
        ({"concurrency": 8}, 100, 26.0, "if 8 at once take no longer than this one"),
        ({"concurrency": 1}, 100, 200.0, "one by one"),
        ({"concurrency": 8}, 3, 2.0, "if 3 at once take no longer than this one"),
        ({}, AUTO_FIRST * 10, 20.0, f"if {AUTO_FIRST} at once take no longer than this one"),
        ({"concurrency": 8, "rpm": 60}, 100, 100.0, "at 60 requests a minute"),
        ({"concurrency": 8, "rpm": 6_000}, 100, 26.0, "if 8 at once take no longer than this one"),
        ({"concurrency": 8, "rpm": 60, "tpm": 1_000}, 100, 600.0, "at 1,000 tokens a minute"),
        ({}, 0, 0.0, "one by one"),
    ],
)
def test_the_slowest_bound_counts(
    limits: dict[str, Any], requests: int, seconds: float, bound: str
) -> None:
    found = pace(requests, 10_000, 2.0, Limits.model_validate(limits))
    assert found.seconds == pytest.approx(seconds)
    assert found.bound == bound
