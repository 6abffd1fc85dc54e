"""Which models share an endpoint, and what holds for it then: the stricter limit of each kind."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final, Literal

from apieval.run.limiter import AUTO_MOST, Limiter
from apieval.run.prepare import Prepared
from apieval.sections import Embedded, Limits

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

RESERVE: Final = 64
"""So many open files are left for all else: the run's, the cache's, look-ups of names."""
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


def fit_open_files(
    models: Sequence[Prepared], each_ones: Sequence[Limiter], tell: Callable[[str], None]
) -> None:
    """Have no more requests at once than this process may open connections, of all models together.

    What the process may raise its limit to by itself it does raise it to, before.
    """
    if resource is None:
        return
    # the embedded solver's server is in this process too: both ends of a connection are
    ends = {
        limiter: 2 if isinstance(each.model, Embedded) else 1
        for each, limiter in zip(models, each_ones, strict=True)
    }
    wanted = sum(limiter.most * count for limiter, count in ends.items())
    used = _in_use()
    limit = _raised(used + RESERVE + wanted)
    room = limit - used - min(RESERVE, (limit - used) // 2)
    if wanted <= room:
        return
    before = sum(limiter.most for limiter in ends)
    for limiter in ends:
        limiter.hold(max(1, limiter.most * room // wanted))
    now = sum(limiter.most for limiter in ends)
    tell(
        f"this process may have {limit:,} files open (ulimit -n): {now:,} requests at once, where "
        f"{before:,} were allowed for; raise that limit for more"
    )


def _in_use() -> int:
    """Return how many files this process has open, about."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir())
    return 32


def _raised(wanted: int) -> int:
    """Return how many files this process may have open, once its limit is as high as is wanted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return max(wanted, soft)
    if most > soft:
        with suppress(OSError, ValueError):  # macOS has a limit below what it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


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
