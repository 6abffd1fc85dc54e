"""What the answers were and what they took: outcomes, tokens, cost, time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from apieval.records import Setting
from apieval.report.cells import MISSING, NONE, OUTCOMES, count, dollars, seconds, shorter
from apieval.report.cells import SETTINGS as _SETTINGS
from apieval.report.document import ReportedRun
from apieval.report.outline import Cell, Column, Row, Table
from apieval.results.comparison import SettingUsage
from apieval.results.header import Header
from apieval.results.summary import Sum, UsageTotals, each_of
from apieval.run.cost import FREE, Spent


def outcomes(run: ReportedRun) -> Table:
    """Return how the answers of each setting came out."""
    by_setting = [dict(each_of(counts)) for counts in run.summary["outcomes"].values()]
    seen = [name for name in OUTCOMES if any(each[name] for each in by_setting)]
    rows = [
        Row([Cell(OUTCOMES[name]), *(count(each[name]) for each in by_setting)]) for name in seen
    ]
    columns = [Column("answers", figures=False), *map(Column, run.summary["outcomes"])]
    return Table("Outcomes", columns, rows)


def taken(run: ReportedRun) -> list[tuple[str, str]]:
    """Return tokens, cost and time of a run, as far as they are known."""
    usage = run.summary["usage"]
    if not usage:
        return []
    found = [
        ("Prompt tokens", _tokens(usage, usage["prompt_tokens"])),
        ("Completion tokens", _tokens(usage, usage["completion_tokens"])),
        ("of these, reasoning", _tokens(usage, usage["reasoning_tokens"])),
        ("Cached prompt tokens", _tokens(usage, usage["cached_tokens"])),
    ]
    found = [each for each in found if each[1] != MISSING] or [("Tokens", MISSING)]
    found.append(("Cost", _cost(usage, run.header)))
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
    header = run.header
    return header["took_s"] if header and header.get("commands") else None


def _commands(run: ReportedRun) -> str:
    n = len(run.header.get("commands", ())) if run.header else 0
    return "all of it in one command" if n == 1 else f"{n:,} commands together"


def _latency(spending: Mapping[Setting, SettingUsage] | None) -> list[tuple[str, str]]:
    """Return how long an answer took in each setting, of those that were asked for."""
    told = [
        f"{_SETTINGS.get(setting, setting)} {seconds(found['quantiles']['0.5'])}, 95th percentile "
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
    usage, took = run.summary["usage"], _took_s(run)
    cells = [
        count(usage["answers"] if usage else None),
        Cell(_sum(usage["prompt_tokens"]) if usage else NONE),
        Cell(_sum(usage["completion_tokens"]) if usage else NONE),
        Cell(_cost(usage, run.header) if usage else NONE),
        Cell(NONE if took is None else seconds(took)),
    ]
    return Row([Cell(run.name), *cells])


def _sum(found: Sum) -> str:
    return NONE if found["sum"] is None else shorter(found["sum"])


def _tokens(usage: UsageTotals, found: Sum) -> str:
    if found["sum"] is None:
        return MISSING
    known = found["known_for"]
    mean = f", {found['sum'] / known:,.0f} per answer" if known else ""
    part = f" (of {known:,} of {usage['answers']:,} answers)" if known < usage["answers"] else ""
    return f"{found['sum']:,}{mean}{part}"


def _cost(usage: UsageTotals, header: Header | None) -> str:
    """Return what a run has cost by its own account; without one, what its answers did."""
    if header and (spent := header["spent"]):
        whole = Spent(**spent)
        return FREE if header["price"] is None and whole == Spent() else str(whole)
    found = usage["cost_usd"]
    part = found["sum"] is not None and found["known_for"] < usage["answers"]
    more = f", known for {found['known_for']:,} of {usage['answers']:,} answers" if part else ""
    return f"{dollars(found['sum'])}{more}"
