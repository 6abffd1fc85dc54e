"""A model made ready for requests: its configuration, key, request body, identity and endpoint.

Models at one endpoint share its limits, the stricter of each kind.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Hashable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal

from apieval.config import file as configuration
from apieval.config.fields import is_loopback
from apieval.config.file import Providers
from apieval.config.known import may_be_paid
from apieval.config.models import (
    TOKEN_LIMITS,
    AnyModel,
    Embedded,
    Hosted,
    Limits,
    OpenAICompatible,
    Params,
    Price,
)
from apieval.errors import ConfigError
from apieval.providers.base import Checkable
from apieval.providers.clients import connect, connect_hosted
from apieval.providers.masking import Mask, secrets_in
from apieval.providers.proxies import proxy_of
from apieval.rebus.baseline import solver
from apieval.rebus.baseline.lexicon import Lexicon
from apieval.rebus.conversation import Conversation
from apieval.rebus.prompts import Prompt
from apieval.records import Given, Prefill
from apieval.run.cost import KnownPrice, price_of
from apieval.run.limiter import AUTO_MOST, Limiter

GO_ON: Final = {"add_generation_prompt": False, "continue_final_message": True}
"""What makes vLLM and SGLang go on with the last message, rather than answer it."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """A model and all that its requests have in common; the key is shown nowhere.

    `body` is the request's body without its messages, `identity` what its answers depend on,
    `dropped` the parameters left out of the request on purpose.
    """

    name: str
    model: AnyModel
    body: dict[str, Any]
    identity: dict[str, Any]
    key: str | None = None
    secret_headers: Mapping[str, str] = field(default_factory=dict)
    lexicon: Lexicon | None = None
    known_price: KnownPrice | None = None
    dropped: tuple[str, ...] = ()

    @property
    def own(self) -> bool:
        """Say whether the model is reached on this machine."""
        if isinstance(self.model, Embedded):
            return True
        addresses = self.model.addresses
        return bool(addresses) and all(map(is_loopback, addresses))

    @property
    def header_variables(self) -> dict[str, str]:
        """Return which headers are secret, and the variables that hold their values."""
        return {} if isinstance(self.model, Embedded) else dict(self.model.headers_env)

    @property
    def mask(self) -> Mask:
        """Return what takes the secrets that are sent out of what is shown."""
        return Mask(self.key, *secrets_in(self.secret_headers))

    @property
    def price(self) -> Price | None:
        """Return what the model costs, None where that is not known."""
        return self.known_price.price if self.known_price else None

    @property
    def system_prompt(self) -> str | None:
        """Return what is said before every question, None for the challenge's silence."""
        return None if isinstance(self.model, Embedded) else self.model.system_prompt

    @property
    def prefill(self) -> Prefill | None:
        """Return how the API takes an answer that is begun, None where it takes none."""
        if isinstance(self.model, Embedded):
            return "assistant"
        plain = isinstance(self.model, OpenAICompatible) and self.model.api == "completions"
        return "assistant" if plain else self.model.prefill

    def conversation(self, prompt: Prompt, given: Given | None) -> Conversation:
        """Return what is said to the model for every rebus."""
        return Conversation(prompt, self.system_prompt, given, self.prefill)

    @property
    def most_tokens(self) -> int | None:
        """Return how many tokens an answer may have, None where nothing bounds it."""
        most = next((sent for name in TOKEN_LIMITS if (sent := self.body.get(name))), None)
        return most if isinstance(most, int) else None

    @property
    def free(self) -> bool:
        """Say whether nobody is paid for the answers: one's own server, and no price.

        A gateway on this machine hands on to others, who may be paid: see `directory.may_be_paid`, and
        a reply's `via`.
        """
        theirs = not isinstance(self.model, Embedded) and may_be_paid(self.model)
        return self.own and self.price is None and not theirs

    def check_bound(self, max_usd: float | None) -> None:
        """Refuse a bound that cannot be kept.

        Raises:
            ConfigError: where the price, or the longest answer, is not known.
        """
        if max_usd is None:
            return
        if self.price is None or self.most_tokens is None:
            lacks = "its price is" if self.price is None else "its max_tokens are"
            raise ConfigError(
                f"model {self.name!r}: --max-cost cannot be kept, since {lacks} not known; "
                "say it in providers.yaml (price: {input: ..., output: ...}, params: max_tokens)."
            )

    def with_key(self, environ: Mapping[str, str]) -> Prepared:
        """Return the same with the key that its variable holds, where it has one.

        Raises:
            ConfigError: for a key that is not there, or can be none, and for a proxy that no
                request can go through.
        """
        if isinstance(self.model, Embedded):
            return self
        for address in self.model.addresses or ["https://"]:
            proxy_of(address)
        return replace(
            self,
            key=configuration.api_key(self.name, self.model, environ),
            secret_headers=configuration.secret_headers(self.name, self.model, environ),
        )

    def __repr__(self) -> str:
        """Return the name alone."""
        return f"Prepared({self.name!r})"


