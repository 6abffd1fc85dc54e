"""The table after a run, in 80 columns, with or without color.

In fewer columns names are wrapped and figures stay whole, down to `LEAST` columns. Combining marks
piled up by the thousand are cut.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Final

from rich.cells import cell_len, set_cell_size
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from apieval.analysis.findings import UNNAMED
from apieval.analysis.signatures import fingerprint
from apieval.rebus.dataset import called
from apieval.rebus.metrics import HEADLINE, shown_in
from apieval.records import Setting
from apieval.results.figures import Both, DiagnosisShares, Figure
from apieval.results.summary import Outcomes, Summary, each_of
from apieval.wording import counted

_UNSEEN: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Control characters but tab and line feed, line separators, marks and overrides of direction, and
halves of characters, which no file can hold."""
LEAST: Final = 64
FIGURE: Final = 5
"""The width of a figure, as 0.555."""
FINDING_STYLES: Final = {"warning": "bold yellow", "note": "dim"}
_SHOWN_AS: Final = {"not_asked": "not requested"}
_OFFICIAL: Final = "official"
_TOLERANT: Final = "tolerant"
_LENIENT: Final = "tolerant-lenient"
_ALL: Final = "all"
_PLACES: Final = 3
"""How many places where answers broke fit into a line of 80 with a fourth for the rest."""
_WHOLE: Final = ("micro", "95 %", "macro", "n")
_PARTIAL: Final = ("at least", "at most", "of answered", "n")
_OF_SUBSETS: Final = ("word_guess_accuracy", "first_pass_accuracy", HEADLINE)


def visible(text: str) -> str:
    """Return a text with nothing in it that moves the cursor, colours, or turns the direction.

    Names and messages may come from a hostile server or file; such characters show as escapes.
    """
    return _UNSEEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def shortened(name: str, width: int) -> str:
    """Return a name in so many cells of a terminal, made visible: beginning and end, not the middle.

    Names of one family differ at their end.
    """
    name = visible(name)
    if cell_len(name) <= width:
        return name
    end = ""
    for character in reversed(name):
        if cell_len(end + character) > width // 2:
            break
        end = character + end
    return set_cell_size(name, width - 1 - cell_len(end)).rstrip() + "…" + end


def number(value: float | None, places: int = 3) -> str:
    """Return a figure for people; what there is no figure of is a dash."""
    return "-" if value is None else f"{value:.{places}f}"


def label(summary: Summary) -> str:
    """Return what tells a run from others: its model, and its prompt where it is another."""
    prompt, given = summary.get("prompt") or {}, summary.get("given")
    named = [str(prompt["name"])] if prompt.get("official") is False else []
    told = ", ".join([*named, *([f"given {given}"] if given else [])])
    return f"{summary['model']} ({told})" if told else str(summary["model"])


def render(summary: Summary, model: str, *, hint: bool = True) -> Iterator[RenderableType]:
    """Yield what a terminal shows of a summary: a title, a table a setting, the subsets.

    `hint` says where the signatures stand in full, to whoever does not see them so below.
    """
    data = summary["data"]
    rebuses = counted(data["n"], "rebus", "rebuses")
    what = visible(f"{model} on {called(data['name'])}, {rebuses}, official parser")
    yield Text(f"\n{what}", style="bold")
    if (served := _served(summary)) not in {None, model}:
        yield Text(visible(f"served as {served}"), style="dim")
    if summary["given"]:
        said = f"GIVEN {summary['given']}: the answers begin with these correct steps"
        yield Text(said, style="bold yellow")
    if summary["prompt"]["official"] is False:
        said = f"prompt {summary['prompt']['name']}, not the challenge's own"
        yield Text(visible(said), style="bold yellow")
    if summary["partial"]:
        yield Text(
            "PARTIAL: answers are missing. Every figure lies between at least and at most; "
            "of answered covers the existing answers (micro).",
            style="bold yellow",
        )
    for setting in summary["settings"]:
        yield _metrics(summary, setting)
        yield Text(_outcomes(summary["outcomes"][setting]), style="dim")
        if _TOLERANT in summary["figures"][setting][_ALL]:
            yield Text(_format_loss(summary["figures"][setting][_ALL]), style="dim")
        if broke := broke_first((summary["diagnosis"] or {}).get(setting)):
            yield Text(broke, style="dim")
    if _subset_names(summary):
        yield _subsets(summary)
    for finding in summary["findings"]:
        yield Text(visible(finding["text"]), style=FINDING_STYLES[finding["level"]])
    more = " (score --details: in full)" if hint else ""
    yield Text(_signed(summary["signatures"]) + more, style="dim")


def _signed(signatures: Mapping[Setting, Mapping[str, str]]) -> str:
    """Return the short hashes of the signatures of what is shown: equal where the set-up is."""
    marks = [f"{setting} {fingerprint(named[_OFFICIAL])}" for setting, named in signatures.items()]
    return f"signatures: {', '.join(marks)}"


def _served(summary: Summary) -> str | None:
    """Return the one name that servers gave the model; several are a finding."""
    names = [name for name in (summary["served"] or {}).get("served_model", ()) if name != UNNAMED]
    return names[0] if len(names) == 1 else None


