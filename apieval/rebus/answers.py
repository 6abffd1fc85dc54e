"""Answers that another tool collected: raw texts, and the study's parsed parts.

Those that lm-evaluation-harness collected are read by `harness`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeVar

from apieval.errors import DataError, did_you_mean
from apieval.patterns import regex
from apieval.rebus import tables
from apieval.rebus.cells import ID, unguarded
from apieval.rebus.columns import GOLD
from apieval.records import (
    SETTINGS,
    Outcome,
    Prediction,
    Rebus,
    Response,
    Setting,
    Usage,
    well_formed,
)

Place = tuple[str, Setting, int]
_T = TypeVar("_T")
_SAMPLE: Final = regex("[0-9]{1,4}")
_OUTCOMES: Final = tuple(outcome.value for outcome in Outcome)


@dataclass(frozen=True, slots=True)
class Fields:
    """What raw answers call the row's id and the text."""

    id: str = "id"
    text: str = "text"


PLAIN: Final = Fields()


def raw(
    path: Path, gold: Mapping[str, Rebus], setting: Setting, fields: Fields = PLAIN
) -> Iterator[tuple[Rebus, Response]]:
    """Yield every answer of a JSONL file of ids and texts, with its gold row.

    A line may also say its `setting`, `sample` and `outcome`; `setting` is of lines that do not.

    Raises:
        DataError: naming the line: no id or text, an id the data does not have, a second answer
            of the same id, setting and sample.
    """
    seen: dict[Place, int] = {}
    for line, value in tables.objects(path):
        where = f"{path}, line {line}"
        check_fields(value, fields, where)
        mine = _one_of(SETTINGS, value, "setting", setting, where)
        sample = _sample(value, where)
        row = _gold(value[fields.id], gold, where)
        once(seen, (str(row.id), mine, sample), line, path)
        text = value[fields.text]
        yield row, response_of(row, mine, sample, text, outcome_of(value, text, where))


def check_fields(value: Mapping[str, Any], fields: Fields, where: str) -> None:
    """Refuse a line without an id or a text.

    Raises:
        DataError: naming the field.
    """
    for name in (fields.id, fields.text):
        if not isinstance(value.get(name), str):
            near = did_you_mean(name, value.keys() - {name})
            raise DataError(f"{where}: {name!r} is missing or no text{near}.")


def parsed(path: Path, gold: Mapping[str, Rebus]) -> Iterator[tuple[Rebus, Prediction]]:
    """Yield every row of the study's parsed CSV, with its gold row; `idx` (or `id`) joins them.

    Where the ids are called `safe_idx` the cells are guarded (see `rebus.cells`), and read without.

    Raises:
        DataError: naming the line: a column or id that is missing, an id the data does not have,
            an id that appears twice.
    """
    seen: dict[Place, int] = {}
    for row in tables.read(path):
        where = f"{path}, line {row.line}"
        given, cells = _cells(row, where)
        gold_row = _gold(given, gold, where)
        once(seen, (str(gold_row.id), "regular", 0), row.line, path)
        yield (
            gold_row,
            Prediction(
                word_guesses=tuple(cells["word_guesses"].split(";")),
                first_pass=cells["first_pass"],
                solution_words=tuple(cells["solution_words"].split(";")),
                solution=cells["solution"],
            ),
        )


def look_at_parsed(path: Path) -> None:
    """Refuse a CSV whose first row is none of the study's parsed ones.

    Raises:
        DataError: naming the file and what it lacks.
    """
    for row in islice(tables.read(path), 1):
        _cells(row, f"{path}, line {row.line}")


def _cells(row: tables.Row, where: str) -> tuple[str, Mapping[str, str]]:
    """Return a parsed row's id and cells."""
    missing = [name for name in GOLD if name not in row.cells]
    if missing:
        raise DataError(f"{where}: missing column {missing[0]!r}; needed: {', '.join(GOLD)}.")
    safe = ID in row.cells
    cells = {k: unguarded(v) for k, v in row.cells.items()} if safe else row.cells
    given = cells.get(ID, cells.get("idx", cells.get("id")))
    if given is None:
        raise DataError(f"{where}: missing column 'idx', which says whose row this is.")
    return given, cells


def _gold(given: str, gold: Mapping[str, Rebus], where: str) -> Rebus:
    row = gold.get(given.strip())
    if row is None:
        raise DataError(
            f"{where}: the data has no row {given!r}; give the data file these answers are of "
            "with --data."
        )
    return row


def once(seen: dict[Place, int], place: Place, line: int, path: Path) -> None:
    """Note the line of an answer.

    Raises:
        DataError: for the second answer of one place.
    """
    first = seen.setdefault(place, line)
    if first != line:
        raise DataError(f"{path}, line {line}: row {place[0]!r} has its answer in line {first}.")


def _one_of(
    known: tuple[_T, ...], value: Mapping[str, Any], name: str, otherwise: _T, where: str
) -> _T:
    given = value.get(name, otherwise)
    if given not in known:
        raise DataError(f"{where}: {name} {given!r} is none of {', '.join(map(str, known))}.")
    return given  # type: ignore[no-any-return] # it is one of them


def _sample(value: Mapping[str, Any], where: str) -> int:
    # numbers come as the text they are written in, see tables.objects
    given = value.get("sample", "0")
    if not (isinstance(given, str) and _SAMPLE.fullmatch(given)):
        raise DataError(f"{where}: sample {given!r} is no number from 0 to 9999.")
    return int(given)


def outcome_of(value: Mapping[str, Any], text: str, where: str) -> Outcome:
    """Return what became of an answer: what its line says, else what its text shows.

    Raises:
        DataError: for a word that is no outcome.
    """
    shown = (Outcome.OK if text.strip() else Outcome.EMPTY).value
    return Outcome(_one_of(_OUTCOMES, value, "outcome", shown, where))


def response_of(row: Rebus, setting: Setting, sample: int, text: str, outcome: Outcome) -> Response:
    """Return a text as an answer of which nothing else is known."""
    return Response(
        id=row.id,
        setting=setting,
        sample=sample,
        key="",
        text=well_formed(text),
        reasoning=None,
        finish_reason=None,
        outcome=outcome,
        served_model=None,
        system_fingerprint=None,
        usage=Usage(),
        cost_usd=None,
        latency_s=None,
        attempts=0,
        error=None,
        created="",
        cached=False,
    )