def prepare(
    name: str,
    providers: Providers,
    environ: Mapping[str, str],
    lexicon: Path | None = None,
    chosen: Params | None = None,
    given: Given | None = None,
    words: Path | None = None,
) -> Prepared:
    """Return a configured model, made ready.

    Raises:
        ConfigError: for an unknown name, or a key that is not there.
        DataError: for a lexicon that cannot be used.
    """
    return without_key(name, providers, lexicon, chosen, given, words).with_key(environ)


def without_key(
    name: str,
    providers: Providers,
    lexicon: Path | None = None,
    chosen: Params | None = None,
    given: Given | None = None,
    words: Path | None = None,
) -> Prepared:
    """Return a configured model, ready but for its key.

    `lexicon` and `words` are the embedded solver's, None its own; `chosen` are parameters of this run; `given`
    is how far its answers are begun.

    Raises:
        ConfigError: for an unknown name.
        DataError: for a lexicon that cannot be used.
    """
    model = providers.find(name)
    body = {"model": model.model, **providers.params(model, chosen)}
    if isinstance(model, Embedded):
        path = lexicon or (Path(model.lexicon) if model.lexicon else None)
        loaded = Lexicon.load(path, words or (Path(model.words) if model.words else None))
        endpoint = f"baseline@{solver.VERSION}+{loaded.identity}"
        return Prepared(name, model, body, _identified(model, endpoint, body), lexicon=loaded)
    body |= {**providers.defaults.extra_body, **model.extra_body}
    if given is not None and model.prefill == "continue":
        body |= GO_ON
    return Prepared(
        name,
        model,
        body,
        _identity(model, body),
        known_price=price_of(model),
        dropped=tuple(sorted({*model.drop, *_taken_out(chosen)})),
    )


def _taken_out(chosen: Params | None) -> list[str]:
    given = chosen.model_dump(exclude_unset=True) if chosen else {}
    return [name for name, value in given.items() if value is None]


