"""A model made ready to be asked: its configuration, its key, its request body, its identity."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apieval import config as configuration
from apieval.config import Embedded, OpenAICompatible, Providers
from apieval.errors import ConfigError
from apieval.providers.base import Provider
from apieval.providers.table import connect
from apieval.rebus.baseline import solver
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.run.budget import Budget


@dataclass(frozen=True, slots=True)
class Prepared:
    """A model and all that its requests have in common; the key is shown nowhere.

    `body` is the request's body without its messages, `identity` what its answers depend on.
    """

    name: str
    model: OpenAICompatible | Embedded
    body: dict[str, Any]
    identity: dict[str, Any]
    key: str | None = None
    lexicon: Lexicon | None = None

    @property
    def own(self) -> bool:
        """Say whether the model runs on this machine, where nobody is paid for it."""
        model = self.model
        return isinstance(model, Embedded) or all(map(configuration.is_loopback, model.base_url))

    @property
    def most_tokens(self) -> int | None:
        """Return how many tokens an answer may have, None where nothing bounds it."""
        most = self.body.get("max_completion_tokens") or self.body.get("max_tokens")
        return most if isinstance(most, int) else None

    def budget(self, max_usd: float | None, spent_usd: float) -> Budget | None:
        """Return what may be spent on this model, None for no bound.

        Raises:
            ConfigError: where the price, or the longest answer, is not known.
        """
        if max_usd is None:
            return None
        most = self.most_tokens
        if self.model.price is None or most is None:
            lacks = "its price is" if self.model.price is None else "its max_tokens are"
            raise ConfigError(
                f"model {self.name!r}: --max-cost cannot be kept, since {lacks} not known; "
                "say it in providers.yaml (price: {input: ..., output: ...}, params: max_tokens)."
            )
        return Budget(max_usd, self.model.price, most, spent_usd)

    def __repr__(self) -> str:
        """Return the name alone."""
        return f"Prepared({self.name!r})"


def prepare(
    name: str, providers: Providers, environ: Mapping[str, str], lexicon: Path | None = None
) -> Prepared:
    """Return a configured model, made ready; `lexicon` is the embedded solver's, None its own.

    Raises:
        ConfigError: for an unknown name, or a key that is not there.
        DataError: for a lexicon that cannot be used.
    """
    model = providers.find(name)
    body = {"model": model.model, **providers.params(model)}
    if isinstance(model, Embedded):
        given = lexicon or (Path(model.lexicon) if model.lexicon else None)
        loaded = Lexicon.load(given)
        endpoint = f"baseline@{solver.VERSION}+{loaded.digest}"
        return Prepared(name, model, body, _identity(model, endpoint, body), lexicon=loaded)
    key = configuration.api_key(name, model, environ)
    body |= {**providers.defaults.extra_body, **model.extra_body}
    where = model.cache_identity or sorted(model.base_url)
    return Prepared(name, model, body, _identity(model, where, body, model.headers), key)


def _identity(
    model: OpenAICompatible | Embedded,
    endpoint: str | list[str],
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    return {
        "provider": model.provider,
        "endpoint": endpoint,
        "api": "chat",
        "body": dict(body),
        "headers": dict(headers or {}),
    }


@asynccontextmanager
async def connected(prepared: Prepared) -> AsyncIterator[Provider]:
    """Give the provider of a model; the embedded one's server runs as long as it is used."""
    model = prepared.model
    if isinstance(model, OpenAICompatible):
        provider = connect(model.base_url, prepared.body, model.headers, prepared.key)
        try:
            yield provider
        finally:
            await provider.aclose()
        return
    # aiohttp takes 0.2 s to import: no command but a run or a server pays for it
    from apieval.rebus.baseline.server import serving  # noqa: PLC0415

    async with serving(prepared.lexicon or Lexicon.load(None)) as url:
        provider = connect([url], prepared.body)
        try:
            yield provider
        finally:
            await provider.aclose()
