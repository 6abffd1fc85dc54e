"""An audit of scored answers: what an auditor of a table of results would look for first.

Each check says one thing that puts figures in doubt (`warning`) or explains them (`note`), with how
many of how many and which rows. The findings that stand in every summary are not repeated here.
What was thought of and is not checked, since it says nothing sure: the order and the distance of
the answers' times (they come side by side), latencies (caches and servers differ), and how long
an answer is.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Literal, NamedTuple

from apieval.analysis import gold_audit
from apieval.analysis.findings import UNNAMED, audited
from apieval.analysis.shared_answers import Key, Said, Side, said, shared
from apieval.analysis.summary import blanks
from apieval.patterns import regex
from apieval.rebus import prompts
from apieval.rebus.dataset import Selection
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import ItemScore, Outcome, Prediction, Rebus, RowId, Setting
from apieval.results.summary import AuditFinding, Summary
from apieval.wording import counted

CHOICES: Final = frozenset({"echo", "second_answer", "run_on", "correction", "struck"})
"""Kinds of what the tolerant parser saw through where it chose among several answers."""
UNLABELLED: Final = "unlabelled"
MANY_CHOICES: Final = 0.1
"""From this share of the solved on, a figure is the parser's choice too."""
SUSPICIOUS: Final = 0.05
"""Of all answers: so many that say one thing, or fit other rows, are no accident."""
FEW: Final = 5
"""Fewer than so many are no pattern."""
_LABEL: Final = regex(r"soluzion|solution", re.IGNORECASE)
_HEAD: Final = 300
_SHOWN: Final = 40
_FAILURES: Final = regex(
    r"^\W*(?:(?:api|http|internal|server|openai|request)?\s*(?:error|errore|exception)\b|traceback\b)"
    r"|rate.?limit|too many requests|service unavailable|bad gateway|gateway time-?out"
    r"|insufficient_quota|invalid.api.key|connection (?:error|refused|reset)",
    re.IGNORECASE,
)
_HEDGES: Final = {
    tolerant.CORRECTIONS: "correct themselves, and tolerant reads their last word",
    tolerant.ALTERNATIVES: "offer several values for one part, which is no answer for tolerant",
}
_NOTHING: Final = frozenset({"nan", "none", "null", "n/a", "#n/a", "nil", "undefined", "error"})
_EXAMPLE: Final = regex(r"^Soluzione: (.+)$", re.MULTILINE)


class _Kept(NamedTuple):
    """One answer, as far as it is audited; what was not answered is not kept."""

    id: RowId
    place: int
    solved: bool
    said: Said
    fits: frozenset[int] | None
    """Whose rows it fits, by their places; None where its own is among them."""
    blank: bool
    failure: bool
    choices: Mapping[str, tuple[str, ...]]
    """By parser that finds it solved, what that rests on besides one plain answer."""
    only_official: bool
    hedges: frozenset[str]
    """What of `tolerant.HEDGES` was seen in it."""


