"""The content of a report, gathered before any of it is written; renderers only read it.

It has no date of its own, so that the same runs give the same bytes. Paths are taken out of messages
in files that are passed on; file names remain.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

from apieval.analysis.run_sentences import Sentence
from apieval.rebus.dataset import SAMPLE
from apieval.records import Setting
from apieval.results.comparison import Comparison, HintsEffect, PromptSpread, SettingUsage, Steps
from apieval.results.header import Header
from apieval.results.summary import Summary


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportedRun:
    """One run of a report: what was measured, what it was measured on, and what it took.

    `name` is what the run goes by among the others, as in a comparison; `header` the content of its
    `run.json`, None where answers were scored that another tool collected. `summary` is that of
    `summary.json`, and has every part a reader may ask for: None or empty where an older version
    scored the run, and then the part is among the `lacking`. `effect` is what hints did, rebus by
    rebus (`analysis.effect`), None without both settings; `spending` what the answers took
    (`analysis.spending`) and `created` when the first and the last of them came, None as the header is; `sentences` say what stands out.
    """

    name: str
    folder: Path
    summary: Summary
    header: Header | None
    effect: HintsEffect | None = None
    sentences: Sequence[Sentence] = ()
    lacking: Sequence[str] = ()
    spending: Mapping[Setting, SettingUsage] | None = None
    created: tuple[datetime, datetime] | None = None

    @property
    def of_sample(self) -> bool:
        """Say whether the figures are of the package's sample."""
        return bool(self.summary["data"]["name"] == SAMPLE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report: its runs in the order they were named, and what they are side by side.

    `apart` are the runs whose answers were begun with steps that those of the others were not: they
    are compared with no other. `comparison` is that of `apieval compare`, None for one run and where
    the runs cannot be compared, which then is among the `doubts`. `ranked` are the runs that stand for a
    rank (no dictionary among models, none that is apart), `ranks[setting][name]` the first and the last
    place one may have, `best[setting][metric]` the one that is shown to be better than each other,
    where there is one. `sentences` say what the runs are side by side. `spread` is how far prompts
    move a model's figures (`analysis.spread`), `steps` what it does with steps given
    (`analysis.steps_alone`).
    """

    runs: Sequence[ReportedRun]
    apart: Collection[str] = ()
    comparison: Comparison | None = None
    doubts: Sequence[str] = ()
    ranked: Collection[str] = ()
    ranks: Mapping[Setting, Mapping[str, tuple[int, int]]] = field(default_factory=dict)
    best: Mapping[Setting, Mapping[str, str]] = field(default_factory=dict)
    sentences: Sequence[Sentence] = ()
    spread: Sequence[PromptSpread] = ()
    steps: Sequence[Steps] = ()

    @property
    def of_sample(self) -> bool:
        """Say whether a run is of the package's sample, beside which no published figure belongs."""
        return any(run.of_sample for run in self.runs)


_FOLDERS: Final = re.compile(
    r"(?<![\w.~:/\\-])(?:~|[A-Za-z]:)?[/\\](?:[^/\\\s:;,'\"()<>|]+[/\\])+(?=[^/\\\s])"
)
"""The folders of an absolute path; no address of a server begins so."""


def places(run: ReportedRun) -> list[str]:
    """Return what a message about a run may name: its folder and its data file."""
    data = [run.header["data"]["path"]] if run.header else []
    return [str(run.folder), str(run.folder.resolve()), *data]


def nameless(text: str, places: Iterable[str | Path] = ()) -> str:
    """Return a text in which files and folders go by their names alone.

    `places` are those that it may name: unlike others they are known where they hold spaces.
    """
    for place in sorted({str(each) for each in places}, key=len, reverse=True):
        path = Path(place)
        if path.is_absolute() and path.name:
            text = text.replace(place, path.name)
    return _FOLDERS.sub("", text)
