r"""A line of `responses.jsonl`: the answer to one question. Of several to one the last stands.

Lines end in `\n` and are split at `\n` alone.
"""

from __future__ import annotations

import hashlib
from codecs import BOM_UTF8
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Final

from pydantic import BaseModel, ConfigDict, ValidationError

from apieval.errors import StoreError
from apieval.files import ordinary
from apieval.records import Outcome, Response, RowId, Setting
from apieval.results.checking import unreadable
from apieval.results.summary import AnswersFile
from apieval.signature import ALGORITHM, digest_lines

RESPONSES: Final = "responses.jsonl"

ItemKey = tuple[RowId, Setting, int]
Place = Callable[[ItemKey], int]
"""Where the answer to a question belongs among the others."""


class _Head(BaseModel):
    """What a line is: checked in a third of the time that all of it takes."""

    model_config = ConfigDict(frozen=True, extra="ignore", defer_build=True)

    id: RowId
    setting: Setting
    sample: int
    outcome: Outcome


def read_line(line: bytes) -> Response | None:
    """Return the answer in a line, None where it is none.

    A byte order mark, which editors put at a file's beginning, is no part of it.
    """
    try:
        return Response.model_validate_json(line.removeprefix(BOM_UTF8))
    except ValidationError:
        return None


def key_of(response: Response | _Head) -> ItemKey:
    """Return what tells the question of an answer apart."""
    return response.id, response.setting, response.sample


def standing(path: Path, file: BinaryIO, place: Place | None) -> tuple[list[int], AnswersFile]:
    """Return where the lines begin that stand, one for each question, and what the file is.

    No failure takes the place of an answer; a torn last line is no answer yet. They are in the
    order of the places of their questions, else as they stand. What a line is comes from its parsed
    fields alone, however its JSON is spaced and ordered. Of 100,000 lines this keeps two numbers each.

    Raises:
        StoreError: naming the line that cannot be read, and whatever `place` raises.
    """
    stands: dict[Any, int] = {}  # twice the beginning of a line, one more for a failure's
    begin = lines = 0
    hashed = hashlib.new(ALGORITHM)
    for number, line in enumerate(file, start=1):
        hashed.update(line)
        lines += line.endswith(b"\n")
        try:
            head = _Head.model_validate_json(line.removeprefix(BOM_UTF8))
        except ValidationError:
            if line.endswith(b"\n"):  # else torn
                raise no_answer(path, number) from None
        else:
            question, failed = key_of(head), head.outcome is Outcome.FAILED
            where = place(question) if place else question
            if not failed or stands.get(where, 1) % 2:
                stands[where] = 2 * begin + failed
        begin += len(line)
    found = (stands[where] for where in sorted(stands)) if place else sorted(stands.values())
    digest = f"{ALGORITHM}:{hashed.hexdigest()}"
    return [each // 2 for each in found], {"file": path.name, "lines": lines, "digest": digest}


def no_answer(path: Path, number: int) -> StoreError:
    """Return the error of a line that cannot be read."""
    return StoreError(f"{path}, line {number}: not an answer; mend or remove it.")


def answers_file(path: Path) -> AnswersFile:
    """Return what tells a file of answers from any other: its name, its lines and its hash.

    Raises:
        StoreError: where it cannot be read.
    """
    try:
        lines, found = digest_lines(ordinary(path))
    except OSError as error:
        raise unreadable(path, error) from None
    return {"file": path.name, "lines": lines, "digest": found}
