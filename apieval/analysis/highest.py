"""Which of several figures is the highest, and which are not told apart from it.

Two figures are told apart here where their 95 % intervals do not overlap. That is a strict rule: a
paired comparison (`analysis.compare`) tells more apart.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final

Figure = Mapping[str, Any]
_FEWEST: Final = 2


class Place(StrEnum):
    """Where a figure stands among others; `NONE` is that of one that is not held against them."""

    HIGHEST = "highest"
    NOT_TOLD_APART = "not told apart"
    LOWER = "lower"
    NONE = "none"


def places(figures: Sequence[Figure | None]) -> list[Place]:
    """Return where each figure stands; equal ones stand alike.

    None is the figure of a partial run, which stands nowhere, as does the figure of nothing. Of
    fewer than two others none is the highest.
    """
    there = [each for each in figures if each is not None and each["value"] is not None]
    if len(there) < _FEWEST:
        return [Place.NONE] * len(figures)
    most = max(each["value"] for each in there)
    low = min(each["low"] for each in there if each["value"] == most)
    return [_place(each, most, low) for each in figures]


def _place(figure: Figure | None, most: float, low: float) -> Place:
    if figure is None or figure["value"] is None:
        return Place.NONE
    if figure["value"] == most:
        return Place.HIGHEST
    return Place.NOT_TOLD_APART if figure["high"] >= low else Place.LOWER
