"""How long a run is about to take, from the latency of one answer and the limits of its model."""

from __future__ import annotations

from math import ceil
from typing import Final, NamedTuple

from apieval.run.limiter import AUTO_FIRST
from apieval.sections import Limits

MINUTE_S: Final = 60.0


class Pace(NamedTuple):
    """About how many seconds a run takes, and what holds it back."""

    seconds: float
    bound: str


def pace(requests: int, tokens: int, latency_s: float, limits: Limits) -> Pace:
    """Return the pace of so many requests with so many tokens in all.

    It is that of a server which takes requests at once as quickly as a single one; `auto` is
    counted as the number it begins with.
    """
    slots = AUTO_FIRST if limits.concurrency == "auto" else limits.concurrency
    at_once = max(1, min(slots, requests))
    found = [Pace(ceil(requests / at_once) * latency_s, _if_at_once(at_once))]
    if limits.rpm is not None:
        found.append(Pace(requests / limits.rpm * MINUTE_S, f"at {limits.rpm:,} requests a minute"))
    if limits.tpm is not None:
        found.append(Pace(tokens / limits.tpm * MINUTE_S, f"at {limits.tpm:,} tokens a minute"))
    return max(found)


def _if_at_once(number: int) -> str:
    return f"if {number:,} at once take no longer than this one" if number > 1 else "one by one"
