"""The diagnoses of a run's answers as shares, by setting and subset, each with n and interval."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import compress
from typing import Final, NamedTuple

from apieval.analysis import figures
from apieval.analysis.diagnosis import NEAR, Diagnosis, Step, diagnose
from apieval.analysis.intervals import bootstrap, wilson
from apieval.analysis.setup import Measured
from apieval.rebus.columns import ALL
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Setting
from apieval.results.figures import Cer, DiagnosisShares, Found
from apieval.results.folder import AnswerDiagnosis

CLASSES: Final = 3
"""Into how many classes a standard deviation is cut; see `ratio`."""
_SAME: Final = 1e-12
NOTHING: Final[Found] = {"value": None, "low": None, "high": None, "n": 0}


class Counts:
    """How many answers to each rebus have a property, by the property's name."""

    def __init__(self, rebuses: int) -> None:
        """Begin with none, for so many rebuses."""
        self._counts: defaultdict[str, array[int]] = defaultdict(lambda: array("H", [0]) * rebuses)
        self._none = array("H", [0]) * rebuses

    def add(self, name: str, place: int) -> None:
        """Count one answer to the rebus at a place."""
        self._counts[name][place] += 1

    def sum(self, name: str, chosen: Sequence[bool]) -> int:
        """Return how many answers to the chosen rebuses have a property."""
        return sum(self._of(name, chosen))

    def share(self, name: str, of: str, chosen: Sequence[bool]) -> Found:
        """Return the share of those with a property, which all have the property `of`, among these."""
        rights, totals = list(self._of(name, chosen)), list(self._of(of, chosen))
        n = sum(totals)
        if not n:
            return NOTHING.copy()
        right = sum(rights)
        if max(totals) == 1:
            low, high = wilson(right, n)
        else:
            pairs = zip(rights, totals, strict=True)
            [(low, high)] = bootstrap([(float(r), float(t)) for r, t in pairs if t])
        return {"value": right / n, "low": low, "high": high, "n": n}

    def _of(self, name: str, chosen: Sequence[bool]) -> Iterable[int]:
        return compress(self._counts.get(name, self._none), chosen)


def ratio(pairs: Sequence[tuple[float, float]], answers: int | None = None) -> Found:
    """Return a ratio of sums over rebuses, with its interval by a bootstrap over them.

    A pair is one rebus; `n` is how many there are, or `answers`. Hundreds of distinct pairs take long to draw; so
    those whose residuals (what moves the ratio) fall into one class, a third of a standard
    deviation wide, are drawn as one, at their mean. That leaves out less than 1 % of the variance.
    Where all have the same ratio Wilson's interval stands in, if it is one of a proportion at all.
    """
    if not pairs:
        return NOTHING.copy()
    value = math.fsum(a for a, _ in pairs) / math.fsum(b for _, b in pairs)
    low = high = None
    items = _in_classes(pairs, value)
    if items or value <= 1:
        low, high = bootstrap(items)[0] if items else wilson(value * len(pairs), len(pairs))
    n = len(pairs) if answers is None else answers
    return {"value": value, "low": low, "high": high, "n": n}


def _in_classes(pairs: Sequence[tuple[float, float]], value: float) -> list[tuple[float, float]]:
    """Return pairs at the means of their classes; none where all have the same ratio."""
    residuals = [a - value * b for a, b in pairs]
    width = math.sqrt(math.fsum(each * each for each in residuals) / len(pairs)) / CLASSES
    if width < _SAME:
        return []
    classes: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for pair, residual in zip(pairs, residuals, strict=True):
        classes[round(residual / width)].append(pair)
    items: list[tuple[float, float]] = []
    for alike in classes.values():
        above, below = (math.fsum(each) / len(alike) for each in zip(*alike, strict=True))
        items += [(above, below)] * len(alike)
    return items


