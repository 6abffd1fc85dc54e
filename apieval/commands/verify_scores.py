"""What `apieval score --out` wrote, checked as far as its data and its answers are at hand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from apieval.analysis.claims import ABSENT, Check, State, differences, judged, unchecked
from apieval.analysis.figures import Collector
from apieval.analysis.setup import Measured
from apieval.analysis.summary import PARTS, summarize
from apieval.commands import datasets, foreign_answers, shapes
from apieval.commands import verify_counts as counts
from apieval.commands.read_scores import ANEW, given_of, score_lines
from apieval.commands.score import run_of, score_stored, source, write
from apieval.commands.verify_apart import READING
from apieval.commands.verify_files import Scores, of_summary, other_files, parts_of, read_summary
from apieval.errors import ConfigError, StoreError
from apieval.rebus import scoring
from apieval.rebus.answers import PLAIN, Fields
from apieval.rebus.dataset import SAMPLE, Dataset, Selection
from apieval.rebus.metrics import told
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import Outcome, Prediction
from apieval.report.files import SCORES, SUMMARY
from apieval.results.answers import RESPONSES
from apieval.signature import parts, signature

_PLACE = ("setting", "sample", "parser")
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


def checks(folder: Path, data: str | Path | None, answers: Path | None) -> list[Check]:
    """Return every check of a folder of scores.

    Raises:
        ConfigError, DataError, StoreError: for files that cannot be read.
    """
    stored = read_summary(folder)
    if stored is None:
        raise StoreError(f"{folder / SUMMARY}: there is no such file.")
    shapes.refuse_other(shapes.Summary, stored, folder / SUMMARY, ANEW)
    return [*_checks(folder, stored, data, answers), *other_files(folder, {SCORES, SUMMARY})]


def _checks(
    folder: Path, stored: Mapping[str, Any], data: str | Path | None, answers: Path | None
) -> Iterator[Check]:
    if answers is not None and answers.is_dir():
        yield from _of_run(folder, stored, data, answers)
        return
    loaded = _data(stored, data)
    if loaded is None:
        yield unchecked("data", "give the data file with --data: its rows are not at hand")
        yield from counts.checks(folder, stored)
        return
    of_data = _of_data(loaded, stored)
    yield of_data
    if of_data.differences:
        yield from counts.checks(folder, stored)
        return
    selection = _selection(loaded, stored)
    if answers is None:
        yield from _of_parts(folder, stored, selection)
    else:
        yield from _of_answers(folder, stored, selection, answers)


def _data(stored: Mapping[str, Any], data: str | Path | None) -> Dataset | None:
    name = stored["data"]["name"]
    given = data or (name if name == SAMPLE or Path(name).is_file() else None)
    return None if given is None else datasets.at_hand(given, gold_only=True)


def _of_data(loaded: Dataset, stored: Mapping[str, Any]) -> Check:
    claimed = stored["data"]["digest"]
    good = f"{loaded.name} is the file that was scored"
    bad = f"{loaded.name} is not the file that was scored"
    return judged("data", good, bad, differences(claimed, loaded.digest, "data.digest"))


def _selection(loaded: Dataset, stored: Mapping[str, Any]) -> Selection:
    """Return the rows that were scored, by what the first signature says of them."""
    try:
        first = next(iter(next(iter(stored["signatures"].values())).values()))
        named = parts(first)
        chosen = () if named["subset"] == "all" else tuple(named["subset"].split("+"))
        limit = None if named["limit"] == "none" else int(named["limit"])
    except (AttributeError, LookupError, StopIteration, TypeError, ValueError) as error:
        raise StoreError(f"{SUMMARY}: no signature says which rows were scored: {error}.") from None
    return loaded.select(chosen, limit)


def _of_run(
    folder: Path, stored: Mapping[str, Any], data: str | Path | None, answers: Path
) -> Iterator[Check]:
    run = run_of(answers, data)
    run.check_data()
    yield _of_data(run.data, stored)
    scores = Scores(folder)
    remade = score_stored(answers, None, run.spec, run.selection(), scores)
    yield _of_file(stored, answers / RESPONSES)
    yield from of_summary(stored, remade, scores)


def _fields(stored: Mapping[str, Any]) -> Fields:
    """Return what the answers' fields were called."""
    said = stored.get("responses")
    given = said.get("fields") if isinstance(said, Mapping) else None
    if not isinstance(given, Mapping):
        return PLAIN
    return Fields(str(given.get("id", PLAIN.id)), str(given.get("text", PLAIN.text)))


