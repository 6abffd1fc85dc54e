"""The six metrics of the challenge, per item.

Source: the EurekaRebus study and its CALAMITA task. Two texts are equal when they are after
`str.lower()`; a missing prediction at a position is wrong, one too many is ignored. Figures over
many items are made in `analysis.figures`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
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


def _whole(predicted: str, gold: str) -> Tally:
    return Tally(right=int(_equal(predicted, gold)), total=1)


METRICS: Final[dict[str, Callable[[Parts, Parts], Tally]]] = {
    "word_guess_accuracy": lambda p, g: _words(p.word_guesses, g.word_guesses, _equal),
    "word_guess_length_accuracy": lambda p, g: _words(p.word_guesses, g.word_guesses, _same_length),
    "first_pass_accuracy": lambda p, g: _whole(p.first_pass, g.first_pass),
    "solution_word_accuracy": lambda p, g: _words(p.solution_words, g.solution_words, _equal),
    "solution_word_length_accuracy": lambda p, g: _words(
        p.solution_words, g.solution_words, _same_length
    ),
    "solution_match": lambda p, g: _whole(p.solution, g.solution),
}
"""Name -> what counts right of one item, in the paper's order."""

PARTS: Final[dict[str, Part]] = {
    "word_guess_accuracy": "word_guesses",
    "word_guess_length_accuracy": "word_guesses",
    "first_pass_accuracy": "first_pass",
    "solution_word_accuracy": "solution_words",
    "solution_word_length_accuracy": "solution_words",
    "solution_match": "solution",
}
"""The part of an answer that each metric looks at."""

OF_REBUSES: Final = frozenset({"first_pass_accuracy", "solution_match"})
"""The metrics that are right or wrong once a rebus: proportions of rebuses."""

HINTS_ONLY: Final = "word_guess_length_accuracy"
"""In the headline table of `hints` alone: without hints nobody told the model the lengths."""


_OF_STEPS: Final[Mapping[Given, frozenset[str]]] = {
    "definitions": frozenset({"word_guess_accuracy", "word_guess_length_accuracy"}),
    "first-pass": frozenset(
        {"word_guess_accuracy", "word_guess_length_accuracy", "first_pass_accuracy"}
    ),
}


def told(given: Given | None) -> frozenset[str]:
    """Return the metrics that measure nothing, since the model was given what they look at."""
    return frozenset() if given is None else _OF_STEPS[given]


def shown_in(setting: Setting, given: Given | None = None) -> list[str]:
    """Return the metrics of a setting's headline table."""
    hidden = told(given) | ({HINTS_ONLY} if setting != "hints" else frozenset())
    return [name for name in METRICS if name not in hidden]


def rights(name: str, prediction: Parts, gold: Parts) -> list[bool]:
    """Return what of one item is right by one metric, one by one: `tally` in more words."""
    return rights_of(name, getattr(prediction, PARTS[name]), getattr(gold, PARTS[name]))


def rights_of(name: str, said: _P, meant: _P) -> list[bool]:
    """Return what is right by one metric, one by one, of the part that it looks at."""
    if isinstance(said, str):
        return [_equal(said, meant)]
    right = _same_length if "length" in name else _equal
    return [right(one, word) for one, word in zip_longest(said[: len(meant)], meant, fillvalue="")]


def total(name: str, gold: Parts) -> int:
    """Return how many things of one item a metric counts."""
    meant = getattr(gold, PARTS[name])
    return 1 if isinstance(meant, str) else len(meant)


def tally(prediction: Parts, gold: Parts) -> dict[str, Tally]:
    """Return the right ones among all, for every metric, of one prediction."""
    return {name: count(prediction, gold) for name, count in METRICS.items()}
