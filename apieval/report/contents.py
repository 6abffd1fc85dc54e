"""A document as an outline: what stands first, and in which order the rest follows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apieval.analysis.run_sentences import HINTS, SOLVED, Sentence
from apieval.rebus.dataset import called
from apieval.report.document import Document, ReportedRun
from apieval.report.outline import Outline, Section
from apieval.report.sections import (
    answers,
    dependence,
    first_errors,
    leaderboard,
    method,
    pairwise,
    results,
    setup,
    subsets,
    variants,
    warnings,
)
from apieval.version import VERSION
from apieval.wording import counted

CITE: Final = (
    "The task, its data and its metrics: Sarti, Caselli, Bisazza, Nissim, EurekaRebus - Verbalized Rebus "
    "Solving with LLMs: A CALAMITA Challenge, CLiC-it 2024."
)


_TOPICS: Final = (SOLVED, HINTS)
"""What is said of each of several runs at the top; all of it stands with the run."""
_SHORT: Final = (
    "Brackets hold 95 % intervals. Differences are stated only if a significance test shows them."
)


def outlined(document: Document) -> Outline:
    """Return the report's outline."""
    several = len(document.runs) > 1
    sections = [
        Section("short", "Key findings", paragraphs=[_SHORT], sentences=_short(document)),
        *_results(document),
        setup.section(document),
        Section("figures", "Figures", slot="figures"),
        Section("rebuses", "Items", slot="items"),
        *(_run(run, f"run-{at}", several=several) for at, run in enumerate(document.runs, 1)),
        method.section(),
    ]
    return Outline(
        title=_title(document),
        lead=list(dict.fromkeys(_lead(document))),
        alerts=warnings.alerts(document),
        sections=[each for each in sections if not each.empty],
        credits=list(_credits(document)),
    )


def _short(document: Document) -> Sequence[Sentence]:
    if len(document.runs) == 1:
        return document.runs[0].sentences
    by_run = [
        Sentence(run.name, " ".join(each.text for each in run.sentences if each.topic in _TOPICS))
        for run in document.runs
    ]
    return [*document.sentences, *by_run]


def _results(document: Document) -> Iterator[Section]:
    if len(document.runs) == 1:
        [run] = document.runs
        reference = [] if document.of_sample else [leaderboard.reference()]
        parts = [results.folded(run, "macro"), *reference]
        yield Section("results", "Results", tables=results.tables(run), parts=parts)
        return
    yield leaderboard.section(document)
    more = (variants.prompts(document), variants.steps(document), pairwise.section(document))
    yield from filter(None, more)


def _run(run: ReportedRun, id: str, *, several: bool) -> Section:  # noqa: A002 # what it is
    parts = [
        *([results.folded(run, f"{id}-macro")] if several else []),
        subsets.section(run, f"{id}-subsets"),
        first_errors.diagnosis(run, f"{id}-why"),
        first_errors.format_loss(run, f"{id}-format"),
        dependence.section(run, f"{id}-depends"),
        dependence.samples(run, f"{id}-samples"),
    ]
    return Section(
        id,
        run.name if several else "Details",
        sentences=run.sentences if several else (),
        facts=answers.taken(run),
        tables=[*(results.tables(run) if several else []), answers.outcomes(run)],
        parts=[each for each in parts if each is not None and not each.empty],
    )


def _title(document: Document) -> str:
    names = [run.name for run in document.runs]
    return names[0] if len(names) == 1 else f"{len(names)} runs side by side"


def _lead(document: Document) -> Iterator[str]:
    """Yield what was measured in a few words; the chapter on it has all."""
    summaries = [run.summary for run in document.runs]
    for data in (each["data"] for each in summaries):
        yield f"{counted(data['n'], 'rebus', 'rebuses')} of {called(data['name'])}"
    settings = dict.fromkeys(each for summary in summaries for each in summary["settings"])
    yield " and ".join(settings)
    yield from (f"prompt: {setup.prompt_of(each['prompt'])}" for each in summaries)
    yield from (f"given: the {each['given']}" for each in summaries if each["given"])
    days = [day for run in document.runs for day in setup.days(run)]
    if days:
        yield f"requested {' to '.join(dict.fromkeys((min(days), max(days))))}"
    yield f"apieval {VERSION}"
    if len(document.runs) == 1:
        yield f"signatures: {', '.join(setup.marks(document.runs[0]))}"


def _credits(document: Document) -> Iterator[str]:
    known: dict[str, None] = {}
    for run in document.runs:
        data = run.summary["data"]
        if data.get("licence") or data.get("attribution"):
            source = f" ({data['source']})" if data.get("source") else ""
            said = [each for each in (data.get("attribution"), data.get("licence")) if each]
            known[f"Data {data['name']}{source}: {'; '.join(said)}"] = None
    yield from known
    yield CITE
    yield f"Made by apieval {VERSION}."
