"""`providers.yaml`: which models there are and how each is reached, strictly checked.

This module owns the finding and reading of the file. It names environment variables and reads a
key out of one when asked to; it never stores a key. It opens no connection.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import Field, PrivateAttr, TypeAdapter, ValidationError
from pydantic_core import ErrorDetails

from apieval.config import known, strict_yaml
from apieval.config.fields import OWN_FIELDS, is_loopback
from apieval.config.models import (
    PRESETS,
    AnyModel,
    Defaults,
    Embedded,
    Hosted,
    Limits,
    Model,
    OpenAICompatible,
    Options,
    Params,
    Price,
    Section,
)
from apieval.config.secrets import holds_a_key
from apieval.errors import ConfigError, did_you_mean

FILE_NAME: Final = "providers.yaml"
BASELINE: Final = "baseline"
_FEW: Final = 8
"""So many names are listed in a message; more are counted."""
_VARIABLE: Final = "a key belongs in an environment variable, named by api_key_env"


class Providers(Section):
    """The whole file; `baseline` exists even if it has no entry."""

    version: Literal[1] = Field(description="The format of the file.")
    defaults: Defaults = Field(
        default=Defaults(temperature=0, max_tokens=1024),
        description="Default parameters for all models.",
    )
    models: dict[str, Model] = Field(
        default={}, description="The models by their names on the command line and in results."
    )

    _source: Path | None = PrivateAttr(default=None)

    def names(self) -> tuple[str, ...]:
        """Return every model that can be named, `baseline` first where the file lacks it."""
        extra = () if BASELINE in self.models else (BASELINE,)
        return (*extra, *self.models)

    def find(self, name: str) -> AnyModel:
        """Return the model of that name, configured here or named directly (see `known`).

        Raises:
            ConfigError: where there is none; near names are offered.
        """
        if name in self.models:
            return self.models[name]
        if name == BASELINE:
            return Embedded(provider="embedded")
        if direct := known.resolve(name):
            return direct
        if holds_a_key(name):
            raise ConfigError(f"what is given for a model's name seems to be a key: {_VARIABLE}.")
        names = self.names()
        few = ", ".join(names) if len(names) <= _FEW else f"{len(names)} (`apieval models`)"
        read = f" The file read is {self._source}." if self._source else ""
        raise ConfigError(
            f"model {name!r} is not configured{did_you_mean(name, names)}. Configured: {few}.{read} "
            f"Without an entry it can be named as {known.suggested(name)}; another file is named "
            "with --config."
        )

    def check_shown(self, name: str) -> None:
        """Refuse a name with an address that cannot be used, since it may hold a password.

        Raises:
            ConfigError: which does not repeat the name.
        """
        if name not in self.models and known.holds_an_address(name):
            known.resolve(name)

    def params(self, model: AnyModel, chosen: Params | None = None) -> dict[str, Any]:
        """Return the sampling parameters that are sent: the defaults, the model's, those chosen.

        A chosen `max_tokens` stands for `max_completion_tokens` where that limits the model's
        answers.
        """
        defaults = self.defaults.model_dump(exclude_unset=True, exclude={"extra_body"})
        configured = {**defaults, **model.params.model_dump(exclude_unset=True)}
        over = chosen.model_dump(exclude_unset=True) if chosen else {}
        if configured.get("max_completion_tokens") and over.get("max_tokens"):
            over.setdefault("max_completion_tokens", over.pop("max_tokens"))
        merged = {**configured, **over}
        return {k: v for k, v in merged.items() if v is not None and k not in model.drop}


def chosen_params(preset: str | None, params: Mapping[str, object], drop: Sequence[str]) -> Params:
    """Return the parameters chosen for a run: a preset's, then single ones, without the dropped.

    Raises:
        ConfigError: for an unknown preset or parameter, or a value that cannot be sent.
    """
    if preset is not None and preset not in PRESETS:
        raise ConfigError(
            f"there is no preset {preset!r}{did_you_mean(preset, PRESETS)}; "
            f"known: {', '.join(PRESETS)}."
        )
    base = PRESETS[preset].model_dump(exclude_unset=True) if preset else {}
    try:
        return Params.model_validate({**base, **params, **dict.fromkeys(drop)})
    except ValidationError as error:
        problems = "; ".join(_explain_param(problem) for problem in error.errors())
        raise ConfigError(f"--param or --drop: {problems}.") from None


_SECTIONS: Final[Mapping[str, type[Section]]] = {
    "defaults": Defaults,
    "params": Params,
    "limits": Limits,
    "price": Price,
    "options": Options,
}


def find_file(given: Path | None, folder: Path) -> Path:
    """Return the configuration file: the one given, else the folder's, else the package's own."""
    if given is not None:
        return given
    here = folder / FILE_NAME
    return here if here.is_file() else packaged_file()


def packaged_file() -> Path:
    """Return the package's own `providers.yaml`; in a checkout it stands above the package."""
    package = Path(__file__).parents[1]
    inside = package / FILE_NAME
    return inside if inside.is_file() else package.parent / FILE_NAME


