"""The sections of `providers.yaml`: what may stand in the file, and nothing else.

This module owns the grammar of a model's entry. It finds no file and reads no variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from apieval.config.fields import (
    Address,
    BaseUrl,
    Body,
    Concurrency,
    Headers,
    SecretHeaders,
    Text,
    Texts,
    VariableName,
    Words,
    listed,
)
from apieval.errors import did_you_mean
from apieval.records import Prefill

NO_PROMPT: Final = (
    "api: completions takes the prompt as plain text, which no system_prompt precedes"
)


class Section(BaseModel):
    """Stand at the root of the file's sections: no unknown key, no silent change of type."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,  # as in `schema.Record`
    )


TOKEN_LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The names under which a request limits an answer's tokens; the first that is there counts."""


class Params(Section):
    """Sampling parameters, sent as they are; null takes a default out of the request."""

    temperature: NonNegativeFloat | None = Field(
        default=None, description="0 takes the likeliest token; 0 unless said otherwise."
    )
    max_tokens: PositiveInt | None = Field(
        default=None,
        description="The most tokens of an answer, thoughts included; 1024 by default.",
    )
    max_completion_tokens: PositiveInt | None = Field(
        default=None,
        description="The same by the name newer models of OpenAI want; drop max_tokens then.",
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None, description="Sample among the likeliest tokens that have this share together."
    )
    top_k: int | None = Field(
        default=None, description="Sample among so many of the likeliest tokens."
    )
    min_p: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Sample among tokens with this share of the likeliest one's chance.",
    )
    seed: int | None = Field(
        default=None,
        description="Of the server's sampling; not every one has it. With --samples each sample is sent "
        "this number plus its own, from 0.",
    )
    stop: Texts | None = Field(
        default=None, description="A text, or several, at which an answer ends."
    )
    frequency_penalty: float | None = Field(
        default=None, description="Against repeated tokens, by count."
    )
    presence_penalty: float | None = Field(
        default=None, description="Against tokens that were there."
    )
    repetition_penalty: float | None = Field(
        default=None, description="Of vLLM, SGLang and the like."
    )
    reasoning_effort: Text | None = Field(
        default=None, description="How much a thinking model thinks, in the provider's own words."
    )


SEEDS: Final = frozenset({"seed", "random_seed", "sampling_seed"})
"""A seed's names in a request: OpenAI's, Mistral's, SGLang's."""


def seeded(body: Any) -> bool:  # noqa: ANN401 # any JSON
    """Say whether a request's body holds a seed, at any depth."""
    return bool(for_sample(body, 1) != body)


def for_sample(body: Any, sample: int) -> Any:  # noqa: ANN401 # any JSON
    """Return a request's body with the seeds of a sample: each and the sample's number.

    With one seed for all, several answers to a question would be one answer several times.
    """
    if isinstance(body, list):
        return [for_sample(each, sample) for each in body]
    if not isinstance(body, dict):
        return body
    return {
        name: value + sample if name in SEEDS and type(value) is int else for_sample(value, sample)
        for name, value in body.items()
    }


ONE_ANSWER: Final[Mapping[str, float]] = {
    "temperature": 0,
    "top_p": 0,
    "top_k": 1,
    "do_sample": False,
}
"""Parameters and the value at which the likeliest token is taken, and so all samples are alike."""


def takes_the_likeliest(body: Any) -> str | None:  # noqa: ANN401 # any JSON
    """Say which parameter of a request, at any depth, makes all samples alike, None for none."""
    if not isinstance(body, dict):
        return None
    for name, value in body.items():
        number = isinstance(value, int | float)
        if number and name in ONE_ANSWER and value == ONE_ANSWER[name]:
            return f"{name} {value:g}" if value is not False else f"{name} false"
        if found := takes_the_likeliest(value):
            return found
    return None


class Defaults(Params):
    """What holds for every model that does not say otherwise."""

    extra_body: Body = Field(default={}, description="Further fields of every request's body.")


PRESETS: Final[Mapping[str, Params]] = {
    "calamita": Params.model_construct(temperature=0, max_tokens=256, stop=["\n\n"]),
}
"""Request settings of published evaluations: `calamita` repeats those of the challenge's harness,
whose limit and blank line cut answers short."""


class Price(Section):
    """What a model costs, in USD per million tokens."""

    input: NonNegativeFloat = Field(description="Of the prompt.")
    cached_input: NonNegativeFloat | None = Field(
        default=None,
        description="Of what the provider had in its cache; without it the same as input.",
    )
    output: NonNegativeFloat = Field(description="Of the answer, thoughts included.")
    as_of: str | None = Field(default=None, description="The day it was looked up, for the record.")


class Limits(Section):
    """How hard an endpoint may be pressed, and how long; none of it can change an answer."""

    concurrency: Concurrency = Field(
        default="auto", description="Requests at once; auto grows while answers come faster for it."
    )
    rpm: PositiveInt | None = Field(default=None, description="Requests a minute.")
    tpm: PositiveInt | None = Field(default=None, description="Tokens a minute, in and out.")
    max_retries: NonNegativeInt = Field(default=10, description="Further attempts after the first.")
    max_wait: PositiveFloat = Field(
        default=600.0,
        description="The longest wait, in seconds, a server may ask for before the run stops.",
    )
    deadline: PositiveFloat = Field(
        default=3600.0,
        description="The longest one request may take over all its attempts, in seconds.",
    )


def _known_params(names: list[str]) -> list[str]:
    for name in names:
        if name not in Params.model_fields:
            raise ValueError(f"no parameter {name!r}{did_you_mean(name, Params.model_fields)}")
    return names