def _of_file(stored: Mapping[str, Any], path: Path, more: Mapping[str, Any] | None = None) -> Check:
    good, bad = f"{path.name} is the file that was scored", f"{path.name} has changed since"
    claimed, now = stored.get("responses", ABSENT), {**source(path), **(more or {})}
    return judged(f"answers as in {SUMMARY}", good, bad, differences(claimed, now, "responses"))


def _of_answers(
    folder: Path, stored: Mapping[str, Any], selection: Selection, answers: Path
) -> Iterator[Check]:
    """Yield the checks of a file's answers, read and scored anew."""
    setting, fields = stored["settings"][0], _fields(stored)
    found = foreign_answers.read(answers, selection, setting, fields)
    scores = Scores(folder)
    measured = replace(found.measured, model=stored["model"])
    remade = write(None, measured, found.answers, None, scores)
    yield _of_file(stored, answers, foreign_answers.named(fields))
    yield from of_summary(stored, remade, scores)


def _of_parts(folder: Path, stored: Mapping[str, Any], selection: Selection) -> Iterator[Check]:
    """Yield the checks that parsed parts allow: their scores and figures, not how they were read."""
    why = f"of {SCORES}: give what was scored with --answers to have its reading checked"
    yield unchecked("answers", why, (*_PARSED, "outcome"))
    parsers = tuple(
        dict.fromkeys(each for named in stored["signatures"].values() for each in named)
    )
    if unknown := [each for each in parsers if each not in scoring.PARSERS]:
        raise ConfigError(f"{folder}: there is no parser {unknown[0]!r} in this version.")
    given = given_of(stored.get("given"))
    settings, samples = stored["settings"], stored["samples"]
    measured = Measured(stored["model"], selection, settings, samples, parsers=parsers, given=given)
    collector = Collector(selection.rebuses, settings, samples, parsers, told(given))
    details = {name: PARTS[name](measured) for name in _OF_PARTS}
    scores = Scores(folder)
    try:
        for answer, beside in _rescored(folder / SCORES, measured):
            scores.add(answer, beside)
            for item in answer.scores.values():
                collector.add(item)
            for part in details.values():
                part.add(answer)
    except StoreError as error:
        yield Check("scores", State.FAILS, str(error))
        yield unchecked(SUMMARY, "there are no scores to compare it with", stored)
        return
    made = summarize(measured, collector, None)
    kept = {k: v for k, v in made.items() if k in {*_OF_SCORES, "figures", "signatures"}}
    kept["signatures"] = _as_stored(made["signatures"], stored["signatures"])
    kept |= {name: part.summary() for name, part in details.items()}
    yield from of_summary({k: v for k, v in stored.items() if k in kept}, kept, scores, read=False)
    others = [name for name in stored if name not in kept]
    others.append(f"signatures: {', '.join(_OF_RUNS)}")
    yield unchecked(f"rest of {SUMMARY}", "parsed parts do not give them anew", others)
    yield unchecked("readings", f"of {SCORES}: parsed parts do not give them anew", _BESIDE)


def _as_stored(made: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return signatures made anew, with the parts that only a run knows as they were stored."""
    found: dict[str, dict[str, str]] = {}
    for setting, named in made.items():
        for parser, text in named.items():
            old = parts_of(stored, setting, parser) or {}
            known = {name: old[name] for name in _OF_RUNS if name in old}
            found.setdefault(setting, {})[parser] = signature({**parts(text), **known})
    return found


def _rescored(
    path: Path, measured: Measured
) -> Iterator[tuple[ScoredAnswer, Mapping[str, Mapping[str, Any]]]]:
    """Yield a score for every line, of its parsed parts anew; what was said of it is kept."""
    gold = measured.selection.by_id

    def made(value: Mapping[str, Any]) -> tuple[ScoredAnswer, Mapping[str, Mapping[str, Any]]]:
        rebus = gold[str(value["id"])]
        place = (value["setting"], value["sample"], value["parser"])
        for name, known, each in zip(_PLACE, _places(measured), place, strict=True):
            if type(each) is bool or each not in known:
                raise ValueError(f"{name} {each!r} is not of this summary")
        score = scoring.of_prediction(
            Prediction.model_validate({name: value[name] for name in _PARSED}, strict=False),
            rebus,
            parser=value["parser"],
            setting=value["setting"],
            sample=value["sample"],
            outcome=Outcome(value["outcome"]),
            given=measured.given,
        )
        words = {k: value[k] for k in READING if k in value}
        beside = {name: value[name] for name in PARTS if name in value}
        answer = ScoredAnswer(rebus, {score.parser: score._replace(**words)})
        return answer, {score.parser: beside}

    yield from score_lines(path, made)


def _places(measured: Measured) -> Iterator[Collection[Any]]:
    yield from (measured.settings, range(measured.samples), measured.parsers)