def load(path: Path) -> Providers:
    """Return the configuration in a file, every part of it checked.

    Raises:
        ConfigError: naming the file, the key, what is wrong with it, and near names.
    """
    value = strict_yaml.read(path)
    try:
        found = Providers.model_validate(value)
    except ValidationError as error:
        problems = "\n".join(f"  {_explain(problem)}" for problem in error.errors())
        raise ConfigError(f"{path}: the configuration cannot be used:\n{problems}") from None
    found._source = path  # noqa: SLF001 # no part of the file
    return found


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of `providers.yaml`."""
    return TypeAdapter(Providers).json_schema()


def api_key(name: str, model: OpenAICompatible | Hosted, environ: Mapping[str, str]) -> str | None:
    """Return the key of a model out of the variable it names, None where it needs none.

    Raises:
        ConfigError: where the variable is not set, is empty and the server is not local, or
            holds what no HTTP header can carry. The value is never part of the message.
    """
    variable = model.api_key_env
    if variable is None:
        return None
    key = _of_environment(name, model, variable, "api_key_env", environ)
    if key and " " in key:
        raise _unfit(name, variable)
    return key


def secret_headers(
    name: str, model: OpenAICompatible | Hosted, environ: Mapping[str, str]
) -> dict[str, str]:
    """Return the headers of a model whose values stand in variables, out of these.

    Raises:
        ConfigError: as `api_key`.
    """
    found = {
        header: _of_environment(name, model, variable, "its entry in headers_env", environ)
        for header, variable in model.headers_env.items()
    }
    return {header: value for header, value in found.items() if value}


def _of_environment(
    name: str,
    model: OpenAICompatible | Hosted,
    variable: str,
    where: str,
    environ: Mapping[str, str],
) -> str | None:
    """Return a secret, None for an empty one that a local server may not want."""
    if variable not in environ:
        # a model that is named directly has no entry to remove it from
        other = "" if known.resolve(name) else f", or remove {where} if the server asks for none"
        raise ConfigError(
            f"model {name!r}: the environment variable {variable} is not set. Set it to the "
            f"key{other}."
        )
    value = environ[variable].strip()
    if not value:
        if model.addresses and all(map(is_loopback, model.addresses)):
            return None
        raise ConfigError(f"model {name!r}: the environment variable {variable} is empty.")
    if not (value.isascii() and value.isprintable()):
        raise _unfit(name, variable)
    return value


def _unfit(name: str, variable: str) -> ConfigError:
    return ConfigError(
        f"model {name!r}: the environment variable {variable} holds a character that no "
        "key has (an accent, a blank, a control character). Copy the key again."
    )


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
        "string_pattern_mismatch": _PATTERNS.get(_patterned(place), problem["msg"]),
        "union_tag_not_found": f"provider: missing; one of {', '.join(_PROVIDERS)}",
        "union_tag_invalid": f"unknown provider {given!r}{did_you_mean(given, _PROVIDERS)}; "
        f"one of {', '.join(_PROVIDERS)}",
    }
    plain = problem["msg"].removeprefix("Value error, ").replace("Input should be", "must be", 1)
    empty = "; it is empty" if kind.startswith("model_") and problem["input"] is None else ""
    return f"{shown or 'the file'}: {wording.get(kind, plain)}{empty}"


def _patterned(place: Sequence[str]) -> str:
    """Return the key whose pattern a value lacks; each header's variable is `headers_env`'s."""
    return "headers_env" if "headers_env" in place[-2:] else (place or [""])[-1]


_PATTERNS: Final = {
    "headers_env": "must be the name of a variable in capitals, never the value itself",
    "api_key_env": "must be the name of a variable in capitals, never the key itself",
    "model": "with litellm its provider comes first: write PROVIDER/MODEL, as anthropic/...",
}


def _explain_param(problem: ErrorDetails) -> str:
    placed: ErrorDetails = {**problem, "loc": ("params", *problem["loc"])}
    return _explain(placed).removeprefix("params.")


_PROVIDERS: Final[Mapping[str, type[Section]]] = {
    "openai-compatible": OpenAICompatible,
    "litellm": Hosted,
    "embedded": Embedded,
}


def _remedy(place: Sequence[str], tag: str | None) -> str:
    """Return what to do about an unknown key: a near name, or the section it belongs to."""
    key, above = [None, *place][-1] or "", [None, None, *place][-2]
    if "key" in key.lower() or key.lower() == "token":
        return "; a key never belongs in the file: name its environment variable in api_key_env"
    otherwise = Providers if above is None else _PROVIDERS[tag] if tag else OpenAICompatible
    section = _SECTIONS.get(above or "", otherwise)
    if issubclass(section, Params):
        if key in OWN_FIELDS:
            return f"; it is set by apieval itself: {OWN_FIELDS[key]}"
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
