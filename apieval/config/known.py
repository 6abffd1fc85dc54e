"""Models named without an entry in `providers.yaml`: by provider and model, or by an address.

    openai/gpt-5.5                       a provider known here, and its own name for the model
    http://localhost:8000/v1#my-model    a server, and the name it knows the model by

A provider whose wire is plain OpenAI is reached directly; litellm is for the others, whose wire
differs. Addresses and variables are those the providers document (read November 2026).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

from pydantic import ValidationError

from apieval.config.models import Hosted, OpenAICompatible
from apieval.config.secrets import holds_a_key
from apieval.errors import ConfigError, did_you_mean


class _Plain(NamedTuple):
    """A provider whose wire is plain OpenAI: its address, and the variable that holds its key."""

    base_url: str
    variable: str


PLAIN: Final[Mapping[str, _Plain]] = {
    "openai": _Plain("https://api.openai.com/v1", "OPENAI_API_KEY"),
    "mistral": _Plain("https://api.mistral.ai/v1", "MISTRAL_API_KEY"),
    "together_ai": _Plain("https://api.together.ai/v1", "TOGETHER_API_KEY"),
    "groq": _Plain("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "fireworks_ai": _Plain("https://api.fireworks.ai/inference/v1", "FIREWORKS_API_KEY"),
    "deepseek": _Plain("https://api.deepseek.com/v1", "DEEPSEEK_API_KEY"),
    "xai": _Plain("https://api.x.ai/v1", "XAI_API_KEY"),
    "openrouter": _Plain("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "huggingface": _Plain("https://router.huggingface.co/v1", "HF_TOKEN"),
}
_SCHEMES: Final = ("http://", "https://")
_WRITTEN: Final = "an address is written as http://HOST:PORT/v1#MODEL, and nothing more"
HOSTED: Final[Mapping[str, str]] = {
    "anthropic": "ANTHROPIC_API_KEY",
    "gemini": "GEMINI_API_KEY",
    "cohere": "COHERE_API_KEY",
}
"""Reached through litellm. Azure, Bedrock and Vertex AI need a region, a project or an address
besides the key, and so an entry in the file."""


_MAKERS: Final[Mapping[str, str]] = {
    "chatgpt": "openai",
    "claude": "anthropic",
    "codestral": "mistral",
    "command": "cohere",
    "deepseek": "deepseek",
    "devstral": "mistral",
    "gemini": "gemini",
    "gpt": "openai",
    "grok": "xai",
    "magistral": "mistral",
    "ministral": "mistral",
    "mistral": "mistral",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
}
"""How the names begin that a provider gives to models of its own."""


_PROPRIETARY: Final = re.compile(
    r"(?:.*[/.:])?(?:chatgpt|gpt-(?!oss|j\b|neo|sw3)|o[134](?:-|$)|claude|gemini|grok-(?!1\b))",
    re.IGNORECASE,
)
_RUN_HERE: Final = frozenset(
    [
        "docker_model_runner",
        "hosted_vllm",
        "llamafile",
        "lm_studio",
        "ollama",
        "ollama_chat",
        "vllm",
        "xinference",
    ]
)
"""litellm's prefixes of servers that people run themselves."""
_GATEWAYS_VARIABLE: Final = re.compile("LITELLM|PORTKEY|HELICONE|GATEWAY|PROXY|AZURE|AWS|GOOGLE")


def is_proprietary(name: str) -> bool:
    """Say whether a model goes by the name of one whose weights nobody else has."""
    return _PROPRIETARY.match(name) is not None


def may_be_paid(model: OpenAICompatible | Hosted) -> bool:
    """Say whether what is asked at an address may be another's model behind a gateway there.

    By the model's name, and by the variable of its key, which is a provider's or a gateway's.
    """
    if isinstance(model, Hosted) and model.model.partition("/")[0] not in _RUN_HERE:
        return True
    theirs = {*HOSTED.values(), *(each.variable for each in PLAIN.values())} - {"HF_TOKEN"}
    variables = [*filter(None, [model.api_key_env]), *model.headers_env.values()]
    known = any(each in theirs or _GATEWAYS_VARIABLE.search(each) for each in variables)
    return known or is_proprietary(model.model)


def suggested(name: str) -> str:
    """Return how a model that has no entry can be named: by its provider, and by an address."""
    maker = _MAKERS.get(re.split("[^a-z0-9]", name.lower())[0])
    by_provider = f"{maker}/{name}" if maker else "PROVIDER/MODEL (as openai/gpt-4o)"
    return f"{by_provider}, or as http://HOST:PORT/v1#{name} at a server of your own"


def resolve(name: str) -> OpenAICompatible | Hosted | None:
    """Return the model a direct name stands for, None where it is no direct name.

    Raises:
        ConfigError: for an address that is none or lacks `#MODEL`, and for an unknown provider.
    """
    address = name.lower().startswith(_SCHEMES)
    if not address and holds_an_address(name):
        raise ConfigError(f"the model's name is not to be understood: {_WRITTEN}.")
    try:
        return _at_address(name) if address else _at_provider(name)
    except ValidationError as error:
        said = error.errors()[0]["msg"].removeprefix("Value error, ")
        # an address may hold a password, so that it is not repeated
        secret = holds_a_key(name)
        shown = "the model's name" if secret else f"model {name!r}"
        what = "the address in the model's name" if address else shown
        raise ConfigError(f"{what}: {said}.") from None


def holds_an_address(name: str) -> bool:
    """Say whether a name, which no entry has, begins with an address, or with what may be one."""
    prefix, slash, _ = name.partition("/")
    return {":", "@"} <= set(prefix) or (bool(slash) and bool({":", "@"} & set(prefix)))


def _at_provider(name: str) -> OpenAICompatible | Hosted | None:
    prefix, slash, model = name.partition("/")
    if not slash or not model:
        return None
    if plain := PLAIN.get(prefix):
        return OpenAICompatible(
            provider="openai-compatible",
            base_url=[plain.base_url],
            model=model,
            api_key_env=plain.variable,
        )
    if variable := HOSTED.get(prefix):
        return Hosted(provider="litellm", model=name, api_key_env=variable)
    if holds_a_key(name):
        raise ConfigError("the model's name seems to be a key; name a provider and its model.")
    known = sorted([*PLAIN, *HOSTED])
    raise ConfigError(
        f"model {name!r} is not configured, and {prefix!r} is no provider known by "
        f"name{did_you_mean(prefix, known)}; those are {', '.join(known)}. Add the model to "
        "providers.yaml, or give an address: http://HOST:PORT/v1#MODEL."
    )


def litellm_name(model: OpenAICompatible | Hosted) -> str | None:
    """Return litellm's full name of a model, None where its provider is not known here."""
    if isinstance(model, Hosted):
        return model.model
    prefixes = {plain.base_url: prefix for prefix, plain in PLAIN.items()}
    found = {prefixes.get(url) for url in model.base_url}
    prefix = found.pop() if len(found) == 1 else None
    return f"{prefix}/{model.model}" if prefix else None


def _at_address(name: str) -> OpenAICompatible:
    url, _, model = name.partition("#")
    found = OpenAICompatible(provider="openai-compatible", base_url=[url], model=model or "none")
    if "?" in model:  # as behind an address, where a key may stand
        raise ConfigError(f"the model's name has something behind '?': {_WRITTEN}.")
    if not model:
        raise ConfigError(f"{name}: say which model of the server is meant: {url}#MODEL.")
    return found
