"""A summary's shares held against the counts of `scores.jsonl`, where the data file is not at hand."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from apieval.analysis.claims import ABSENT, Check, Difference, State, differences, judged, unchecked
from apieval.analysis.figures import AGGREGATIONS
from apieval.errors import StoreError
from apieval.rebus.columns import ALL
from apieval.rebus.metrics import METRICS
from apieval.rebus.parsers import official
from apieval.records import Outcome, Tally
from apieval.results.folder import SCORES, SUMMARY, RunFolder, ScoreLine
from apieval.results.summary import Figures, Summary

_MISSING: Final = ("failed", "not_asked")
_HELD: Final = ("outcomes", "partial", "settings")
_READ: Final = (
    *("id", "sample", "subset", "outcome", "word_guesses", "first_pass", "solution_words"),
    *("solution", "counts", "status", "why", "seen_through", "seen", "diagnosis"),
)
"""What of a line may be anything that agrees with the rest of it."""


class _Sum(NamedTuple):
    """Of one metric over some answers: right ones, of how many, shares, answers."""

    right: int = 0
    total: int = 0
    shares: float = 0.0
    answers: int = 0

    def plus(self, tally: Tally) -> _Sum:
        shares = self.shares + tally.share
        return _Sum(self.right + tally.right, self.total + tally.total, shares, self.answers + 1)

    def values(self) -> dict[str, tuple[float, int]]:
        """Return by aggregation the share and of how many it is."""
        return {
            "micro": (self.right / self.total, self.total),
            "macro": (self.shares / self.answers, self.answers),
        }


class _Counts:
    """What the lines of `scores.jsonl` add up to."""

    def __init__(self) -> None:
        self.lines = 0
        self.sums: defaultdict[tuple[str, ...], _Sum] = defaultdict(_Sum)
        self.outcomes: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self.wrong: list[Difference] = []
        self._seen: set[tuple[str, ...]] = set()

    def add(self, line: ScoreLine) -> None:
        """Take in a line."""
        self.lines += 1
        setting, parser = line["setting"], line["parser"]
        place = (str(line["id"]), setting, str(line["sample"]), parser)
        said = f"row {place[0]}, {setting}, sample {place[2]}, {parser}"
        if place in self._seen:
            self.wrong.append(Difference(f"{said}, twice", line["solution"], ABSENT))
            return
        self._seen.add(place)
        outcome, counts = line["outcome"], line["counts"] or {}
        if parser == official.NAME:
            self.outcomes[setting][outcome.value] += 1
        for name in METRICS:
            tally = Tally(*counts[name]) if name in counts else None
            share = None if tally is None else tally.share
            self.wrong += differences(line.get(name, ABSENT), share, f"{said}.{name}")
            if tally is None:
                continue
            if outcome is not Outcome.OK and tally.right:
                self.wrong.append(Difference(f"{said}.counts.{name}", [*tally], [0, tally.total]))
            for subset in dict.fromkeys((ALL, line["subset"])):
                if subset is not None:
                    key = (setting, str(subset), parser, name)
                    self.sums[key] = self.sums[key].plus(tally)


def checks(folder: RunFolder) -> Iterator[Check]:
    """Yield the checks that need nothing but the folder: `scores.jsonl` against `summary.json`."""
    found, stored = _Counts(), folder.summary
    try:
        for line in folder.scores():
            found.add(line)
    except StoreError as error:
        yield Check("scores", State.FAILS, str(error))
        yield unchecked(SUMMARY, "there are no scores to compare it with", folder.stored_summary)
        return
    if not found.lines:
        yield unchecked("scores", "there is no line")
    else:
        good = f"{found.lines:,} lines, whose values are those of their counts"
        yield judged("scores", good, f"{SCORES} contradicts itself", found.wrong)
    whole = not _missing(stored)
    claimed, made = _shares(stored, found, whole=whole)
    which = " and ".join(_names(whole=whole))
    good = f"{which} of {len(made):,} figures of {SUMMARY}, each as the counts of {SCORES} give it"
    bad = f"{SUMMARY} is not what the counts of {SCORES} give"
    yield judged("figures", good, bad, differences(claimed, made))
    yield judged(
        "outcomes",
        f"the outcomes of {SUMMARY} are those of {SCORES}",
        f"{SUMMARY} counts otherwise than {SCORES}",
        differences({name: folder.stored_summary[name] for name in _HELD}, _counted(stored, found)),
    )
    held = {*AGGREGATIONS, *_names(whole=whole)}
    rest = ", ".join(each for each in _keys(stored["figures"]) if each not in held)
    others = [name for name in folder.stored_summary if name not in {"figures", *_HELD}]
    why = "the data file is needed for them"
    yield unchecked(f"rest of {SUMMARY}", why, [f"figures: {rest}", *others])
    why = f"of {SCORES}: the data and the answers are needed for them"
    yield unchecked("answers", why, _READ)


def _missing(stored: Summary) -> int:
    return sum(each[name] for each in stored["outcomes"].values() for name in _MISSING)


def _counted(stored: Summary, found: _Counts) -> dict[str, Any]:
    """Return the outcomes that the lines have; how many there should be the summary says."""
    expected = stored["data"]["n"] * stored["samples"]
    outcomes = {}
    for setting in dict.fromkeys((*stored["settings"], *found.outcomes)):
        counts = {each.value: found.outcomes[setting][each.value] for each in Outcome}
        outcomes[setting] = {**counts, "not_asked": expected - sum(counts.values())}
    missing = sum(each[name] for each in outcomes.values() for name in _MISSING)
    return {"outcomes": outcomes, "partial": missing > 0, "settings": list(outcomes)}


def _shares(
    stored: Summary, found: _Counts, *, whole: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the shares of the summary, and those of the counts, by their paths."""
    names = _names(whole=whole)
    claimed: dict[str, dict[str, Any]] = {}
    for path, figure in _figures(stored["figures"]):
        known = {"answered": figure["value"], **figure}  # where none is missing the value is it
        claimed[".".join(("figures", *path))] = {name: known[name] for name in names}
    made: dict[str, dict[str, Any]] = {
        where: dict.fromkeys(names, 0) | {names[0]: None} for where in claimed
    }
    for key, sums in found.sums.items():
        for each, (share, n) in sums.values().items():
            given = {"value": share, "n": n, "answered": share}
            made[".".join(("figures", *key, each))] = {name: given[name] for name in names}
    return claimed, made


def _names(*, whole: bool) -> tuple[str, ...]:
    """Return what of a figure follows from counts: where answers are missing, some are not known."""
    return ("value", "n") if whole else ("answered",)


def _keys(tree: Figures) -> Iterator[str]:
    """Yield the keys of all figures, each once."""
    all_ = [
        both
        for subsets in tree.values()
        for parsers in subsets.values()
        for metrics in parsers.values()
        for both in metrics.values()
    ]
    inner = (key for both in all_ for each in AGGREGATIONS for key in both[each])
    yield from dict.fromkeys((*inner, *(key for both in all_ for key in both)))


def _figures(tree: Figures) -> Iterator[tuple[tuple[str, ...], Mapping[str, Any]]]:
    for setting, subsets in tree.items():
        for subset, parsers in subsets.items():
            for parser, metrics in parsers.items():
                for metric, both in metrics.items():
                    for each in AGGREGATIONS:
                        yield (setting, subset, parser, metric, each), both[each]
