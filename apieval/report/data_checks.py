"""What `apieval data verify` shows: the rules that are broken, then where, errors before warnings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.rebus.rules import LEVELS
from apieval.report.terminal import FINDING_STYLES, visible
from apieval.results.data import DataCheck, DataDocument, RuleCount
from apieval.wording import counted

SHOWN: Final = {"error": 10, "warning": 2}
"""Findings of a rule that stand below the table; all of them in `--json`."""
_STYLES: Final = {"error": "bold red", "warning": FINDING_STYLES["warning"]}
_LONGEST: Final = 300


def render(document: DataCheck) -> Iterator[RenderableType]:
    """Yield a title, a table of the broken rules, and the findings in words."""
    yield Text(visible(title(document)), style="bold")
    broken = {name: rule for name, rule in document["rules"].items() if rule["findings"]}
    if broken:
        yield _table(broken)
    for level in LEVELS:
        for name, rule in broken.items():
            if rule["level"] == level:
                yield from _findings(document, name, level)
    yield Text(_verdict(document), style="bold red" if document["errors"] else "bold")


def title(document: DataDocument) -> str:
    """Return what was looked at, in a line."""
    data, against = document["data"], document["against"]
    beside = f", against {against['name']} ({counted(against['rows'], 'row')})" if against else ""
    return f"{data['name']}, {counted(data['rows'], 'row')}{beside}"


def _table(broken: Mapping[str, RuleCount]) -> Table:
    table = Table()
    table.add_column("level", no_wrap=True)
    table.add_column("rule", no_wrap=True)
    table.add_column("found", justify="right", no_wrap=True)
    table.add_column("says", overflow="fold")
    for level in LEVELS:
        for name, rule in broken.items():
            if rule["level"] == level:
                row = (level, name, f"{rule['findings']:,}", rule["says"])
                table.add_row(*row, style=_STYLES[level] if level == "error" else None)
    return table


def _findings(document: DataCheck, name: str, level: str) -> Iterator[Text]:
    listed = [finding for finding in document["findings"] if finding["rule"] == name]
    for finding in listed[: SHOWN[level]]:
        text = finding["text"]
        shown = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
        where = f"row {finding['row']}, line {finding['line']}"
        yield Text(visible(f"{level} {name}, {where}: {shown}"), style=_STYLES[level])
    left = document["rules"][name]["findings"] - len(listed[: SHOWN[level]])
    if left:
        yield Text(f"  and {left:,} more of {name} (--json lists them)", style="dim")


def _verdict(document: DataCheck) -> str:
    errors = counted(document["errors"], "error"), counted(document["rows_with_errors"], "row")
    warned = (
        counted(document["warnings"], "warning"),
        counted(document["rows_with_warnings"], "row"),
    )
    return ", ".join(f"{found} in {rows}" for found, rows in (errors, warned))
