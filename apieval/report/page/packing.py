"""The rebus view of a page: its markup, style and script, and the data they show, packed.

Whatever comes from models or files is JSON, packed by gzip and written as base64, and put into the
page by the script as text alone. A small index says of every item what filters ask; the rest comes
in chunks, each of which the browser unpacks when it is needed: `steps`, what was read, and `texts`,
raw answers and reasonings. Where there is too much, texts get shorter first, then items fewer.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final, Literal

from apieval.analysis.diagnosis import Step
from apieval.analysis.figures import cores
from apieval.records import SETTINGS, Outcome
from apieval.report.page.items import FULL, ROOMS, Answer, AnsweredRun, Items, Key, Read, Room
from apieval.wording import counted

Which = Literal["wrong", "all"]
LIMIT: Final = 20_000_000
"""Characters that the data may take of a page that is to stay under 25 MB."""
CHUNK: Final = 400_000
"""About so many characters are in a chunk: an instant to unpack, and enough for gzip to be good."""
SCRIPTS: Final = ("text", "data", "filters", "list", "item", "view")
"""The parts of the script, in the order they are put together."""
_LEVEL: Final = 4
"""Of gzip: 5 % more than the usual 6, in less than half the time."""
_KEPT: Final = 2 / 3
"""How much of too many items is tried next."""
_OUTCOMES: Final = tuple(outcome.value for outcome in Outcome)
_STEPS: Final = tuple(step.value for step in Step)
_LETTERS: Final[dict[str, tuple[str, tuple[object, ...]]]] = {
    "outcome": ("outcome", _OUTCOMES),
    "broke": ("broke_first", _STEPS),
    "solved": ("solved", (False, True)),
    "tolerant": ("tolerant_solved", (False, True)),
}
"""What the index says of an answer, in one letter each: the place of a field's value among others."""
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


@dataclass(frozen=True, slots=True)
class Fragment:
    """The view as a page embeds it; `blocks` are its data, and stand before the script.

    Neither script nor style holds the end of its own element. `notices` tell what was left out,
    which the view tells too.
    """

    html: str
    script: str
    style: str
    blocks: str
    notices: tuple[str, ...]


def fragment(items: Items, which: Which = "all", limit: int = LIMIT) -> Fragment:
    """Return the view of some items; `wrong` are those that some run did not solve.

    `limit` is how many characters the data may take; what does not fit is left out, and said.
    """
    for keys, rooms, notices in _attempts(items, which, limit):
        index = _index(items, keys)
        steps = _chunks([_steps(run.answers.get(key)) for run in items.runs] for key in keys)
        for room in rooms:
            texts = _chunks(
                [_texts(run.answers.get(key), room) for run in items.runs] for key in keys
            )
            said = [*notices, *_of_room(room, items)]
            index["notices"] = [*said, *items.doubts, *items.remarks]
            index["chunks"] = {"steps": list(steps), "texts": list(texts)}
            if not keys:
                index["none"] = _none(items)
            blocks = {"index": _packed(_written(index))}
            blocks |= {f"steps-{n}": each for n, each in enumerate(steps.values())}
            blocks |= {f"texts-{n}": each for n, each in enumerate(texts.values())}
            if not keys or sum(map(len, blocks.values())) <= limit:
                html = "".join(
                    # a browser runs nothing of this type
                    f'<script type="application/octet-stream" id="rebuses-{name}">{each}</script>\n'
                    for name, each in blocks.items()
                )
                return Fragment(_read("view.html"), _script(), _read("view.css"), html, tuple(said))
    raise AssertionError("no item at all has room anywhere")


