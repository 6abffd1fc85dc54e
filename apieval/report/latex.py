r"""`table.tex`: the six metrics as a paper would print them; `\input` it, with booktabs loaded.

Bold is the best that is shown to be better than every other run; of one run nothing is bold.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.analysis.signatures import fingerprint
from apieval.rebus.columns import ALL
from apieval.rebus.dataset import called
from apieval.rebus.metrics import METRICS, shown_in
from apieval.records import SETTINGS, Setting
from apieval.report import published
from apieval.report.cells import is_partial
from apieval.report.document import Document, ReportedRun
from apieval.report.terminal import visible
from apieval.results.figures import Figure
from apieval.wording import counted

TABLE: Final = "table.tex"
_COLUMNS: Final = len(METRICS) + 1
_NONE: Final = "--"
_PUBLISHED: Final = (
    "published, for reference: another prompt, another test set, no hints; not ranked"
)
_SPECIAL: Final[Mapping[str, str]] = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "\n": " ",
    "\t": " ",
}
_ANY: Final = re.compile("|".join(map(re.escape, _SPECIAL)))


def escaped(text: str) -> str:
    """Return a text of which nothing is a command."""
    return _ANY.sub(lambda found: _SPECIAL[found[0]], visible(text))


def lines(document: Document) -> Iterator[str]:
    """Yield the lines of the table."""
    yield r"% \usepackage{booktabs,textcomp}, \usepackage[T1]{fontenc}; made by apieval"
    yield r"\begin{table*}"
    yield r"\centering"
    yield r"\small"
    yield rf"\caption{{{_caption(document)}}}"
    yield r"\label{tab:rebus}"
    yield r"\setlength{\tabcolsep}{4pt}"
    yield rf"\begin{{tabular}}{{l{'c' * len(METRICS)}}}"
    yield r"\toprule"
    yield _row(["Model", *(each.short for each in METRICS.values())])
    for setting in SETTINGS:
        yield from _setting(document, setting)
    if not document.of_sample:
        yield r"\midrule"
        yield _across(rf"\textit{{{escaped(_PUBLISHED)}}}")
        yield from map(_published, published.ROWS)
    yield r"\bottomrule"
    yield r"\end{tabular}"
    yield r"\par\smallskip\footnotesize"
    yield _note(document)
    yield r"\end{table*}"


def _row(cells: Sequence[str]) -> str:
    # the end of the row above would take these for its own option
    first = "{}" if cells[0].startswith(("[", "*")) else ""
    return f"{first}{' & '.join(cells)} \\\\"


def _across(text: str) -> str:
    return rf"\multicolumn{{{_COLUMNS}}}{{l}}{{{text}}} \\"


def _setting(document: Document, setting: Setting) -> Iterator[str]:
    there = [run for run in document.runs if setting in run.summary["settings"]]
    if not there:
        return
    yield r"\midrule"
    yield _across(rf"\textit{{{escaped(setting)}}}")
    ranked = document.ranked
    for run in sorted(there, key=lambda each: each.name not in ranked):
        yield from _run(run, setting, document.best.get(setting, {}), aside=run.name not in ranked)


def _run(
    run: ReportedRun,
    setting: Setting,
    best: Mapping[str, str],
    *,
    aside: bool,
) -> Iterator[str]:
    """Yield two lines: the figures, and below them their intervals."""
    figures = run.summary["figures"][setting][ALL]["official"]
    found = {m: figures[m]["micro"] for m in shown_in(setting, run.summary["given"])}
    values = [_value(found.get(m), bold=best.get(m) == run.name) for m in METRICS]
    yield _row([escaped(run.name) + (r"\textsuperscript{\dag}" if aside else ""), *values])
    yield _row(["", *(_interval(found.get(m)) for m in METRICS)])


def _value(figure: Figure | None, *, bold: bool) -> str:
    if figure is None or figure["value"] is None:
        return _NONE
    if "at_least" in figure:
        return rf"\textit{{{figure['at_least']:.3f} to {figure['at_most']:.3f}}}"
    said = f"{figure['value']:.3f}"
    return rf"\textbf{{{said}}}" if bold else said


def _interval(figure: Figure | None) -> str:
    if figure is None or figure["low"] is None:
        return ""
    if "at_least" in figure:
        said = _NONE if figure["answered"] is None else f"{figure['answered']:.3f}"
        return rf"{{\scriptsize (bounds; {said} answered)}}"
    return rf"{{\scriptsize [{figure['low']:.3f}, {figure['high']:.3f}]}}"


def _published(row: published.Published) -> str:
    found = dict(zip(published.METRICS, row.figures, strict=True))
    values = [f"{found[metric]:.2f}" if metric in found else _NONE for metric in METRICS]
    return _row([escaped(f"{row.model}, {row.how}"), *values])


def _caption(document: Document) -> str:
    data = {run.summary["data"]["name"]: run.summary["data"]["n"] for run in document.runs}
    told = [f"{counted(n, 'rebus', 'rebuses')} of {called(name)}" for name, n in data.items()]
    return escaped(f"Verbalized rebuses: {'; '.join(told)}. Official parser, micro averages.")


def _note(document: Document) -> str:
    marks = [
        f"{run.name} {setting} {fingerprint(signed['official'])}"
        for run in document.runs
        for setting, signed in run.summary["signatures"].items()
    ]
    partial = {
        is_partial(run.summary, each) for run in document.runs for each in run.summary["settings"]
    }
    told = []
    if False in partial:
        told.append("Square brackets: 95 % intervals (Wilson, or a bootstrap over rebuses).")
    told.append(f"n: {_ns(document)}.")
    if document.of_sample:
        told.append("The package's sample is not the challenge's test set.")
    else:
        told.append(f"Published figures: {published.SOURCE}.")
    if document.best:
        told.append(
            "Bold: shown to be better than every other run (paired tests, p < 0.05 after Holm)."
        )
    if True in partial:
        told.append(
            "Italic: bounds, no intervals: answers are missing, and the figure can still become either; "
            "answered: over those there are."
        )
    dag = (
        r"\textsuperscript{\dag}: a dictionary baseline, or steps were given; not ranked. "
        if _aside(document)
        else ""
    )
    return f"{escaped(' '.join(told))} {dag}{escaped('Signatures: ' + ', '.join(marks) + '.')}"


def _aside(document: Document) -> bool:
    return len(document.ranked) < len(document.runs)


def _ns(document: Document) -> str:
    first = document.runs[0].summary
    figures = next(iter(first["figures"].values()))[ALL]["official"]
    of = {
        "hidden words": figures["word_guess_accuracy"]["micro"]["n"],
        "solution words": figures["solution_word_accuracy"]["micro"]["n"],
        "rebuses": figures["solution_match"]["micro"]["n"],
    }
    return ", ".join(f"{n:,} {what}" for what, n in of.items() if n)
