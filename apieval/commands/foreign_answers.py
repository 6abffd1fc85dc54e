"""Answers that another tool collected, scored one at a time.

They are raw texts, the sample log of lm-evaluation-harness, or the study's parsed CSV.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from apieval.analysis import findings
from apieval.analysis.setup import Measured
from apieval.errors import ConfigError, DataError
from apieval.rebus import answers, harness, scoring, tables
from apieval.rebus.answers import PLAIN, Fields
from apieval.rebus.dataset import Selection
from apieval.rebus.parsers import official
from apieval.rebus.scoring import ScoredAnswer
from apieval.records import SETTINGS, Outcome, Prediction, RowId, Setting
from apieval.results.answers import RESPONSES, answers_file
from apieval.results.folder import FILES, HEADER, SCORES, SUMMARY
from apieval.results.summary import AnswersFile, Finding

_OF_A_RUN: Final = "{path}: a file of a run; name its folder: `apieval score {folder}`."
_SCORES: Final = "{path}: scores, not answers; `apieval report {folder}` and `apieval compare` take their folder."
_OF_ANSWERS: Final = frozenset({".csv", ".jsonl", ".ndjson"})
_KINDS: Final = (
    "give raw answers or lm-evaluation-harness's samples (.jsonl), the study's parsed CSV, or a run's "
    "folder"
)


@dataclass(frozen=True, slots=True)
class Foreign:
    """What a file of answers measures, and its answers with their scores."""

    measured: Measured
    answers: Iterable[ScoredAnswer]


def look(path: Path, fields: Fields = PLAIN, *, alone: bool = False) -> None:
    """Look whether a file's beginning can be one of answers, before it is asked what they answer.

    A run's answers without their data, `alone`, are scored by the run's folder.

    Raises:
        ConfigError, DataError: naming the file, what it is not, and the remedy.
    """
    of_a_run = path.name in FILES and (path.parent / HEADER).is_file()
    try:
        if path.suffix.lower() == ".csv":
            answers.look_at_parsed(path)
        elif fields != PLAIN or not _is_log(path):
            line, first = next(tables.objects(path))
            answers.check_fields(first, fields, f"{path}, line {line}")
    except DataError as error:
        if of_a_run:
            raise ConfigError(_OF_A_RUN.format(path=path, folder=path.parent)) from None
        if path.name == SCORES and (path.parent / SUMMARY).is_file():
            raise ConfigError(_SCORES.format(path=path, folder=path.parent)) from None
        if path.suffix.lower() in _OF_ANSWERS:
            raise
        said = str(error).removeprefix(str(path)).removeprefix(":").strip(" .,")
        raise DataError(f"{path}: no file of answers ({said}); {_KINDS}.") from None
    if of_a_run and (alone or path.name != RESPONSES):
        raise ConfigError(_OF_A_RUN.format(path=path, folder=path.parent))


def read(path: Path, selection: Selection, setting: Setting, fields: Fields = PLAIN) -> Foreign:
    """Read a file of answers to some rows; `setting` is of those that do not say theirs.

    With `fields` of its own a JSONL file holds raw answers, whatever else it looks like.

    Raises:
        ConfigError, DataError, StoreError: naming file, line and remedy.
    """
    parsers = tuple(scoring.PARSERS)
    found: list[Finding] = []
    if path.suffix.lower() == ".csv":
        if fields != PLAIN:
            raise ConfigError(f"{path}: --id-field and --text-field are of JSONL; leave them out.")
        answered = _in_data_order(_parsed(path, selection, setting), selection)
        settings, samples = [setting], 1
        parsers = (official.NAME,)  # the texts are gone
    else:
        if fields == PLAIN and _is_log(path):
            answered, found = _logged(path, selection, setting)
        else:
            answered = list(_raw(path, selection, setting, fields))
        answered = _in_data_order(answered, selection)
        scores = [each.scores[official.NAME] for each in answered]
        settings = [each for each in SETTINGS if any(s.setting == each for s in scores)]
        samples = 1 + max((each.sample for each in scores), default=0)
    measured = Measured(
        path.stem,
        selection,
        settings or [setting],
        samples,
        parsers=parsers,
        responses=of_file(path, fields),
        findings=found,
    )
    return Foreign(measured, answered)


def _in_data_order(found: Iterable[ScoredAnswer], selection: Selection) -> list[ScoredAnswer]:
    """Return answers as a run asks for them, however they stand in their file."""
    rows = {rebus.id: place for place, rebus in enumerate(selection.rebuses)}

    def place(answer: ScoredAnswer) -> tuple[int, int, int]:
        score = answer.scores[official.NAME]
        return SETTINGS.index(score.setting), rows[score.id], score.sample

    return sorted(found, key=place)


def of_file(path: Path, fields: Fields) -> AnswersFile:
    """Return what a summary says of a file of answers, and of fields with names of their own."""
    found = answers_file(path)
    if fields != PLAIN:
        found["fields"] = asdict(fields)
    return found


def _is_log(path: Path) -> bool:
    """Say whether a file's first line is of the harness's log, and no raw answer.

    Raises:
        DataError: where it is neither.
    """
    line, first = next(tables.objects(path))
    if harness.is_sample(first):
        return True
    if "id" in first or "text" in first:
        return False
    raise DataError(
        f"{path}, line {line}: neither a raw answer ('id' and 'text') nor one of a sample log of "
        "lm-evaluation-harness ('doc_id', 'doc' and 'resps'); name other fields with --id-field and --text-field."
    )


def _logged(
    path: Path, selection: Selection, setting: Setting
) -> tuple[list[ScoredAnswer], list[Finding]]:
    """Return the answers of the harness's log, and how its figures differ from these."""
    chosen = selection.by_id
    answered, compared, others = list[ScoredAnswer](), 0, list[RowId]()
    for sample in harness.samples(path, selection.data.rebuses, setting):
        if str(sample.gold.id) in chosen:
            answer = scoring.scored(sample.response, sample.gold)
            answered.append(answer)
            compared += bool(sample.figures)
            mine = answer.scores[official.NAME].tallies or {}
            if any(name in mine and mine[name].share != x for name, x in sample.figures.items()):
                others.append(sample.gold.id)
    differ = set(others)
    rows = [rebus.id for rebus in selection.rebuses if rebus.id in differ]
    return answered, list(findings.of_harness(rows, len(others), compared))


def _raw(
    path: Path, selection: Selection, setting: Setting, fields: Fields
) -> Iterator[ScoredAnswer]:
    chosen = selection.by_id
    for rebus, response in answers.raw(path, selection.data.by_id, setting, fields):
        if str(rebus.id) in chosen:
            yield scoring.scored(response, rebus)


def _parsed(path: Path, selection: Selection, setting: Setting) -> Iterator[ScoredAnswer]:
    chosen = selection.by_id
    for rebus, prediction in answers.parsed(path, selection.data.by_id):
        if str(rebus.id) in chosen:
            # the study's rows are what the official parser made of the answers
            item = scoring.of_prediction(
                prediction,
                rebus,
                parser=official.NAME,
                setting=setting,
                outcome=_outcome(prediction),
            )
            yield ScoredAnswer(rebus, {item.parser: item})


def _outcome(prediction: Prediction) -> Outcome:
    """Return what became of an answer of which parts alone are left: with none, it was empty."""
    words = (*prediction.word_guesses, *prediction.solution_words)
    parts = (*words, prediction.first_pass, prediction.solution)
    return Outcome.OK if any(part.strip() for part in parts) else Outcome.EMPTY
