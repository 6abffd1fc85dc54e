"""`report.md`: the report as text."""

from __future__ import annotations

from collections.abc import Iterator

from apieval.report.document import Document

REPORT = "report.md"


def lines(document: Document) -> Iterator[str]:
    """Yield the lines of the report."""
    yield f"# Verbalized rebuses: {', '.join(run.name for run in document.runs)}"
