"""How to read the report: what the metrics, parsers, intervals and tests are."""

from __future__ import annotations

from typing import Final

from apieval.report.outline import Section

_FACTS: Final = (
    ("Word guesses", "hidden words equal to the right word at their place"),
    ("Word guess lengths", "hidden words of the right length; shown with hints, where it is told"),
    ("First pass", "rebuses whose letters and words are put together right"),
    ("Solution words", "words of the solution equal to the right one at their place"),
    ("Solution word lengths", "words of the solution of the right length"),
    ("Solution match", "rebuses whose solution is right: the headline"),
    ("Official", "the challenge's own parser, faults included; equal is equal but for case"),
    ("Tolerant", "reads what a person would read, through Markdown, remarks and thoughts"),
    ("Micro, macro", "right words over all words; the mean over rebuses of each one's share"),
    (
        "95 % interval",
        (
            "Wilson's for shares of rebuses, else a seeded bootstrap over whole rebuses; of "
            "differences Newcombe's for paired proportions, or that bootstrap"
        ),
    ),
    (
        "Shown",
        (
            "exact McNemar test for whole rebuses, sign-flip test for words, p below 0.05 after "
            "Holm's adjustment over all tests of the table; what is not shown may still be there"
        ),
    ),
    (
        "Answers cut, empty or refused",
        "count wrong; failed requests do not, and make a run partial",
    ),
)


def section() -> Section:
    """Return the explanations."""
    return Section("method", "How to read this", facts=_FACTS, folded=True)