class Audit:
    """Take in scored answers one at a time, and say at the end what speaks against them."""

    def __init__(self, selection: Selection) -> None:
        """Begin with the rows, and no answer."""
        self._selection = selection
        self._places = {rebus.id: place for place, rebus in enumerate(selection.rebuses)}
        self._rows = _golds(selection.rebuses)
        self._kept: defaultdict[Setting, dict[Key, _Kept]] = defaultdict(dict)

    def add(self, answer: ScoredAnswer) -> None:
        """Take in one answer, good or failed."""
        score = answer.scores[official.NAME]
        if score.tallies is not None:
            self._kept[score.setting][score.id, score.sample] = self._keep(answer, score)

    def _keep(self, answer: ScoredAnswer, score: ItemScore) -> _Kept:
        parts, place = score.prediction, self._places[score.id]
        solved = _solved(score)
        text = answer.response.text if answer.response else None
        found = said(
            parts.word_guesses,
            parts.first_pass,
            parts.solution_words,
            parts.solution,
            right=solved,
        )._replace(text=None if text is None else hash(text))
        blank = score.outcome in {Outcome.EMPTY, Outcome.REFUSED}
        fits = self._fits(parts)
        read = answer.scores.get(tolerant.NAME)
        return _Kept(
            id=score.id,
            place=place,
            solved=solved,
            said=found,
            fits=None if place in fits else fits,
            blank=blank,
            failure=not blank and _failure(parts, text),
            choices=dict(_choices(answer, text)),
            only_official=solved and read is not None and not _solved(read),
            hedges=tolerant.HEDGES & read.seen.keys() if read else frozenset(),
        )

    def _fits(self, parts: Prediction) -> frozenset[int]:
        """Return the rows whose solution, first pass or hidden words an answer has."""
        rows = self._rows
        guesses = tuple(each.lower() for each in parts.word_guesses)
        keys = (parts.solution.lower(), parts.first_pass.lower(), guesses)
        return frozenset().union(*(rows.get(key, ()) for key in keys))

    def side(self, name: str, models: frozenset[str]) -> Side:
        """Return what the answers say, to be held against other runs."""
        every = {
            setting: {key: each.said for key, each in kept.items()}
            for setting, kept in self._kept.items()
        }
        return Side(name, models, every)

    def findings(self, summary: Summary, others: Sequence[Side] = ()) -> list[AuditFinding]:
        """Return everything found; `others` are what else these answers are held against."""
        models = {summary["model"], *(summary["served"] or {}).get("served_model", {})}
        mine = self.side(summary["model"], frozenset(models - {UNNAMED}))
        return [
            *(finding for other in others for finding in shared(mine, other)),
            *self._few_blanks(summary),
            *(
                finding
                for setting, kept in self._kept.items()
                for check in CHECKS
                for finding in check(setting, list(kept.values()))
            ),
            *gold_audit.findings(self._selection.rebuses, self._solved()),
        ]

    def _solved(self) -> dict[RowId, list[bool]]:
        """Return by row which of its answers are right."""
        found: defaultdict[RowId, list[bool]] = defaultdict(list)
        for kept in self._kept.values():
            for each in kept.values():
                found[each.id].append(each.solved)
        return found

    def _few_blanks(self, summary: Summary) -> Iterator[AuditFinding]:
        """Yield what a summary does not say of blank answers, since they are few."""
        for setting, told in blanks(summary["outcomes"], summary["figures"]):
            if told["level"] == "note":
                kept = self._kept[setting].values()
                ids = [each.id for each in kept if each.blank]
                yield audited(told["kind"], "note", told["text"], ids, len(kept))


def _solved(score: ItemScore) -> bool:
    return score.tallies is not None and score.tallies[HEADLINE].right > 0


def _golds(rebuses: Sequence[Rebus]) -> dict[Any, list[int]]:
    """Return the places of rows by what tells them: solution, first pass, two hidden words or more."""
    found: defaultdict[Any, list[int]] = defaultdict(list)
    for place, rebus in enumerate(rebuses):
        found[rebus.solution.lower()].append(place)
        found[rebus.first_pass.lower()].append(place)
        if len(rebus.word_guesses) > 1:
            found[tuple(each.lower() for each in rebus.word_guesses)].append(place)
    return dict(found)


def _failure(parts: Prediction, text: str | None) -> bool:
    """Say whether a text is a failure's, or a table's word for nothing, that was taken for an answer."""
    cells = {each.strip().lower() for each in (*parts.word_guesses, *parts.solution_words)}
    cells |= {parts.first_pass.strip().lower(), parts.solution.strip().lower()}
    if cells - {""}:
        return cells - {""} <= _NOTHING
    if text is None:
        return False
    return text.strip().lower() in _NOTHING or _FAILURES.search(text[:_HEAD]) is not None


