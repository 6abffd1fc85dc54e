"""`providers.yaml`: which models there are and how each is reached, strictly checked.

This module owns the file's grammar and the finding of it. It names environment variables and
reads a key out of one when asked to; it never stores a key. It opens no connection.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from ipaddress import ip_address
from pathlib import Path
from typing import Annotated, Any, Final, Literal
from urllib.parse import urlsplit, urlunsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PlainValidator,
    PositiveFloat,
    PositiveInt,
    TypeAdapter,
    ValidationError,
)
from pydantic_core import ErrorDetails

from apieval import strict_yaml
from apieval.errors import ConfigError, did_you_mean

MOST_AT_ONCE: Final = 10_000
FILE_NAME: Final = "providers.yaml"
BASELINE: Final = "baseline"
_SECRET_HEADER: Final = re.compile(
    r"(?i)(^|[-_])(proxy-?)?(auth\w*|api-?key|key|\w*token|secret|password|cookie)($|[-_])"
)
_SECRET_FIELD: Final = re.compile(
    r"(?i)api[-_]?key|secret|password|authori[sz]ation|credential|(access|auth|bearer)[-_]?token"
)
_SECRET_VALUE: Final = re.compile(r"(sk|hf|gsk|xai|pk|ghp)[-_][-\w]{12}|AIza[-\w]{12}|(?i:bearer )")
_FULL_PATH: Final = "/chat/completions"


def _base_url(url: str) -> str:
    """Return an address up to and without `/chat/completions`, in its one normal form."""
    try:
        parts = urlsplit(url.strip())
        _ = parts.port
    except ValueError:  # its message may repeat a password
        raise ValueError("not an address: write it as http://HOST:PORT/v1") from None
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise ValueError("not an address: write it as http://HOST:PORT/v1")
    if "@" in parts.netloc:
        raise ValueError("holds a user name or password: name a variable in api_key_env instead")
    if parts.query or parts.fragment:
        raise ValueError("has something behind '?' or '#': give the address up to /v1 alone")
    given = parts.path.rstrip("/")
    path = given.removesuffix(_FULL_PATH) if given else "/v1"
    return urlunsplit((parts.scheme, parts.netloc.lower(), path, "", ""))


def _public_headers(headers: dict[str, str]) -> dict[str, str]:
    secret = sorted(name for name in headers if _SECRET_HEADER.search(name))
    if secret:
        raise ValueError(f"{secret[0]!r} carries a key: name its variable in api_key_env instead")
    for name, value in headers.items():
        if not (f"{name}{value}".isascii() and f"{name}{value}".isprintable()):
            raise ValueError(f"{name!r} holds a character that no HTTP header can carry")
    return headers


def _public_body(body: dict[str, Any]) -> dict[str, Any]:
    for name, value in body.items():
        text = value if isinstance(value, str) else ""
        if _SECRET_FIELD.search(name) or _SECRET_VALUE.match(text):
            raise ValueError(f"{name!r} seems to be a key: name its variable in api_key_env")
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, dict):
                _public_body(inner)
    return body


def _known_params(names: list[str]) -> list[str]:
    for name in names:
        if name not in Params.model_fields:
            raise ValueError(f"no parameter {name!r}{did_you_mean(name, Params.model_fields)}")
    return names


def _listed(value: object) -> object:
    """Let one text stand for a list of one."""
    return [value] if isinstance(value, str) else value


def _concurrency(value: object) -> int | Literal["auto"]:
    if value == "auto":
        return "auto"
    if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MOST_AT_ONCE:
        return value
    raise ValueError(f"must be a whole number of requests at once, 1 to {MOST_AT_ONCE}, or auto")


BaseUrl = Annotated[str, AfterValidator(_base_url)]
Body = Annotated[dict[str, Any], AfterValidator(_public_body)]
Headers = Annotated[dict[str, str], AfterValidator(_public_headers)]
Texts = Annotated[list[str], BeforeValidator(_listed, json_schema_input_type=str | list[str])]
Concurrency = Annotated[
    int | Literal["auto"],
    PlainValidator(_concurrency, json_schema_input_type=PositiveInt | Literal["auto"]),
]
VariableName = Annotated[str, Field(pattern="^[A-Z_][A-Z0-9_]*$")]
"""In capitals, so that a key pasted here by mistake is refused and not printed as a name."""


class Section(BaseModel):
    """Stand at the root of the file's sections: no unknown key, no silent change of type."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True
    )


