"""A report of runs: gathered from what their folders hold, and written in every form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any, Final

from apieval.analysis import comparison_sentences, ranks, run_sentences, variants
from apieval.analysis.pairing import Scored
from apieval.analysis.usage import Spending
from apieval.analysis.variants import over_prompts, steps_alone
from apieval.commands import report_items, run_folders, shapes
from apieval.commands.compare import NotComparable, of_scored
from apieval.commands.options import FIGURES, ITEMS, Items, Reported
from apieval.commands.read_scores import read_all
from apieval.commands.score import dated, source
from apieval.commands.verify_files import read_summary
from apieval.errors import ConfigError, StoreError
from apieval.files import is_there
from apieval.rebus.parsers import official
from apieval.records import Outcome
from apieval.report import contents, figures, latex, markdown, tidy_csv
from apieval.report.document import Document, ReportedRun, nameless, places
from apieval.report.files import PAGE, SCORES, SUMMARY, write_text
from apieval.report.page import packing, writing
from apieval.report.page.packing import Fragment
from apieval.results.answers import RESPONSES
from apieval.results.folder import RunFolder
from apieval.run import header

FOLDER: Final = "report"
"""Where a report of several runs goes, beside the first of them, unless another folder is named."""
_LATER: Final[Mapping[str, Any]] = {
    "diagnosis": None,
    "format_loss": None,
    "gaps": {},
    "dependence": None,
    "findings": [],
}
"""What older versions did not write, and what stands for nothing of it."""
_PLAIN: Final[Mapping[str, Any]] = {
    "samples": 1,
    "prompt": {"name": None, "official": None},
    "given": None,
    "usage": None,
    "served": None,
    "coverage": None,
    "over_samples": None,
}


def report(
    folders: Sequence[str | Path],
    out: str | Path | None = None,
    *,
    data: str | Path | None = None,
    items: Items = "all",
    say: run_folders.Say | None = None,
) -> Reported:
    """Write the report of one run, or of several side by side, as `evaluate.report` says."""
    if items not in ITEMS:
        raise ConfigError(f"--items {items}: give one of {', '.join(ITEMS)}.")
    check = run_folders.with_scores(official.NAME)
    where = _runs(list(run_folders.expanded(folders, check, say)))
    document = gathered(where)
    view, doubts = _view(document, items, data)
    target = Path(out) if out else where[0] if len(where) == 1 else where[0].parent / FOLDER
    with _readable(where):
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


def _runs(folders: Sequence[Path]) -> Sequence[Path]:
    """Return the folders without one of this verb's own: `results/*` has it among the runs."""
    runs = [each for each in folders if not _is_report(each)]
    return runs or folders


def _is_report(folder: Path) -> bool:
    return (folder / PAGE).exists() and not (folder / SUMMARY).exists()


def _view(
    document: Document, which: Items, data: str | Path | None
) -> tuple[Fragment | None, Sequence[str]]:
    """Return the view of single rebuses, and what could not be had of them or has no room."""
    if which == "none":
        return None, ()
    items = report_items.gathered(document.runs, data)
    known = [place for run in document.runs for place in places(run)]
    said = [nameless(each, [*known, *([data] if data else [])]) for each in items.doubts]
    made = packing.fragment(replace(items, doubts=said), which)
    return made, (*made.notices, *items.doubts)


def gathered(folders: Sequence[Path]) -> Document:
    """Return what the folders hold, brought together.

    Raises:
        ConfigError, StoreError: naming file and remedy.
    """
    if not folders:
        raise ConfigError("name at least one run folder.")
    scored = read_all(folders, official.NAME, least=1)
    runs = [_run(each, folder) for each, folder in zip(scored, folders, strict=True)]
    with _readable(folders):
        stale = [each for both in zip(runs, scored, strict=True) for each in _stale(*both)]
    alike = _alike(scored)
    apart = [each.name for each in scored if each not in alike]
    comparison, doubts = _compared(alike)
    summaries = [run.summary for run in runs]
    with _readable(folders):
        spread, steps = over_prompts(summaries), steps_alone(summaries)
    every = [each.name for each in alike]
    names = ranks.ranked({run.name: run.summary for run in runs if run.name not in apart})
    document = Document(
        runs=runs,
        apart=apart,
        ranked=names,
        doubts=[*stale, *doubts],
        spread=spread,
        steps=steps,
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


def _run(scored: Scored, folder: Path) -> ReportedRun:
    found = read_summary(folder) or {}
    summary = {**_PLAIN, **_LATER, **found}
    changed, (spending, created) = variants.of_hints(scored), _spending(folder)
    with _readable([folder]):
        sentences = run_sentences.of_run(summary, changed)
    return ReportedRun(
        name=scored.name,
        folder=folder,
        summary=summary,
        header=_header(folder),
        spending=spending,
        created=created,
        effect=changed,
        sentences=sentences,
        lacking=[name for name in _LATER if name not in found],
    )


def _header(folder: Path) -> dict[str, Any] | None:
    """Return the header of a run, None of scores elsewhere."""
    if (found := header.read(folder)) is not None:
        shapes.refuse_other(shapes.Header, found, folder / header.HEADER, "mend it.")
    return found


def _stale(run: ReportedRun, scored: Scored) -> Iterator[str]:
    """Say where a folder's files are not of one scoring: figures, scores and answers then differ."""
    anew = f"`apieval score {run.folder}` writes both anew."
    for setting, outcomes in run.summary["outcomes"].items():
        n = sum(outcomes.values()) - outcomes["not_asked"]
        if (there := sum(map(len, scored.rows.get(setting, {}).values()))) != n:
            yield f"{run.name}: {SUMMARY} counts {n:,} answers ({setting}), {SCORES} has {there:,}; {anew}"
    said = run.summary.get("responses") or {}
    path = run.folder / RESPONSES
    if said.get("file") == path.name and is_there(path) and source(path) != said:
        yield f"{run.name}: {path.name} has changed since it was scored; {anew}"


def _alike(runs: Sequence[Scored]) -> list[Scored]:
    """Return the runs that can stand beside each other: with nothing given, else as the first."""
    given = {each.given for each in runs}
    kind = None if None in given else runs[0].given
    return [each for each in runs if each.given == kind]


def _compared(runs: Sequence[Scored]) -> tuple[dict[str, Any] | None, list[str]]:
    if len(runs) == 1:
        return None, []
    try:
        return of_scored(runs, parser=official.NAME), []
    except NotComparable as error:
        return None, [error.reason]
    except StoreError as error:
        return None, [str(error)]


@contextmanager
def _readable(folders: Sequence[Path]) -> Iterator[None]:
    """Turn what a summary of another make does to its reader into an error with a remedy."""
    try:
        yield
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError) as error:
        which = " or ".join(str(folder / SUMMARY) for folder in folders)
        raise StoreError(
            f"{which}: not as this version writes it ({type(error).__name__}: {error}); write it anew "
            "with `apieval score`."
        ) from error


def _spending(
    folder: Path,
) -> tuple[dict[str, Any] | None, tuple[datetime, datetime] | None]:
    """Return what a run's answers took and when they came; None where there are none of its own."""
    if not is_there(folder / RESPONSES):
        return None, None
    made, created = Spending(), set[str]()
    for each in RunFolder(folder).responses():
        made.add(each)
        if each.outcome is not Outcome.FAILED:
            created.add(each.created)
    return made.summary(), dated(folder, created)
