"""Why answers are wrong: where they broke first, what else the diagnosis says, what form costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from apieval.rebus.columns import ALL
from apieval.rebus.metrics import HEADLINE, METRICS, shown_in
from apieval.records import Setting
from apieval.report.cells import NONE, count, difference, share
from apieval.report.document import ReportedRun
from apieval.report.format_loss import along_key_said
from apieval.report.outline import Cell, Column, Group, Row, Section, Table
from apieval.report.terminal import number
from apieval.results.figures import DiagnosisShares, MetricLoss, SettingLoss

_STEPS: Final[Mapping[str, str]] = {
    "solved": "solved",
    "definitions": "definitions",
    "first_pass": "first pass",
    "segmentation": "segmentation",
    "solution": "solution",
    "format": "format",
    "unanswered": "truncated, empty or refused",
}
_SHARES: Final[Mapping[tuple[str, ...], str]] = {
    ("of_own_guesses",): "first pass uses own guesses",
    ("letters_kept",): "first pass keeps the given letters",
    ("key_obeyed",): "solution obeys the key",
    ("wrong_despite_right_first_pass",): "of first passes with correct letters: solution wrong",
    ("right_despite_wrong_steps",): "of correct solutions: after wrong steps",
    ("near_miss", "0"): "of wrong solutions: correct letters",
    ("near_miss", "1"): "of wrong solutions: 1 letter off",
    ("near_miss", "2"): "of wrong solutions: 2 letters off",
    ("cer", "letters"): "CER of solution to own first pass",
    ("cer", "study"): "the same, by the study's script",
    ("copied_example",): "copied from an example of the prompt",
    ("loop",): "ends in a loop",
    ("other_language", "any"): "in another language",
}
_FORM: Final = (
    "The tolerant parser reads what a person would read. What only it finds correct is lost by format, "
    "not by reasoning. Strict and lenient differ in accents."
)
_PARSERS: Final = {"official": "official", "tolerant": "strict", "tolerant-lenient": "lenient"}


def diagnosis(run: ReportedRun, id: str) -> Section | None:  # noqa: A002 # what it is
    """Return where answers broke, and what they show besides; None where nobody looked."""
    found = {s: cells[ALL] for s, cells in (run.summary["diagnosis"] or {}).items()}
    if not any(cell["n"] for cell in found.values()):
        return None
    columns = [Column("of all answers", figures=False)]
    columns += [Column(each, setting) for setting in found for each in ("share", "n")]
    first: list[Row | Group] = list(
        _rows(found, {("broke_first", step): shown for step, shown in _STEPS.items()})
    )
    more: list[Row | Group] = list(_rows(found, _SHARES))
    tables = [
        Table("First error", columns, first),
        Table("Further findings", [Column("", figures=False), *columns[1:]], more),
        *_positions(found),
    ]
    return Section(id, "Why answers are wrong", tables=tables, folded=True)


def _rows(
    found: Mapping[Setting, DiagnosisShares], names: Mapping[tuple[str, ...], str]
) -> Iterator[Row]:
    """Yield a row a figure, but for what cannot be known of any answer."""
    for path, shown in names.items():
        cells = list(_both(found, *path))
        if any(cell.text != NONE for cell in cells):
            yield Row([Cell(shown), *cells])


def _both(found: Mapping[Setting, Any], *path: str) -> Iterator[Cell]:
    for cell in found.values():
        figure = cell
        for key in path:
            figure = figure.get(key) or {}
        if figure.get("n"):
            yield share(figure)
            yield count(figure["n"])
        else:
            yield from (Cell(NONE), Cell(NONE))


def _positions(found: Mapping[Setting, DiagnosisShares]) -> Iterator[Table]:
    by_setting = {setting: cell["word_accuracy"] for setting, cell in found.items()}
    places = list(dict.fromkeys(place for each in by_setting.values() for place in each))
    if places:
        columns = [Column("position", figures=False)]
        columns += [Column(each, setting) for setting in found for each in ("share", "n")]
        rows = [Row([Cell(place), *_both(by_setting, place)]) for place in places]
        yield Table("Correct hidden words, by position in the rebus", columns, rows)


def format_loss(run: ReportedRun, id: str) -> Section | None:  # noqa: A002 # what it is
    """Return what the form of the answers costs; None where it is not known."""
    part = run.summary["format_loss"]
    if not part:
        return None
    columns = [
        Column("metric", figures=False),
        *map(Column, (*_PARSERS.values(), "loss (percentage points)", "n")),
    ]
    rows: list[Row | Group] = []
    for setting, subsets in part.items():
        rows.append(Group(setting))
        measured = subsets[ALL]["metrics"]
        rows += [_loss(each, measured[each]) for each in shown_in(setting) if each in measured]
    return Section(
        id,
        "Format loss",
        paragraphs=[_FORM],
        tables=[
            Table("Official and tolerant reading, micro", columns, rows, _other_words(run)),
            *_kinds(part),
        ],
        folded=True,
    )


def _other_words(run: ReportedRun) -> str:
    rows = max(run.summary["along_key"].values(), default=0)
    return along_key_said(rows) if rows else ""


def _loss(metric: str, found: MetricLoss) -> Row:
    values = [Cell(number(found["values"][parser])) for parser in _PARSERS]
    cells = [Cell(METRICS[metric].label), *values, difference(found), count(found["n"])]
    return Row(cells, strong=metric == HEADLINE)


def _kinds(part: Mapping[Setting, Mapping[str, SettingLoss]]) -> Iterator[Table]:
    """Yield a table of what made the difference, by kind of form."""
    rows = []
    for setting, subsets in part.items():
        for metric, found in subsets[ALL]["metrics"].items():
            kinds = found["tolerant"]["more"]["kinds"]
            for kind, n in sorted(kinds.items(), key=lambda each: (-each[1], each[0])):
                rows.append(
                    Row(
                        [
                            Cell(setting),
                            Cell(METRICS[metric].label),
                            Cell(kind.replace("_", " ")),
                            count(n),
                        ]
                    )
                )
    if rows:
        columns = [Column(name, figures=False) for name in ("setting", "metric", "kind of form")]
        note = "Answers where the tolerant reading finds more; one may have several kinds."
        yield Table("What made the difference", [*columns, Column("answers")], rows, note)
