"""How much may be spent: money is reserved before a request is sent, and settled when it ends."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from apieval.errors import RunFailure
from apieval.run.money import cost_usd, prompt_tokens
from apieval.schema import Request, Usage
from apieval.sections import Price


@dataclass(slots=True)
class Budget:
    """Money that may be spent: reserved before a request is sent, settled when it ends.

    `most_tokens` is the longest answer the request allows; what an answer of unknown usage cost
    is taken to be all that was reserved for it. `short_usd` is how much there should have been for
    the answer that there was no room for, None as long as there was room.
    """

    max_usd: float
    price: Price
    most_tokens: int
    spent_usd: float = 0.0
    short_usd: float | None = None
    _reserved: float = 0.0
    _open: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, request: Request) -> float:
        """Return what was set aside for a request, once there is room for it.

        Raises:
            RunFailure: where there is none and nothing is on its way that could make some.
        """
        worst = self._worst(request)
        while self.spent_usd + self._reserved + worst > self.max_usd:
            if not self._open:
                self.short_usd = self.spent_usd + worst
                raise RunFailure(
                    f"--max-cost {self.max_usd:g} USD is reached: {self.spent_usd:.4f} spent, and "
                    f"the next answer may cost {worst:.4f}; give a higher one to go on"
                )
            self._settled.clear()
            await self._settled.wait()
        self._reserved += worst
        self._open += 1
        return worst

    def assume(self, answers: int, request: Request) -> None:
        """Take note of answers from before whose cost is not known, to requests like this one."""
        self.spent_usd += answers * self._worst(request)

    def _worst(self, request: Request) -> float:
        tokens = Usage(prompt_tokens=prompt_tokens(request), completion_tokens=self.most_tokens)
        return cost_usd(tokens, self.price) or 0.0

    def settle(self, reserved: float, cost: float | None) -> None:
        """Replace a reservation by the real cost, None where that is not known."""
        self._open -= 1
        self._reserved = self._reserved - reserved if self._open else 0.0  # no rounding is left
        self.spent_usd += reserved if cost is None else cost
        self._settled.set()
