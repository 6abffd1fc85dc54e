"""Every item of reported runs: scores, answers and gold rows joined by row, setting and sample.

`scores.jsonl` is read once, and marked word by word; data files are found by their hash.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from apieval.commands import datasets
from apieval.commands.score import run_of
from apieval.errors import ApievalError, DataError
from apieval.rebus.characters import surely_composed
from apieval.rebus.dataset import SAMPLE, Dataset
from apieval.rebus.metrics import HEADLINE
from apieval.rebus.parsers import official, tolerant
from apieval.rebus.scoring import PARSERS, right_ones
from apieval.records import Prediction, Response, RowId, Tally
from apieval.report.page.items import Answer, AnsweredRun, Gold, Held, Items, Key, Read, shown
from apieval.results.answers import RESPONSES
from apieval.results.folder import HEADER, AnswerDiagnosis, RunFolder, ScoreLine, prediction_of
from apieval.wording import counted

_WORDS: Final = {
    "word_guesses": ("word_guess_accuracy", "word_guess_length_accuracy"),
    "solution_words": ("solution_word_accuracy", "solution_word_length_accuracy"),
}
_WHOLE: Final = {"first_pass": "first_pass_accuracy", "solution": HEADLINE}


GoldOf = Callable[[tuple[str, RowId]], Gold | None]
"""Gives the row of a data file, by its hash and the row's id."""
SHOWN: Final = (official.NAME, tolerant.NAME)
"""Whose scores are shown."""


class Answers:
    """Take in the scores of a run's answers, by the parsers that are shown."""

    def __init__(self, digest: str, gold: GoldOf) -> None:
        """Begin with no answer."""
        self.known: dict[Key, Answer] = {}
        self._digest, self._gold = digest, gold
        self._waiting: dict[Key, dict[str, ScoreLine]] = {}

    def take(self, line: ScoreLine) -> None:
        """Take in a line of one of these parsers."""
        key = Key(self._digest, line["id"], line["setting"], line["sample"])
        lines = self._waiting.setdefault(key, {})
        lines[line["parser"]] = line
        if len(lines) == len(SHOWN):
            self._add(key, self._waiting.pop(key))

    def end(self) -> None:
        """Take in the answers that only the official parser could read."""
        for key, lines in self._waiting.items():
            if official.NAME in lines:
                self._add(key, lines)

    def _add(self, key: Key, lines: Mapping[str, ScoreLine]) -> None:
        gold = self._gold((self._digest, key.id))
        self.known[key] = _answer(lines[official.NAME], lines.get(tolerant.NAME), gold)


def _answer(first: ScoreLine, other: ScoreLine | None, gold: Gold | None) -> Answer:
    read = _read(first, gold)
    again = None
    if other:
        again = read if _alike(first, other, gold) else _read(other, gold)
    said = other or first
    shows: AnswerDiagnosis = said.get("diagnosis", {})
    differs = other and again and again is not read and _differs(first, other, read, again)
    return Answer(
        outcome=first["outcome"].value,
        broke_first=shows.get("broke_first"),
        solved=_solved(read),
        official=read,
        tolerant=again if differs else None,
        tolerant_solved=_solved(again) if again else None,
        seen_through=tuple(other.get("seen_through", ())) if other else (),
        why=other.get("why", {}) if other else {},
        diagnosis=shows,
    )


def _parts(line: ScoreLine) -> tuple[object, ...]:
    return line["word_guesses"], line["first_pass"], line["solution_words"], line["solution"]


def _alike(first: ScoreLine, other: ScoreLine, gold: Gold | None) -> bool:
    """Say whether two parsers found the same, in words that every equality takes as they are.

    So it is with most answers, and saves marking them twice.
    """
    if gold is None or _parts(first) != _parts(other) or first["counts"] != other["counts"]:
        return False
    rebus = gold.rebus
    said = "".join(first["word_guesses"] + first["solution_words"])
    words = said + "".join(rebus.word_guesses + rebus.solution_words)
    return gold.along_key == rebus.solution_words and words.isalnum() and surely_composed(words)


def _differs(first: ScoreLine, other: ScoreLine, read: Read, again: Read) -> bool:
    return read.marks != again.marks or _parts(first) != _parts(other)


def _solved(read: Read) -> bool | None:
    return read.counts[HEADLINE][0] > 0 if HEADLINE in read.counts else None