def _choices(answer: ScoredAnswer, text: str | None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the parsers that find an answer solved, and what that rests on."""
    read = answer.scores.get(tolerant.NAME)
    if read is None:
        return
    kinds = sorted(CHOICES & set(read.seen_through))
    for name, score in answer.scores.items():
        if _solved(score):
            labelled = text is None or name == official.NAME or _LABEL.search(text)
            yield name, (*kinds, *(() if labelled else (UNLABELLED,)))


Check = Callable[[Setting, Sequence[_Kept]], Iterator[AuditFinding]]


def _failures(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    ids = [each.id for each in kept if each.failure]
    if ids:
        said = (
            f"{_of(ids, kept)} in {setting} look like failures, not like answers, and count wrong"
        )
        yield audited("failures_counted", "warning", said, ids, len(kept))


def _other_rows(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    """Tell of answers joined to the wrong rows: they fit others, and not their own."""
    strays = [each for each in kept if each.fits]
    own = sum(each.fits is None for each in kept)
    if len(strays) < FEW or len(strays) < SUSPICIOUS * (own + len(strays)):
        return
    ids = [each.id for each in strays]
    apart = Counter(min(each.fits or (0,), key=lambda at: abs(at - each.place)) - each.place
                    for each in strays)  # fmt: skip
    offset, often = apart.most_common(1)[0]
    where = (
        f"{often:,} of them {counted(abs(offset), 'row')} further {'down' if offset > 0 else 'up'}"
    )
    said = (
        f"{_of(ids, kept)} in {setting} are right for another row and not for their own, "
        f"{where}; {own:,} fit their own: were the rows joined wrongly?"
    )
    yield audited("answers_to_other_rows", "warning", said, ids, len(kept), offset=offset, own=own)


def _one_answer(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    """Tell of one wrong solution given to many rebuses."""
    rows: defaultdict[str, dict[RowId, None]] = defaultdict(dict)
    for each in kept:
        if each.said.solution and not each.solved:
            rows[each.said.solution][each.id] = None
    asked = len({each.id for each in kept})
    solution, ids = max(rows.items(), key=lambda pair: len(pair[1]), default=("", {}))
    if len(ids) < max(FEW, SUSPICIOUS * asked):
        return
    example = " (an example of the prompt)" if solution in _examples() else ""
    shown = solution if len(solution) <= _SHOWN else f"{solution[:_SHOWN]}..."
    said = f"the same wrong solution, {shown!r}{example}, is given to {len(ids):,} of {asked:,} rebuses"
    yield audited("one_answer_to_many", "warning", f"{said} in {setting}", list(ids), asked)


@cache
def _examples() -> frozenset[str]:
    return frozenset(each.strip().lower() for each in _EXAMPLE.findall(prompts.template("regular")))


def _fallbacks(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    """Tell of solved answers where a parser had several to choose from, or no label to go by."""
    for parser in dict.fromkeys(name for each in kept for name in each.choices):
        solved = [each for each in kept if parser in each.choices]
        rests = [each for each in solved if each.choices[parser]]
        if not rests:
            continue
        kinds = Counter(kind for each in rests for kind in each.choices[parser])
        why = ", ".join(f"{kind} {count:,}" for kind, count in kinds.most_common())
        many = len(rests) >= max(FEW, MANY_CHOICES * len(solved))
        said = (
            f"{len(rests):,} of {counted(len(solved), 'answer')} that {parser} finds solved in "
            f"{setting} rest on more than one plain answer: {why}"
        )
        ids = [each.id for each in rests]
        level: Literal["warning", "note"] = "warning" if many else "note"
        yield audited(
            "rests_on_fallback", level, said, ids, len(solved), parser=parser, kinds=kinds
        )


def _hedges(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    """Tell of answers that take something back, and of those that offer several."""
    for kind, what in _HEDGES.items():
        ids = [each.id for each in kept if kind in each.hedges]
        if ids:
            right = sum(each.solved for each in kept if kind in each.hedges)
            said = f"{_of(ids, kept)} in {setting} {what}; {right:,} of them solved for official"
            yield audited(kind, "note", said, ids, len(kept), solved_for_official=right)


def _against_each_other(setting: Setting, kept: Sequence[_Kept]) -> Iterator[AuditFinding]:
    ids = [each.id for each in kept if each.only_official]
    if ids:
        said = (
            f"{counted(len(ids), 'answer')} in {setting} solved for official, but not for tolerant"
        )
        yield audited("parsers_disagree", "note", said, ids, len(kept))


CHECKS: Final[tuple[Check, ...]] = (
    _failures,
    _other_rows,
    _one_answer,
    _fallbacks,
    _hedges,
    _against_each_other,
)


def _of(ids: Sequence[RowId], kept: Sequence[_Kept]) -> str:
    return f"{len(ids):,} of {counted(len(kept), 'answer')}"
