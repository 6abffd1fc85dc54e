"""Work on all cores: drawing and summing in numpy leave the interpreter to other threads."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

MOST: Final = 8
"""More threads than these would only wait for the interpreter."""

_T = TypeVar("_T")


@cache
def cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def at_once(calls: Iterable[Callable[[], _T]]) -> list[_T]:
    """Return what calls that do not know each other return, in their order.

    Each must draw from a generator of its own, so that the order they end in moves nothing.
    """
    listed = list(calls)
    if cores() == 1 or len(listed) == 1:
        return [call() for call in listed]
    with ThreadPoolExecutor(min(MOST, cores(), len(listed) or 1)) as pool:
        return [each.result() for each in [pool.submit(call) for call in listed]]