def _read(line: ScoreLine, gold: Gold | None) -> Read:
    parts, counts = prediction_of(line), line["counts"] or {}
    score = _Score(line["parser"], parts, {n: Tally(*each) for n, each in counts.items()})
    marks = {part: "2" if counts[n][0] else "0" for part, n in _WHOLE.items() if n in counts}
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
    runs: Mapping[str, RunFolder],
    data: str | Path | None = None,
    say: datasets.Say | None = None,
) -> Golds:
    """Return the rows of the data files that runs were made on, as far as they can be had.

    `runs` go by their names. `data` is where the file of some run stands now.

    Raises:
        DataError: where it is the file of none of them, or cannot be read.
    """
    known: dict[str, Dataset] = {}
    digests = {run.summary["data"]["digest"] for run in runs.values()}
    if data is not None:
        given = datasets.at_hand(data, gold_only=True, say=say)
        if given.digest not in digests:
            raise DataError(
                f"{data}: not the data file of any of these runs (it is {given.digest}, theirs "
                f"{', '.join(sorted(digests))}); give the one they were run on with --data."
            )
        known[given.digest] = given
    doubts = [doubt for name, run in runs.items() if (doubt := _found(name, run, known, say))]
    rows = {
        (digest, rebus.id): Gold(rebus, _TOLERANT.gold(rebus).solution_words, order)
        for digest, found in known.items()
        for order, rebus in enumerate(found.rebuses)
    }
    return Golds(rows, doubts)


def _found(
    name: str, run: RunFolder, known: dict[str, Dataset], say: datasets.Say | None
) -> str | None:
    """Bring a run's data file to the known ones; return what to say where that is not possible."""
    about = run.summary["data"]
    if about["digest"] in known:
        return None
    lacking = f"{name}: its rebuses and gold steps are not shown"
    try:
        if run.has(HEADER):
            found = run_of(run, say=say).data
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


class ItemsOf:
    """Bring the items of some runs together, as their files are read."""

    def __init__(
        self,
        runs: Mapping[str, RunFolder],
        data: str | Path | None = None,
        say: datasets.Say | None = None,
    ) -> None:
        """Find the rows of these runs; `data` is where their data file stands now.

        What cannot be had is left out, and said: gold rows without the data file, raw answers where
        only scores are left.

        Raises:
            DataError: where `data` is the file of none of the runs.
        """
        self._runs = runs
        self._golds = golds_of(runs, data, say)
        self._doubts = list(self._golds.doubts)
        self._remarks: list[str] = []
        self._held = Held()
        self._answered: list[AnsweredRun] = []

    def of_run(self, name: str) -> ItemsOfRun:
        """Return what takes in the files of one run."""
        digest = self._runs[name].summary["data"]["digest"]
        return ItemsOfRun(digest, self._golds.rows.get, self._held)

    def add(self, name: str, items: ItemsOfRun) -> None:
        """Take in what one run's files came to."""
        folder = self._runs[name]
        there = folder.has(RESPONSES)
        if not there:
            source = folder.summary["responses"]
            where = f"; they were scored from {source['file']}" if source else ""
            self._remarks.append(
                f"{name}: raw answers, tokens and latency are not shown, since there is no "
                f"{RESPONSES} in its folder{where}."
            )
        if items.stray:
            self._doubts.append(
                f"{name}: {counted(items.stray, 'answer')} not shown, since they have no scores; "
                f"`apieval score {folder.path}` scores them."
            )
        self._answered.append(
            AnsweredRun(
                name=name,
                texts=f"{folder.path.resolve().name}/{RESPONSES}" if there else None,
                given=folder.summary["given"],
                answers=items.answers,
            )
        )

    def items(self) -> Items:
        """Return all of them."""
        summaries = [run.summary for run in self._runs.values()]
        return Items(
            runs=self._answered,
            golds=self._golds.rows,
            data={each["data"]["digest"]: each["data"]["name"] for each in summaries},
            doubts=self._doubts,
            remarks=self._remarks,
            room=self._held.room,
        )


class ItemsOfRun:
    """Take in one run's scores, and then the answers that they are of."""

    def __init__(self, digest: str, gold: GoldOf, held: Held) -> None:
        """Begin with no answer; texts go to what holds those of all runs."""
        self._digest, self._held = digest, held
        self._scores = Answers(digest, gold)
        self.stray = 0

    @property
    def answers(self) -> Mapping[Key, Answer]:
        """Return the answers that have scores."""
        return self._scores.known

    def take(self, line: ScoreLine) -> None:
        """Take in a line of the scores."""
        self._scores.take(line)

    def end(self) -> None:
        """Take note that the scores have come to their end."""
        self._scores.end()

    def add(self, response: Response) -> None:
        """Bring its text to an answer that has scores."""
        key = Key(self._digest, response.id, response.setting, response.sample)
        answer = self.answers.get(key)
        if answer is None:
            self.stray += 1
            return
        answer.took = _took(response)
        self._held.add(answer, response.text, response.reasoning)


def _took(response: Response) -> dict[str, object]:
    """Return what an answer took, what is unknown left out."""
    took: dict[str, object] = {name: getattr(response, name) for name in _TOOK}
    took.update(response.usage.model_dump(exclude={"total_tokens"}))
    if response.cached:
        took["cached"] = True
    return {name: value for name, value in took.items() if value not in {None, ""}}
