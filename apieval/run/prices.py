"""What a model costs: by its entry in `providers.yaml`, else by litellm's bundled table.

The table is read as the file it is: litellm is not imported for it, and nothing is fetched.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, date, datetime
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final, NamedTuple

from apieval.directory import litellm_name
from apieval.run.money import MILLION
from apieval.sections import AnyModel, Embedded, Price

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
