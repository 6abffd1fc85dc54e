"""Every item of reported runs: scores, answers and gold rows joined by row, setting and sample.

What `scores.jsonl` says of answers, as the rebus view shows it: read once, marked word by word.

The rebuses and gold steps of reported runs: their data files found, and told apart by their hash.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from apieval.commands import datasets
from apieval.commands.read_scores import no_score, score_lines
from apieval.commands.score import run_of
from apieval.errors import ApievalError, DataError
from apieval.files import is_there
from apieval.rebus.characters import surely_composed
from apieval.rebus.dataset import SAMPLE, Dataset
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import PARSERS, right_ones
from apieval.records import SETTINGS, Outcome, Prediction, Response, RowId, Tally
from apieval.report.document import ReportedRun
from apieval.report.files import SCORES
from apieval.report.page.items import Answer, AnsweredRun, Gold, Held, Items, Key, Read, shown
from apieval.results.answers import RESPONSES
from apieval.results.folder import RunFolder
from apieval.wording import counted

_PARTS: Final = tuple(Prediction.model_fields)
_WORDS: Final = {
    "word_guesses": ("word_guess_accuracy", "word_guess_length_accuracy"),
    "solution_words": ("solution_word_accuracy", "solution_word_length_accuracy"),
}
_WHOLE: Final = {"first_pass": "first_pass_accuracy", "solution": HEADLINE}
_OTHER_LINE: Final = b'"parser": "tolerant-lenient"'
"""What a line of the parser has in it that is not shown: it need not be read."""
_NEAR_BEGIN: Final = 400


@dataclass(slots=True)
class _Lines:
    """The scores of one answer by the parsers that are shown."""

    official: Mapping[str, Any] | None = None
    tolerant: Mapping[str, Any] | None = None


def answers_of(
    path: Path, digest: str, gold: Callable[[tuple[str, Any]], Gold | None]
) -> Iterator[tuple[Key, Answer]]:
    """Yield every answer that has scores; `gold` gives the row of a data file, by hash and id.

    Raises:
        StoreError: for what is no file of scores, naming the line.
    """
    waiting: dict[Key, _Lines] = {}

    def take(value: Mapping[str, Any]) -> tuple[Key, Answer] | None:
        key = _key(value, digest)
        lines = waiting.setdefault(key, _Lines())
        if value["parser"] == official.NAME:
            lines.official = value
        elif value["parser"] == tolerant.NAME:
            lines.tolerant = value
        if lines.official and lines.tolerant:
            return key, _answer(waiting.pop(key), gold((digest, key.id)))
        return None

    for found in score_lines(path, take, lambda line: _OTHER_LINE in line[:_NEAR_BEGIN]):
        if found is not None:
            yield found
    for key, lines in waiting.items():  # of answers that only the official parser could read
        try:
            if lines.official:
                yield key, _answer(lines, gold((digest, key.id)))
        except (AttributeError, LookupError, TypeError, ValueError) as error:
            where = f", row {key.id!r}, {key.setting}, sample {key.sample}"
            raise no_score(path, where, error) from None


def _key(value: Mapping[str, Any], digest: str) -> Key:
    row, setting, sample = value["id"], value["setting"], value["sample"]
    if type(row) not in {int, str} or setting not in SETTINGS or type(sample) is not int:
        raise ValueError("no id, setting or sample")
    return Key(digest, row, setting, sample)


def _answer(lines: _Lines, gold: Gold | None) -> Answer:
    first, other = cast("Mapping[str, Any]", lines.official), lines.tolerant
    read = _read(first, gold)
    again = None
    if other:
        again = read if _alike(first, other, gold) else _read(other, gold)
    shows = (other or first).get("diagnosis") or {}
    differs = other and again and again is not read and _differs(first, other, read, again)
    said = other or {}
    return Answer(
        outcome=Outcome(first["outcome"]).value,
        broke_first=shows.get("broke_first"),
        solved=_solved(read),
        official=read,
        tolerant=again if differs else None,
        tolerant_solved=_solved(again) if again else None,
        seen_through=tuple(map(str, said.get("seen_through") or ())),
        why={str(part): str(why) for part, why in (said.get("why") or {}).items()},
        diagnosis=shows,
    )


def _alike(first: Mapping[str, Any], other: Mapping[str, Any], gold: Gold | None) -> bool:
    """Say whether two parsers found the same, in words that every equality takes as they are.

    So it is with most answers, and saves marking them twice.
    """
    parts = (*_PARTS, "counts")
    if gold is None or any(first[name] != other[name] for name in parts):
        return False
    rebus = gold.rebus
    said = "".join(first["word_guesses"] + first["solution_words"])
    words = said + "".join(rebus.word_guesses + rebus.solution_words)
    return gold.along_key == rebus.solution_words and words.isalnum() and surely_composed(words)


def _differs(first: Mapping[str, Any], other: Mapping[str, Any], read: Read, again: Read) -> bool:
    return read.marks != again.marks or any(first[name] != other[name] for name in _PARTS)


def _solved(read: Read) -> bool | None:
    return read.counts[HEADLINE][0] > 0 if HEADLINE in read.counts else None


def _read(value: Mapping[str, Any], gold: Gold | None) -> Read:
    parts = Prediction.model_validate({name: value[name] for name in _PARTS})
    counts = {str(n): (int(r), int(of)) for n, (r, of) in (value["counts"] or {}).items()}
    score = _Score(value["parser"], parts, {n: Tally(*each) for n, each in counts.items()})
    marks = {part: "02"[counts[n][0]] for part, n in _WHOLE.items() if n in counts}
    for part, names in _WORDS.items():
        equal, same = (_each(score, gold, name) for name in names)
        if equal is not None and same is not None:
            pairs = zip(equal, same, strict=True)
            marks[part] = "".join("2" if right else "01"[near] for right, near in pairs)
    return Read(shown(parts), marks, counts)


class _Score(NamedTuple):
    """What `right_ones` needs of a score."""

    parser: str
    prediction: Prediction
    tallies: Mapping[str, Tally]


def _each(score: _Score, gold: Gold | None, metric: str) -> list[bool] | None:
    """Return what is right one by one, None where that is not known or is not what was counted."""
    counted_so = score.tallies.get(metric)
    if counted_so is None:
        return None
    if gold is None:
        none_or_all = counted_so.right in {0, counted_so.total}
        return [counted_so.right > 0] * counted_so.total if none_or_all else None
    found = right_ones(score, gold.rebus, metric)
    return found if found is not None and Tally(sum(found), len(found)) == counted_so else None


_REMEDY = "give it with --data"
_TOLERANT = PARSERS["tolerant"]


@dataclass(frozen=True, slots=True)
class Golds:
    """Rows by the hash of their file and their id, and of which runs there are none, and why."""

    rows: Mapping[tuple[str, RowId], Gold]
    doubts: Sequence[str]


def golds_of(
    runs: Sequence[ReportedRun],
    data: str | Path | None = None,
    say: datasets.Say | None = None,
) -> Golds:
    """Return the rows of the data files that runs were made on, as far as they can be had.

    `data` is where the file of some run stands now.

    Raises:
        DataError: where it is the file of none of them, or cannot be read.
    """
    known: dict[str, Dataset] = {}
    digests = {run.summary["data"]["digest"] for run in runs}
    if data is not None:
        given = datasets.at_hand(data, gold_only=True, say=say)
        if given.digest not in digests:
            raise DataError(
                f"{data}: not the data file of any of these runs (it is {given.digest}, theirs "
                f"{', '.join(sorted(digests))}); give the one they were run on with --data."
            )
        known[given.digest] = given
    doubts = [doubt for run in runs if (doubt := _found(run, known, say))]
    rows = {
        (digest, rebus.id): Gold(rebus, _TOLERANT.gold(rebus).solution_words, order)
        for digest, found in known.items()
        for order, rebus in enumerate(found.rebuses)
    }
    return Golds(rows, doubts)


def _found(run: ReportedRun, known: dict[str, Dataset], say: datasets.Say | None) -> str | None:
    """Bring a run's data file to the known ones; return what to say where that is not possible."""
    about = run.summary["data"]
    if about["digest"] in known:
        return None
    lacking = f"{run.name}: its rebuses and gold steps are not shown"
    try:
        if run.header is not None:
            found = run_of(run.folder, say=say).data
        elif about["name"] == SAMPLE:
            found = datasets.at_hand(SAMPLE)
        else:
            return f"{lacking}: nothing says where its data file {about['name']!r} is; {_REMEDY}."
    except ApievalError as error:
        return f"{lacking}: {error}"
    if found.digest != about["digest"]:
        return f"{lacking}: its data file {about['name']!r} is another now; {_REMEDY} as it was."
    known[found.digest] = found
    return None


