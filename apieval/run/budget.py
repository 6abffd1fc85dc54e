"""How much may be spent, and what was: on disk before a request leaves, settled when it has ended.

`spending.jsonl` is the run's account, of all its commands together. A line is written before a
request is sent, with the most it may cost, and another one when its cost is known: by the token
counts of the reply, or 0 where the server refused it. What has no second line was sent and nobody
knows what it cost: the process was killed, the reply broke off, could not be read or never came.
It counts as what was reserved. So the sum is never below what the server generated; a power cut
may take the last second of it, as it may of the answers.
"""

from __future__ import annotations

import asyncio
import json
import os
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Final

from apieval.config.models import Price
from apieval.errors import RunFailure, StoreError
from apieval.files import replacing, to_disk
from apieval.records import Request, Usage
from apieval.run.cost import MILLION, SPENDING, Spent, cost_usd, prompt_tokens, spent_by

UNMEASURED: Final = 1.5
"""So many times the estimate a prompt may have of tokens, before a server has counted one."""
_ROUNDING: Final = 1e-9
MARGIN: Final = 1.05
"""The same once one has: prompts of one template differ by less."""


class Ledger:
    """The account of one run, open for writing by the process that holds the run."""

    def __init__(self, path: Path, spent: Spent) -> None:
        """Use `Ledger.open`."""
        self.spent = spent
        self._path = path
        self._sent: dict[int, float | None] = {}
        self._count = self._end = 0
        self._file: FileIO | None = None
        self._unsynced = False

    @classmethod
    def open(cls, folder: Path, before: Spent) -> Ledger:
        """Open a run's account; `before` is what its answers cost where there is none yet.

        Raises:
            StoreError: where it cannot be read or written.
        """
        found = spent_by(folder)
        known = before if found is None else found
        lacking = before.known_usd - known.known_usd
        if lacking > _ROUNDING:  # lines were taken out of it
            known = known.paid(lacking)
        ledger = cls(folder / SPENDING, known)
        if found is not None or known != Spent():
            ledger._sum_up()  # a torn last line goes, too
        return ledger

    def assume(self, worst_usd: float | None) -> None:
        """Take so much for each attempt of which neither cost nor bound was known."""
        if worst_usd is not None:
            self.spent = self.spent.bounded(worst_usd)

    def send(self, request: Request, at_most_usd: float | None) -> int:
        """Put on disk that a request is about to be sent; return its number.

        Raises:
            StoreError: where it cannot be written, as on a full disk.
        """
        self._count += 1
        which = (
            f'"id":{json.dumps(request.id)},"setting":"{request.setting}","sample":{request.sample}'
        )
        most = "null" if at_most_usd is None else repr(at_most_usd)
        self._write(f'{{"n":{self._count},{which},"at_most_usd":{most}}}\n')
        self._sent[self._count] = at_most_usd
        return self._count

    def settle(self, number: int, cost_usd: float | None, at_most_usd: float | None = None) -> None:
        """Put on disk what a request has cost; None is not known, and stays what it was at most.

        `at_most_usd` corrects that where more has become known since.

        Raises:
            StoreError: where it cannot be written.
        """
        most = self._sent.pop(number)
        if cost_usd is not None:
            self.spent = self.spent.paid(cost_usd)
            self._write(f'{{"n":{number},"usd":{cost_usd!r}}}\n')
            return
        if at_most_usd is not None and most is not None and at_most_usd > most:
            most = at_most_usd
            self._write(f'{{"n":{number},"at_most_usd":{most!r}}}\n')
        self.spent = self.spent.lost_another(most)

    def sync(self) -> None:
        """Bring what was written to the disk itself.

        Raises:
            StoreError: where the disk cannot.
        """
        if self._unsynced and self._file:
            self._unsynced = False
            try:
                to_disk(self._file.fileno())
            except OSError as error:
                raise self._unwritable(error) from None

    def close(self, folder: Path) -> None:
        """Close the file, with one line left: the sum; `folder` is where the run is by now."""
        self._path = folder / SPENDING
        for number in list(self._sent):
            self.settle(number, None)
        if self._file:
            self._file.close()
            self._file = None
            with suppress(StoreError):  # no room: its lines come to the same sum
                self._sum_up()

    def _write(self, line: str) -> None:
        data = memoryview(line.encode())
        try:
            if self._file is None:
                self._file = self._path.open("ab", buffering=0)
                self._end = self._file.seek(0, os.SEEK_END)
            written = 0
            while written < len(data):
                written += self._file.write(data[written:])
        except OSError as error:
            if self._file:
                with suppress(OSError):  # half a line is no line
                    self._file.truncate(self._end)
            raise self._unwritable(error) from None
        self._end += len(data)
        self._unsynced = True

    def _sum_up(self) -> None:
        """Leave one line: the sum so far."""
        try:
            with replacing(self._path) as file:
                file.write(json.dumps(self.spent._asdict()) + "\n")
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> StoreError:
        return StoreError(
            f"{self._path}: cannot be written: {error.strerror or error}; nothing is sent that is "
            "not written down. Make room or rights there, then run the same command again."
        )