@cache
def _read(name: str) -> str:
    return files("apieval.report.page").joinpath("view", name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    """Return the parts of the script as one, which shares no name with the page's other scripts."""
    parts = "\n".join(_read(f"{name}.js") for name in SCRIPTS)
    return f'(() => {{\n"use strict";\n{parts}}})();\n'


def _attempts(
    items: Items, which: Which, limit: int
) -> Iterator[tuple[Sequence[Key], Sequence[Room], list[str]]]:
    """Yield items and the rooms their texts may have, from all to none, and what to say of them.

    The texts of all items are shortened before right answers are left out, but not to nothing; then
    the texts go, and then the last items.
    """
    every, rooms = items.ordered(), ROOMS[ROOMS.index(items.room) :]
    because = f"; with more the page would be too large (its data may take {limit / 1e6:.0f} MB)"
    if which == "all":
        yield every, [room for room in rooms if room.answer], []
    wrong = [key for key in every if not _solved_by_all(items, key)]
    kept, of_all = f"{len(wrong):,}", f"Of {counted(len(every), 'item')} only the"
    unsolved = "that some run did not solve are here"
    why = because if which == "all" else ""
    yield wrong, rooms, [f"{of_all} {kept} {unsolved}{why}."] if every else []
    while wrong:
        wrong = wrong[: int(len(wrong) * _KEPT)]
        yield wrong, ROOMS[-1:], [f"{of_all} first {len(wrong):,} {unsolved}{because}."]


def _solved_by_all(items: Items, key: Key) -> bool:
    return all((answer := run.answers.get(key)) and answer.solved for run in items.runs)


def _of_room(room: Room, items: Items) -> Iterator[str]:
    """Say what of the texts is not here."""
    if room == FULL or not any(run.texts for run in items.runs):
        return
    if not room.answer:
        yield "Raw answers and reasonings are left out for want of room; they are in responses.jsonl."
        return
    reasoning = f"{room.reasoning:,} of a reasoning" if room.reasoning else "no reasoning"
    yield (
        f"At most {room.answer:,} characters of an answer and {reasoning} are here, for want of "
        "room; the whole texts are in responses.jsonl."
    )


def _written(value: Any) -> str:  # noqa: ANN401 # any JSON
    """Return a value as JSON; half of a surrogate pair, which UTF-8 cannot write, as an escape."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    try:
        text.encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":"))
    return text


def _packed(text: str) -> str:
    """Return a text as base64 of its gzip, the same for the same text."""
    return base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode("ascii")


def _chunks(values: Iterable[Any]) -> dict[int, str]:
    """Return one value an item, in order, in packed chunks, by the first item of each."""
    waiting = {}
    with ThreadPoolExecutor(cores()) as pool:  # gzip lets others work meanwhile
        for first, texts in _in_turn(map(_written, values)):
            waiting[first] = pool.submit(_packed, f"[{','.join(texts)}]")
        return {first: each.result() for first, each in waiting.items()}


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


def _texts(answer: Answer | None, room: Room) -> list[Any] | None:
    """Return the raw answer and the reasoning."""
    if answer is None or answer.text is None:
        return None
    reasoning = answer.reasoning and answer.reasoning.to(room.reasoning).packed
    return [answer.text.to(room.answer).packed, reasoning]


def _steps(answer: Answer | None) -> dict[str, Any] | None:
    """Return what was read in an answer, and what it took."""
    if answer is None:
        return None
    shows = {name: answer.diagnosis.get(name) for name in _FACTS}
    found = {
        "official": _of(answer.official),
        "tolerant": answer.tolerant and _of(answer.tolerant),
        "seen_through": list(answer.seen_through),
        "why": dict(answer.why),
        "shows": {name: value for name, value in shows.items() if value is not None},
        "took": dict(answer.took),
    }
    return {name: value for name, value in found.items() if value}


def _of(read: Read) -> dict[str, Any]:
    return {**read.parts, "marks": dict(read.marks), "counts": dict(read.counts)}


def _index(items: Items, keys: Sequence[Key]) -> dict[str, Any]:
    """Return what filters and the list need: runs, rows, items, and a letter for each answer."""
    rows = {row: n for n, row in enumerate(dict.fromkeys((k.digest, k.id) for k in keys))}
    golds = [gold.rebus for row in rows if (gold := items.golds.get(row))]
    subsets = list(dict.fromkeys(each.subset for each in golds if each.subset is not None))
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


def _row(items: Items, row: tuple[str, Any], subsets: Sequence[str]) -> dict[str, Any]:
    """Return what is known of a row: of one without gold its id alone."""
    digest, row_id = row
    found = {"id": row_id, "data": list(items.data).index(digest)}
    gold = items.golds.get(row)
    if gold is None:
        return found
    rebus = gold.rebus
    return found | {
        "subset": None if rebus.subset is None else subsets.index(rebus.subset),
        "regular": rebus.verbalized_rebus,
        "hints": rebus.verbalized_rebus_with_length_hints,
        "key": rebus.solution_key,
        "word_guesses": rebus.word_guesses,
        "first_pass": rebus.first_pass,
        "solution_words": rebus.solution_words,
        "along_key": None if gold.along_key == rebus.solution_words else gold.along_key,
        "solution": rebus.solution,
    }


def _letters(run: AnsweredRun, keys: Sequence[Key]) -> dict[str, str]:
    """Return by question a letter for each item's answer, a dash where there is none."""
    answers = [run.answers.get(key) for key in keys]

    def letter(answer: Answer | None, name: str, known: Sequence[object]) -> str:
        value = getattr(answer, name, None)
        return str(known.index(value)) if value in known else "-"

    return {
        kind: "".join(letter(answer, *about) for answer in answers)
        for kind, about in _LETTERS.items()
    }


def _none(items: Items) -> str:
    """Say why there is no item to show."""
    every = items.ordered()
    if not every:
        return "No run has a scored answer, so there is no rebus to show."
    if all(_solved_by_all(items, key) for key in every):
        return "Every run solved every rebus; only those that some run did not solve would be here."
    return "There is no room for any rebus."
