"""`report.md`: the outline as GitHub shows it; every text is escaped, so that none is markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from typing import Final

from apieval.report.outline import Alert, Cell, Group, Outline, Row, Section, Table
from apieval.report.terminal import unpiled, visible

REPORT: Final = "report.md"
_MARKUP: Final = re.compile(r"([\\`*_\[\]|~$])")
"""What is markup within a line; no text stands at the beginning of one."""


def lines(outline: Outline, pictures: Sequence[tuple[str, str]] = ()) -> Iterator[str]:
    """Yield the lines of the report; `pictures` are titles and the files' names, from here."""
    yield f"# {escaped(outline.title)}"
    yield ""
    yield escaped("; ".join(outline.lead))
    for level, title in (
        ("warning", "Warnings"),
        ("note", "Notes"),
    ):
        yield from _alerts(title, [each for each in outline.alerts if each.level == level])
    for section in outline.sections:
        if section.slot == "figures":
            yield from _pictures(section.title, pictures)
        elif section.slot is None:
            yield from _section(section, "##")
    yield ""
    yield "---"
    for credit in outline.credits:
        yield ""
        yield escaped(credit)


def escaped(text: str) -> str:
    """Return a text of which nothing is markup, on one line."""
    seen = unpiled(visible(text)).replace("\n", " ").replace("\t", " ")
    return html.escape(_MARKUP.sub(r"\\\1", seen), quote=False)


def _alerts(title: str, alerts: Sequence[Alert]) -> Iterator[str]:
    if not alerts:
        return
    yield ""
    yield f"**{title}**"
    yield ""
    for each in alerts:
        about = f"**{escaped(each.about)}**: " if each.about else ""
        yield f"- {about}{escaped(each.text)}"


def _pictures(title: str, pictures: Sequence[tuple[str, str]]) -> Iterator[str]:
    if not pictures:
        return
    yield ""
    yield f"## {title}"
    for name, path in pictures:
        yield ""
        yield f"![{escaped(name)}]({path})"


def _section(section: Section, level: str) -> Iterator[str]:
    yield ""
    yield f"{level} {escaped(section.title)}"
    for paragraph in section.paragraphs:
        yield ""
        yield escaped(paragraph)
    pairs = [*section.sentences, *section.facts]
    if pairs:
        yield ""
    for name, text in pairs:
        yield f"- **{escaped(name)}**: {escaped(text)}"
    for table in section.tables:
        yield from _table(table)
    for part in section.parts:  # each is one that a page folds
        yield ""
        yield f"<details><summary>{html.escape(visible(part.title))}</summary>"
        yield from list(_section(part, level + "#"))[2:]
        yield ""
        yield "</details>"


def _table(table: Table) -> Iterator[str]:
    yield ""
    yield f"**{escaped(table.caption)}**"
    yield ""
    names = [", ".join(filter(None, (each.group, each.name))) for each in table.columns]
    yield _row(map(escaped, names))
    yield _row("---:" if each.figures else "---" for each in table.columns)
    for row in table.rows:
        if isinstance(row, Group):
            yield _row([f"*{escaped(row.text)}*", *("" for _ in table.columns[1:])])
        else:
            yield _row(_cells(row))
    if table.note:
        yield ""
        yield escaped(table.note)


def _row(cells: Iterator[str] | Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cells(row: Row) -> Iterator[str]:
    for at, cell in enumerate(row.cells):
        text = _cell(cell)
        strong = cell.strong or (row.strong and not at)
        yield f"**{text}**" if strong and cell.text else text


def _cell(cell: Cell) -> str:
    return f"{escaped(cell.text)} ({escaped(cell.detail)})" if cell.detail else escaped(cell.text)