_TOOK: Final = (
    "finish_reason",
    "served_model",
    "system_fingerprint",
    "cost_usd",
    "latency_s",
    "attempts",
    "error",
    "created",
)


def gathered(
    runs: Sequence[ReportedRun],
    data: str | Path | None = None,
    say: datasets.Say | None = None,
) -> Items:
    """Return all items of some runs; `data` is where their data file stands now.

    What cannot be had is left out, and said: gold rows without the data file, raw answers where
    only scores are left.

    Raises:
        DataError: where `data` is the file of none of the runs.
        StoreError: for scores or answers that cannot be read, naming file and line.
    """
    golds = golds_of(runs, data, say)
    held, doubts, remarks = Held(), list(golds.doubts), list[str]()
    answered = []
    for run in runs:
        digest = run.summary["data"]["digest"]
        answers = dict(answers_of(run.folder / SCORES, digest, golds.rows.get))
        texts = run.folder / RESPONSES
        there = is_there(texts)
        if there:
            doubts += _texts(run, answers, held)
        else:
            remarks.append(_without(run))
        answered.append(
            AnsweredRun(
                name=run.name,
                texts=f"{run.folder.resolve().name}/{RESPONSES}" if there else None,
                given=run.summary.get("given"),
                answers=answers,
            )
        )
    names = {run.summary["data"]["digest"]: str(run.summary["data"]["name"]) for run in runs}
    return Items(
        runs=answered,
        golds=golds.rows,
        data=names,
        doubts=doubts,
        remarks=remarks,
        room=held.room,
    )