ANSWERS: Final = "answers"
ANY: Final = "any"
_LAST: Final = "last"
MARKS: Final = (
    "of_own_guesses",
    "letters_kept",
    "key_obeyed",
    "right_despite_wrong_steps",
    "wrong_despite_right_first_pass",
)
"""What an answer may show or not, or have nothing to show it by; then it is not in the share's n."""
TEXTS: Final = "texts"
"""Answers that have a text, and not parsed parts alone."""
OFF: Final = tuple(str(letters) for letters in range(NEAR + 1))
"""How many letters a near miss is off."""


class _Cer(NamedTuple):
    """Of the answers to one rebus: error rates and how many, letters off and how many there are."""

    rates: float = 0.0
    answers: int = 0
    edits: int = 0
    letters: int = 0

    def plus(self, rate: float, edits: tuple[int, int]) -> _Cer:
        return _Cer(
            self.rates + rate, self.answers + 1, self.edits + edits[0], self.letters + edits[1]
        )


class _Of:
    """What the answers in one setting show: counts, and error rates by rebus, all and wrong ones."""

    def __init__(self, rebuses: int) -> None:
        self.counts = Counts(rebuses)
        self.cers: dict[str, dict[int, _Cer]] = {"all": {}, "wrong": {}, "study": {}}
        self.languages: set[str] = set()
        self.longest = 0

    def add(self, found: Diagnosis, place: int) -> None:
        add = self.counts.add
        add(ANSWERS, place)
        add(f"step {found.broke_first}", place)
        for name in MARKS:
            mark = getattr(found, name)
            if mark is not None:
                add(f"of {name}", place)
                if mark:
                    add(name, place)
        if found.copied_example:
            add("copied_example", place)
        if found.texts:
            add(TEXTS, place)
        if found.loop:
            add("loop", place)
        if found.other_language:
            self.languages.add(found.other_language)
            add(f"speaks {found.other_language}", place)
            add(f"speaks {ANY}", place)
        self._add_words(found, place)
        self._add_solution(found, place)

    def _add_words(self, found: Diagnosis, place: int) -> None:
        add, several = self.counts.add, found.hidden_words
        if not several:  # they were given
            return
        self.longest = max(self.longest, several)
        for at in found.wrong_words:
            add(f"wrong {at}", place)
        if found.wrong_words[-1:] == (several,):
            add(f"wrong {_LAST}", place)
        add(f"{several} words", place)
        add(f"{len(found.wrong_words)} of {several} words", place)

    def _add_solution(self, found: Diagnosis, place: int) -> None:
        if found.broke_first is not Step.UNANSWERED and not found.right:
            self.counts.add("wrong", place)
            if found.near_miss is not None:
                self.counts.add(f"off by {found.near_miss}", place)
        if found.edits:
            for name in ("all",) if found.right else ("all", "wrong"):
                self._add_cer(name, place, found.edits)
        self._add_cer("study", place, found.study_edits)

    def _add_cer(self, name: str, place: int, edits: tuple[int, int]) -> None:
        known = self.cers[name].get(place, _Cer())
        self.cers[name][place] = known.plus(edits[0] / edits[1], edits)