class _Model(Section):
    model: Words = Field(description="The name its server knows the model by.")
    params: Params = Field(
        default=Params.model_construct(), description="What goes into the request."
    )
    drop: Annotated[list[str], AfterValidator(_known_params)] = Field(
        default=[],
        description="Parameters the model refuses, left out of the request and recorded.",
    )
    limits: Limits = Field(
        default=Limits.model_construct(), description="How hard its endpoint may be pressed."
    )
    price: Price | None = Field(
        default=None,
        description="What it costs; without it litellm's table where it knows the model.",
    )


class _Remote(_Model):
    """What is reached over a network, with a key or without."""

    api_key_env: VariableName | None = Field(
        default=None,
        description="The name of the environment variable that holds the key, never the key itself; "
        "without it no key is sent.",
    )
    system_prompt: Words | None = Field(
        default=None, description="A system message; the challenge's prompt has none."
    )
    extra_body: Body = Field(default={}, description="Further fields of the request's body.")
    headers: Headers = Field(
        default={},
        description="Further HTTP headers, no secrets; results hold their names, and hashes of their "
        "values.",
    )
    headers_env: SecretHeaders = Field(
        default={},
        description="Further HTTP headers whose values are secret: each by its name, with the name of "
        "the environment variable that holds the value.",
    )
    prefill: Prefill | None = Field(
        default=None,
        description="How the API takes an answer that is begun for the model (--given): assistant, as "
        "the last message; continue, in vLLM's words; prefix, as Mistral marks it. Without it "
        "the beginning goes into the question.",
    )
    cache_identity: Words | None = Field(
        default=None,
        description="Stands for the address in the identity of answers: a server that moved, or "
        "several that are one.",
    )

    @model_validator(mode="after")
    def _each_header_once(self) -> Self:
        names = {name.lower() for name in self.headers}
        if twice := [name for name in self.headers_env if name.lower() in names]:
            raise ValueError(f"{twice[0]!r} stands in headers and in headers_env; keep one")
        sent = {name.lower() for name in self.headers_env}
        if self.api_key_env and "authorization" in sent:
            raise ValueError("api_key_env and headers_env both set Authorization; keep one")
        return self


class OpenAICompatible(_Remote):
    """A server, or several of one model, that speaks `/v1/chat/completions`.

    With `api: completions` it is asked at `/v1/completions`, as a base model without a chat
    template must be.
    """

    provider: Literal["openai-compatible"] = Field(description="What kind of entry this is.")
    base_url: Annotated[
        list[BaseUrl],
        Field(
            min_length=1,
            description="The server's address, or several of servers with one model: with or "
            "without /v1, or the full path.",
        ),
        BeforeValidator(listed, json_schema_input_type=str | list[str]),
    ]
    api: Literal["chat", "completions"] = Field(
        default="chat", description="completions for a base model without a chat template."
    )

    @property
    def addresses(self) -> list[str]:
        """Return where the model is reached."""
        return self.base_url

    @model_validator(mode="after")
    def _plain_prompt(self) -> OpenAICompatible:
        if self.api == "completions" and self.system_prompt is not None:
            raise ValueError(NO_PROMPT)
        return self


class Options(Section):
    """What belongs to a hosted endpoint and not to a request; no secret among them."""

    api_version: Text | None = Field(default=None, description="Of Azure's older wire.")
    vertex_project: Text | None = Field(default=None, description="The project of Google Cloud.")
    vertex_location: Text | None = Field(default=None, description="Its region, or global.")
    aws_region_name: Text | None = Field(default=None, description="The region of Bedrock.")
    aws_profile_name: Text | None = Field(default=None, description="A profile of AWS's own files.")


_LITELLMS: Final = frozenset(
    [
        "api_base",
        "api_version",
        "base_url",
        "cache",
        "caching",
        "client",
        "context_window_fallback_dict",
        "custom_llm_provider",
        "drop_params",
        "extra_headers",
        "fallbacks",
        "headers",
        "max_retries",
        "mock_response",
        "model_list",
        "num_retries",
        "timeout",
    ]
)
"""What litellm takes out of the fields of a body, to ask somebody else, otherwise, or nobody."""


class Hosted(_Remote):
    """A model behind litellm, by litellm's own full name: `anthropic/...`, `gemini/...`."""

    provider: Literal["litellm"] = Field(description="What kind of entry this is.")
    model: Text = Field(
        pattern="^[a-z0-9_]+/.+$", description="litellm's prefix, and the provider's own name."
    )
    api_base: Address | None = Field(
        default=None, description="Where it is reached, if not at the provider's own address."
    )
    options: Options = Field(
        default=Options.model_construct(), description="What belongs to the endpoint."
    )

    @property
    def addresses(self) -> list[str]:
        """Return where the model is reached, nothing where litellm knows it."""
        return [self.api_base] if self.api_base else []

    @model_validator(mode="after")
    def _fields_alone(self) -> Self:
        if taken := sorted(_LITELLMS & self.extra_body.keys()):
            raise ValueError(
                f"extra_body: {taken[0]!r} is litellm's own argument, no field of a body"
            )
        return self


class Embedded(_Model):
    """The package's own solver, reached through its own server on loopback."""

    provider: Literal["embedded"] = Field(description="What kind of entry this is.")
    model: Literal["apieval-baseline"] = Field(
        default="apieval-baseline", description="The solver."
    )
    lexicon: str | None = Field(
        default=None,
        description="A two-column CSV of clues and answers, instead of the package's own.",
    )
    words: str | None = Field(
        default=None,
        description="An Italian word list: a word a line, or a word and its frequency.",
    )


AnyModel = OpenAICompatible | Hosted | Embedded
Model = Annotated[AnyModel, Field(discriminator="provider")]