@dataclass(slots=True)
class Reservation:
    """What one attempt may cost, and in the end `used`; None is that the server charged nothing.

    `number` is that of its line in the ledger, None as long as nothing was sent.
    """

    request: Request
    usd: float | None
    number: int | None = None
    used: Usage | None = None


@dataclass(slots=True)
class Budget:
    """Money that may be spent: reserved before a request is sent, settled when it ends.

    `most_tokens` is the longest answer the request allows, None where nothing bounds it; without
    it or a `price` nobody knows what an attempt may cost. `max_usd` None is no bound. `short_usd`
    is how much there should have been for the answer that there was no room for, None as long as
    there was room.
    """

    ledger: Ledger
    price: Price | None
    most_tokens: int | None
    max_usd: float | None = None
    short_usd: float | None = None
    _prompt_scale: float = UNMEASURED
    _reserved: float = 0.0
    _open: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, request: Request) -> Reservation:
        """Return what was set aside for a request, once there is room for it.

        Raises:
            RunFailure: where there is none and nothing is on its way that could make some.
        """
        worst = self.worst_usd(request)
        while self.max_usd is not None and self._total(worst) > self.max_usd:
            if not self._open:
                self.short_usd = self.ledger.spent.usd + (worst or 0.0)
                raise RunFailure(
                    f"--max-cost {self.max_usd:g} USD is reached: {self.ledger.spent.usd:.4f} "
                    f"spent{self._part_at_most()}, and the next answer may cost {worst:.4f}; "
                    "give a higher one to go on"
                )
            self._settled.clear()
            await self._settled.wait()
            worst = self.worst_usd(request)
        self._reserved += worst or 0.0
        self._open += 1
        return Reservation(request, worst)

    def _total(self, worst: float | None) -> float:
        return self.ledger.spent.usd + self._reserved + (worst or 0.0)

    def _part_at_most(self) -> str:
        spent = self.ledger.spent
        return f" (of it {spent.at_most_usd:.4f} at most)" if spent.lost else ""

    def send(self, reservation: Reservation) -> None:
        """Put the reservation on disk: its request is about to be sent.

        Raises:
            StoreError: where it cannot be written.
        """
        reservation.number = self.ledger.send(reservation.request, reservation.usd)
        reservation.used = Usage()  # until it is known

    def settle(self, reservation: Reservation) -> None:
        """Replace a reservation by what its attempt has cost, where that is known.

        Raises:
            StoreError: where it cannot be written.
        """
        self._open -= 1
        # no rounding is left
        self._reserved = self._reserved - (reservation.usd or 0.0) if self._open else 0.0
        self._settled.set()
        if reservation.number is None:
            return None
        used = reservation.used
        if used is None:
            return self.ledger.settle(reservation.number, 0.0)
        self.measure(reservation.request, used)
        cost = cost_usd(used, self.price)
        most = self.worst_usd(reservation.request) if cost is None else None
        return self.ledger.settle(reservation.number, cost, most)

    def measure(self, request: Request, used: Usage) -> None:
        """Learn what prompts and answers come to, from a server's own counts."""
        if used.prompt_tokens is not None:
            scale = MARGIN * used.prompt_tokens / prompt_tokens(request)
            first = self._prompt_scale == UNMEASURED
            self._prompt_scale = scale if first else max(self._prompt_scale, scale)
        if used.completion_tokens is not None and self.most_tokens is not None:
            self.most_tokens = max(self.most_tokens, used.completion_tokens)

    def worst_usd(self, request: Request) -> float | None:
        """Return the most that a request may cost, None where nothing bounds it."""
        if self.price is None or self.most_tokens is None:
            return None
        prompt = int(prompt_tokens(request) * self._prompt_scale) + 1
        return (prompt * self.price.input + self.most_tokens * self.price.output) / MILLION
