"""What answers cost, and how much may be spent. Unknown is unknown, never zero."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from apieval.config import Price
from apieval.errors import RunFailure
from apieval.schema import Request, Usage

MILLION: Final = 1_000_000
CHARACTERS_A_TOKEN: Final = 3.0
"""Of Italian prose with today's tokenizers 3.2 to 4: so a token count errs on the high side."""


def cost_usd(usage: Usage, price: Price | None) -> float | None:
    """Return the cost of an answer in USD, None where price or token counts are not known."""
    if price is None or usage.prompt_tokens is None or usage.completion_tokens is None:
        return None
    cached = min(usage.cached_tokens or 0, usage.prompt_tokens)
    for_cached = price.input if price.cached_input is None else price.cached_input
    return (
        (usage.prompt_tokens - cached) * price.input
        + cached * for_cached
        + usage.completion_tokens * price.output
    ) / MILLION


def prompt_tokens(request: Request) -> int:
    """Return about how many tokens a request's messages have, rather too many than too few."""
    return _tokens(sum(len(message.content) for message in request.messages))


def _tokens(characters: int) -> int:
    return int(characters / CHARACTERS_A_TOKEN) + 1


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run is about to take: requests, tokens, and USD where the price is known.

    Tokens are estimated from characters, those of the answers from the gold answers' length in
    the template; `most_usd` is the cost if every answer were as long as it may be. Answers that
    turn out to be in the cache cost nothing.
    """

    requests: int
    prompt_tokens: int
    answer_tokens: int
    usd: float | None
    most_usd: float | None

    def __str__(self) -> str:
        """Return the forecast in one line."""
        line = (
            f"{self.requests:,} requests, about {self.prompt_tokens:,} prompt and "
            f"{self.answer_tokens:,} answer tokens"
        )
        if self.usd is None:
            return f"{line}; price unknown"
        most = "" if self.most_usd is None else f", at most {self.most_usd:,.2f}"
        return f"{line}; about {self.usd:,.2f} USD{most}"


def forecast(
    lengths: Iterable[tuple[int, int]], price: Price | None, most_tokens: int | None
) -> Forecast:
    """Return the forecast for requests of these lengths, in characters of prompt and answer."""
    requests = prompts = replies = 0
    for prompt, answer in lengths:
        requests += 1
        prompts += _tokens(prompt)
        replies += _tokens(answer)
    usual = cost_usd(Usage(prompt_tokens=prompts, completion_tokens=replies), price)
    longest = None if most_tokens is None else most_tokens * requests
    most = cost_usd(Usage(prompt_tokens=prompts, completion_tokens=longest), price)
    return Forecast(requests, prompts, replies, usual, most)


@dataclass(slots=True)
class Budget:
    """Money that may be spent: reserved before a request is sent, settled when it ends.

    `most_tokens` is the longest answer the request allows; what an answer of unknown usage cost
    is taken to be all that was reserved for it.
    """

    max_usd: float
    price: Price
    most_tokens: int
    spent_usd: float = 0.0
    _reserved: float = 0.0
    _open: int = 0
    _settled: asyncio.Event = field(default_factory=asyncio.Event)

    async def reserve(self, request: Request) -> float:
        """Return what was set aside for a request, once there is room for it.

        Raises:
            RunFailure: where there is none and nothing is on its way that could make some.
        """
        tokens = Usage(prompt_tokens=prompt_tokens(request), completion_tokens=self.most_tokens)
        worst = cost_usd(tokens, self.price) or 0.0
        while self.spent_usd + self._reserved + worst > self.max_usd:
            if not self._open:
                raise RunFailure(
                    f"--max-cost {self.max_usd:g} USD is reached: {self.spent_usd:.4f} spent, and "
                    f"the next answer may cost {worst:.4f}; give a higher one to go on"
                )
            self._settled.clear()
            await self._settled.wait()
        self._reserved += worst
        self._open += 1
        return worst

    def settle(self, reserved: float, cost: float | None) -> None:
        """Replace a reservation by the real cost, None where that is not known."""
        self._open -= 1
        self._reserved = self._reserved - reserved if self._open else 0.0  # no rounding is left
        self.spent_usd += reserved if cost is None else cost
        self._settled.set()
