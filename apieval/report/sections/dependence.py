"""What accuracy depends on, and what several answers to one rebus show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.records import Setting
from apieval.report.cells import NONE, count, share
from apieval.report.document import ReportedRun
from apieval.report.outline import Cell, Column, Row, Section, Table
from apieval.results.figures import Correlation, Groups, OverSamples
from apieval.results.figures import Group as GroupFigure

_OFFICIAL: Final = "official"
_BLOCKS: Final = {
    ("word_guess_accuracy", "word_length"): "Word guesses, by the letters of the word",
    (
        "word_guess_accuracy",
        "frequency",
    ): "Word guesses, by the word's frequency in Italian (Zipf scale)",
    ("word_guess_accuracy", "hidden_words"): "Word guesses, by the hidden words of the rebus",
    ("solution_match", "hidden_words"): "Solution match, by the hidden words of the rebus",
    ("solution_match", "solution_length"): "Solution match, by the letters of the solution",
    ("solution_word_accuracy", "solution_length"): "Solution words, by the letters of the solution",
}


def section(run: ReportedRun, id: str) -> Section | None:  # noqa: A002 # what it is
    """Return a table for each thing that accuracy may depend on; None where nobody looked."""
    found = run.summary["dependence"]
    if not found:
        return None
    tables = [table for block, title in _BLOCKS.items() for table in _table(found, *block, title)]
    why = dict.fromkeys(
        said
        for each in found.values()
        for metric, what in _BLOCKS
        if (block := each[_OFFICIAL].get(metric, {}).get(what)) and (said := block["why"])
    )
    said = (
        "rho is Spearman's rank correlation over all of them, -1 to 1, with its 95 % interval. "
        "Official parser, over the existing answers."
    )
    return Section(
        id, "What accuracy depends on", paragraphs=[said, *why], tables=tables, folded=True
    )


def _table(
    found: Mapping[Setting, Mapping[str, Mapping[str, Mapping[str, Groups]]]],
    metric: str,
    what: str,
    title: str,
) -> Iterator[Table]:
    blocks = {
        setting: block
        for setting, each in found.items()
        if (block := each[_OFFICIAL].get(metric, {}).get(what)) and block["groups"] is not None
    }
    if not blocks:
        return
    columns = [Column("", figures=False)]
    columns += [Column(each, setting) for setting in blocks for each in ("share", "n")]
    groups = zip(*(each["groups"] or () for each in blocks.values()), strict=True)
    rows = [
        Row([Cell(_range(same[0], whole=what != "frequency")), *_cells(same)])
        for same in groups
        if any(each["n"] for each in same)
    ]
    rho = [cell for each in blocks.values() if (of := each["spearman"]) for cell in _rho(of)]
    yield Table(title, columns, [*rows, Row([Cell("rho"), *rho], strong=True)])


def _cells(same: Sequence[GroupFigure]) -> Iterator[Cell]:
    for each in same:
        yield share(each) if each["n"] else Cell(NONE)
        yield count(each["n"])


def _rho(found: Correlation) -> Iterator[Cell]:
    rho, low = found["rho"], found["low"]
    detail = "" if low is None else f"{low:+.2f} to {found['high']:+.2f}"
    yield Cell(NONE if rho is None else f"{rho:+.2f}", detail)
    yield count(found["n"])


def _range(group: GroupFigure, *, whole: bool) -> str:
    begin, end = group["from"], group["below"]
    if end is None:
        return f"{begin} and more"
    if not whole:
        return f"{begin} to {end}" if begin else "unknown"
    return str(begin) if end == begin + 1 else f"{begin} to {end - 1}"


def samples(run: ReportedRun, id: str) -> Section | None:  # noqa: A002 # what it is
    """Return what several answers to the same rebus show; None where there is one."""
    found = run.summary["over_samples"]
    if not found:
        return None
    tables = [
        _samples(setting, parsers[_OFFICIAL]["solution_match"])
        for setting, parsers in found.items()
        if "solution_match" in parsers[_OFFICIAL]
    ]
    return Section(id, "Several answers to each rebus", tables=tables, folded=True)


def _samples(setting: str, found: OverSamples) -> Table:
    figures = {
        "mean of the samples": found["mean"],
        "both right and wrong": found["flip_rate"],
        "two answers disagree": found["disagreement"],
        **{f"pass@{k}": each for k, each in found["pass_at"].items()},
        **{f"maj@{k}": each for k, each in found["maj_at"].items()},
    }
    rows = [Row([Cell(name), share(each)]) for name, each in figures.items()]
    left = f", {found['incomplete']:,} without all answers left out" if found["incomplete"] else ""
    note = f"{found['rebuses']:,} rebuses{left}."
    title = f"Solution match, {setting}: {found['samples']} answers each, official parser"
    return Table(title, [Column("", figures=False), Column("share")], rows, note)
