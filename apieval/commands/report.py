"""A report of runs: gathered from what their folders hold, and written in every form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

from apieval.analysis import comparison_sentences, ranks, run_sentences, variants
from apieval.analysis.pairing import Scored
from apieval.analysis.usage import Spending
from apieval.analysis.variants import over_prompts, steps_alone
from apieval.commands import read_scores
from apieval.commands.compare import NotComparable, of_scored
from apieval.commands.options import FIGURES, ITEMS, Items, Reported
from apieval.commands.report_items import SHOWN, ItemsOf
from apieval.commands.score import dated
from apieval.errors import ConfigError, StoreError
from apieval.rebus.parsers import official
from apieval.records import Outcome
from apieval.report import contents, figures, latex, markdown, tidy_csv
from apieval.report.document import Document, ReportedRun, nameless, places
from apieval.report.files import write_text
from apieval.report.page import packing, writing
from apieval.report.page.packing import Fragment
from apieval.results.answers import RESPONSES
from apieval.results.comparison import Comparison
from apieval.results.folder import HEADER, SCORES, SUMMARY, RunFolder
from apieval.results.folders import PAGE, Say, expanded
from apieval.results.summary import total

FOLDER: Final = "report"
"""Where a report of several runs goes, beside the first of them, unless another folder is named."""
_LATER: Final = ("diagnosis", "format_loss", "gaps", "dependence", "findings")
"""Parts that older versions did not write, of which a report says so."""


def report(
    folders: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    items: Items = "all",
    say: Say | None = None,
) -> Reported:
    """Write the report of one run, or of several side by side, as `evaluate.report` says."""
    if items not in ITEMS:
        raise ConfigError(f"--items {items}: give one of {', '.join(ITEMS)}.")
    where = list(expanded(folders, read_scores.check(official.NAME), say))
    # `results/*` has a report of this command's own among the runs
    where = [each for each in where if each.has(SUMMARY) or not each.has(PAGE)] or where
    runs = named(where)
    shown = None if items == "none" else ItemsOf(runs, data)
    document = gathered(runs, shown)
    view, doubts = _view(document, items, shown, data)
    first = where[0].path
    target = Path(out) if out else first if len(where) == 1 else first.parent / FOLDER
    outline, pictures = contents.outlined(document), figures.draw(document)
    drawn = figures.write(pictures, target / FIGURES)
    links = [(each.title, f"{FIGURES}/{each.name}.svg") for each in pictures]
    texts = {
        PAGE: [writing.written(outline, pictures, view)],
        markdown.REPORT: (f"{line}\n" for line in markdown.lines(outline, links)),
        latex.TABLE: (f"{line}\n" for line in latex.lines(document)),
        tidy_csv.TABLE: (f"{line}\n" for line in tidy_csv.lines(document)),
    }
    files = [write_text(target / name, text) for name, text in texts.items()]
    return Reported((*files, *drawn), (*document.doubts, *doubts))


def _view(
    document: Document, which: Items, shown: ItemsOf | None, data: str | Path | None
) -> tuple[Fragment | None, Sequence[str]]:
    """Return the view of single rebuses, and what could not be had of them or has no room."""
    if shown is None or which == "none":
        return None, ()
    items = shown.items()
    known = [place for run in document.runs for place in places(run)]
    said = [nameless(each, [*known, *([data] if data else [])]) for each in items.doubts]
    made = packing.fragment(replace(items, doubts=said), which)
    return made, (*made.notices, *items.doubts)


def named(folders: Sequence[RunFolder]) -> dict[str, RunFolder]:
    """Return the folders by what they go by in a report.

    Raises:
        ConfigError, StoreError: for no folder, one named twice, and one without scores.
    """
    if not folders:
        raise ConfigError("name at least one run folder.")
    return dict(zip(read_scores.names(folders, official.NAME, least=1), folders, strict=True))


def gathered(folders: Mapping[str, RunFolder], items: ItemsOf | None = None) -> Document:
    """Return what the folders hold, brought together; `items` is shown every answer, too.

    Raises:
        ConfigError, StoreError: naming file and remedy.
    """
    read = [_run(name, folder, items) for name, folder in folders.items()]
    runs, scores = [run for run, _ in read], [each for _, each in read]
    stale = [doubt for run, each in read for doubt in _stale(folders[run.name], each)]
    alike = _alike(scores)
    apart = [each.name for each in scores if each not in alike]
    comparison, doubts = _compared(alike)
    summaries = [run.summary for run in runs]
    every = [each.name for each in alike]
    names = ranks.ranked({run.name: run.summary for run in runs if run.name not in apart})
    document = Document(
        runs=runs,
        apart=apart,
        ranked=names,
        doubts=[*stale, *doubts],
        spread=over_prompts(summaries),
        steps=steps_alone(summaries),
    )
    if comparison is None:
        return document
    ranges = ranks.ranks(comparison, names)
    return replace(
        document,
        comparison=comparison,
        ranks=ranges,
        best=ranks.best(comparison, names),
        sentences=comparison_sentences.sentences(comparison, names if ranges else every, ranges),
    )


def _run(name: str, folder: RunFolder, items: ItemsOf | None) -> tuple[ReportedRun, Scored]:
    """Read a run's files, each once."""
    mine = items.of_run(name) if items else None
    reader = read_scores.Reader(folder, official.NAME)
    for line in folder.scores(SHOWN if mine else (official.NAME,)):
        if line["parser"] == official.NAME:
            reader.take(line)
        if mine:
            mine.take(line)
    if mine:
        mine.end()
    spending, created = Spending(), set[str]()
    there = folder.has(RESPONSES)
    for each in folder.responses() if there else ():
        spending.add(each)
        if each.outcome is not Outcome.FAILED:
            created.add(each.created)
        if mine:
            mine.add(each)
    if items and mine:
        items.add(name, mine)
    scores, summary = reader.scored(name), folder.summary
    changed = variants.of_hints(scores)
    run = ReportedRun(
        name=name,
        folder=folder.path,
        summary=summary,
        header=folder.header if folder.has(HEADER) else None,
        spending=spending.summary() if there else None,
        created=dated(folder.path, created) if there else None,
        effect=changed,
        sentences=run_sentences.of_run(summary, changed),
        lacking=[each for each in _LATER if each in folder.lacking],
    )
    return run, scores


def _stale(folder: RunFolder, scores: Scored) -> Iterator[str]:
    """Say where a folder's files are not of one scoring: figures, scores and answers then differ."""
    name, anew = scores.name, f"`apieval score {folder.path}` writes both anew."
    for setting, outcomes in folder.summary["outcomes"].items():
        n = total(outcomes) - outcomes["not_asked"]
        if (there := sum(map(len, scores.rows.get(setting, {}).values()))) != n:
            yield f"{name}: {SUMMARY} counts {n:,} answers ({setting}), {SCORES} has {there:,}; {anew}"
    said = folder.summary["responses"]
    if said and said["file"] == RESPONSES and folder.has(RESPONSES) and folder.answers_file != said:
        yield f"{name}: {RESPONSES} has changed since it was scored; {anew}"


def _alike(runs: Sequence[Scored]) -> list[Scored]:
    """Return the runs that can stand beside each other: with nothing given, else as the first."""
    given = {each.given for each in runs}
    kind = None if None in given else runs[0].given
    return [each for each in runs if each.given == kind]


def _compared(runs: Sequence[Scored]) -> tuple[Comparison | None, list[str]]:
    if len(runs) == 1:
        return None, []
    try:
        return of_scored(runs, parser=official.NAME), []
    except NotComparable as error:
        return None, [error.reason]
    except StoreError as error:
        return None, [str(error)]
