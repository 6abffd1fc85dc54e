"""What `--data` stands for: the sample, the challenge's file on the hub, or a file of the user's."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from apieval.errors import DataError
from apieval.hub import fetch as hub
from apieval.hub.cache import HubCache, Kept
from apieval.hub.contents import NAME, TEST
from apieval.rebus import dataset
from apieval.rebus.dataset import Dataset

HUB: Final = "hub"

Say = Callable[[str], None]


def load(
    data: str | Path = dataset.SAMPLE, *, gold_only: bool = False, say: Say | None = None
) -> Dataset:
    """Read a data file, the package's own sample, or the challenge's test file as `hub`.

    The challenge's is fetched where it is not on this machine yet, and pinned from then on; `say`
    is told of that, and once of the terms it may be used on. `gold_only` also accepts the study's
    layout, whose rows have no rebus to ask.

    Raises:
        DataError: naming file, line and column of what cannot be used, or why it cannot be had.
    """
    if str(data) != HUB:
        return dataset.load(data, gold_only=gold_only)
    return _of_hub(hub.fetch(say=say or _unheard), say)


def at_hand(
    data: str | Path,
    *,
    gold_only: bool = False,
    revision: str | None = None,
    say: Say | None = None,
) -> Dataset:
    """Read a data file as `load` does, but ask nobody: `hub` must have been fetched before.

    `revision` is the commit of the hub that is meant, None for the pinned one.

    Raises:
        DataError: as `load`, and where the challenge's file is not on this machine.
    """
    if str(data) != HUB:
        return dataset.load(data, gold_only=gold_only)
    cache = HubCache.of(os.environ)
    kept = hub.at_hand_in(cache, TEST, revision, pin=revision is None)
    if kept is None:
        of = f" of the commit {revision}" if revision else ""
        more = f" --revision {revision}" if revision else ""
        raise DataError(
            f"--data hub: {TEST.name}{of} is not in {cache.folder}, and scoring asks nobody; get "
            f"it with `apieval data fetch{more}`, or give a file with --data PATH."
        )
    return _of_hub(kept, say)


def _of_hub(kept: Kept, say: Say | None) -> Dataset:
    if say:
        HubCache.of(os.environ).show_terms_once(TEST, say)
    return dataset.load(kept.path, name=NAME, origin=kept.origin)


def _unheard(_: str) -> None:
    """Tell nobody."""
