"""The sections of `providers.yaml`: the keys the file may have, and nothing else.

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
    """The base of all sections: no unknown key, no silent change of type."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        strict=True,
        allow_inf_nan=False,
        hide_input_in_errors=True,
        defer_build=True,  # as in `records.Record`
    )


TOKEN_LIMITS: Final = ("max_completion_tokens", "max_tokens")
"""The names under which a request limits an answer's tokens; the first that is there counts."""


class Params(Section):
    """Sampling parameters, sent as they are; null takes a default out of the request."""

    temperature: NonNegativeFloat | None = Field(
        default=None, description="0, the default, takes the most likely token."
    )
    max_tokens: PositiveInt | None = Field(
        default=None,
        description="The most tokens of an answer, including thoughts; 1024 by default.",
    )
    max_completion_tokens: PositiveInt | None = Field(
        default=None,
        description="The same under the name that newer OpenAI models accept; then drop max_tokens.",
    )
    top_p: Annotated[float, Field(gt=0, le=1)] | None = Field(
        default=None,
        description="Sample from the most likely tokens with this probability together.",
    )
    top_k: int | None = Field(
        default=None, description="Sample from this many of the most likely tokens."
    )
    min_p: Annotated[float, Field(ge=0, le=1)] | None = Field(
        default=None,
        description="Sample from tokens with at least this fraction of the top probability.",
    )
    seed: int | None = Field(
        default=None,
        description="The seed of the server's sampling, where it supports one. With --samples the number of "
        "each sample, from 0, is added to it.",
    )
    stop: Texts | None = Field(
        default=None, description="One or more texts at which an answer ends."
    )
    frequency_penalty: float | None = Field(
        default=None, description="Penalty for repeated tokens, by count."
    )
    presence_penalty: float | None = Field(
        default=None, description="Penalty for tokens that already occurred."
    )
    repetition_penalty: float | None = Field(
        default=None, description="Penalty of vLLM, SGLang and similar servers."
    )
    reasoning_effort: Text | None = Field(
        default=None, description="How much a thinking model thinks, as the provider names it."
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
    """Parameters of every model that does not set its own."""

    extra_body: Body = Field(default={}, description="Additional fields of every request's body.")


PRESETS: Final[Mapping[str, Params]] = {
    "calamita": Params.model_construct(temperature=0, max_tokens=256, stop=["\n\n"]),
}
"""Request settings of published evaluations: `calamita` repeats those of the challenge's harness,
whose limit and blank line cut answers short."""


class Price(Section):
    """A model's price, in USD per million tokens."""

    input: NonNegativeFloat = Field(description="For the prompt.")
    cached_input: NonNegativeFloat | None = Field(
        default=None,
        description="For prompt tokens from the provider's cache; by default the same as input.",
    )
    output: NonNegativeFloat = Field(description="For the answer, including thoughts.")
    as_of: str | None = Field(default=None, description="The date of the price, for the record.")


class Limits(Section):
    """Concurrency, rate limits and time limits of an endpoint; none of them can change an answer."""

    concurrency: Concurrency = Field(
        default="auto",
        description="Concurrent requests; auto grows while that increases throughput.",
    )
    rpm: PositiveInt | None = Field(default=None, description="Requests per minute.")
    tpm: PositiveInt | None = Field(
        default=None, description="Tokens per minute, prompts and answers."
    )
    max_retries: NonNegativeInt = Field(default=10, description="Attempts after the first.")
    max_wait: PositiveFloat = Field(
        default=600.0,
        description="The longest wait, in seconds, that a server may ask for before the run stops.",
    )
    deadline: PositiveFloat = Field(
        default=3600.0,
        description="The longest time for a request with all its attempts, in seconds.",
    )


def _known_params(names: list[str]) -> list[str]:
    for name in names:
        if name not in Params.model_fields:
            raise ValueError(f"no parameter {name!r}{did_you_mean(name, Params.model_fields)}")
    return names


class _Model(Section):
    model: Words = Field(description="The model's name on its server.")
    params: Params = Field(
        default=Params.model_construct(), description="Parameters of the request."
    )
    drop: Annotated[list[str], AfterValidator(_known_params)] = Field(
        default=[],
        description="Parameters that the model refuses: removed from the request, and recorded.",
    )
    limits: Limits = Field(default=Limits.model_construct(), description="Limits of its endpoint.")
    price: Price | None = Field(
        default=None,
        description="Its price; by default litellm's, if its table has the model.",
    )


class _Remote(_Model):
    """A model behind a network, with or without a key."""

    api_key_env: VariableName | None = Field(
        default=None,
        description="The name of the environment variable that holds the key, never the key itself; "
        "by default no key is sent.",
    )
    system_prompt: Words | None = Field(
        default=None, description="A system message; the challenge's prompt has none."
    )
    extra_body: Body = Field(default={}, description="Additional fields of the request's body.")
    headers: Headers = Field(
        default={},
        description="Additional HTTP headers without secrets; results contain their names and hashes of "
        "their values.",
    )
    headers_env: SecretHeaders = Field(
        default={},
        description="Additional HTTP headers with secret values: the header's name, and the name of the "
        "environment variable that holds the value.",
    )
    prefill: Prefill | None = Field(
        default=None,
        description="How the API accepts the beginning of an answer (--given): assistant, as the last "
        "message; continue, as in vLLM; prefix, as in Mistral's API. By default the beginning is "
        "part of the question.",
    )
    cache_identity: Words | None = Field(
        default=None,
        description="Replaces the address in the identity of answers, for a server that moved or "
        "several equal servers.",
    )

    @model_validator(mode="after")
    def _each_header_once(self) -> Self:
        names = {name.lower() for name in self.headers}
        if twice := [name for name in self.headers_env if name.lower() in names]:
            raise ValueError(f"{twice[0]!r} is in headers and in headers_env; keep one")
        sent = {name.lower() for name in self.headers_env}
        if self.api_key_env and "authorization" in sent:
            raise ValueError("api_key_env and headers_env both set Authorization; keep one")
        return self


class OpenAICompatible(_Remote):
    """A server with `/v1/chat/completions`, or several servers of one model.

    `api: completions` uses `/v1/completions` instead, for base models without a chat template.
    """

    provider: Literal["openai-compatible"] = Field(description="The kind of entry.")
    base_url: Annotated[
        list[BaseUrl],
        Field(
            min_length=1,
            description="The server's address, or a list for several servers of one model: with or "
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
    """Settings of a hosted endpoint that are not part of the request; none is secret."""

    api_version: Text | None = Field(default=None, description="For Azure's older API.")
    vertex_project: Text | None = Field(default=None, description="The Google Cloud project.")
    vertex_location: Text | None = Field(default=None, description="Its region, or global.")
    aws_region_name: Text | None = Field(default=None, description="The region for Bedrock.")
    aws_profile_name: Text | None = Field(default=None, description="A profile in AWS's own files.")


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
    """A model reached through litellm, by its full name there: `anthropic/...`, `gemini/...`."""

    provider: Literal["litellm"] = Field(description="The kind of entry.")
    model: Text = Field(
        pattern="^[a-z0-9_]+/.+$", description="litellm's prefix, and the provider's own name."
    )
    api_base: Address | None = Field(
        default=None, description="Its address, if not the provider's own."
    )
    options: Options = Field(
        default=Options.model_construct(), description="Settings of the endpoint."
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
    """The embedded baseline, through its own server on loopback."""

    provider: Literal["embedded"] = Field(description="The kind of entry.")
    model: Literal["apieval-baseline"] = Field(
        default="apieval-baseline", description="The solver."
    )
    lexicon: str | None = Field(
        default=None,
        description="A two-column CSV of clues and answers that replaces the package's own.",
    )
    words: str | None = Field(
        default=None,
        description="An Italian word list: one word per line, optionally with its frequency.",
    )


AnyModel = OpenAICompatible | Hosted | Embedded
Model = Annotated[AnyModel, Field(discriminator="provider")]
