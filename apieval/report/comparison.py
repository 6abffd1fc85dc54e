"""The tables that `apieval compare` shows: one a setting and pair, and what it says in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.analysis.comparison_sentences import chance, points
from apieval.analysis.signatures import fingerprint
from apieval.rebus.dataset import SAMPLE, SAMPLE_CALLED
from apieval.rebus.metrics import HEADLINE
from apieval.report.terminal import FIGURE, FINDING_STYLES, number, visible
from apieval.results.comparison import ComparedRun, Comparison, MetricDifference, Pair, Rebuses
from apieval.results.summary import Finding
from apieval.signature import signature
from apieval.wording import counted

_SHOWN: Final = 10
"""So many ids stand below a table; all of them in `--json`."""
_REASONS: Final = {
    "missing_in_a": "missing in A",
    "missing_in_b": "missing in B",
    "missing_in_both": "missing in both",
    "failed_in_a": "failed in A",
    "failed_in_b": "failed in B",
    "failed_in_both": "failed in both",
    "no_common_sample": "no sample of both",
    "other_words": "gold rows that differ",
}
_LEGEND: Final = (
    "B - A, 95 % and MDE: percentage points, micro. p: after Holm over {tests}. MDE, the minimum "
    "detectable effect: the smallest difference that these rebuses show in 4 of 5 cases (80 % power, "
    "5 %, one test alone; approximate for words)."
)


def render(document: Comparison) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a comparison: doubts first, the sentence of each pair last."""
    for each in document["findings"]:
        yield Text(visible(finding(each)), style=FINDING_STYLES[each["level"]])
    runs = len(document["runs"])
    what = f"comparison of {runs} runs, {document['parser']} parser{_on_sample(document)}"
    yield Text(visible(f"\n{what}"), style="bold")
    for pair in document["comparisons"]:
        yield from _pair(pair)
    yield Text("")
    yield Text(_LEGEND.format(tests=counted(document["tests"], "test")), style="dim")
    for run in document["runs"]:
        yield Text(visible(_signed(run)), style="dim")
    if runs > 2:  # noqa: PLR2004 # of two it stands above
        for setting, count in document["common_to_all"].items():
            yield Text(
                f"{setting}: {counted(count, 'rebus', 'rebuses')} common to all", style="dim"
            )


def _on_sample(document: Comparison) -> str:
    """Say that figures are of the package's sample, as the signatures of the runs have it."""
    signed = [parts for run in document["runs"] for parts in run["signatures"].values()]
    if any(parts.get("data", "").rpartition("@")[0] == SAMPLE for parts in signed):
        return f", on {SAMPLE_CALLED} (not the challenge's test set)"
    return ""


def _signed(run: ComparedRun) -> str:
    """Return the short hashes of a run's signatures; `--json` has their parts."""
    marks = [
        f"{setting} {fingerprint(signature(parts))}" for setting, parts in run["signatures"].items()
    ]
    return f"signatures of {run['name']}: {', '.join(marks)}"


def finding(found: Finding) -> str:
    """Return a doubt as one line; a warning is loud."""
    return f"WARNING: {found['text']}" if found["level"] == "warning" else found["text"]


def _pair(pair: Pair) -> Iterator[RenderableType]:
    yield Text(visible(f"\n{pair['setting']}: A = {pair['a']}, B = {pair['b']}"), style="bold")
    yield Text(_common(pair), style="dim")
    if pair["metrics"]:
        yield _table(pair["metrics"])
        fewer = (
            "" if pair["answers_a"] == pair["answers_b"] else " in as many answers, the first ones"
        )
        for side, only in (("a", pair["solved"]["only_a"]), ("b", pair["solved"]["only_b"])):
            yield Text(visible(_only(side, only, fewer)), style="dim")
    yield Text(visible(pair["sentence"]))


def _common(pair: Pair) -> str:
    rebuses = counted(pair["rebuses"], "common rebus", "common rebuses")
    if {pair["answers_a"], pair["answers_b"]} != {pair["rebuses"]}:
        a, b = pair["answers_a"], pair["answers_b"]
        each = f"{pair['answers']:,} answers of each"
        rebuses += f", {each if a == b else f'{a:,} answers of A and {b:,} of B'}"
    why = ", ".join(f"{n:,} {_REASONS[reason]}" for reason, n in pair["left_out"].items() if n)
    total = sum(pair["left_out"].values())
    return f"{rebuses}; {total:,} left out{f': {why}' if why else ''}"


def _table(metrics: Mapping[str, MetricDifference]) -> Table:
    table = Table()
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in ("A", "B", "B - A", "95 %", "p", "MDE"):
        table.add_column(name, justify="right", no_wrap=True)
    for name, found in metrics.items():
        style = "bold" if name == HEADLINE else None
        table.add_row(name.removesuffix("_accuracy"), *_cells(found), style=style)
    return table


def _cells(found: MetricDifference) -> Sequence[str]:
    mde = found["smallest"]
    return (
        number(found["a"]),
        number(found["b"]),
        points(found["difference"]),
        f"{points(found['low'])} {points(found['high'])}",
        chance(found["p_holm"]).removeprefix("= ").replace(" ", ""),
        number(None if mde is None else 100 * mde, 1),
    )


def _only(side: str, solved: Rebuses, fewer: str) -> str:
    ids = solved["ids"]
    more = f" and {len(ids) - _SHOWN:,} more (--json has them)" if ids[_SHOWN:] else ""
    shown = ": " + ", ".join(map(str, ids[:_SHOWN])) if ids else ""
    return f"only {side.upper()} solves {solved['count']:,}{fewer}{shown}{more}"