def _metrics(summary: Summary, setting: Setting) -> Table:
    """Return a setting's table; where answers are missing, bounds stand in for figures."""
    figures = summary["figures"][setting][_ALL][_OFFICIAL]
    partial = "at_least" in figures[HEADLINE]["micro"]
    table = Table(title=Text(setting), title_justify="left", title_style="bold")
    table.add_column("metric", overflow="fold", min_width=FIGURE)
    for name in _PARTIAL if partial else _WHOLE:
        table.add_column(name, justify="right", no_wrap=True)
    for name in shown_in(setting, summary["given"]):
        micro, macro = figures[name]["micro"], figures[name]["macro"]
        cells = _bounds(micro) if partial else _sure(micro, macro)
        table.add_row(name, *cells, f"{micro['n']:,}", style="bold" if name == HEADLINE else None)
    return table


def _bounds(micro: Figure) -> list[str]:
    return [number(micro[name]) for name in ("at_least", "at_most", "answered")]


def _sure(micro: Figure, macro: Figure) -> list[str]:
    low, high = micro["low"], micro["high"]
    interval = "-" if low is None else f"{number(low)}-{number(high)}"
    return [number(micro["value"]), interval, number(macro["value"])]


def _subset_names(summary: Summary) -> list[str]:
    first = summary["figures"][summary["settings"][0]]
    return [name for name in first if name != _ALL]


def _subsets(summary: Summary) -> Table:
    title = "by subset, micro" + ", of answered" * bool(summary["partial"])
    table = Table(title=Text(title), title_justify="left", title_style="bold")
    table.add_column("setting", no_wrap=True)
    table.add_column("subset", overflow="fold")
    for name in _OF_SUBSETS:
        header = name.removesuffix("_accuracy")
        table.add_column(header, justify="right", overflow="fold", min_width=FIGURE)
    table.add_column("requested" if summary["partial"] else "n", justify="right", no_wrap=True)
    for setting in summary["settings"]:
        for subset in _subset_names(summary):
            figures = summary["figures"][setting][subset][_OFFICIAL]
            cells = [number(_of_answered(figures[name]["micro"])) for name in _OF_SUBSETS]
            n = figures[HEADLINE]["micro"]["n"]
            table.add_row(Text(setting), Text(visible(subset)), *cells, f"{n:,}")
    return table


def _of_answered(micro: Figure) -> float | None:
    """Return a share of the answers there are: what is missing must not look like a zero."""
    return micro.get("answered", micro["value"])


def _format_loss(figures: Mapping[str, Mapping[str, Both]]) -> str:
    """Return what every parser finds solved; over the answers there are, where some are missing."""
    solved = {
        parser: _of_answered(figures[parser][HEADLINE]["micro"])
        for parser in (_OFFICIAL, _TOLERANT, _LENIENT)
    }
    shown = ", ".join(
        f"{parser.removeprefix('tolerant-')} {number(value)}" for parser, value in solved.items()
    )
    before, after = solved[_OFFICIAL], solved[_TOLERANT]
    loss = None if before is None or after is None else after - before
    if "answered" in figures[_OFFICIAL][HEADLINE]["micro"]:
        return f"solved of answered: {shown}; loss {number(loss)}"  # in 80 columns
    return f"solved: {shown}; format loss {number(loss)}"


def broke_first(cells: Mapping[str, DiagnosisShares] | None) -> str:
    """Return where answers broke first, the three most frequent places; nothing where none did."""
    shares = dict(cells[_ALL]["broke_first"]) if cells else {}
    shares.pop("solved", None)
    broken = {step: share["value"] for step, share in shares.items() if share["value"]}
    most = sorted(broken, key=lambda step: -broken[step])
    told = [f"{step.replace('_', ' ')} {_percent(broken[step])}" for step in most[:_PLACES]]
    if rest := most[_PLACES:]:
        told.append(f"other {_percent(sum(broken[step] for step in rest))}")
    return f"first error: {', '.join(told)}" if told else ""


def _percent(share: float) -> str:
    """Return a share in percent; what there is some of is not nothing."""
    whole = round(100 * share)
    return f"{whole} %" if whole else "< 1 %"


def _outcomes(counts: Outcomes) -> str:
    shown = ", ".join(
        f"{_SHOWN_AS.get(name, name)} {count:,}" for name, count in each_of(counts) if count
    )
    return f"answers: {shown or 'none'}"


KEPT: Final = 4
"""Marks that a letter keeps; no language puts more on one."""
_FIRST: Final = "\u0300"
_LAST: Final = 0x1E950
"""Behind all marks; selectors of variants, further on, are shown as escapes."""


def unpiled(text: str) -> str:
    """Return a text in which no letter has more than a few marks; how many there were is told."""
    if text.isascii() or max(text) < _FIRST:
        return text
    return _piled().sub(lambda found: f"{found[1]}[+{len(found[2]):,} marks]", text)


@cache
def _piled() -> re.Pattern[str]:
    marks = [c for c in map(chr, range(ord(_FIRST), _LAST)) if unicodedata.category(c)[0] == "M"]
    some = f"[{''.join(marks)}]"
    return re.compile(f"({some}{{{KEPT}}})({some}+)")