class Params(Section):
    """Sampling parameters, sent as they are; null takes a default out of the request."""

    temperature: NonNegativeFloat | None = None
    max_tokens: PositiveInt | None = None
    max_completion_tokens: PositiveInt | None = None
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    top_k: int | None = None
    min_p: Annotated[float, Field(ge=0, le=1)] | None = None
    seed: int | None = None
    stop: Texts | None = None
    frequency_penalty: float | None = None
    presence_penalty: float | None = None
    repetition_penalty: float | None = None
    reasoning_effort: str | None = None


class Defaults(Params):
    """What holds for every model that does not say otherwise."""

    extra_body: Body = {}


class Price(Section):
    """USD per million tokens; without `cached_input`, cached tokens cost what others cost."""

    input: NonNegativeFloat
    cached_input: NonNegativeFloat | None = None
    output: NonNegativeFloat


class Limits(Section):
    """How hard an endpoint may be pressed, and how long; none of it can change an answer.

    `rpm` and `tpm` are requests and tokens (in and out) a minute. `max_wait` is the longest wait
    a server may ask for before the run stops, `deadline` the longest one request may take over
    all its attempts, both in seconds.
    """

    concurrency: Concurrency = "auto"
    rpm: PositiveInt | None = None
    tpm: PositiveInt | None = None
    max_retries: NonNegativeInt = 10
    max_wait: PositiveFloat = 600.0
    deadline: PositiveFloat = 3600.0


class _Model(Section):
    model: str = Field(min_length=1)
    params: Params = Params()
    drop: Annotated[list[str], AfterValidator(_known_params)] = []
    limits: Limits = Limits()
    price: Price | None = None


class OpenAICompatible(_Model):
    """A server, or several of one model, that speaks `/v1/chat/completions`."""

    provider: Literal["openai-compatible"]
    base_url: Annotated[
        list[BaseUrl],
        Field(min_length=1),
        BeforeValidator(_listed, json_schema_input_type=str | list[str]),
    ]
    api_key_env: VariableName | None = None
    extra_body: Body = {}
    headers: Headers = {}
    cache_identity: str | None = Field(default=None, min_length=1)


class Embedded(_Model):
    """The package's own solver, reached through its own server on loopback."""

    provider: Literal["embedded"]
    model: Literal["apieval-baseline"] = "apieval-baseline"
    lexicon: str | None = None


Model = Annotated[OpenAICompatible | Embedded, Field(discriminator="provider")]


class Providers(Section):
    """The whole file; `baseline` exists whether it is named or not."""

    version: Literal[1]
    defaults: Defaults = Defaults(temperature=0, max_tokens=1024)
    models: dict[str, Model] = {}

    def names(self) -> tuple[str, ...]:
        """Return every model that can be named, `baseline` first where the file lacks it."""
        extra = () if BASELINE in self.models else (BASELINE,)
        return (*extra, *self.models)

    def find(self, name: str) -> OpenAICompatible | Embedded:
        """Return the model of that name.

        Raises:
            ConfigError: where there is none; near names are offered.
        """
        if name in self.models:
            return self.models[name]
        if name == BASELINE:
            return Embedded(provider="embedded")
        raise ConfigError(
            f"model {name!r} is not configured{did_you_mean(name, self.names())}. "
            f"Configured: {', '.join(self.names())}. Add it to {FILE_NAME}, or name the file "
            "that has it with --config."
        )

    def params(self, model: OpenAICompatible | Embedded) -> dict[str, Any]:
        """Return the sampling parameters that are sent: the defaults, then the model's own."""
        merged = {
            **self.defaults.model_dump(exclude_unset=True, exclude={"extra_body"}),
            **model.params.model_dump(exclude_unset=True),
        }
        return {k: v for k, v in merged.items() if v is not None and k not in model.drop}


_SECTIONS: Final[Mapping[str, type[Section]]] = {
    "defaults": Defaults,
    "params": Params,
    "limits": Limits,
    "price": Price,
}


def find_file(given: Path | None, folder: Path) -> Path:
    """Return the configuration file: the one given, else the folder's, else the package's own."""
    if given is not None:
        return given
    here = folder / FILE_NAME
    return here if here.is_file() else packaged_file()


