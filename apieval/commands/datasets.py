"""What `--data` stands for: the sample, the challenge's file on the hub, or a file of the user's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

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
    return _read(data, gold_only=gold_only, say=say, offline=False)


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
    return _read(data, gold_only=gold_only, say=say, offline=True, revision=revision)


@contextmanager
def located(data: str | Path) -> Iterator[tuple[Path, str]]:
    """Give the path of a data file, the sample or the challenge's, and its name; ask nobody.

    Raises:
        DataError: where the challenge's file is not on this machine.
    """
    if str(data) != HUB:
        with dataset.located(data) as found:
            yield found
        return
    from apieval import hub  # noqa: PLC0415 # as below

    yield hub.kept().path, hub.NAME


def _read(
    data: str | Path,
    *,
    gold_only: bool,
    say: Say | None,
    offline: bool,
    revision: str | None = None,
) -> Dataset:
    if str(data) != HUB:
        return dataset.load(data, gold_only=gold_only)
    # no other command or data pays for it
    from apieval import hub  # noqa: PLC0415

    return hub.at_hand(revision, say) if offline else hub.load(say)
