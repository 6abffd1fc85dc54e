"""What stands out in one run, in sentences that need no statistics to be read.

A difference is claimed only where it is shown: by a paired test after Holm's adjustment, or, of what
has an interval alone, by that interval's own p after the same adjustment. Where none is shown the
sentence says so, and how far it may reach either way.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import NormalDist
from typing import Final, NamedTuple, TypeVar

from apieval.analysis.format_loss import COMPARED_ALONG_KEY, COMPARED_STRICT
from apieval.analysis.intervals import Z
from apieval.analysis.paired_tests import ALPHA, holm
from apieval.rebus.columns import ALL
from apieval.rebus.metrics import HEADLINE, METRICS, shown_in
from apieval.rebus.parsers import official
from apieval.records import Setting
from apieval.results.comparison import HintsEffect, MetricDifference
from apieval.results.figures import (
    DiagnosisShares,
    Figure,
    Found,
    Gap,
    MetricLoss,
    interval_of,
    known,
    loss_of,
)
from apieval.results.summary import Summary, answered
from apieval.wording import counted

SETTING_WORDS: Final[Mapping[str, str]] = {"regular": "without hints", "hints": "with hints"}
SOLVED: Final = "Solved"
HINTS: Final = "Hints"
_STEPS: Final[Mapping[str, str]] = {
    "definitions": "definitions",
    "first_pass": "first pass",
    "segmentation": "segmentation",
    "solution": "solution",
    "format": "format",
    "unanswered": "an answer that is cut, empty or refused",
}
_PLACES: Final = 3
_FEW: Final = 20
"""A share of fewer answers than these says too little for a sentence."""

_T = TypeVar("_T")
_Bounded = Figure | Gap | Found | MetricLoss | MetricDifference


class Sentence(NamedTuple):
    """One thing that stands out, and in a word or two what it is about."""

    topic: str
    text: str


def of_run(summary: Summary, effect: HintsEffect | None) -> list[Sentence]:
    """Return the sentences of one run: what it solves, what hints do, where and why it fails."""
    told = {
        SOLVED: _solved(summary),
        HINTS: _hints(effect),
        "First errors": _broke(summary),
        "After the first pass": _after_first_pass(summary),
        "Possible memorization": _known_by_heart(summary),
        "Format": _form(summary),
        "Subsets": _gaps(summary),
        "Cut answers": _cut(summary),
    }
    found = {topic: " ".join(sentences) for topic, sentences in told.items()}
    return [Sentence(topic, text) for topic, text in found.items() if text]


def p_of(value: float, low: float, high: float) -> float:
    """Return the two-sided p that a 95 % interval implies: how wide one that just holds 0 would be."""
    reach = value - low if value > 0 else high - value
    if not value:
        return 1.0
    if reach <= 0:
        return 0.0
    return 2 * NormalDist().cdf(-Z * abs(value) / reach)


def percent(value: float | None) -> str:
    """Return a share in percent; what there is some of is not nothing, and not all."""
    share = known(value)
    said = f"{100 * share:.1f}"
    if said == "0.0" and share:
        return "less than 0.1\u00a0%"
    return "more than 99.9\u00a0%" if said == "100.0" and share < 1 else f"{said}\u00a0%"


def _between(figure: _Bounded, sign: int = 1) -> str:
    low, high = sorted((sign * known(figure["low"]), sign * known(figure["high"])))
    return f"{_point(low)} to {_point(high)}"


def _point(share: float | None) -> str:
    said = f"{100 * known(share):.1f}"
    return "0.0" if said == "-0.0" else said


def _listed(parts: Sequence[str]) -> str:
    return ", ".join(parts[:-1]) + " and " + parts[-1] if parts[1:] else parts[0]


def _solved(summary: Summary) -> Iterator[str]:
    told: list[str] = []
    known = why = ""
    for setting in summary["settings"]:
        micro = summary["figures"][setting][ALL][official.NAME][HEADLINE]["micro"]
        if not micro["n"]:
            continue
        of = f" of {_answers(micro['n'], summary['samples'])}"
        where = f"{'' if of == known else of} {SETTING_WORDS[setting]}"
        known = of
        if "at_least" in micro:
            bounds = f"{percent(micro['at_least'])} and at most {percent(micro['at_most'])}"
            told.append(f"at least {bounds}{where}")
            why = ", since answers are missing"
        else:
            told.append(f"{percent(micro['value'])}{where} ({_between(micro)})")
    if told:
        given = f", given the {summary['given'].replace('-', ' ')}" if summary["given"] else ""
        yield f"It solves {_listed(told)}{given}{why}."


def _answers(n: int, samples: int) -> str:
    if samples > 1:
        return f"{counted(n, 'answer')} ({samples} to each rebus)"
    return counted(n, "rebus", "rebuses")


def _hints(effect: HintsEffect | None) -> Iterator[str]:
    if effect is None:
        return
    raised, lowered, unmoved = [], [], []
    for name, found in effect["metrics"].items():
        what, change = METRICS[name].plural, found["difference"]
        if found["p_holm"] >= ALPHA:
            unmoved.append(name)
        elif change > 0:
            raised.append(f"{what} by {_point(change)} percentage points ({_between(found)})")
        else:
            lowered.append(f"{what} by {_point(-change)} percentage points ({_between(found, -1)})")
    told = [f"{verb} {_listed(each)}" for verb, each in _verbs(raised, lowered) if each]
    if told:
        yield f"Hints {' and '.join(told)}."
    if unmoved:
        more = "" if told else " by hints"
        yield f"No change{more} is shown in {_unmoved(effect['metrics'], unmoved)}."


def _unmoved(metrics: Mapping[str, MetricDifference], names: Sequence[str]) -> str:
    """Return what did not move; of the headline also how far it may have."""
    told = [METRICS[name].plural for name in names if name != HEADLINE]
    if HEADLINE in names:
        found = metrics[HEADLINE]
        said = f"{METRICS[HEADLINE].plural} ({_point(found['difference'])}, {_between(found)})"
        return f"{said}, nor in {_listed(told)}" if told else said
    return _listed(told)


def _verbs(raised: list[str], lowered: list[str]) -> Iterable[tuple[str, list[str]]]:
    return ("raise", raised), ("lower", lowered)


def _broke(summary: Summary) -> Iterator[str]:
    for setting, cell in _diagnosed(summary):
        shares = {step: each for step, each in cell["broke_first"].items() if each["value"]}
        solved = shares.pop("solved", None)
        if not shares:
            continue
        most = sorted(shares, key=lambda step: -known(shares[step]["value"]))[:_PLACES]
        told = [f"{_STEPS.get(s, s)} ({percent(shares[s]['value'])})" for s in most]
        rest = f"; {percent(solved['value'])} are solved" if solved else ""
        where = SETTING_WORDS[setting]
        yield f"{where.capitalize()} most first errors are at {_listed(told)}{rest}."


def _after_first_pass(summary: Summary) -> Iterator[str]:
    told = _shares((s, each["wrong_despite_right_first_pass"]) for s, each in _diagnosed(summary))
    if told:
        yield f"Of first passes with correct letters, {_listed(told)} still lead to a wrong solution."


def _known_by_heart(summary: Summary) -> Iterator[str]:
    told = _shares((s, each["right_despite_wrong_steps"]) for s, each in _diagnosed(summary))
    if told:
        yield (
            f"Of its correct solutions, {_listed(told)} follow wrong steps, as if the phrase had "
            "been memorized."
        )


def _shares(found: Iterable[tuple[Setting, Found]]) -> list[str]:
    return [
        f"{percent(each['value'])} {SETTING_WORDS[setting]} ({_between(each)}; n\u00a0=\u00a0{each['n']:,})"
        for setting, each in found
        if each["n"] >= _FEW and each["low"] is not None and each["value"]
    ]


def _diagnosed(summary: Summary) -> Iterator[tuple[Setting, DiagnosisShares]]:
    for setting, cells in (summary["diagnosis"] or {}).items():
        if cells[ALL]["n"]:
            yield setting, cells[ALL]


def _form(summary: Summary) -> Iterator[str]:
    losses = {
        (setting, name): each
        for setting, cells in (summary["format_loss"] or {}).items()
        for name, each in cells[ALL]["metrics"].items()
        if name in shown_in(setting) and each["difference"] is not None and not _other_words(each)
    }
    shown = _shown({place: loss_of(each) for place, each in losses.items()})
    for setting in dict.fromkeys(setting for setting, _ in losses):
        mine = {
            name: losses[place] for place in losses if (name := place[1]) and place[0] == setting
        }
        lost = {name: each for name, each in mine.items() if (setting, name) in shown}
        where = SETTING_WORDS[setting]
        if told := _largest(lost, 1):
            yield f"{where.capitalize()} the format costs {told} by the official parser."
        if told := _largest(lost, -1):
            yield f"{where.capitalize()} the official parser finds more correct than the tolerant one: {told}."
        if not lost:
            yield f"{where.capitalize()} no format loss is shown."


def _other_words(loss: MetricLoss) -> bool:
    """Return whether what differs are the words compared rather than how the answers are written.

    What both parsers read alike may still differ in apostrophes and the like, which is form.
    """
    kinds = loss["tolerant"]["more" if known(loss["difference"]) > 0 else "fewer"]["kinds"]
    along, strictly = kinds.get(COMPARED_ALONG_KEY, 0), kinds.get(COMPARED_STRICT, 0)
    others = set(kinds) - {COMPARED_ALONG_KEY, COMPARED_STRICT}
    return not others and bool(along > strictly)


def _largest(losses: Mapping[str, MetricLoss], sign: int) -> str:
    """Return the largest differences of one sign, the headline's among them."""
    names = [name for name, each in losses.items() if sign * known(each["difference"]) > 0]
    names.sort(key=lambda name: (name != HEADLINE, -abs(known(losses[name]["difference"]))))
    told = [
        f"{METRICS[name].plural} {_point(sign * known(losses[name]['difference']))} percentage points "
        f"({_between(losses[name], sign)})"
        for name in names[:_PLACES]
    ]
    return _listed(told) if told else ""


