"""What `apieval score --out` wrote, checked as far as its data and its answers are at hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from apieval.analysis.claims import ABSENT, Check, State, differences, judged, unchecked
from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import PARTS, summarize
from apieval.commands import datasets, foreign_answers
from apieval.commands import verify_counts as counts
from apieval.commands.score import run_of, score_stored, write
from apieval.commands.verify_apart import READING
from apieval.commands.verify_files import Scores, of_summary, other_files, parts_of
from apieval.errors import ConfigError, StoreError
from apieval.rebus import scoring
from apieval.rebus.answers import PLAIN, Fields
from apieval.rebus.dataset import SAMPLE, Dataset, Selection
from apieval.rebus.metrics import told
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Setting
from apieval.results.checking import refusal
from apieval.results.folder import ANEW, SCORES, SUMMARY, RunFolder, prediction_of
from apieval.results.summary import AnswersFile, Summary
from apieval.signature import parts, signature

_PARSED = ("word_guesses", "first_pass", "solution_words", "solution")
_OF_SCORES = (
    "outcomes",
    "partial",
    "data",
    "settings",
    "samples",
    "model",
    "along_key",
    "format",
    "gaps",
)
"""What of a summary can be made of scores alone."""
_OF_PARTS = ("dependence", "over_samples")
"""The details that parsed parts show."""
_BESIDE = (*READING, *PARTS)
_OF_RUNS = ("prompt", "identity", "sampling", "dropped")
"""What of a signature only a run knows."""


def checks(folder: RunFolder, data: str | Path | None, answers: Path | None) -> list[Check]:
    """Return every check of a folder of scores.

    Raises:
        ConfigError, DataError, StoreError: for files that cannot be read.
    """
    return [*_checks(folder, data, answers), *other_files(folder.path, {SCORES, SUMMARY})]


def _checks(folder: RunFolder, data: str | Path | None, answers: Path | None) -> Iterator[Check]:
    stored = folder.summary
    if answers is not None and answers.is_dir():
        yield from _of_run(folder, data, RunFolder(answers))
        return
    loaded = _data(stored, data)
    if loaded is None:
        yield unchecked("data", "give the data file with --data: its rows are not at hand")
        yield from counts.checks(folder)
        return
    of_data = _of_data(loaded, stored)
    yield of_data
    if of_data.differences:
        yield from counts.checks(folder)
        return
    selection = _selection(loaded, folder)
    if answers is None:
        yield from _of_parts(folder, selection)
    else:
        yield from _of_answers(folder, selection, answers)


def _data(stored: Summary, data: str | Path | None) -> Dataset | None:
    name = stored["data"]["name"]
    given = data or (name if name == SAMPLE or Path(name).is_file() else None)
    return None if given is None else datasets.at_hand(given, gold_only=True)


def _of_data(loaded: Dataset, stored: Summary) -> Check:
    claimed = stored["data"]["digest"]
    good = f"{loaded.name} is the file that was scored"
    bad = f"{loaded.name} is not the file that was scored"
    return judged("data", good, bad, differences(claimed, loaded.digest, "data.digest"))


def _selection(loaded: Dataset, folder: RunFolder) -> Selection:
    """Return the rows that were scored, by what the first signature says of them."""
    signed = next(iter(next(iter(folder.summary["signatures"].values())).values()))
    named = parts(signed)
    try:
        chosen = () if named["subset"] == "all" else tuple(named["subset"].split("+"))
        limit = None if named["limit"] == "none" else int(named["limit"])
    except (KeyError, ValueError) as error:
        said = f"signatures: none says which rows were scored ({error})"
        raise refusal(folder.path / SUMMARY, [said], ANEW) from None
    return loaded.select(chosen, limit)


def _of_run(folder: RunFolder, data: str | Path | None, answers: RunFolder) -> Iterator[Check]:
    run = run_of(answers, data)
    run.check_data()
    yield _of_data(run.data, folder.summary)
    scores = Scores(folder.path)
    remade = score_stored(answers, None, run.spec, run.selection(), run.header, scores)
    yield _of_file(folder.stored_summary, answers.answers_file)
    yield from of_summary(folder.stored_summary, remade, scores)


def _fields(stored: Summary) -> Fields:
    """Return what the answers' fields were called."""
    given = stored["responses"].get("fields", {}) if stored["responses"] else {}
    return Fields(given.get("id", PLAIN.id), given.get("text", PLAIN.text))


