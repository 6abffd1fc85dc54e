"""Which models share an endpoint, and what holds for it then: the stricter limit of each kind."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Literal

from apieval.run.limiter import AUTO_MOST, Limiter
from apieval.run.prepare import Prepared
from apieval.sections import Embedded, Limits

AtOnce = int | Literal["auto"]


def endpoint(prepared: Prepared) -> Hashable:
    """Return what is equal for models of one endpoint: their addresses, else litellm's provider."""
    model = prepared.model
    if isinstance(model, Embedded):
        return "embedded", prepared.name  # each has a server of its own
    return frozenset(model.addresses) or model.model.partition("/")[0]


def limiters(models: Sequence[Prepared], concurrency: AtOnce | None = None) -> list[Limiter]:
    """Return each model's limiter, one and the same for all of an endpoint; in a running loop.

    `concurrency`, where it is given, stands for every model's own.
    """
    limits: dict[Hashable, list[Limits]] = {}
    for each in models:
        limits.setdefault(endpoint(each), []).append(each.model.limits)
    made = {where: _strictest(several, concurrency) for where, several in limits.items()}
    return [made[endpoint(each)] for each in models]


def _strictest(limits: Sequence[Limits], concurrency: AtOnce | None) -> Limiter:
    numbers: list[AtOnce] = [each.concurrency for each in limits]
    fewest = min(numbers, key=_pressing)
    return Limiter(
        concurrency or fewest,
        min((each.rpm for each in limits if each.rpm), default=None),
        min((each.tpm for each in limits if each.tpm), default=None),
    )


def _pressing(concurrency: AtOnce) -> tuple[int, bool]:
    """Return what orders limits; auto may press as hard as its most, and follows refusals down."""
    return (AUTO_MOST, False) if concurrency == "auto" else (concurrency, True)
