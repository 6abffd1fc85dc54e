"""The package's own `providers.yaml`: every entry can be used as it stands."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import pytest

from apieval.config import file, strict_yaml
from apieval.config import known as directory
from apieval.config.known import HOSTED, PLAIN
from apieval.config.models import AnyModel, Embedded, Hosted, OpenAICompatible
from apieval.run.cost import price_of
from apieval.run.model import Prepared, prepare
from tests.records import REPOSITORY

SHIPPED: Final = file.load(file.packaged_file())
NAMES: Final = SHIPPED.names()
REMOTE: Final = [name for name in NAMES if not isinstance(SHIPPED.find(name), Embedded)]
CUSTOMARY: Final = {
    **{f"litellm {prefix}": variable for prefix, variable in HOSTED.items()},
    **{plain.base_url: plain.variable for plain in PLAIN.values()},
    "https://api.cohere.ai/compatibility/v1": "COHERE_API_KEY",
    "https://YOUR-RESOURCE.openai.azure.com/openai/v1".lower(): "AZURE_OPENAI_API_KEY",
    "litellm bedrock": "AWS_BEARER_TOKEN_BEDROCK",
    "litellm vertex_ai": "GOOGLE_APPLICATION_CREDENTIALS",
}
"""The variable every provider's own documents name, by address or litellm's prefix."""
DIFFERENT: Final[dict[str, str]] = {}
"""Entries whose price is not that of litellm's bundled table, each with the reason."""


def remote(name: str) -> OpenAICompatible | Hosted:
    model = SHIPPED.find(name)
    assert not isinstance(model, Embedded)
    return model


def ready(name: str, **more: Any) -> Prepared:  # noqa: ANN401 # prepare's own arguments
    variable = remote(name).api_key_env
    return prepare(name, SHIPPED, {variable: "sk-finta-000111"} if variable else {}, **more)


@pytest.mark.parametrize("name", REMOTE)
def test_an_entry_is_made_ready_and_sends_nothing_it_drops(name: str) -> None:
    found = ready(name)
    assert found.body["model"] == found.model.model
    assert not set(found.body) & set(found.model.drop)
    assert not {"max_tokens", "max_completion_tokens"} <= set(found.body)
    assert found.most_tokens is not None
    assert found.dropped == tuple(sorted(found.model.drop))
    json.dumps(found.identity)


@pytest.mark.parametrize("name", REMOTE)
def test_a_key_is_read_out_of_the_customary_variable(name: str) -> None:
    model = remote(name)
    if isinstance(model, Hosted):
        assert model.api_key_env == CUSTOMARY[f"litellm {model.model.partition('/')[0]}"]
        return
    (address,) = model.base_url
    own = re.match(r"http://127\.0\.0\.1:\d+/v1$", address)
    assert model.api_key_env == (None if own else CUSTOMARY[address])


@pytest.mark.parametrize("name", REMOTE)
def test_a_price_is_that_of_litellms_table_where_it_knows_the_model(name: str) -> None:
    model = remote(name)
    known = price_of(model.model_copy(update={"price": None}))
    if model.price is None or known is None:
        assert name not in DIFFERENT
        return
    same = known.price.model_dump(exclude={"as_of"}) == model.price.model_dump(exclude={"as_of"})
    assert same is (name not in DIFFERENT), f"{model.price} here, {known.price} in {known.source}"


@pytest.mark.parametrize("name", REMOTE)
def test_a_price_has_a_day_and_is_one(name: str) -> None:
    price = remote(name).price
    if price is not None:
        assert re.fullmatch(r"\d{4}-\d\d-\d\d", price.as_of or "")
        assert 0 < price.input < price.output
        assert price.cached_input is None or 0 < price.cached_input < price.input


def test_who_is_paid_without_a_price_is_known_here() -> None:
    """Their prices are not published, or change with who serves."""
    paid = {name for name in REMOTE if remote(name).api_key_env and not ready(name).price}
    assert paid == {"command-a-plus-05-2026", "openrouter-deepseek-v4.1-flash"}


@pytest.mark.parametrize("name", REMOTE)
def test_the_challenges_settings_fit_every_entry(name: str) -> None:
    chosen = file.chosen_params("calamita", {}, [])
    found = ready(name, chosen=chosen)
    assert found.most_tokens == 256
    assert found.body["stop"] == ["\n\n"]
    assert ("temperature" in found.body) is ("temperature" not in found.model.drop)
    limits = {"max_tokens", "max_completion_tokens"} & set(found.body)
    assert len(limits) == 1
    assert limits <= set(ready(name).body)  # by the name the model knows its limit by


def test_entries_and_direct_names_reach_the_same_place() -> None:
    for name in REMOTE:
        model: AnyModel = remote(name)
        full = directory.litellm_name(model) if not isinstance(model, Embedded) else None
        if full and full.partition("/")[0] in {*PLAIN, *HOSTED}:
            direct = directory.resolve(full)
            assert direct is not None
            assert type(direct) is type(model)
            assert direct.addresses == model.addresses
            assert (direct.model, direct.api_key_env) == (model.model, model.api_key_env)


def test_the_editors_schema_takes_the_file() -> None:
    validator = pytest.importorskip("jsonschema").Draft202012Validator
    text = (REPOSITORY / "docs" / "providers.schema.json").read_text("utf-8")
    schema = json.loads(text)
    validator.check_schema(schema)
    value: Any = strict_yaml.read(file.packaged_file())
    assert [error.message for error in validator(schema).iter_errors(value)] == []
    value["models"]["vllm"]["modle"] = "x"
    assert not validator(schema).is_valid(value)
