"""The challenge's test file as data: what `--data hub` stands for."""

from __future__ import annotations

import os
from collections.abc import Callable

from apieval.errors import DataError
from apieval.hub.cache import HubCache, Kept
from apieval.hub.contents import NAME, TEST
from apieval.hub.fetching import at_hand_in, fetch
from apieval.rebus import dataset
from apieval.rebus.dataset import Dataset

Say = Callable[[str], None]


def load(say: Say | None) -> Dataset:
    """Read the file, fetched where it is not on this machine.

    Raises:
        DataError: where it cannot be had.
    """
    return _read(fetch(say=say or (lambda _: None)), say)


def at_hand(revision: str | None, say: Say | None) -> Dataset:
    """Read the file of a commit, or the pinned one, as it lies on this machine.

    Raises:
        DataError: where it does not.
    """
    cache = HubCache.of(os.environ)
    kept = at_hand_in(cache, TEST, revision, pin=revision is None)
    if kept is None:
        of = f" of the commit {revision}" if revision else ""
        more = f" --revision {revision}" if revision else ""
        raise DataError(
            f"--data hub: {TEST.name}{of} is not in {cache.folder}, and scoring asks nobody; get "
            f"it with `apieval data fetch{more}`, or give a file with --data PATH."
        )
    return _read(kept, say)


def _read(kept: Kept, say: Say | None) -> Dataset:
    if say:
        HubCache.of(os.environ).show_terms_once(TEST, say)
    return dataset.load(kept.path, name=NAME, origin=kept.origin)
