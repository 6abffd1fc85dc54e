"""Signatures in full, as `apieval score --details` shows them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.console import RenderableType
from rich.text import Text

from apieval.analysis.signatures import fingerprint
from apieval.report.terminal import visible


def view(signatures: Mapping[str, Mapping[str, str]]) -> Iterator[RenderableType]:
    """Yield every signature of a summary, each on a line of its own that can be copied."""
    yield Text("\nsignatures", style="bold")
    for setting, named in signatures.items():
        for parser, text in named.items():
            yield Text(visible(f"{setting}, {parser}, {fingerprint(text)}:"), style="dim")
            yield Text(visible(text))
