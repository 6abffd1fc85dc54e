"""Prices, what answers cost, and the forecast of a run. Unknown is unknown, never zero.

A price is that of the entry in `providers.yaml`, else of litellm's bundled table.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from apieval.config.known import litellm_name
from apieval.config.models import AnyModel, Embedded, Price
from apieval.errors import StoreError
from apieval.files import ordinary
from apieval.records import Request, Usage
from apieval.wording import counted

MILLION: Final = 1_000_000
SPENDING: Final = "spending.jsonl"
"""The account of a run, which `budget` writes."""
CHARACTERS_A_TOKEN: Final = 3.0
"""Of Italian prose with today's tokenizers 3.2 to 4: so a token count errs on the high side."""
UNKNOWN: Final = "unknown"
_ABSURD: Final = 1e12
"""No run costs so many USD, or has so many requests."""


def through(via: str) -> str:
    """Return what is to be said of replies that came through somebody who may be paid."""
    return f"the replies come through {via}: what they cost is unknown; say it under price in providers.yaml"


FREE: Final = "0 (local server)"
"""What the answers of one's own server cost, without a price."""
_NOTHING: Final = "nothing left to ask: every answer is there"


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


class Spent(NamedTuple):
    """What a run has cost so far, all its commands together; of the cache's answers nothing.

    `known_usd` is by the servers' own counts; `at_most_usd` is the most that the `lost` attempts
    can have cost, which were sent and whose cost nobody told; of the `unknown` ones not even that
    is known.
    """

    known_usd: float = 0.0
    at_most_usd: float = 0.0
    lost: int = 0
    unknown: int = 0

    @property
    def usd(self) -> float:
        """Return the sum, which the real one can be below but not above, as far as it is known."""
        return self.known_usd + self.at_most_usd

    @property
    def total_usd(self) -> float | None:
        """Return the same sum, None where not a part of it is known."""
        return None if self.unknown and not self.usd else self.usd

    def __str__(self) -> str:
        """Return the sum in words: a bound where only that is known, never 0 for what is unknown."""
        if self.total_usd is None:
            return UNKNOWN
        told = f"{self.usd:,.4f} USD"
        if self.lost:
            what = counted(self.lost, "request")
            told = (
                f"at most {told} ({self.at_most_usd:,.4f} of it reserved for {what} whose cost is not "
                "known)"
            )
        if self.unknown:
            return f"{told}, and unknown for {counted(self.unknown, 'request')}"
        return told

    def paid(self, usd: float) -> Spent:
        """Return the same with a known cost more."""
        return self._replace(known_usd=self.known_usd + usd)

    def lost_another(self, at_most_usd: float | None) -> Spent:
        """Return the same with another attempt of unknown cost, None where nothing bounds it."""
        if at_most_usd is None:
            return self._replace(unknown=self.unknown + 1)
        return self._replace(at_most_usd=self.at_most_usd + at_most_usd, lost=self.lost + 1)

    def bounded(self, worst_usd: float) -> Spent:
        """Return the same where each unknown one can have cost no more than that."""
        more = self.unknown * worst_usd
        return self._replace(
            at_most_usd=self.at_most_usd + more, lost=self.lost + self.unknown, unknown=0
        )


def spent_by(folder: Path) -> Spent | None:
    """Return what a run has spent by its account, None where it has none.

    Raises:
        StoreError: where it cannot be read.
    """
    path = folder / SPENDING
    try:
        with ordinary(path).open("rb") as file:
            return _added_up(file)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read: {error.strerror or error}.") from None


