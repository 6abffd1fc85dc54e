"""What `apieval score --audit` shows: what puts the figures in doubt first, with the first rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from apieval.report.comparison import finding
from apieval.report.terminal import FINDING_STYLES, visible
from apieval.results.summary import Audit

_SHOWN: Final = 10


def render(audit: Audit) -> Iterator[RenderableType]:
    """Yield an audit's findings, warnings first."""
    against = ", ".join(audit.get("against", ()))
    yield Text(visible(f"\naudit{f', against {against}' if against else ''}"), style="bold")
    found = sorted(audit["findings"], key=lambda each: each["level"] != "warning")
    for each in found:
        yield Text(visible(finding(each)), style=FINDING_STYLES[each["level"]])
        if ids := each.get("ids"):
            more = f" and {len(ids) - _SHOWN:,} more (--json has them)" if ids[_SHOWN:] else ""
            rows = ", ".join(map(str, ids[:_SHOWN]))
            yield Text(visible(f"  rows {rows}{more}"), style="dim")
    if not found:
        yield Text("nothing found")
