"""What `apieval data verbalize` shows: what was made, what was dropped and why, what to look at."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.report.terminal import FINDING_STYLES, visible
from apieval.results.data import InputTable, Reason, Verbalized
from apieval.wording import counted

_WORDS: Final = 12
_LONGEST: Final = 60


def render(document: Verbalized) -> Iterator[RenderableType]:
    """Yield what was made, tables of what was dropped, and warnings."""
    yield Text(visible(title(document)), style="bold")
    yield Text(visible(_inputs(document)))
    yield from _table("rebuses dropped", document["dropped"])
    for clues in document["clues"]:
        yield from _table(f"clues not used, {clues['name']}", clues["unused"])
    if document["lacking"]:
        yield Text(visible(_lacking(document["lacking"])))
    for warning in warnings(document):
        yield Text(visible(f"warning: {warning}"), style=FINDING_STYLES["warning"])


def title(document: Verbalized) -> str:
    """Return what was made, in a line."""
    out = document["out"]
    subsets = ", ".join(f"{name} {count:,}" for name, count in document["subsets"].items())
    split = f" ({subsets})" if subsets else ""
    return (
        f"{out['path']}: {counted(out['rows'], 'rebus', 'rebuses')}{split} of "
        f"{counted(document['rebuses']['rows'], 'row')}"
    )


def _inputs(document: Verbalized) -> str:
    rows = sum(clues["rows"] for clues in document["clues"])
    used = sum(clues["used"] for clues in document["clues"])
    against = document["against"]
    beside = f"; against {against['name']} ({counted(against['rows'], 'row')})" if against else ""
    return (
        f"{used:,} of {counted(rows, 'clue')} for {counted(document['answers'], 'answer')}; "
        f"seed {document['wish']['seed']}{beside}"
    )


def _table(what: str, reasons: Mapping[str, Reason]) -> Iterator[Table]:
    """Yield a table of the reasons there are, none where there is none."""
    if not any(reason["rows"] for reason in reasons.values()):
        return
    table = Table()
    table.add_column(visible(what), no_wrap=True)
    table.add_column("rows", justify="right", no_wrap=True)
    table.add_column("why", overflow="fold")
    table.add_column("first", overflow="fold")
    for name, reason in reasons.items():
        if reason["rows"]:
            first = reason["first"][0]
            text = first["text"]
            shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
            place = visible(f"line {first['line']}: {shown}")
            table.add_row(name, f"{reason['rows']:,}", reason["says"], place)
    yield table


def _lacking(lacking: Mapping[str, int]) -> str:
    words = ", ".join(f"{word} ({rows:,})" for word, rows in list(lacking.items())[:_WORDS])
    return f"words most often without a clue (rows): {words}"


def warnings(document: Verbalized) -> Iterator[str]:
    """Yield what a person should know of what was made."""
    if found := document["possible_leaks"]:
        yield (
            f"{counted(found, 'clue')} hold their word inside a longer one; these words have no "
            "other clue"
        )
    if found := document["undated"]:
        yield (
            f"of {counted(found, 'rebus', 'rebuses')} the year is not known (ANNO must be four "
            "digits), so they are not new"
        )
    if document["subsets"].get("old"):
        yield "what is not new is `old`: --against says which of it is id and which ood"
    tables: list[InputTable] = [document["rebuses"], *document["clues"]]
    for table in tables:
        if found := table["formulas"]:
            yield (
                f"{table['name']}: in {counted(found, 'row')} a cell begins with =, +, - or @; "
                "never open it in a spreadsheet"
            )
    if found := document["formulas"]:
        yield f"so does one in {counted(found, 'row')} of what was written"
