"""Scores read back: a run folder, or what `apieval score --out` wrote, by one parser.

Everything is checked as it is read: a wrong comparison looks just like a right one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from apieval.analysis.findings import UNNAMED
from apieval.analysis.pairing import Scored, Tallies
from apieval.analysis.shared_answers import Key, Said, Side, said
from apieval.errors import ConfigError, StoreError, did_you_mean
from apieval.rebus.metrics import HEADLINE, METRICS, told
from apieval.records import SETTINGS, RowId, Setting, Tally, row_order
from apieval.report.terminal import label
from apieval.results.answers import RESPONSES
from apieval.results.checking import refusal
from apieval.results.folder import ANEW, SCORES, SUMMARY, RunFolder, ScoreLine
from apieval.signature import parts


def read_all(folders: Sequence[RunFolder], parser: str, least: int = 2) -> list[Scored]:
    """Read several folders; each is named by its model, or by more where models are equal.

    Raises:
        ConfigError: for fewer folders than the `least`, one named twice, and another parser.
        StoreError: for files that are missing or cannot be read, naming file and line.
    """
    named = names(folders, parser, least)
    return [read(folder, name, parser) for folder, name in zip(folders, named, strict=True)]


def check(parser: str) -> Callable[[RunFolder], None]:
    """Return the check of what needs the scores of a run, by that parser."""

    def has_scores(folder: RunFolder) -> None:
        if not (folder.has(SUMMARY) and folder.has(SCORES)):
            raise StoreError(f"not scored: `apieval score {folder.path}`")
        _check(folder, parser)

    return has_scores


def _check(folder: RunFolder, parser: str) -> None:
    """Refuse a summary without figures by a parser, or without those of a metric."""
    path, summary = folder.path / SUMMARY, folder.summary
    for setting, named in summary["signatures"].items():
        if parser not in named:
            raise ConfigError(
                f"--parser {parser}: {path} has no scores by it{did_you_mean(parser, named)}; "
                f"there are {', '.join(sorted(named))}. `apieval score` scores anew by every parser."
            )
        there = summary["figures"][setting]["all"][parser]
        missing = [each for each in METRICS if each not in there]
        if missing:
            keys = [f"figures.{setting}.all.{parser}.{each}: missing" for each in missing]
            raise refusal(path, keys, ANEW)


def names(folders: Sequence[RunFolder], parser: str, least: int = 2) -> list[str]:
    """Return what tells the runs apart: model, model and prompt, else the folder's name.

    Folders of one name go by as much of the end of their paths as differs: a whole path would tell
    the readers of a report whose machine it was.

    Raises:
        ConfigError, StoreError: as for `read_all`.
    """
    if len(folders) < least:
        raise ConfigError("name at least two folders to compare.")
    ways = [folder.path.resolve().parts for folder in folders]
    if len(set(ways)) < len(ways):
        raise ConfigError("a folder was named twice; name each once.")
    for folder in folders:
        _check(folder, parser)
    models = [each.summary["model"] for each in folders]
    labels = [label(each.summary) for each in folders]
    deepest = max(map(len, ways))
    ends = ([str(Path(*way[-n:])) for way in ways] for n in range(1, deepest + 1))
    return next(each for each in (models, labels, *ends) if len(set(each)) == len(each))


def read(folder: RunFolder, name: str, parser: str) -> Scored:
    """Read the scores of a folder by one parser.

    Raises:
        StoreError: for files that are missing or cannot be read, naming file and line.
    """
    reader = Reader(folder, parser)
    for line in folder.scores((parser,)):
        reader.take(line)
    return reader.scored(name)


class Reader:
    """Take in the lines of one parser's scores."""

    def __init__(self, folder: RunFolder, parser: str) -> None:
        """Expect the settings of the folder's summary."""
        self._folder, self._parser = folder, parser
        summary = folder.summary
        self._settings = [each for each in SETTINGS if each in summary["signatures"]]
        hidden = told(summary["given"])
        self._metrics = [each for each in METRICS if each not in hidden]
        self._rows: dict[Setting, dict[str, dict[int, Tallies | None]]]
        self._rows = {setting: {} for setting in self._settings}
        self._ids: dict[str, RowId] = {}
        self._what: dict[Setting, dict[Key, Said]] = {setting: {} for setting in self._settings}

    def take(self, line: ScoreLine) -> None:
        """Take in a line.

        Raises:
            StoreError: for one that cannot be of this summary, or already appears above.
        """
        row, setting, sample = line["id"], line["setting"], line["sample"]
        if setting not in self._rows:
            raise self._fault(line, f"setting: {setting} is not of {SUMMARY}")
        samples = self._rows[setting].setdefault(str(row), {})
        if sample in samples:
            raise self._fault(line, "a second score of this row, setting and sample")
        counts = line["counts"]
        tallies = None
        if counts is not None:
            if missing := [each for each in self._metrics if each not in counts]:
                raise self._fault(line, f"counts.{missing[0]}: missing")
            tallies = {name: Tally(*counts[name]) for name in self._metrics}
            read = (line["word_guesses"], line["first_pass"], line["solution_words"])
            right = tallies[HEADLINE].right > 0
            self._what[setting][row, sample] = said(*read, line["solution"], right=right)
        samples[sample] = tallies
        self._ids[str(row)] = row

    def _fault(self, line: ScoreLine, what: str) -> StoreError:
        where = f", row {line['id']!r}, {line['setting']}, sample {line['sample']}, {self._parser}"
        return refusal(self._folder.path / SCORES, [what], ANEW, where)

    def scored(self, name: str) -> Scored:
        """Return all that was taken in, in the order of the rows: older versions wrote another."""
        summary = self._folder.summary
        rows = {
            setting: dict(sorted(of.items(), key=lambda pair: row_order(self._ids[pair[0]])))
            for setting, of in self._rows.items()
        }
        what = {
            setting: dict(sorted(of.items(), key=lambda pair: row_order(pair[0][0])))
            for setting, of in self._what.items()
        }
        served = (summary["served"] or {}).get("served_model") or {}
        models = frozenset(served.keys() - {UNNAMED}) | {summary["model"]}
        return Scored(
            name=name,
            model=summary["model"],
            folder=str(self._folder.path),
            digest=summary["data"]["digest"],
            rebuses=summary["data"]["n"],
            given=summary["given"],
            signatures={
                each: parts(summary["signatures"][each][self._parser]) for each in self._settings
            },
            rows=rows,
            ids=self._ids,
            side=Side(name, models, what),
        )


def with_texts(run: Scored) -> Side:
    """Return what a run's answers say, with a hash of each whole text where the folder has them.

    Raises:
        StoreError: where they cannot be read.
    """
    folder = RunFolder(Path(run.folder))
    if run.side is None or not folder.has(RESPONSES):
        return run.side or Side(run.name, frozenset(), {})
    known = {setting: dict(answers) for setting, answers in run.side.said.items()}
    for response in folder.responses():
        key = (response.id, response.sample)
        if (found := known.get(response.setting, {}).get(key)) is not None:
            known[response.setting][key] = found._replace(text=hash(response.text))
    return replace(run.side, said=known)