def _added_up(lines: Iterator[bytes]) -> Spent:
    """Return the sum of an account's lines; a torn last one was written before nothing was sent.

    Of a whole line that cannot be read nobody knows what it stood for: a cost that is unknown.
    """
    known, sent, before, unread = 0.0, dict[int, float | None](), Spent(), 0
    for line in lines:
        try:
            entry: Any = json.loads(line) if line.endswith(b"\n") else {"n": 0, "usd": 0.0}
            number = entry.get("n")
            if number is None:
                before = _before(entry)
            elif "usd" in entry:
                paid = _amount(entry["usd"])
                known, unread = known + (paid or 0.0), unread + (paid is None)
                sent.pop(number, None)
            else:
                sent[number] = _amount(entry.get("at_most_usd"))
        except (AttributeError, TypeError, ValueError, RecursionError):
            unread += 1
    for at_most in sent.values():
        before = before.lost_another(at_most)
    return before.paid(known)._replace(unknown=before.unknown + unread)


def _before(entry: dict[str, Any]) -> Spent:
    known, at_most = (_amount(entry.get(name)) or 0.0 for name in ("known_usd", "at_most_usd"))
    lost, unknown = (int(_amount(entry.get(name)) or 0) for name in ("lost", "unknown"))
    return Spent(known, at_most, lost, unknown)


def _amount(value: object) -> float | None:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if number and 0 <= value < _ABSURD else None  # type: ignore[operator, arg-type]


def prompt_tokens(request: Request) -> int:
    """Return about how many tokens a request's messages have, rather too many than too few."""
    return tokens_of(request.characters)


def tokens_of(characters: int) -> int:
    """Return about how many tokens a text of so many characters has."""
    return int(characters / CHARACTERS_A_TOKEN) + 1


@dataclass(frozen=True, slots=True)
class Scale:
    """How many tokens there really are for each one estimated, as one answer has shown."""

    prompt: float = 1.0
    answer: float = 1.0


