"""The view's data as text that a page can hold: JSON, packed by gzip, written as base64.

A small index says of every item what filters ask; the rest comes in chunks, each of which the
browser unpacks when it is needed: `steps`, what was read, and `texts`, raw answers and reasonings.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, Final

from apieval.analysis.at_once import cores
from apieval.analysis.diagnosis import Step
from apieval.report.page.cuts import Cut, Room, cut_again
from apieval.report.page.items import Answer, AnsweredRun, Items, Key, Read, Words
from apieval.schema import SETTINGS, Outcome

CHUNK: Final = 400_000
"""About so many characters are in a chunk: an instant to unpack, and enough for gzip to be good."""
_LEVEL: Final = 4
"""Of gzip: 5 % more than the usual 6, in less than half the time."""
_OUTCOMES: Final = tuple(outcome.value for outcome in Outcome)
_STEPS: Final = tuple(step.value for step in Step)
_FACTS: Final = (
    "of_own_guesses",
    "letters_kept",
    "cer",
    "key_obeyed",
    "right_despite_wrong_steps",
    "wrong_despite_right_first_pass",
    "near_miss",
    "copied_example",
    "loop",
    "other_language",
)
_TRUTH: Final = (False, True)
_NONE: Final = "-"


@dataclass(frozen=True, slots=True)
class Chunks:
    """Packed chunks, and the first item of each."""

    starts: Sequence[int]
    packed: Sequence[str]

    @property
    def size(self) -> int:
        """Return how many characters they take in the page."""
        return sum(map(len, self.packed))


def written(value: Any) -> str:  # noqa: ANN401 # any JSON
    """Return a value as JSON; half of a surrogate pair, which UTF-8 cannot write, as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text if text.isascii() or _encodable(text) else json.dumps(value, separators=(",", ":"))


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def packed(text: str) -> str:
    """Return a text as base64 of its gzip, the same for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode("ascii")


def chunks(values: Iterable[Any]) -> Chunks:
    """Return one value an item, in order, in packed chunks."""
    starts, waiting = [], []
    with ThreadPoolExecutor(cores()) as pool:  # gzip lets others work meanwhile
        for first, texts in _in_turn(map(written, values)):
            starts.append(first)
            waiting.append(pool.submit(packed, f"[{','.join(texts)}]"))
        return Chunks(starts, [each.result() for each in waiting])


def _in_turn(texts: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    first, size, held = 0, 0, list[str]()
    for number, text in enumerate(texts):
        if held and size + len(text) > CHUNK:
            yield first, held
            first, size, held = number, 0, []
        held.append(text)
        size += len(text)
    if held:
        yield first, held


def steps(items: Items, keys: Sequence[Key]) -> Iterator[list[Any]]:
    """Yield of each item what was read in each run's answer and what it took, None without one."""
    for key in keys:
        yield [_steps(run.answers.get(key)) for run in items.runs]


def texts(items: Items, keys: Sequence[Key], room: Room) -> Iterator[list[Any]]:
    """Yield of each item the raw answer and the reasoning of each run, None without one."""
    for key in keys:
        yield [_texts(run.answers.get(key), room) for run in items.runs]


def _texts(answer: Answer | None, room: Room) -> list[Any] | None:
    if answer is None or answer.text is None:
        return None
    reasoning = answer.reasoning and _cut(cut_again(answer.reasoning, room.reasoning))
    return [_cut(cut_again(answer.text, room.answer)), reasoning]


def _cut(text: str | Cut) -> str | list[Any]:
    """Return a text, or where the middle is left out its beginning, its end, and its length."""
    if isinstance(text, str):
        return text
    return text.head if text.shown == text.length else [text.head, text.tail, text.length]


def _steps(answer: Answer | None) -> dict[str, Any] | None:
    if answer is None:
        return None
    shows = {name: answer.diagnosis.get(name) for name in _FACTS}
    found = {
        "official": _read(answer.official),
        "tolerant": answer.tolerant and _read(answer.tolerant),
        "seen_through": list(answer.seen_through),
        "why": dict(answer.why),
        "shows": {name: value for name, value in shows.items() if value is not None},
        "took": dict(answer.took),
    }
    return {name: value for name, value in found.items() if value}


def _read(read: Read) -> dict[str, Any]:
    parts = {
        name: [[_cut(word) for word in part.shown], part.more]
        if isinstance(part, Words)
        else _cut(part)
        for name, part in read.parts._asdict().items()
    }
    return {**parts, "marks": dict(read.marks), "counts": dict(read.counts)}


def index(items: Items, keys: Sequence[Key]) -> dict[str, Any]:
    """Return what filters and the list need: runs, rows, items, and a letter for each answer."""
    rows = {row: n for n, row in enumerate(dict.fromkeys((k.digest, k.id) for k in keys))}
    subsets = list(dict.fromkeys(s for row in rows if (s := _subset(items, row)) is not None))
    return {
        "settings": list(SETTINGS),
        "outcomes": list(_OUTCOMES),
        "steps": list(_STEPS),
        "subsets": subsets,
        "data": list(items.data.values()),
        "models": [
            {"name": run.name, "texts": run.texts, "given": run.given} for run in items.runs
        ],
        "rows": [_row(items, row, subsets) for row in rows],
        "items": {
            "row": [rows[key.digest, key.id] for key in keys],
            "setting": "".join(str(SETTINGS.index(key.setting)) for key in keys),
            "sample": [key.sample for key in keys] if any(key.sample for key in keys) else None,
        },
        "answers": [_letters(run, keys) for run in items.runs],
    }


def _subset(items: Items, row: tuple[str, Any]) -> str | None:
    gold = items.golds.get(row)
    return gold.rebus.subset if gold else None


def _row(items: Items, row: tuple[str, Any], subsets: Sequence[str]) -> dict[str, Any]:
    """Return what is known of a row: of one without gold its id alone."""
    digest, row_id = row
    found: dict[str, Any] = {"id": row_id, "data": list(items.data).index(digest)}
    gold = items.golds.get(row)
    if gold is None:
        return found
    rebus = gold.rebus
    along = list(gold.along_key)
    return found | {
        "subset": None if rebus.subset is None else subsets.index(rebus.subset),
        "regular": rebus.verbalized_rebus,
        "hints": rebus.verbalized_rebus_with_length_hints,
        "key": rebus.solution_key,
        "word_guesses": list(rebus.word_guesses),
        "first_pass": rebus.first_pass,
        "solution_words": list(rebus.solution_words),
        "along_key": None if along == list(rebus.solution_words) else along,
        "solution": rebus.solution,
    }


def _letters(run: AnsweredRun, keys: Sequence[Key]) -> dict[str, str]:
    """Return by question a letter for each item's answer, a dash where there is none."""
    answers = [run.answers.get(key) for key in keys]
    return {
        "outcome": "".join(_letter(_OUTCOMES, a.outcome if a else None) for a in answers),
        "broke": "".join(_letter(_STEPS, a.broke_first if a else None) for a in answers),
        "solved": "".join(_letter(_TRUTH, a.solved if a else None) for a in answers),
        "tolerant": "".join(_letter(_TRUTH, a.tolerant_solved if a else None) for a in answers),
    }


def _letter(known: Sequence[object], value: object) -> str:
    return str(known.index(value)) if value in known else _NONE
