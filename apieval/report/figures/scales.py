"""Axes of amounts: from 0, or by powers of ten where they are orders apart."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_APART: Final = 8
"""Of amounts that differ by this factor, the smaller ones would lie on one spot."""
_ROOM: Final = 1.25
_TICKS: Final = 7
_FEW: Final = 3
"""How many ticks find room on a panel, and on one of several."""


def along(axes: Axes, amounts: Sequence[float], panels: int) -> None:
    """Set the horizontal axis for amounts, which are never below 0; what is 0 keeps it linear.

    There are so many panels beside each other.
    """
    low, high = min(amounts), max(amounts)
    if low <= 0 or high / low < _APART:
        axes.set_xlim(0, high * 1.1 or 1)
        axes.locator_params(axis="x", nbins=_room(panels) - 1)
        return
    axes.set_xscale("log")
    axes.set_xlim(low / _ROOM, high * _ROOM)
    ticks = _ticks(low / _ROOM, high * _ROOM, _room(panels))
    axes.set_xticks(ticks, [_short(each) for each in ticks])
    axes.set_xticks([], minor=True)


def _ticks(low: float, high: float, most: int) -> list[float]:
    """Return round numbers within bounds: 1, 2 and 5 of each power of ten, or fewer of them."""
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    within: list[float] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        round_ones = [digit * 10.0**power for power in powers for digit in digits]
        within = [each for each in round_ones if low <= each <= high]
        if len(within) <= most:
            break
    return within[:: math.ceil(len(within) / most)]


def _room(panels: int) -> int:
    return _TICKS if panels == 1 else _FEW


def _short(amount: float) -> str:
    thousand = 1000
    return f"{amount / thousand:,g}k" if amount >= thousand else f"{amount:g}"
