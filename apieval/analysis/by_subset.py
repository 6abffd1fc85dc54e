"""Which rebuses each subset has, by their places among all."""

from __future__ import annotations

from collections.abc import Sequence

from apieval.rebus.columns import ALL
from apieval.schema import Rebus


def places(rebuses: Sequence[Rebus]) -> dict[str, list[int]]:
    """Return the places of each subset's rebuses, all of them first, then in the data's order."""
    names = (ALL, *dict.fromkeys(r.subset for r in rebuses if r.subset is not None))
    return {
        name: [n for n, rebus in enumerate(rebuses) if name in (ALL, rebus.subset)]
        for name in names
    }
