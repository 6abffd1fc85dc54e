"""Many checks side by side, in 80 columns and without colour."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.report.terminal import visible
from apieval.run.steps import Check, Mark

WIDTH: Final = 80
_NOTHING: Final = "-"
_NO_KEY: Final = "no key"

Facts = Mapping[str, Any]


def table(checks: Sequence[Check]) -> Iterator[RenderableType]:
    """Yield a table of checks, and below it what is wrong with each."""
    found = Table(box=None, pad_edge=False, padding=(0, 1, 0, 0))
    found.add_column("model", overflow="fold", min_width=14)
    for name in ("key", "up", "answer", "right"):
        found.add_column(name, no_wrap=True)
    found.add_column("served by", overflow="fold", min_width=9)
    for name in ("s", "tokens", "USD", "run\nUSD"):
        found.add_column(name, justify="right", no_wrap=True)
    for each in checks:
        found.add_row(*(Text(visible(cell)) for cell in _row(each)))
    yield found
    yield from map(Text, _remarks(checks))


def _remarks(checks: Sequence[Check]) -> Iterator[str]:
    lacking: dict[str, list[str]] = {}
    for each in checks:
        if _key(each) == _NO_KEY:
            lacking.setdefault(each.facts("key")["variable"], []).append(each.model)
            continue
        for step in each.steps:
            for mark, remarks in ((Mark.FAILED, step.faults), (Mark.WARNING, step.warnings)):
                for said in remarks:
                    yield "\n".join(_wrapped(f"{mark}: {each.model}: {visible(said)}"))

    for variable, models in lacking.items():
        yield "\n".join(_wrapped(f"{Mark.FAILED}: {variable} is not set: {', '.join(models)}"))


def _wrapped(text: str) -> list[str]:
    return textwrap.wrap(
        text, WIDTH, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _row(check: Check) -> Iterator[str]:
    reply, run = check.facts("reply"), check.facts("forecast")
    yield check.model
    yield _key(check)
    yield _yes_or_no(reply.get("reached"))
    yield reply.get("outcome", _NOTHING)
    yield _yes_or_no(check.facts("parse").get("right"))
    yield _served(check, reply)
    yield f"{reply['latency_s']:.2f}" if reply else _NOTHING
    yield _tokens(reply.get("usage"))
    yield _usd(reply.get("cost_usd"), 5)
    yield _usd(run.get("usd"), 2)


def _key(check: Check) -> str:
    facts = check.facts("key")
    if not facts or facts["variable"] is None:
        return _NOTHING
    if not facts["set"]:
        return _NO_KEY
    return "set" if facts["sent"] else "bad"


def _yes_or_no(known: bool | None) -> str:  # noqa: FBT001 # it is what is shown
    return _NOTHING if known is None else "yes" if known else "no"


def _served(check: Check, reply: Facts) -> str:
    """Return which model answered; `same` where it goes by the name that was asked for."""
    served: str | None = reply.get("served_model")
    return "same" if served == check.facts("configuration").get("model") else served or _NOTHING


def _tokens(usage: Facts | None) -> str:
    if usage is None:
        return _NOTHING
    counts = (usage["prompt_tokens"], usage["completion_tokens"])
    return "+".join("?" if each is None else str(each) for each in counts)


def _usd(usd: float | None, places: int) -> str:
    return _NOTHING if usd is None else f"{usd:,.{places}f}"
