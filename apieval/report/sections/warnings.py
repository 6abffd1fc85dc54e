"""What stands at the very top: what puts the figures in doubt, and what explains them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from apieval.rebus.dataset import NOT_THE_CHALLENGE
from apieval.report.document import Document, ReportedRun, nameless, places
from apieval.report.outline import Alert

SAID_ONCE: Final = "package_sample"
"""The finding that is told of all runs together, also where an older version scored them."""


def alerts(document: Document) -> list[Alert]:
    """Return all doubts, warnings first."""
    known = [place for run in document.runs for place in places(run)]
    found = [Alert("warning", "", nameless(each, known)) for each in document.doubts]
    if any(run.of_sample and not run.summary["coverage"] for run in document.runs):
        found.append(Alert("warning", "", NOT_THE_CHALLENGE[0].upper() + NOT_THE_CHALLENGE[1:]))
    for run in document.runs:
        found += _of_run(run, "" if len(document.runs) == 1 else run.name)
    if document.comparison:
        found += [
            Alert("warning" if each["level"] == "warning" else "note", "comparison", each["text"])
            for each in document.comparison["findings"]
        ]
    return sorted(found, key=lambda each: each.level != "warning")


def _why(run: ReportedRun) -> str:
    """Return how a run ended that has a folder of its own, and how to go on with it."""
    header = run.header
    if header is None:
        return ""
    # of a full disk it names the file
    why = f" ({nameless(header['message'], places(run))})" if header["message"] else ""
    return f" The run is {header['status']}{why}; the same command resumes it."


def _of_run(run: ReportedRun, name: str) -> Iterator[Alert]:
    if run.summary["partial"]:
        counts = list(run.summary["outcomes"].values())
        failed = sum(each["failed"] for each in counts)
        absent = sum(each["not_asked"] for each in counts)
        yield Alert(
            "warning",
            name,
            f"PARTIAL: {failed:,} requests failed, {absent:,} not requested. Figures "
            "are shown with bounds; a missing answer is not a wrong one." + _why(run),
        )
    if given := run.summary["given"]:
        said = f"The correct {given.replace('-', ' ')} were given: compare these figures only with others of the same given steps."
        yield Alert("warning", name, said)
    if run.summary["prompt"]["official"] is False:
        yield Alert(
            "warning",
            name,
            f"The prompt is {run.summary['prompt']['name']}, not the challenge's own.",
        )
    audit = run.summary["audit"]["findings"] if "audit" in run.summary else ()
    for each in [*run.summary["findings"], *audit]:
        if each["kind"] != SAID_ONCE:
            yield Alert("warning" if each["level"] == "warning" else "note", name, each["text"])
    if run.lacking:
        yield Alert(
            "note",
            name,
            f"Scored by an older version, without {', '.join(run.lacking)}: `apieval score "
            f"{run.folder.name}` adds it.",
        )
