"""How to read the report: what the metrics, parsers, intervals and tests are."""

from __future__ import annotations

from typing import Final

from apieval.report.outline import Section

_FACTS: Final = (
    ("Word guesses", "hidden words equal to the gold word at the same position"),
    (
        "Word guess lengths",
        "hidden words of the gold word's length; shown with hints, which give the lengths",
    ),
    ("First pass", "rebuses whose first pass is correct"),
    ("Solution words", "solution words equal to the gold word at the same position"),
    ("Solution word lengths", "solution words of the gold word's length"),
    ("Solution match", "rebuses whose solution is correct: the headline metric"),
    ("Official", "the challenge's own parser, including its faults; compares ignoring case"),
    ("Tolerant", "reads what a person would read, through Markdown, remarks and thoughts"),
    ("Micro, macro", "correct words over all words; the mean over rebuses of each one's share"),
    (
        "95 % interval",
        (
            "Wilson for shares of rebuses, else a seeded bootstrap over whole rebuses; for "
            "differences Newcombe for paired proportions, or the same bootstrap"
        ),
    ),
    (
        "Shown",
        (
            "exact McNemar test for whole rebuses, sign-flip test for words, p below 0.05 after "
            "Holm's correction over all tests of the table; a difference that is not significant may still exist"
        ),
    ),
    (
        "Answers cut, empty or refused",
        "count as wrong; failed requests do not, and make a run partial",
    ),
)


def section() -> Section:
    """Return the explanations."""
    return Section("method", "Method", facts=_FACTS, folded=True)