def _identity(model: OpenAICompatible | Hosted, body: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a remote model's answers depend on, besides what each request says."""
    api = "chat" if isinstance(model, Hosted) else model.api
    where: str | list[str] = sorted(model.addresses)
    if isinstance(model, Hosted):
        where = model.api_base or "litellm"
    made = _identified(model, model.cache_identity or where, body, model.headers, api)
    if isinstance(model, Hosted) and (options := model.options.model_dump(exclude_none=True)):
        made["options"] = options
    return made


def _identified(
    model: AnyModel,
    endpoint: str | list[str],
    body: Mapping[str, Any],
    headers: Mapping[str, str] | None = None,
    api: str = "chat",
) -> dict[str, Any]:
    return {
        "provider": model.provider,
        "endpoint": endpoint,
        "api": api,
        "body": dict(body),
        "headers": dict(headers or {}),
    }


@asynccontextmanager
async def connected(prepared: Prepared) -> AsyncIterator[Checkable]:
    """Give the provider of a model; the embedded one's server runs as long as it is used.

    Raises:
        RunFailure: where a hosted model takes no parameter of a name that would be sent.
    """
    if not isinstance(prepared.model, Embedded):
        provider = await _remote(prepared.model, prepared)
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


async def _remote(model: OpenAICompatible | Hosted, prepared: Prepared) -> Checkable:
    if isinstance(model, Hosted):
        return await connect_hosted(model, prepared.body, prepared.key, prepared.secret_headers)
    return connect(
        model.base_url,
        prepared.body,
        model.headers,
        prepared.key,
        model.api,
        prepared.secret_headers,
    )


try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

RESERVE: Final = 64
"""So many open files are left for all else: the run's, the cache's, look-ups of names."""
AtOnce = int | Literal["auto"]


def endpoint(prepared: Prepared) -> Hashable:
    """Return what is equal for models of one endpoint: their addresses, else litellm's provider."""
    model = prepared.model
    if isinstance(model, Embedded):
        return "embedded", prepared.name  # each has a server of its own
    return frozenset(model.addresses) or model.model.partition("/")[0]


def limiters(models: Sequence[Prepared], concurrency: AtOnce | None = None) -> list[Limiter]:
    """Return each model's limiter, one and the same for all of an endpoint; in a running loop.

    `concurrency`, where it is given, stands for every model's own.
    """
    limits: dict[Hashable, list[Limits]] = {}
    for each in models:
        limits.setdefault(endpoint(each), []).append(each.model.limits)
    made = {where: _strictest(several, concurrency) for where, several in limits.items()}
    return [made[endpoint(each)] for each in models]


def fit_open_files(
    models: Sequence[Prepared], each_ones: Sequence[Limiter], tell: Callable[[str], None]
) -> None:
    """Have no more requests at once than this process may open connections, of all models together.

    What the process may raise its limit to by itself it does raise it to, before.
    """
    if resource is None:
        return
    # the embedded solver's server is in this process too: both ends of a connection are
    ends = {
        limiter: 2 if isinstance(each.model, Embedded) else 1
        for each, limiter in zip(models, each_ones, strict=True)
    }
    wanted = sum(limiter.most * count for limiter, count in ends.items())
    used = _in_use()
    limit = _raised(used + RESERVE + wanted)
    room = limit - used - min(RESERVE, (limit - used) // 2)
    if wanted <= room:
        return
    before = sum(limiter.most for limiter in ends)
    for limiter in ends:
        limiter.hold(max(1, limiter.most * room // wanted))
    now = sum(limiter.most for limiter in ends)
    tell(
        f"this process may have {limit:,} files open (ulimit -n): {now:,} requests at once, where "
        f"{before:,} were allowed for; raise that limit for more"
    )


def _in_use() -> int:
    """Return how many files this process has open, about."""
    for folder in ("/proc/self/fd", "/dev/fd"):
        with suppress(OSError):
            return sum(1 for _ in Path(folder).iterdir())
    return 32


def _raised(wanted: int) -> int:
    """Return how many files this process may have open, once its limit is as high as is wanted."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return max(wanted, soft)
    if most > soft:
        with suppress(OSError, ValueError):  # macOS has a limit below what it says
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]


def _strictest(limits: Sequence[Limits], concurrency: AtOnce | None) -> Limiter:
    numbers: list[AtOnce] = [each.concurrency for each in limits]
    fewest = min(numbers, key=_pressing)
    return Limiter(
        concurrency or fewest,
        min((each.rpm for each in limits if each.rpm), default=None),
        min((each.tpm for each in limits if each.tpm), default=None),
    )


def _pressing(concurrency: AtOnce) -> tuple[int, bool]:
    """Return what orders limits; auto may press as hard as its most, and follows refusals down."""
    return (AUTO_MOST, False) if concurrency == "auto" else (concurrency, True)