def _without(run: ReportedRun) -> str:
    source = (run.summary.get("responses") or {}).get("file")
    where = f"; they were scored from {source}" if source else ""
    return (
        f"{run.name}: raw answers, tokens and latency are not shown, since there is no {RESPONSES} "
        f"in its folder{where}."
    )


def _texts(run: ReportedRun, answers: Mapping[Key, Answer], held: Held) -> Iterator[str]:
    """Bring the texts to a run's answers, and say what does not fit."""
    digest, stray = run.summary["data"]["digest"], 0
    for response in RunFolder(run.folder).responses():
        key = Key(digest, response.id, response.setting, response.sample)
        answer = answers.get(key)
        if answer is None:
            stray += 1
            continue
        answer.took = _took(response)
        held.add(answer, response.text, response.reasoning)
    if stray:
        yield (
            f"{run.name}: {counted(stray, 'answer')} not shown, since they have no scores; "
            f"`apieval score {run.folder}` scores them."
        )


def _took(response: Response) -> dict[str, Any]:
    """Return what an answer took, what is unknown left out."""
    took: dict[str, Any] = {name: getattr(response, name) for name in _TOOK}
    took.update(response.usage.model_dump(exclude={"total_tokens"}))
    if response.cached:
        took["cached"] = True
    return {name: value for name, value in took.items() if value not in {None, ""}}
