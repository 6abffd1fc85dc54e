"""The sections of `providers.yaml`: what may stand in the file, and nothing else.

This module owns the grammar of a model's entry. It finds no file and reads no variable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

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

from apieval.errors import did_you_mean
from apieval.fields import (
    Address,
    BaseUrl,
    Body,
    Concurrency,
    Headers,
    Text,
    Texts,
    VariableName,
    listed,
)
from apieval.schema import Prefill

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
    reasoning_effort: Text | None = None


class Defaults(Params):
    """What holds for every model that does not say otherwise."""

    extra_body: Body = {}


PRESETS: Final[Mapping[str, Params]] = {
    "calamita": Params.model_construct(temperature=0, max_tokens=256, stop=["\n\n"]),
}
"""Request settings of published evaluations: `calamita` repeats those of the challenge's harness,
whose limit and blank line cut answers short."""


class Price(Section):
    """USD per million tokens; without `cached_input`, cached tokens cost what others cost.

    `as_of` is the day the prices were looked up, for the record.
    """

    input: NonNegativeFloat
    cached_input: NonNegativeFloat | None = None
    output: NonNegativeFloat
    as_of: str | None = None


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


def _known_params(names: list[str]) -> list[str]:
    for name in names:
        if name not in Params.model_fields:
            raise ValueError(f"no parameter {name!r}{did_you_mean(name, Params.model_fields)}")
    return names


class _Model(Section):
    model: str = Field(min_length=1)
    params: Params = Params.model_construct()
    drop: Annotated[list[str], AfterValidator(_known_params)] = []
    limits: Limits = Limits.model_construct()
    price: Price | None = None


class _Remote(_Model):
    """What is reached over a network, with a key or without.

    `prefill` says how the API takes an answer that is begun for the model (`--given`); without it
    the beginning goes into the question.
    """

    api_key_env: VariableName | None = None
    system_prompt: str | None = Field(default=None, min_length=1)
    extra_body: Body = {}
    headers: Headers = {}
    prefill: Prefill | None = None
    cache_identity: str | None = Field(default=None, min_length=1)


class OpenAICompatible(_Remote):
    """A server, or several of one model, that speaks `/v1/chat/completions`.

    With `api: completions` it is asked at `/v1/completions`, as a base model without a chat
    template must be.
    """

    provider: Literal["openai-compatible"]
    base_url: Annotated[
        list[BaseUrl],
        Field(min_length=1),
        BeforeValidator(listed, json_schema_input_type=str | list[str]),
    ]
    api: Literal["chat", "completions"] = "chat"

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

    api_version: str | None = None
    vertex_project: str | None = None
    vertex_location: str | None = None
    aws_region_name: str | None = None
    aws_profile_name: str | None = None


class Hosted(_Remote):
    """A model behind litellm, by litellm's own full name: `anthropic/...`, `gemini/...`."""

    provider: Literal["litellm"]
    model: str = Field(pattern="^[a-z0-9_]+/.+$")
    api_base: Address | None = None
    options: Options = Options.model_construct()

    @property
    def addresses(self) -> list[str]:
        """Return where the model is reached, nothing where litellm knows it."""
        return [self.api_base] if self.api_base else []


class Embedded(_Model):
    """The package's own solver, reached through its own server on loopback."""

    provider: Literal["embedded"]
    model: Literal["apieval-baseline"] = "apieval-baseline"
    lexicon: str | None = None
    words: str | None = None


AnyModel = OpenAICompatible | Hosted | Embedded
Model = Annotated[AnyModel, Field(discriminator="provider")]