AS_ESTIMATED: Final = Scale()


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run is about to take: requests, tokens, and USD where the price is known.

    Tokens are estimated from characters, those of the answers from the gold answers' length in
    the template; `measured` says that the answers so far have corrected that. `most_usd` is the
    cost if every answer were as long as it may be. `paid` is false for a server of one's own
    without a price.
    """

    requests: int
    prompt_tokens: int
    answer_tokens: int
    usd: float | None
    most_usd: float | None
    paid: bool = True
    measured: bool = False
    cached: int = 0
    """Further questions whose answers are in the cache."""
    before_cache: bool = False
    """Nobody looked which of the answers are in the cache: too many for it to be quick."""

    @property
    def at_stake(self) -> bool:
        """Say whether the run may cost money, a price that is not known included."""
        return self.requests > 0 and self.paid and self.usd != 0

    def __str__(self) -> str:
        """Return the forecast in one line."""
        if not self.requests:
            return _NOTHING
        line = _asked(self.requests, self.prompt_tokens, self.answer_tokens)
        if self.measured:
            line += " by the answers so far"
        if self.cached:
            line += f" ({self.cached:,} more are in the cache)"
        if self.before_cache:
            line += " before the cache"
        if self.usd is None:
            return f"{line}; cost: {UNKNOWN if self.paid else FREE}"
        return f"{line}; {_money(self.usd, self.most_usd)}"


def in_all(forecasts: Collection[Forecast]) -> str:
    """Return the forecasts of several models as one line; an unknown price stays unknown."""
    if not any(each.requests for each in forecasts):
        return _NOTHING
    line = _asked(
        sum(each.requests for each in forecasts),
        sum(each.prompt_tokens for each in forecasts),
        sum(each.answer_tokens for each in forecasts),
    )
    if any(each.before_cache for each in forecasts):
        line += " before the cache"
    known = [each.usd for each in forecasts if each.usd is not None]
    if not known:
        paid = any(each.paid for each in forecasts)
        return f"{line}; cost: {UNKNOWN if paid else FREE}"
    unknown = sum(each.at_stake and each.usd is None for each in forecasts)
    most = [each.most_usd for each in forecasts if each.usd is not None]
    bounds = [each for each in most if each is not None]
    bounded = not unknown and len(bounds) == len(most)
    cost = f"{line}; {_money(sum(known), sum(bounds) if bounded else None)}"
    return f"{cost}, and {counted(unknown, 'model')} of unknown cost" if unknown else cost


def _asked(requests: int, prompts: int, answers: int) -> str:
    return f"{counted(requests, 'request')}, about {prompts:,} prompt and {answers:,} answer tokens"


def _money(usd: float, most_usd: float | None) -> str:
    return f"about {usd:,.2f} USD" + ("" if most_usd is None else f", at most {most_usd:,.2f}")


def forecast(
    lengths: Iterable[tuple[int, int]],
    price: Price | None,
    most_tokens: int | None,
    *,
    own: bool = False,
    scale: Scale = AS_ESTIMATED,
) -> Forecast:
    """Return the forecast for requests of these lengths, in characters of prompt and answer.

    `scale` corrects both estimates by what was measured. `own` says that the server is on this machine: without a price, it costs nothing.
    """
    requests = prompts = replies = 0
    for prompt, answer in lengths:
        requests += 1
        prompts += round(tokens_of(prompt) * scale.prompt)
        replies += min(round(tokens_of(answer) * scale.answer), most_tokens or MILLION)
    usual = cost_usd(Usage(prompt_tokens=prompts, completion_tokens=replies), price)
    longest = None if most_tokens is None else most_tokens * requests
    most = cost_usd(Usage(prompt_tokens=prompts, completion_tokens=longest), price)
    paid, measured = price is not None or not own, scale != AS_ESTIMATED
    return Forecast(requests, prompts, replies, usual, most, paid, measured)


_TABLE: Final = "model_prices_and_context_window_backup.json"
_DIGITS: Final = 9
"""Decimals of USD a million tokens: what a float adds to a price a token is below them."""


class KnownPrice(NamedTuple):
    """A price, who says so, and the day it was looked up there."""

    price: Price
    source: str
    as_of: str

    def as_json(self) -> dict[str, Any]:
        """Return what goes into `run.json`."""
        numbers = self.price.model_dump(exclude={"as_of"})
        return {**numbers, "source": self.source, "as_of": self.as_of}


def price_of(model: AnyModel) -> KnownPrice | None:
    """Return what a model costs, None where nobody here knows it. The date is UTC's."""
    if model.price is not None:
        return KnownPrice(model.price, "providers.yaml", model.price.as_of or _today())
    name = None if isinstance(model, Embedded) else litellm_name(model)
    entry = _entry(name) if name else None
    found = _price(entry) if entry else None
    return None if found is None else KnownPrice(found, f"litellm {version('litellm')}", _today())


def _today() -> str:
    today: date = datetime.now(UTC).date()
    return today.isoformat()


def _entry(name: str) -> Mapping[str, Any] | None:
    """Return the table's entry: by the full name, else by the bare one of the same provider."""
    prefix, _, bare = name.partition("/")
    table = _table()
    if isinstance(entry := table.get(name), dict):
        return entry
    entry = table.get(bare)
    same = isinstance(entry, dict) and str(entry.get("litellm_provider")).startswith(prefix)
    return entry if same else None


@cache
def _table() -> Mapping[str, Any]:
    spec = find_spec("litellm")
    if spec is None or not spec.submodule_search_locations:
        return {}
    try:
        text = (Path(spec.submodule_search_locations[0]) / _TABLE).read_text(encoding="utf-8")
        table = json.loads(text)
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}


def _price(entry: Mapping[str, Any]) -> Price | None:
    """Return an entry's price a million tokens, None where a part of it is missing."""
    names = ("input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token")
    paid, cached, said = (_per_million(entry.get(name)) for name in names)
    if paid is None or said is None:
        return None
    return Price(input=paid, cached_input=cached, output=said)


def _per_million(per_token: object) -> float | None:
    if not isinstance(per_token, int | float) or isinstance(per_token, bool) or per_token < 0:
        return None
    return round(per_token * MILLION, _DIGITS)