def packaged_file() -> Path:
    """Return the package's own `providers.yaml`; in a checkout it stands above the package."""
    package = Path(__file__).parent
    inside = package / FILE_NAME
    return inside if inside.is_file() else package.parent / FILE_NAME


def load(path: Path) -> Providers:
    """Return the configuration in a file, every part of it checked.

    Raises:
        ConfigError: naming the file, the key, what is wrong with it, and near names.
    """
    value = strict_yaml.read(path)
    try:
        return Providers.model_validate(value)
    except ValidationError as error:
        problems = "\n".join(f"  {_explain(problem)}" for problem in error.errors())
        raise ConfigError(f"{path}: the configuration cannot be used:\n{problems}") from None


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of `providers.yaml`."""
    return TypeAdapter(Providers).json_schema()


def is_loopback(url: str) -> bool:
    """Say whether an address is this machine's own."""
    host = urlsplit(url).hostname or ""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")


def api_key(name: str, model: OpenAICompatible, environ: Mapping[str, str]) -> str | None:
    """Return the key of a model out of the variable it names, None where it needs none.

    Raises:
        ConfigError: where the variable is not set, is empty and the server is not local, or
            holds what no HTTP header can carry. The value is never part of the message.
    """
    variable = model.api_key_env
    if variable is None:
        return None
    if variable not in environ:
        raise ConfigError(
            f"model {name!r}: the environment variable {variable} is not set. Set it to the "
            "key, or remove api_key_env if the server asks for none."
        )
    key = environ[variable].strip()
    if not key:
        if all(is_loopback(url) for url in model.base_url):
            return None
        raise ConfigError(f"model {name!r}: the environment variable {variable} is empty.")
    if not (key.isascii() and key.isprintable()) or " " in key:
        raise ConfigError(
            f"model {name!r}: the environment variable {variable} holds a character that no "
            "key has (an accent, a blank, a control character). Copy the key again."
        )
    return key


def _explain(problem: ErrorDetails) -> str:
    """Return one line for one fault: where, what, and the remedy. Never the value: it may be a key."""
    place, kind = [str(part) for part in problem["loc"]], problem["type"]
    tag = next(iter(place[2:3]), None) if place[:1] == ["models"] else None
    tag = tag if tag in _PROVIDERS else None
    shown = ".".join(place[:2] + place[3:] if tag else place)
    given = str(problem.get("ctx", {}).get("tag"))
    wording = {
        "extra_forbidden": f"unknown key {(place or [''])[-1]!r}{_remedy(place, tag)}",
        "missing": "missing",
        "model_type": "must hold keys and their values",
        "model_attributes_type": "must hold keys and their values",
        "dict_type": "must hold keys and their values",
        "string_type": "must be text; put it in quotes",
        "string_pattern_mismatch": "must be the name of a variable in capitals, never the key itself",
        "union_tag_not_found": f"provider: missing; one of {', '.join(_PROVIDERS)}",
        "union_tag_invalid": f"unknown provider {given!r}{did_you_mean(given, _PROVIDERS)}; "
        f"one of {', '.join(_PROVIDERS)}",
    }
    said = wording.get(kind, problem["msg"].removeprefix("Value error, "))
    return f"{shown or 'the file'}: {said}"


_PROVIDERS: Final[Mapping[str, type[_Model]]] = {
    "openai-compatible": OpenAICompatible,
    "embedded": Embedded,
}


def _remedy(place: Sequence[str], tag: str | None) -> str:
    """Return what to do about an unknown key: a near name, or the section it belongs to."""
    key, above = [None, *place][-1] or "", [None, None, *place][-2]
    if "key" in key.lower() or key.lower() == "token":
        return "; a key never stands in the file: name its environment variable in api_key_env"
    otherwise = Providers if above is None else _PROVIDERS[tag] if tag else _Model
    section = _SECTIONS.get(above or "", otherwise)
    if issubclass(section, Params):
        meant = did_you_mean(key, section.model_fields)
        return meant or "; what only your server knows goes into the model's extra_body"
    near = get_close_matches(key, [*section.model_fields, *Params.model_fields], n=1, cutoff=0.5)
    if near and near[0] not in section.model_fields:
        home = "defaults" if section is Providers else "params"
        meant = "" if key in Params.model_fields else did_you_mean(key, Params.model_fields)
        return f"{meant}; it belongs under {home}"
    if near:
        return did_you_mean(key, section.model_fields)
    return f"; known: {', '.join(section.model_fields)}"
