"""What `apieval score --details` shows below the metrics: a view for each part of `details`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rich.console import RenderableType

from apieval.report import dependence, diagnosis, format_loss, gaps, samples, signatures

View = Callable[[Any], Iterator[RenderableType]]

VIEWS: Final[Mapping[str, View]] = {
    "format_loss": format_loss.render,
    "along_key": format_loss.along_key,
    "diagnosis": diagnosis.view,
    "gaps": gaps.render,
    "dependence": dependence.render,
    "over_samples": samples.render,
    "signatures": signatures.view,
}
"""By the part's name in `summary.json`; each is given what stands there."""


def render(summary: Mapping[str, Any]) -> Iterator[RenderableType]:
    """Yield what a terminal shows of all parts that a summary has."""
    for name, view in VIEWS.items():
        if name in summary:
            yield from view(summary[name])
