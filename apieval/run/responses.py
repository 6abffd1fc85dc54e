r"""`responses.jsonl` as a file: read one answer at a time, and made whole after a kill.

Lines end in `\n` and are split at `\n` alone. In mending, a torn last line is cut off and a line
that is no answer set aside; lines of answers that are asked for again make room, and are kept
beside, since they were paid for. Every other line keeps its bytes, unknown fields and all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pydantic import ValidationError

from apieval.errors import StoreError
from apieval.schema import Outcome, Response, RowId, Setting

RESPONSES: Final = "responses.jsonl"
DAMAGED: Final = "responses.damaged"
REPLACED: Final = "responses.replaced.jsonl"

ItemKey = tuple[RowId, Setting, int]


@dataclass(slots=True)
class Kept:
    """What a run's folder holds: whose answers stand, and what was paid, replaced ones included."""

    answered: set[ItemKey] = field(default_factory=set)
    spent_usd: float = 0.0


def read_line(line: bytes) -> Response | None:
    """Return the answer in a line, None where it is none."""
    try:
        return Response.model_validate_json(line)
    except ValidationError:
        return None


def stored(folder: Path) -> Iterator[Response]:
    """Yield the answers of a run one at a time; a torn last line is no answer yet.

    Raises:
        StoreError: naming the line that cannot be read.
    """
    path = folder / RESPONSES
    try:
        with path.open("rb") as file:
            for number, line in enumerate(file, start=1):
                response = read_line(line)
                if response is not None:
                    yield response
                elif line.endswith(b"\n"):
                    raise StoreError(f"{path}, line {number}: not an answer; mend or remove it.")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def mend(path: Path, warn: Callable[[str], None], ask_again: Collection[Outcome]) -> Kept:
    """Leave only whole lines of answers that stand; say whose they are and what was paid.

    `path` is the file of answers; answers with an outcome in `ask_again` make room.
    """
    beside = _lines(path.with_name(REPLACED))
    kept = Kept(spent_usd=sum(_paid(answer) for line in beside if (answer := read_line(line))))
    if not path.exists():
        return kept
    drop: set[int] = set()
    damaged: list[bytes] = []
    replaced: list[bytes] = []
    whole = True
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            whole = line.endswith(b"\n")
            response = read_line(line)
            if response is None:
                drop.add(number)
                if whole:
                    damaged.append(line)
                    warn(f"{path}, line {number}: not an answer; set aside in {DAMAGED}.")
                continue
            key = (response.id, response.setting, response.sample)
            if line in beside:  # a kill fell in between: kept beside, and counted, already
                drop.add(number)
                continue
            kept.spent_usd += _paid(response)
            if response.outcome in ask_again or key in kept.answered:
                drop.add(number)
                replaced.append(line)
            else:
                kept.answered.add(key)
    _append(path.with_name(DAMAGED), damaged)
    _append(path.with_name(REPLACED), replaced)
    if drop or not whole:
        _rewrite(path, drop)
    return kept


def _lines(path: Path) -> set[bytes]:
    if not path.exists():
        return set()
    with path.open("rb") as file:
        return set(file)


def _paid(response: Response) -> float:
    return 0.0 if response.cached else response.cost_usd or 0.0


def _append(path: Path, lines: list[bytes]) -> None:
    if lines:
        with path.open("ab") as file:
            file.writelines(line if line.endswith(b"\n") else line + b"\n" for line in lines)
            file.flush()
            os.fsync(file.fileno())


def _rewrite(path: Path, drop: Collection[int]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    with path.open("rb") as old, fresh.open("wb") as new:
        for number, line in enumerate(old, start=1):
            if number not in drop:
                new.write(line if line.endswith(b"\n") else line + b"\n")
        new.flush()
        os.fsync(new.fileno())
    fresh.replace(path)