def _of_file(stored: Mapping[str, Any], now: AnswersFile) -> Check:
    name, claimed = now["file"], stored.get("responses", ABSENT)
    good, bad = f"{name} is the file that was scored", f"{name} has changed since"
    return judged(f"answers as in {SUMMARY}", good, bad, differences(claimed, now, "responses"))


def _of_answers(folder: RunFolder, selection: Selection, answers: Path) -> Iterator[Check]:
    """Yield the checks of a file's answers, read and scored anew."""
    stored = folder.summary
    setting, fields = stored["settings"][0], _fields(stored)
    found = foreign_answers.read(answers, selection, setting, fields)
    scores = Scores(folder.path)
    measured = replace(found.measured, model=stored["model"])
    remade = write(None, measured, found.answers, None, scores)
    yield _of_file(folder.stored_summary, foreign_answers.of_file(answers, fields))
    yield from of_summary(folder.stored_summary, remade, scores)


def _of_parts(folder: RunFolder, selection: Selection) -> Iterator[Check]:
    """Yield the checks that parsed parts allow: their scores and figures, not how they were read."""
    stored, raw = folder.summary, folder.stored_summary
    why = f"of {SCORES}: give what was scored with --answers to have its reading checked"
    yield unchecked("answers", why, (*_PARSED, "outcome"))
    parsers = tuple(
        dict.fromkeys(each for named in stored["signatures"].values() for each in named)
    )
    if unknown := [each for each in parsers if each not in scoring.PARSERS]:
        raise ConfigError(f"{folder.path}: there is no parser {unknown[0]!r} in this version.")
    given = stored["given"]
    settings, samples = stored["settings"], stored["samples"]
    measured = Measured(stored["model"], selection, settings, samples, parsers=parsers, given=given)
    collector = Collector(selection.rebuses, settings, samples, parsers, told(given))
    details = {name: PARTS[name](measured) for name in _OF_PARTS}
    scores = Scores(folder.path)
    try:
        for answer, beside in _rescored(folder, measured):
            scores.add(answer, beside)
            for item in answer.scores.values():
                collector.add(item)
            for part in details.values():
                part.add(answer)
    except StoreError as error:
        yield Check("scores", State.FAILS, str(error))
        yield unchecked(SUMMARY, "there are no scores to compare it with", raw)
        return
    made = summarize(measured, collector, None)
    kept = {k: v for k, v in made.items() if k in {*_OF_SCORES, "figures", "signatures"}}
    kept["signatures"] = _as_stored(made["signatures"], stored["signatures"])
    kept |= {name: part.summary() for name, part in details.items()}
    yield from of_summary({k: v for k, v in raw.items() if k in kept}, kept, scores, read=False)
    others = [name for name in raw if name not in kept]
    others.append(f"signatures: {', '.join(_OF_RUNS)}")
    yield unchecked(f"rest of {SUMMARY}", "parsed parts do not give them anew", others)
    yield unchecked("readings", f"of {SCORES}: parsed parts do not give them anew", _BESIDE)


def _as_stored(
    made: Mapping[Setting, Mapping[str, str]], stored: Mapping[Setting, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Return signatures made anew, with the parts that only a run knows as they were stored."""
    found: dict[str, dict[str, str]] = {}
    for setting, named in made.items():
        for parser, text in named.items():
            old = parts_of(stored, setting, parser) or {}
            known = {name: old[name] for name in _OF_RUNS if name in old}
            found.setdefault(setting, {})[parser] = signature({**parts(text), **known})
    return found


def _rescored(
    folder: RunFolder, measured: Measured
) -> Iterator[tuple[ScoredAnswer, Mapping[str, Mapping[str, Any]]]]:
    """Yield a score for every line, of its parsed parts anew; what was said of it is kept."""
    gold = measured.selection.by_id
    for line in folder.scores():
        rebus = gold.get(str(line["id"]))
        known = line["setting"] in measured.settings and line["parser"] in measured.parsers
        if rebus is None or not known or line["sample"] >= measured.samples:
            place = f", row {line['id']!r}, {line['setting']}, sample {line['sample']}"
            raise refusal(
                folder.path / SCORES, [f"{line['parser']} is not of {SUMMARY}"], ANEW, place
            )
        score = scoring.of_prediction(
            prediction_of(line),
            rebus,
            parser=line["parser"],
            setting=line["setting"],
            sample=line["sample"],
            outcome=line["outcome"],
            given=measured.given,
        )
        values: Mapping[str, Any] = line
        words = {k: values[k] for k in READING if k in values}
        beside = {name: values[name] for name in PARTS if name in values}
        yield ScoredAnswer(rebus, {score.parser: score._replace(**words)}), {score.parser: beside}
