"""The metrics of the challenge, per item: the one registry of what is measured.

Source: the EurekaRebus study and its CALAMITA task. Two texts are equal when they are after
`str.lower()`; a missing prediction at a position is wrong, one too many is ignored. Figures over
many items are made in `analysis.figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Final, Literal, Protocol, TypeVar

from apieval.records import Given, Setting, Tally

HEADLINE: Final = "solution_match"

_P = TypeVar("_P", str, tuple[str, ...])

Part = Literal["word_guesses", "first_pass", "solution_words", "solution"]


class Parts(Protocol):
    """What a prediction and a gold row have in common, and the metrics compare."""

    @property
    def word_guesses(self) -> tuple[str, ...]: ...  # noqa: D102 # the fields say what they are
    @property
    def first_pass(self) -> str: ...  # noqa: D102
    @property
    def solution_words(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def solution(self) -> str: ...  # noqa: D102


def _equal(predicted: str, gold: str) -> bool:
    return predicted.lower() == gold.lower()


def _same_length(predicted: str, gold: str) -> bool:
    return len(predicted) == len(gold)


def _words(
    predicted: Sequence[str], gold: Sequence[str], right: Callable[[str, str], bool]
) -> Tally:
    hits = sum(map(right, predicted, gold))  # where one ends, the other's rest is not right
    if len(predicted) < len(gold):
        # a missing word is the empty one, which only an empty gold word equals
        hits += sum(right("", word) for word in gold[len(predicted) :])
    return Tally(right=hits, total=len(gold))


@dataclass(frozen=True, slots=True)
class Metric:
    """One metric: what of an answer it compares, how, and what it is called wherever it is shown.

    A part that is a text counts once a rebus, a list of words once a word. `label` heads a column,
    `short` a narrow one, `plural` names in a sentence what is counted, `meaning` says what counts
    as right.
    """

    name: str
    part: Part
    right: Callable[[str, str], bool]
    label: str
    short: str
    plural: str
    meaning: str
    hints_only: bool = False
    """Whether it is left out of the headline table without hints, where nobody told the lengths."""

    @property
    def of_rebuses(self) -> bool:
        """Say whether it is right or wrong once a rebus: a proportion of rebuses."""
        return self.part in {"first_pass", "solution"}

    def tally(self, prediction: Parts, gold: Parts) -> Tally:
        """Return how many of one item are right, and of how many."""
        said, meant = getattr(prediction, self.part), getattr(gold, self.part)
        if isinstance(meant, str):
            return Tally(right=int(self.right(said, meant)), total=1)
        return _words(said, meant, self.right)


_ALL: Final = (
    Metric(
        "word_guess_accuracy",
        "word_guesses",
        _equal,
        label="Word guesses",
        short="Word",
        plural="word guesses",
        meaning="hidden words equal to the gold word at the same position",
    ),
    Metric(
        "word_guess_length_accuracy",
        "word_guesses",
        _same_length,
        label="Word guess lengths",
        short="Word len.",
        plural="lengths of word guesses",
        meaning="hidden words of the gold word's length",
        hints_only=True,
    ),
    Metric(
        "first_pass_accuracy",
        "first_pass",
        _equal,
        label="First pass",
        short="First pass",
        plural="first passes",
        meaning="first passes equal to gold",
    ),
    Metric(
        "solution_word_accuracy",
        "solution_words",
        _equal,
        label="Solution words",
        short="Sol. word",
        plural="solution words",
        meaning="solution words equal to the gold word at the same position",
    ),
    Metric(
        "solution_word_length_accuracy",
        "solution_words",
        _same_length,
        label="Solution word lengths",
        short="Sol. word len.",
        plural="lengths of solution words",
        meaning="solution words of the gold word's length",
    ),
    Metric(
        HEADLINE,
        "solution",
        _equal,
        label="Solution match",
        short="Sol. match",
        plural="solutions",
        meaning="solutions equal to gold",
    ),
)

METRICS: Final[Mapping[str, Metric]] = {each.name: each for each in _ALL}
"""The registry: every metric by its name, in the paper's order. Whatever is computed, shown or
exported of metrics is made from it, so an entry here is all that a new one takes."""

OF_REBUSES: Final = frozenset(each.name for each in _ALL if each.of_rebuses)
"""The metrics that are right or wrong once a rebus: proportions of rebuses."""

_OF_STEPS: Final[Mapping[Given, frozenset[Part]]] = {
    "definitions": frozenset({"word_guesses"}),
    "first-pass": frozenset({"word_guesses", "first_pass"}),
}


def told(given: Given | None) -> frozenset[str]:
    """Return the metrics that measure nothing, since the model was given what they look at."""
    parts = frozenset[Part]() if given is None else _OF_STEPS[given]
    return frozenset(each.name for each in _ALL if each.part in parts)


def shown_in(setting: Setting, given: Given | None = None) -> list[str]:
    """Return the metrics of a setting's headline table."""
    hidden = told(given)
    return [
        name
        for name, metric in METRICS.items()
        if name not in hidden and (setting == "hints" or not metric.hints_only)
    ]


def rights(name: str, prediction: Parts, gold: Parts) -> list[bool]:
    """Return what of one item is right by one metric, one by one: `tally` in more words."""
    part = METRICS[name].part
    return rights_of(name, getattr(prediction, part), getattr(gold, part))


def rights_of(name: str, said: _P, meant: _P) -> list[bool]:
    """Return what is right by one metric, one by one, of the part that it looks at."""
    right = METRICS[name].right
    if isinstance(said, str):
        return [right(said, meant)]
    return [right(one, word) for one, word in zip_longest(said[: len(meant)], meant, fillvalue="")]


def total(name: str, gold: Parts) -> int:
    """Return how many things of one item a metric counts."""
    meant = getattr(gold, METRICS[name].part)
    return 1 if isinstance(meant, str) else len(meant)


def tally(prediction: Parts, gold: Parts) -> dict[str, Tally]:
    """Return the right ones among all, for every metric, of one prediction."""
    return {each.name: each.tally(prediction, gold) for each in _ALL}
