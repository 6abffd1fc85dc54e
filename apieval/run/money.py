"""What an answer costs. An unknown price or an unknown count is unknown, never zero."""

from __future__ import annotations

from apieval.config import Price
from apieval.schema import Usage

MILLION = 1_000_000


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
