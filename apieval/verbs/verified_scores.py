"""What `apieval score --out` wrote, checked as far as its data and its answers are at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from apieval import data as datasets
from apieval.analysis.checked import Check, differences, judged, unchecked
from apieval.analysis.details import PARTS
from apieval.analysis.figures import Collector
from apieval.analysis.measured import Measured
from apieval.analysis.summary import summarize
from apieval.errors import ConfigError, DataError, StoreError
from apieval.rebus import scoring
from apieval.rebus.answers import PLAIN, Fields
from apieval.rebus.dataset import SAMPLE, Dataset, Selection
from apieval.rebus.metrics import told
from apieval.rebus.scoring import ScoredAnswer
from apieval.report.files import SCORES, SUMMARY
from apieval.run.responses import RESPONSES
from apieval.schema import Given, Outcome, Prediction
from apieval.signature import parts, signature
from apieval.verbs import foreign
from apieval.verbs.results import run_of, score_stored, source, write
from apieval.verbs.scored import given_of
from apieval.verbs.verified_files import Scores, of_summary, parts_of, read_summary

_PARTS = ("word_guesses", "first_pass", "solution_words", "solution")
_OF_SCORES = ("outcomes", "partial", "data", "settings", "samples", "model", "along_key", "format")
"""What of a summary can be made of scores alone."""
_OF_RUNS = ("prompt", "model", "identity", "sampling", "dropped")
"""What of a signature only a run knows."""


def checks(folder: Path, data: str | Path | None, answers: Path | None) -> list[Check]:
    """Return every check of a folder of scores.

    Raises:
        ConfigError, DataError, StoreError: for files that cannot be read.
    """
    stored = read_summary(folder)
    if stored is None:
        raise StoreError(f"{folder / SUMMARY}: there is no such file.")
    if answers is not None and answers.is_dir():
        return list(_of_run(folder, stored, data, answers))
    loaded = _data(stored, data)
    if loaded is None:
        why = "give the data file with --data: nothing can be made anew without it"
        return [unchecked(name, why) for name in ("data", "scores", "figures")]
    found = [_of_data(loaded, stored)]
    if found[0].differences:
        why = "the data file is another, so that nothing can be made anew"
        return [*found, *(unchecked(name, why) for name in ("scores", "figures"))]
    selection = _selection(loaded, stored)
    if answers is None:
        return [*found, *_of_parts(folder, stored, selection)]
    return [*found, *_of_answers(folder, stored, selection, answers)]


def _data(stored: Mapping[str, Any], data: str | Path | None) -> Dataset | None:
    name = _text(stored, "data", "name")
    given = data or (name if name == SAMPLE or Path(name).is_file() else None)
    return None if given is None else datasets.at_hand(given, gold_only=True)


def _text(stored: Mapping[str, Any], *path: str) -> str:
    value: Any = stored
    for each in path:
        value = value.get(each) if isinstance(value, Mapping) else None
    if not isinstance(value, str):
        raise StoreError(f"{SUMMARY}: no summary of scores: no text at {'.'.join(path)}.")
    return value


def _of_data(loaded: Dataset, stored: Mapping[str, Any]) -> Check:
    claimed = _text(stored, "data", "digest")
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
    name = "answers as in summary.json"
    if (claimed := stored.get("responses")) is None:
        return unchecked(name, "it says nothing of them")
    good, bad = f"{path.name} is the file that was scored", f"{path.name} has changed since"
    return judged(
        name, good, bad, differences(claimed, {**source(path), **(more or {})}, "responses")
    )


def _of_answers(
    folder: Path, stored: Mapping[str, Any], selection: Selection, answers: Path
) -> Iterator[Check]:
    """Yield the checks of a file's answers, read and scored anew."""
    setting, fields = _settings(stored)[0], _fields(stored)
    found = foreign.read(answers, selection, setting, fields)
    scores = Scores(folder)
    measured = replace(found.measured, model=_text(stored, "model"))
    remade = write(None, measured, found.answers, None, scores)
    yield _of_file(stored, answers, foreign.named(fields))
    yield from of_summary(stored, remade, scores)


def _of_parts(folder: Path, stored: Mapping[str, Any], selection: Selection) -> Iterator[Check]:
    """Yield the checks that parsed parts allow: their scores and figures, not how they were read."""
    why = "give what was scored with --answers: how it was read and who was asked is not checked"
    yield unchecked("answers", why)
    settings = _settings(stored)
    parsers = tuple(next(iter(stored["signatures"].values())))
    if unknown := [each for each in parsers if each not in scoring.PARSERS]:
        raise ConfigError(f"{folder}: there is no parser {unknown[0]!r} in this version.")
    given = given_of(stored.get("given"))
    measured = Measured(
        _text(stored, "model"), selection, settings, stored["samples"], parsers=parsers, given=given
    )
    collector = Collector(selection.rebuses, settings, measured.samples, parsers, told(given))
    scores = Scores(folder)
    for answer, beside in _rescored(folder / SCORES, selection, given):
        scores.add(answer, beside)
        for item in answer.scores.values():
            collector.add(item)
    made = summarize(measured, collector, None)
    kept = {k: v for k, v in made.items() if k in {*_OF_SCORES, "figures", "signatures"}}
    kept["signatures"] = _as_stored(made["signatures"], stored["signatures"])
    yield from of_summary({k: v for k, v in stored.items() if k in kept}, kept, scores)


def _as_stored(made: Mapping[str, Any], stored: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """Return signatures made anew, with the parts that only a run knows as they were stored."""
    found: dict[str, dict[str, str]] = {}
    for setting, named in made.items():
        for parser, text in named.items():
            old = parts_of(stored, setting, parser) or {}
            known = {name: old[name] for name in _OF_RUNS if name in old}
            found.setdefault(setting, {})[parser] = signature({**parts(text), **known})
    return found


def _settings(stored: Mapping[str, Any]) -> list[Any]:
    named = stored.get("settings")
    if not isinstance(named, list) or not named or not isinstance(stored.get("samples"), int):
        raise StoreError(f"{SUMMARY}: no summary of scores: no settings or samples.")
    return named


def _rescored(
    path: Path, selection: Selection, given: Given | None
) -> Iterator[tuple[ScoredAnswer, Mapping[str, Mapping[str, Any]]]]:
    """Yield a score for every line, of its parsed parts anew; what was said of it is kept."""
    gold = selection.by_id
    with path.open(encoding="utf-8", newline="\n") as file:
        for number, line in enumerate(file, 1):
            try:
                value = json.loads(line)
                rebus = gold[str(value["id"])]
                score = scoring.of_prediction(
                    Prediction.model_validate({name: value[name] for name in _PARTS}),
                    rebus,
                    parser=value["parser"],
                    setting=value["setting"],
                    sample=value["sample"],
                    outcome=Outcome(value["outcome"]),
                    given=given,
                )
            except (LookupError, TypeError, ValueError, RecursionError) as error:
                raise DataError(f"{path}, line {number}: no score of this data: {error}.") from None
            words = {k: value[k] for k in ("status", "why", "seen_through", "seen") if k in value}
            beside = {name: value[name] for name in PARTS if name in value}
            answer = ScoredAnswer(rebus, {score.parser: score._replace(**words)})
            yield answer, {score.parser: beside}
