"""What `apieval verify` shows: a line a check, below it the first differences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from apieval.analysis.claims import ABSENT, Check, State
from apieval.report.terminal import visible
from apieval.signature import canonical_json
from apieval.wording import counted

_SHOWN: Final = 10
_LONGEST: Final = 100
_STYLES: Final = {State.HOLDS: "", State.FAILS: "bold red", State.UNCHECKED: "dim"}


def render(folder: str, checks: Sequence[Check]) -> Iterator[RenderableType]:
    """Yield every check, what differs in those that fail, and the sentence that sums it up."""
    for each in checks:
        yield Text(visible(f"{each.state.value:10}{each.name}: {each.text}"), _STYLES[each.state])
        for difference in each.differences[:_SHOWN]:
            both = f"{_value(difference.stored)} stored, {_value(difference.remade)} made anew"
            both = "" if difference.stored is difference.remade is ABSENT else f": {both}"
            yield Text(visible(f"            {difference.what}{both}"))
        if (more := len(each.differences) - _SHOWN) > 0:
            yield Text(f"            and {more:,} more (--json has them)", style="dim")
    yield Text(visible(f"{folder}: {_sum(checks)}"), style="bold")


def _value(value: object) -> str:
    if value is ABSENT:
        return "nothing"
    text = canonical_json(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."


def _sum(checks: Sequence[Check]) -> str:
    counts = {state: sum(each.state is state for each in checks) for state in State}
    bad, left = counts[State.FAILS], counts[State.UNCHECKED]
    made = len(checks) - left
    unknown = f"; not checked: {counted(left, 'thing')}, named above" if left else ""
    if bad:
        return f"{bad:,} of {counted(made, 'check')} failed{unknown}"
    if not made:
        return "nothing could be checked"
    reach = ", for a part of the folder only" if left else ""
    return f"{counted(made, 'check')} made, all hold{reach}{unknown}"
