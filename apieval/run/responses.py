r"""`responses.jsonl` as a file: read one answer at a time, and made whole after a kill.

Lines end in `\n` and are split at `\n` alone. Of several answers to one question the last stands.
In mending, a torn last line is cut off, a line that is no answer set aside, and one that another
has replaced kept beside. Every other line keeps its bytes, unknown fields and all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from apieval.files import ordinary, to_disk, to_disk_folder
from apieval.records import Outcome, Response
from apieval.results.answers import ItemKey, key_of, read_line
from apieval.results.checking import unreadable

DAMAGED: Final = "responses.damaged"
REPLACED: Final = "responses.replaced.jsonl"


@dataclass(slots=True)
class Mean:
    """A mean that grows, of what is known; None of nothing."""

    total: int = 0
    count: int = 0

    def add(self, value: int | None) -> None:
        """Take in another value, None where it is not known."""
        if value is not None:
            self.total += value
            self.count += 1

    @property
    def value(self) -> float | None:
        """Return the mean."""
        return self.total / self.count if self.count else None


@dataclass(slots=True)
class Kept:
    """What a run's folder holds: whose answers stand, and what was paid, replaced ones included.

    `standing` are all of them, `answered` those that are not asked for again; `unpriced` were paid,
    but nobody knows how much; `last_created` is when the last line was written, as it says.
    `prompts` and `answers` are the token counts of all that came, as far as they are known.
    """

    standing: set[ItemKey] = field(default_factory=set)
    answered: set[ItemKey] = field(default_factory=set)
    spent_usd: float = 0.0
    unpriced: int = 0
    last_created: str | None = None
    prompts: Mean = field(default_factory=Mean)
    answers: Mean = field(default_factory=Mean)

    def pay(self, response: Response) -> None:
        """Take note of what an answer cost."""
        self.spent_usd += paid_usd(response)
        self.unpriced += is_unpriced(response)
        self.prompts.add(response.usage.prompt_tokens)
        self.answers.add(response.usage.completion_tokens)


def mend(path: Path, warn: Callable[[str], None], ask_again: Collection[Outcome]) -> Kept:
    """Leave one whole line for every question; say whose answers stand and what was paid.

    `path` is the file of answers. Answers with an outcome in `ask_again` stand until there is
    another. A line that another has replaced is kept beside, since it was paid for.
    """
    beside = _lines(path.with_name(REPLACED))
    kept = Kept()
    for answer in filter(None, map(read_line, beside)):
        kept.pay(answer)
    if not path.exists():
        return kept
    last: dict[ItemKey, tuple[int, Outcome]] = {}
    drop: dict[int, bool] = {}
    whole = True
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            whole = line.endswith(b"\n")
            response = read_line(line)
            if response is None:
                drop[number] = False
                if whole:
                    warn(f"{path}, line {number}: not an answer; set aside in {DAMAGED}.")
                continue
            kept.last_created = response.created
            key = key_of(response)
            before = last.get(key)
            if line not in beside:  # else a kill fell in between, and it is counted already
                kept.pay(response)
            if before and response.outcome is Outcome.FAILED and before[1] is not Outcome.FAILED:
                drop[number] = True
                continue
            if before:
                drop[before[0]] = True
            last[key] = number, response.outcome
    kept.standing = set(last)
    kept.answered = {key for key, (_, outcome) in last.items() if outcome not in ask_again}
    if drop or not whole:
        _leave_out(path, drop, beside)
    return kept


def _leave_out(path: Path, drop: Mapping[int, bool], beside: Collection[bytes]) -> None:
    """Take lines out of the file: answers (true) are kept beside, other whole lines set aside."""
    aside: dict[str, list[bytes]] = {DAMAGED: [], REPLACED: []}
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if drop.get(number) and line not in beside:
                aside[REPLACED].append(line)
            elif drop.get(number) is False and line.endswith(b"\n"):
                aside[DAMAGED].append(line)
    for name, lines in aside.items():
        _append(path.with_name(name), lines)
    _rewrite(path, drop)


def _lines(path: Path) -> set[bytes]:
    if not path.exists():
        return set()
    with ordinary(path).open("rb") as file:
        return set(file)


def paid_usd(response: Response) -> float:
    """Return what an answer cost this run, as far as that is known: nothing out of the cache."""
    return 0.0 if response.cached else response.cost_usd or 0.0


def is_unpriced(response: Response) -> bool:
    """Say whether an answer was paid by this run, and nobody knows how much.

    A failure's cost is known where it had one, but for the few that ended without any word of it.
    """
    came = not response.cached and response.outcome is not Outcome.FAILED
    return came and response.cost_usd is None


def _append(path: Path, lines: list[bytes]) -> None:
    if lines:
        with path.open("ab") as file:
            file.writelines(line if line.endswith(b"\n") else line + b"\n" for line in lines)
            file.flush()
            to_disk(file.fileno())
        to_disk_folder(path.parent)


def _rewrite(path: Path, drop: Collection[int]) -> None:
    fresh = path.with_name(f".{path.name}.new")
    with path.open("rb") as old, fresh.open("wb") as new:
        for number, line in enumerate(old, start=1):
            if number not in drop:
                new.write(line if line.endswith(b"\n") else line + b"\n")
        new.flush()
        to_disk(new.fileno())
    fresh.replace(path)
    to_disk_folder(path.parent)


@dataclass(slots=True)
class Survey:
    """What a file of answers looks like, line by line; numbers count from 1."""

    answers: int = 0
    spent_usd: float = 0.0
    unpriced: int = 0
    damaged: list[int] = field(default_factory=list)
    torn: int | None = None
    again: list[int] = field(default_factory=list)
    """Lines whose question already appears above."""


def survey(path: Path) -> Survey:
    """Look through a file of answers and mend nothing.

    Raises:
        StoreError: where it cannot be read.
    """
    found, seen = Survey(), set[ItemKey]()
    try:
        beside = _lines(path.with_name(REPLACED))
        replaced = [each for line in beside if (each := read_line(line))]
        found.spent_usd = sum(map(paid_usd, replaced))
        found.unpriced = sum(map(is_unpriced, replaced))
        with ordinary(path).open("rb") as file:
            for number, line in enumerate(file, start=1):
                _survey_line(found, seen, number, line, beside)
    except OSError as error:
        raise unreadable(path, error) from None
    return found


def _survey_line(
    found: Survey, seen: set[ItemKey], number: int, line: bytes, beside: Collection[bytes]
) -> None:
    response = read_line(line)
    if response is None:
        if line.endswith(b"\n"):
            found.damaged.append(number)
        else:
            found.torn = number
        return
    found.answers += 1
    if line not in beside:
        found.spent_usd += paid_usd(response)
        found.unpriced += is_unpriced(response)
    key = key_of(response)
    if key in seen:
        found.again.append(number)
    seen.add(key)
