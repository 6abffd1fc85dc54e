"""What the answers were and what they took: outcomes, tokens, cost, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from apieval.report.cells import MISSING, NONE, OUTCOMES, count, dollars, seconds, shorter
from apieval.report.cells import SETTINGS as _SETTINGS
from apieval.report.document import ReportedRun
from apieval.report.outline import Cell, Column, Row, Table
from apieval.run.cost import FREE, Spent

_TOKENS: Final = {
    "prompt_tokens": "Prompt tokens",
    "completion_tokens": "Completion tokens",
    "reasoning_tokens": "of these, reasoning",
    "cached_tokens": "Cached prompt tokens",
}


def outcomes(run: ReportedRun) -> Table:
    """Return how the answers of each setting came out."""
    by_setting = run.summary["outcomes"]
    seen = [name for name in OUTCOMES if any(each.get(name) for each in by_setting.values())]
    rows = [
        Row([Cell(OUTCOMES[name]), *(count(each.get(name, 0)) for each in by_setting.values())])
        for name in seen
    ]
    columns = [Column("answers", figures=False), *map(Column, by_setting)]
    return Table("How the answers came out", columns, rows)


def taken(run: ReportedRun) -> list[tuple[str, str]]:
    """Return tokens, cost and time of a run, as far as they are known."""
    usage = run.summary["usage"]
    if not usage:
        return []
    found = [(shown, _tokens(usage, name)) for name, shown in _TOKENS.items()]
    found = [each for each in found if each[1] != MISSING] or [("Tokens", MISSING)]
    found.append(("Cost", _cost(usage, run.header or {})))
    found += _latency(run.spending)
    if usage.get("from_cache"):
        found.append(("From the cache", f"{usage['from_cache']:,} of {usage['answers']:,} answers"))
    if (took := _took_s(run)) is not None:
        found.append(("Time", f"{seconds(took)}, {_commands(run)}"))
    return found


def _took_s(run: ReportedRun) -> float | None:
    """Return how long all commands of a run took, None where that is not known.

    Version 0.1 wrote down the last one's time alone.
    """
    header = run.header or {}
    return header.get("took_s") if header.get("commands") else None


def _commands(run: ReportedRun) -> str:
    n = len((run.header or {}).get("commands") or ())
    return "all of it in one command" if n == 1 else f"{n:,} commands together"


def _latency(spending: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """Return how long an answer took in each setting, of those that were asked for."""
    told = [
        f"{_SETTINGS.get(setting, setting)} {seconds(found['quantiles']['0.5'])}, of 95 in 100 at most "
        f"{seconds(found['quantiles']['0.95'])}"
        for setting, each in (spending or {}).items()
        if (found := each["latency_s"])["n"]
    ]
    return [("Latency, median", "; ".join(told))] if told else []


def taken_by_all(runs: Sequence[ReportedRun]) -> Table:
    """Return what every run took, a row each."""
    columns = [
        Column("run", figures=False),
        *map(Column, ("answers", "prompt tokens", "completion tokens", "cost", "time")),
    ]
    return Table("Tokens, cost and time", columns, [_row(run) for run in runs])


def _row(run: ReportedRun) -> Row:
    usage, took = run.summary["usage"] or {}, _took_s(run)
    cells = [
        count(usage.get("answers")),
        *(Cell(_sum(usage.get(name))) for name in ("prompt_tokens", "completion_tokens")),
        Cell(_cost(usage, run.header or {}) if usage else NONE),
        Cell(NONE if took is None else seconds(took)),
    ]
    return Row([Cell(run.name), *cells])


def _sum(found: Mapping[str, Any] | None) -> str:
    return NONE if not found or found["sum"] is None else shorter(found["sum"])


def _tokens(usage: Mapping[str, Any], name: str) -> str:
    found = usage.get(name) or {"sum": None, "known_for": 0}
    if found["sum"] is None:
        return MISSING
    known = found["known_for"]
    mean = f", {found['sum'] / known:,.0f} an answer" if known else ""
    part = f" (of {known:,} of {usage['answers']:,} answers)" if known < usage["answers"] else ""
    return f"{found['sum']:,}{mean}{part}"


def _cost(usage: Mapping[str, Any], header: Mapping[str, Any]) -> str:
    """Return what a run has cost by its own account; without one, what its answers did."""
    spent = header.get("spent")
    if spent:
        whole = Spent(*(spent[name] for name in Spent._fields))
        return FREE if header.get("price") is None and whole == Spent() else str(whole)
    found = usage.get("cost_usd") or {"sum": None, "known_for": 0}
    part = found["sum"] is not None and found["known_for"] < usage["answers"]
    more = f", known for {found['known_for']:,} of {usage['answers']:,} answers" if part else ""
    return f"{dollars(found['sum'])}{more}"
