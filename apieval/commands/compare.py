"""Runs held against each other: what forbids it, what speaks against it, and the comparison."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from pathlib import Path
from typing import Final

from apieval.analysis import comparison, pairing
from apieval.analysis.pairing import Objection, Scored
from apieval.analysis.shared_answers import shared
from apieval.commands import read_scores
from apieval.errors import ConfigError, DataError, StoreError, did_you_mean
from apieval.rebus.parsers import official
from apieval.results.comparison import Comparison
from apieval.results.folders import Say, expanded

_REMEDY: Final = (
    "Name runs on the same data, scored by one version (`apieval score` scores anew) and begun with the "
    "same steps, or say --force to compare them all the same."
)


class NotComparable(DataError):
    """Runs that cannot be compared: `reason` is why, without what `apieval compare` can do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        super().__init__(f"{reason} {remedy}")
        self.reason = reason


def compare(
    folders: Sequence[str | Path],
    *,
    parser: str = official.NAME,
    baseline: str | None = None,
    force: bool = False,
    say: Say | None = None,
) -> Comparison:
    """Compare the scores of runs, rebus by rebus: each with each, or all with the `baseline`.

    `folders` are run folders, what `score` wrote to its `out`, or folders of such; of the latter
    `say` is told which runs were taken. `baseline` names one of them by
    its folder, its folder's name or its model. What is returned is the document that `--json`
    prints. With `force` runs of different data or parser versions are compared all the same.

    Raises:
        ConfigError, DataError, StoreError: naming file, line and remedy.
    """
    found = expanded(folders, read_scores.check(parser), say)
    runs = read_scores.read_all(list(found), parser)
    return of_scored(runs, parser=parser, baseline=baseline, force=force)


def of_scored(
    runs: Sequence[Scored], *, parser: str, baseline: str | None = None, force: bool = False
) -> Comparison:
    """Compare runs whose scores were read by that parser; else as `compare`.

    Raises:
        ConfigError, DataError, StoreError: naming file, line and remedy.
    """
    first = None if baseline is None else _baseline(runs, baseline)
    doubts = list(pairing.found(runs))
    refused = [each.text for each in doubts if each.level == "refusal"]
    if refused and not force:
        raise NotComparable(f"these runs cannot be compared: {'; '.join(refused)}.", _REMEDY)
    doubts += _copies(runs)
    document = comparison.compare(runs, parser, [*map(_forced, doubts)], first)
    if not document["tests"]:
        raise StoreError(
            "there is nothing to compare: no two runs answered one rebus in one setting."
        )
    if not force and any(each["left_out"]["other_words"] for each in document["comparisons"]):
        raise NotComparable(
            "these runs cannot be compared: they count different numbers of words in the same "
            "rebuses, so their gold rows differ.",
            "Score them anew, or say --force to leave such out.",
        )
    return document


def _copies(runs: Sequence[Scored]) -> Iterator[Objection]:
    """Yield a doubt for every two runs that share their wrong answers."""
    for one, other in combinations(runs, 2):
        if one.side and other.side and any(shared(one.side, other.side)):
            for each in shared(read_scores.with_texts(one), read_scores.with_texts(other)):
                yield Objection(each["kind"], each["level"], each["text"])


def _forced(doubt: Objection) -> Objection:
    """Return an objection as it stands in a comparison that was made in spite of it."""
    if doubt.level != "refusal":
        return doubt
    return replace(doubt, level="warning", text=f"compared by force: {doubt.text}")


def _baseline(runs: Sequence[Scored], baseline: str) -> str:
    for given in ("name", "folder", "model"):
        found = [run.name for run in runs if getattr(run, given) == baseline]
        if len(found) == 1:
            return found[0]
    found = [run.name for run in runs if Path(run.folder).resolve().name == baseline]
    if len(found) == 1:
        return found[0]
    names = [run.name for run in runs]
    raise ConfigError(
        f"--baseline {baseline}: not one of these runs{did_you_mean(baseline, names)}; "
        f"they are {', '.join(names)}."
    )
