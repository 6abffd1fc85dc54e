"""What a terminal shows of the parts of `details`, made as `apieval score` makes them."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.table import Table

from apieval.analysis.setup import Measured
from apieval.commands.score import write
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Rebus
from tests.analysis.answers import SETTING
from tests.records import dataset


def summary(
    rebuses: Iterable[Rebus],
    answers: Iterable[ScoredAnswer],
    **changes: Any,  # noqa: ANN401 # any field
) -> dict[str, Any]:
    plain: dict[str, Any] = {"settings": [SETTING], **changes}
    measured = Measured("my-llama", dataset([*rebuses]).select(), **plain)
    return {**write(None, measured, answers, None)}


def shown(renderables: Iterable[RenderableType], width: int = 80) -> str:
    """Return what a terminal of 80 columns shows; no table may be wider."""
    stream = io.StringIO()
    console = Console(file=stream, width=width, markup=True, highlight=False)
    for each in renderables:
        console.print(each, soft_wrap=not isinstance(each, Table))
    text = stream.getvalue()
    framed = [line for line in text.splitlines() if line[:1] in set("┏┃┡│├└")]
    assert all(cell_len(line) <= width for line in framed)
    return text


def cells(text: str, name: str) -> list[str]:
    """Return the cells of the row of that name, which is there once."""
    [line] = [each for each in text.splitlines() if each.startswith(f"│ {name} ")]
    return [cell.strip() for cell in line.split("│")[1:-1]]


def rows_of(text: str) -> list[list[str]]:
    """Return the cells of all rows but of those that say how sure the ones above are."""
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in text.splitlines()]
    return [each for each in rows if each and "±" not in "".join(each)]