def _shown(figures: Mapping[_T, tuple[float, float, float] | None]) -> set[_T]:
    """Return which of a family of figures are shown not to be 0; None is without an interval."""
    ps = [p_of(*each) if each else 1.0 for each in figures.values()]
    return {name for name, p in zip(figures, holm(ps), strict=True) if p < ALPHA}


def _gaps(summary: Summary) -> Iterator[str]:
    gaps = {
        (setting, pair): parsers[official.NAME][HEADLINE]["micro"]
        for setting, pairs in summary["gaps"].items()
        for pair, parsers in pairs.items()
    }
    whole = {
        place: gap
        for place, gap in gaps.items()
        if gap["value"] is not None and "at_least" not in gap
    }
    shown = _shown({place: interval_of(gap) for place, gap in whole.items()})
    for (setting, pair), gap in whole.items():
        first, _, other = pair.partition(" - ")
        where = f"of {first!r} than of {other!r} {SETTING_WORDS[setting]}"
        if (setting, pair) not in shown:
            yield (
                f"No gap in solutions is shown between {first!r} and {other!r} "
                f"{SETTING_WORDS[setting]} ({_point(gap['value'])} percentage points, {_between(gap)})."
            )
            continue
        sign = 1 if known(gap["value"]) > 0 else -1
        more = f"{'more' if sign > 0 else 'fewer'} rebuses {where}"
        by = f"{_point(sign * known(gap['value']))} percentage points ({_between(gap, sign)})"
        yield f"It solves {more}, by {by}."


def _cut(summary: Summary) -> Iterator[str]:
    told = []
    for setting, counts in summary["outcomes"].items():
        answers = answered(counts)
        if cut := counts["truncated"]:
            said = f"{percent(cut / answers)} {SETTING_WORDS[setting]} ({cut:,} of {answers:,})"
            told.append(said)
    if told:
        yield f"Truncated at the token limit, and counted as wrong: {_listed(told)}."