class Diagnoses:
    """The part `diagnosis` of a summary."""

    def __init__(self, measured: Measured) -> None:
        """Begin with no answer."""
        rebuses = measured.selection.rebuses
        self._places = {rebus.id: place for place, rebus in enumerate(rebuses)}
        self._of: dict[Setting, _Of] = {each: _Of(len(rebuses)) for each in measured.settings}
        self._subsets = {
            name: [name in {ALL, rebus.subset} for rebus in rebuses]
            for name in figures.places(rebuses)
        }
        self._words = [len(rebus.word_guesses) for rebus in rebuses]

    def add(self, answer: ScoredAnswer) -> tuple[str, AnswerDiagnosis] | None:
        """Diagnose one answer; return what is to stand on which parser's line of `scores.jsonl`."""
        found = diagnose(answer)
        if found is None:
            return None
        setting = answer.scores[found.parser].setting
        self._of[setting].add(found, self._places[answer.gold.id])
        return found.parser, found.as_json()

    def summary(self) -> dict[Setting, dict[str, DiagnosisShares]]:
        """Return `diagnosis[setting][subset]`."""
        return {
            setting: {name: self._cell(of, chosen) for name, chosen in self._subsets.items()}
            for setting, of in self._of.items()
        }

    def _cell(self, of: _Of, chosen: Sequence[bool]) -> DiagnosisShares:
        def share(name: str, among: str = ANSWERS) -> Found:
            return of.counts.share(name, among, chosen)

        return {
            "n": of.counts.sum(ANSWERS, chosen),
            "broke_first": {
                step.value: share(f"step {step}", TEXTS if step is Step.FORMAT else ANSWERS)
                for step in Step
            },
            "word_accuracy": self._by_position(of, chosen),
            "words_wrong": self._by_number(of, chosen),
            "of_own_guesses": share("of_own_guesses", "of of_own_guesses"),
            "letters_kept": share("letters_kept", "of letters_kept"),
            "key_obeyed": share("key_obeyed", "of key_obeyed"),
            "right_despite_wrong_steps": share(
                "right_despite_wrong_steps", "of right_despite_wrong_steps"
            ),
            "wrong_despite_right_first_pass": share(
                "wrong_despite_right_first_pass", "of wrong_despite_right_first_pass"
            ),
            "cer": _cers(of, chosen),
            "near_miss": {off: share(f"off by {off}", "wrong") for off in OFF},
            "copied_example": share("copied_example"),
            "loop": share("loop", TEXTS),
            "other_language": {
                name: share(f"speaks {name}", TEXTS) for name in (ANY, *sorted(of.languages))
            },
        }

    def _by_position(self, of: _Of, chosen: Sequence[bool]) -> dict[str, Found]:
        """Return how often the hidden word at a position is right, of the rebuses that have one."""
        found: dict[str, Found] = {}
        if not of.longest:
            return found
        for at in (*range(1, of.longest + 1), _LAST):
            least = 1 if at == _LAST else int(at)
            mine = [
                each and words >= least for each, words in zip(chosen, self._words, strict=True)
            ]
            wrong = of.counts.share(f"wrong {at}", ANSWERS, mine)
            value, low, high = wrong["value"], wrong["low"], wrong["high"]
            if value is not None and low is not None and high is not None:
                n = wrong["n"]
                found[str(at)] = {"value": 1 - value, "low": 1 - high, "high": 1 - low, "n": n}
        return found

    @staticmethod
    def _by_number(of: _Of, chosen: Sequence[bool]) -> dict[str, dict[str, Found]]:
        """Return how many of a rebus's hidden words are wrong, by how many it has."""
        found = {}
        for several in range(1, of.longest + 1):
            n = of.counts.sum(f"{several} words", chosen)
            if n:
                found[str(several)] = {
                    str(wrong): of.counts.share(
                        f"{wrong} of {several} words", f"{several} words", chosen
                    )
                    for wrong in range(several + 1)
                }
        return found


def _cers(of: _Of, chosen: Sequence[bool]) -> Cer:
    """Return the mean character error rate, of all and of wrong solutions, and over all letters.

    `letters` has letters off in all solutions, over the letters of all first passes; so has `study`,
    as the study's script counts them.
    """
    all_, wrong, study = (
        [each for place, each in of.cers[name].items() if chosen[place]]
        for name in ("all", "wrong", "study")
    )
    return {
        "all": _mean(all_),
        "wrong": _mean(wrong),
        "letters": _over_all(all_),
        "study": _over_all(study),
    }


def _over_all(cers: Sequence[_Cer]) -> Found:
    answers = sum(each.answers for each in cers)
    return ratio([(each.edits, each.letters) for each in cers], answers)


def _mean(cers: Sequence[_Cer]) -> Found:
    answers = sum(each.answers for each in cers)
    return ratio([(each.rates, each.answers) for each in cers], answers)
