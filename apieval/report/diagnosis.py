"""What `apieval score --details` shows of the diagnoses, and the one line that stands under a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, cast

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.analysis.diagnosis_shares import NOTHING
from apieval.records import Setting
from apieval.report.terminal import number, shortened
from apieval.results.figures import DiagnosisShares, Found

_ALL: Final = "all"
_SUBSETS: Final = 4
"""How many subsets have a column in 80."""
_SUBSET_WIDTH: Final = 8
_ROWS: Final[Mapping[tuple[str, ...], str]] = {
    ("of_own_guesses",): "first pass uses own guesses",
    ("letters_kept",): "first pass with the letters given",
    ("key_obeyed",): "solution obeys the key",
    ("right_despite_wrong_steps",): "of right ones: despite wrong steps",
    ("wrong_despite_right_first_pass",): "first pass right by letters: solution wrong",
    ("near_miss", "0"): "of wrong ones: the right letters",
    ("near_miss", "1"): "of wrong ones: 1 letter off",
    ("near_miss", "2"): "of wrong ones: 2 letters off",
    ("cer", "all"): "CER to own first pass, mean",
    ("cer", "wrong"): "CER, mean of wrong solutions",
    ("cer", "letters"): "CER, over all letters",
    ("cer", "study"): "CER, as the study's script has it",
    ("copied_example",): "copied from an example",
    ("loop",): "ends in a loop",
    ("other_language", "any"): "in another language",
}


def view(found: Mapping[Setting, Mapping[str, DiagnosisShares]] | None) -> Iterator[RenderableType]:
    """Yield the diagnoses of each setting: shares, subsets, and hidden words."""
    for setting, cells in (found or {}).items():
        if not cells[_ALL]["n"]:
            continue
        yield _shares(setting, cells[_ALL])
        if len(cells) > 1:
            yield _by_subset(setting, cells)
        if cells[_ALL]["word_accuracy"]:
            yield _positions(setting, cells[_ALL]["word_accuracy"])
            yield _numbers(setting, cells[_ALL]["words_wrong"])


def _table(title: str, *columns: str) -> Table:
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column(columns[0], overflow="fold", min_width=5)
    for name in columns[1:]:
        table.add_column(Text(name), justify="right", no_wrap=True)
    return table


def _rows(cell: DiagnosisShares, whole: DiagnosisShares) -> Iterator[tuple[str, Found]]:
    """Yield the figures of a cell under their names for people, but for those of nothing in all."""
    for step, share in cell["broke_first"].items():
        name = step.replace("_", " ")
        if whole["broke_first"][step]["n"]:
            yield name if step in {"solved", "unanswered"} else f"first error: {name}", share
    for path, name in _ROWS.items():
        if _at(whole, path)["n"]:
            yield name, _at(cell, path)


def _at(cell: Mapping[str, Any], path: Sequence[str]) -> Found:
    """Return a figure of a cell; of what an older version did not look for that of nothing."""
    figure: Any = cell
    for key in path:
        figure = figure.get(key) or {}
    return cast("Found", figure or NOTHING)


def _shares(setting: str, cell: DiagnosisShares) -> Table:
    table = _table(f"{setting}: why answers are wrong", "", "share", "95 %", "n")
    for name, share in _rows(cell, cell):
        table.add_row(name, *_figure(share))
    return table


def _figure(share: Found) -> tuple[str, str, str]:
    low, high = share["low"], share["high"]
    interval = "-" if low is None else f"{number(low)}-{number(high)}"
    return number(share["value"]), interval, f"{share['n']:,}"


def _by_subset(setting: str, cells: Mapping[str, DiagnosisShares]) -> Table:
    names = [name for name in cells if name != _ALL]
    shown = names[:_SUBSETS]
    more = f" (the first {_SUBSETS})" if len(names) > _SUBSETS else ""
    title = f"{setting}: by subset{more}"
    table = _table(title, "", *(shortened(name, _SUBSET_WIDTH) for name in shown))
    for rows in zip(*(_rows(cells[name], cells[_ALL]) for name in shown), strict=True):
        table.add_row(rows[0][0], *(number(share["value"]) for _, share in rows))
    return table


def _positions(setting: str, by_position: Mapping[str, Found]) -> Table:
    table = _table(f"{setting}: hidden words right", "position", "share", "95 %", "n")
    for position, share in by_position.items():
        table.add_row(position, *_figure(share))
    return table


def _numbers(setting: str, by_number: Mapping[str, Mapping[str, Found]]) -> Table:
    table = _table(f"{setting}: rebuses by wrong hidden words", "words", "n", "0, 1, 2, ... wrong")
    for several, shares in by_number.items():
        told = "  ".join(number(share["value"], 2) for share in shares.values())
        table.add_row(several, f"{shares['0']['n']:,}", told)
    table.columns[2].no_wrap = False
    table.columns[2].justify = "left"
    return table
