"""What was measured: the data, the settings, the prompt, when, by which versions; and signatures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apieval.analysis.findings import UNNAMED
from apieval.analysis.signatures import fingerprint
from apieval.rebus.dataset import called
from apieval.report.cells import SETTINGS
from apieval.report.document import Document, ReportedRun
from apieval.report.outline import Cell, Column, Row, Section, Table
from apieval.report.sections import answers
from apieval.results.header import Header
from apieval.results.summary import Data, PromptName, Summary
from apieval.signature import parts
from apieval.wording import counted

_OFFICIAL: Final = "official"
_ELSEWHERE: Final = "unknown: the answers were collected elsewhere"
_HASH: Final = 12
"""So many digits of a hash are shown."""


def facts(run: ReportedRun) -> list[tuple[str, str]]:
    """Return what a run measured, by name."""
    summary = run.summary
    return [
        ("Model", _model(summary)),
        ("Data", _data(summary["data"])),
        ("Settings", ", ".join(SETTINGS.get(each, each) for each in summary["settings"])),
        ("Prompt", prompt_of(summary["prompt"])),
        *([("Given", f"the {summary['given']}")] if summary["given"] else []),
        *([("Samples", f"{summary['samples']} answers each")] if summary["samples"] > 1 else []),
        ("Requested", " to ".join(dict.fromkeys(days(run))) or _ELSEWHERE),
        ("Request", _request(summary)),
        ("Versions", _versions(summary, run.header)),
        ("Signatures", ", ".join(marks(run))),
    ]


def days(run: ReportedRun) -> list[str]:
    """Return the days on which the first and the last of a run's answers came, if they are known."""
    return [each.date().isoformat() for each in run.created or ()]


def table(runs: Sequence[ReportedRun]) -> Table:
    """Return the facts of several runs, a column each."""
    mine = [dict(facts(run)) for run in runs]
    names = list(dict.fromkeys(name for each in mine for name in each))
    columns = [Column("", figures=False), *(Column(run.name, figures=False) for run in runs)]
    rows = [Row([Cell(name), *(Cell(each.get(name, "-")) for each in mine)]) for name in names]
    return Table("The runs and their settings", columns, rows)


def section(document: Document) -> Section:
    """Return the set-up of all runs, with the signatures of their figures."""
    runs = document.runs
    one = len(runs) == 1
    return Section(
        "measured",
        "Setup",
        facts=facts(runs[0]) if one else (),
        tables=() if one else [table(runs), answers.taken_by_all(runs)],
        parts=[
            Section(
                "signatures",
                "Signatures in full",
                paragraphs=[
                    "Everything that can change a figure. Different signatures mean different setups."
                ],
                facts=[each for run in runs for each in _in_full(run, alone=one)],
                folded=True,
            )
        ],
    )


def _model(summary: Summary) -> str:
    names = [name for name in (summary["served"] or {}).get("served_model", {}) if name != UNNAMED]
    served = [name for name in names if name != summary["model"]]
    return f"{summary['model']}, served as {', '.join(served)}" if served else summary["model"]


def _data(data: Data) -> str:
    commit = data.get("revision")
    revision = f", revision {commit[:_HASH]}" if commit else ""
    rebuses = counted(data["n"], "rebus", "rebuses")
    return (
        f"{called(data['name'])}, {rebuses} ({data['digest'][: _HASH + len('sha256:')]}{revision})"
    )


def prompt_of(prompt: PromptName) -> str:
    """Return what a prompt goes by."""
    if prompt["official"]:
        return "the challenge's own, byte for byte"
    return "not known" if prompt["official"] is None else f"{prompt['name']}, not the challenge's"


def _request(summary: Summary) -> str:
    """Return the sampling parameters, out of a signature."""
    signed: Mapping[str, str] = next(iter(summary["signatures"].values()), {})
    named = signed.get(_OFFICIAL)
    return parts(named).get("sampling", "not known") if named else "not known"


def _versions(summary: Summary, header: Header | None) -> str:
    named = [each[_OFFICIAL] for each in summary["signatures"].values() if _OFFICIAL in each]
    scored = dict(parts(named[0])) if named else {}
    asked = header["versions"].get("apieval") if header else None
    told = [f"requested by apieval {asked}"] if asked else []
    told += [f"scored by apieval {scored['apieval']}"] if "apieval" in scored else []
    return ", ".join([*told, *([scored["parser"]] if "parser" in scored else [])]) or "not known"


def marks(run: ReportedRun) -> Iterator[str]:
    """Yield the short hash of each setting's signature."""
    for setting, signed in run.summary["signatures"].items():
        if _OFFICIAL in signed:
            yield f"{setting} {fingerprint(signed[_OFFICIAL])}"


def _in_full(run: ReportedRun, *, alone: bool) -> Iterator[tuple[str, str]]:
    for setting, signed in run.summary["signatures"].items():
        for parser, text in signed.items():
            yield f"{'' if alone else run.name + ', '}{setting}, {parser}", text
