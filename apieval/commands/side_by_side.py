"""Several models at once, in one event loop: each with its own run, none in another's way.

What they have in common is here: the question before they begin, the cache, the limits of an
endpoint they share, and the user's interrupt. This module knows nothing of how one is run.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from apieval.analysis.findings import of_data
from apieval.commands.options import RunOptions
from apieval.commands.run import OneRun, fault_of_ours
from apieval.commands.score import Result
from apieval.config.models import Embedded
from apieval.errors import ApievalError
from apieval.rebus.dataset import Selection
from apieval.records import RowId
from apieval.run.cache import CacheFailed, ResponseCache
from apieval.run.limiter import Limiter
from apieval.run.model import fit_open_files, limiters
from apieval.run.session import drive, interrupted_by_signals, stopping_on_signals
from apieval.run.watcher import Watcher
from apieval.signature import canonical_json
from apieval.wording import counted

_SHOWN: Final = 5
_LATE: Final = (
    "interrupted before the figures were written; every answer is saved: run the same command again"
)


def carry_out(
    runs: Sequence[OneRun], options: RunOptions, selection: Selection, watcher: Watcher
) -> list[Result]:
    """Ask what has no answer yet, all models at once, then score everything that has.

    Raises:
        ConfigError, StoreError: before anything is asked, where cache or folder cannot be opened.
    """
    with interrupted_by_signals(), ExitStack() as stack:
        with _opened_cache(runs, options, watcher) as cache:
            for each in runs:
                stack.enter_context(each.opened())
            broken = selection.rule_breakers()
            _tell_of(broken, selection.data.name, watcher)
            for each in runs:
                each.begin(broken)
            left = [each for each in runs if each.left]
            if any(not isinstance(each.prepared.model, Embedded) for each in left):
                for finding in of_data(selection.data.name, dictionary=False):
                    watcher.message(finding["text"])
            if left:
                _ask_all(left, options, cache, watcher)
        # scoring has use for the cache's memory, and would hold up the answers of the others as
        # long as one of them asks
        try:
            return [each.result() for each in runs]
        except KeyboardInterrupt:
            raise KeyboardInterrupt(_LATE) from None


def _ask_all(
    runs: Sequence[OneRun], options: RunOptions, cache: ResponseCache | None, watcher: Watcher
) -> None:
    """Ask, and have every run know how its asking ended.

    Raises:
        KeyboardInterrupt: where that came when all was asked.
    """
    interrupted = False
    try:
        _ask(runs, options, cache, watcher)
    except KeyboardInterrupt:
        interrupted = True
    except ApievalError:
        raise
    except Exception as error:  # noqa: BLE001 # what was paid is scored all the same
        for each in runs:
            each.cut_short("stopped", fault_of_ours(error))
    for each in runs:
        each.cut_short("interrupted")  # those that have not ended otherwise
    if interrupted and not any(each.cut and each.cut.status == "interrupted" for each in runs):
        raise KeyboardInterrupt(_LATE)


@contextmanager
def _opened_cache(
    runs: Sequence[OneRun], options: RunOptions, watcher: Watcher
) -> Iterator[ResponseCache | None]:
    """Give the one cache of all runs: one database, one thread that writes. None is none to use."""
    cache: ResponseCache | None = None
    # what the embedded solver says costs nothing, and changes with the code at hand
    if options.cache and not all(isinstance(each.prepared.model, Embedded) for each in runs):
        try:
            cache = ResponseCache(options.cache, watcher.message)
        except CacheFailed as error:
            watcher.message(f"{error} Going on without it.")
    try:
        yield cache
    finally:
        if cache:
            cache.close()


def _tell_of(broken: Mapping[str, Sequence[RowId]], name: str, watcher: Watcher) -> None:
    for rule, ids in broken.items():
        shown = ", ".join(map(str, ids[:_SHOWN])) + (", ..." if ids[_SHOWN:] else "")
        rows = counted(len(ids), "row breaks", "rows break")
        watcher.message(f"{name}: {rows} a rule of the game ({rule}), used all the same: {shown}")


def _ask(
    runs: Sequence[OneRun], options: RunOptions, cache: ResponseCache | None, watcher: Watcher
) -> None:
    forecasts = {each.label: each.forecast(cache) for each in runs}
    if options.max_cost_usd is not None and len(runs) > 1:
        watcher.message(f"--max-cost {options.max_cost_usd:g} USD holds for each model")
    try:
        declined = None if watcher.confirmed(forecasts) else "stopped"
    except KeyboardInterrupt:
        declined = "interrupted"
    if declined:
        for each in reversed(runs):  # as they were opened: the first made the folder of all
            each.withdraw(declined)
        return

    def stop() -> None:
        if all(each.over for each in runs):
            raise KeyboardInterrupt  # nobody would hear of it before all is scored
        for each in runs:
            each.stop()

    async def all_of_them() -> None:
        models = [each.prepared for each in runs]
        ready = limiters(models, options.concurrency)
        fit_open_files(models, ready, watcher.message)
        with stopping_on_signals(stop):
            await _at_once(list(zip(runs, ready, strict=True)), cache)

    drive(all_of_them(), stop)


async def _at_once(runs: Sequence[tuple[OneRun, Limiter]], cache: ResponseCache | None) -> None:
    """Carry all out at once, but one after the other those that would ask the same questions.

    Of these the first pays, and the others find its answers in the cache.
    """
    same: dict[object, list[tuple[OneRun, Limiter]]] = {}
    for number, (each, limiter) in enumerate(runs):
        prepared = each.prepared
        asked = canonical_json([prepared.identity, each.spec.prompts])
        same.setdefault(asked if cache else number, []).append((each, limiter))
    several = len(runs) > 1
    chains = (_in_turn(chain, cache, several=several) for chain in same.values())
    ends = await asyncio.gather(*chains, return_exceptions=True)
    for end in ends:
        if end is not None:
            raise end  # a fault of our own, which the others have outlived


async def _in_turn(
    runs: Sequence[tuple[OneRun, Limiter]], cache: ResponseCache | None, *, several: bool
) -> None:
    for place, (each, limiter) in enumerate(runs):
        if place and cache:
            await asyncio.to_thread(cache.flush)
        await each.ask(limiter, cache)
        if several and each.cut and each.cut.message:  # at once, not when the last has ended
            each.watcher.message(f"{each.cut.status}: {each.cut.message}")
