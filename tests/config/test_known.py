from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.config import known
from apieval.config.file import Providers
from apieval.config.known import HOSTED, PLAIN
from apieval.config.models import Hosted, OpenAICompatible
from apieval.errors import ConfigError

PASSWORD = "segreto-xyz"


@pytest.mark.parametrize("prefix", PLAIN)
def test_a_provider_of_openais_wire_is_reached_directly(prefix: str) -> None:
    found = known.resolve(f"{prefix}/org/model-8b:free")
    assert isinstance(found, OpenAICompatible)
    assert found.base_url == [PLAIN[prefix].base_url]
    assert found.model == "org/model-8b:free"
    assert found.api_key_env == PLAIN[prefix].variable
    assert known.litellm_name(found) == f"{prefix}/org/model-8b:free"


@pytest.mark.parametrize("prefix", HOSTED)
def test_others_are_reached_through_litellm(prefix: str) -> None:
    found = known.resolve(f"{prefix}/model")
    assert isinstance(found, Hosted)
    assert (found.model, found.api_key_env) == (f"{prefix}/model", HOSTED[prefix])
    assert known.litellm_name(found) == f"{prefix}/model"


def test_every_address_is_in_its_normal_form() -> None:
    for prefix, plain in PLAIN.items():
        assert plain.base_url.startswith("https://")
        found = known.resolve(f"{prefix}/m")
        assert isinstance(found, OpenAICompatible)
        assert found.base_url == [plain.base_url]


@pytest.mark.parametrize(
    ("name", "base", "model"),
    [
        ("http://localhost:8000/v1#my-model", "http://localhost:8000/v1", "my-model"),
        ("http://localhost:8000#my-model", "http://localhost:8000/v1", "my-model"),
        ("HTTPS://Host.example/v1/#org/m:8b#x", "https://host.example/v1", "org/m:8b#x"),
        ("http://[::1]:8000/v1/chat/completions#m", "http://[::1]:8000/v1", "m"),
    ],
)
def test_a_server_by_its_address(name: str, base: str, model: str) -> None:
    found = known.resolve(name)
    assert isinstance(found, OpenAICompatible)
    assert (found.base_url, found.model, found.api_key_env) == ([base], model, None)
    assert known.litellm_name(found) is None


@pytest.mark.parametrize("name", ["", "baseline", "openai", "openai/", "a b", "#m"])
def test_other_names_are_no_direct_ones(name: str) -> None:
    assert known.resolve(name) is None


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("opnai/gpt", "did you mean 'openai'"),
        ("/model", "'' is no provider known by name"),
        ("azure/gpt", "Add the model to providers.yaml"),
        ("gemini/\nx", "model 'gemini/\\nx': String should match"),
        ("openai/\ud83d", "model 'openai/"),
        ("http://localhost:8000/v1", "http://localhost:8000/v1#MODEL"),
        ("http://localhost:8000/v1#", "say which model"),
        ("http://#m", "the address in the model's name: not an address"),
        ("localhost:8000/v1#m", "an address is written as http://HOST:PORT/v1#MODEL"),
        ("http://h:99999#m", "not an address"),
        ("http://h/v1?x=1#m?y", "behind '?'"),
        ("http://h/v1?sig=1#m", "a key behind '?'"),
    ],
)
def test_what_is_wrong_with_a_name_is_told(name: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        known.resolve(name)
    assert said in str(caught.value)


@pytest.mark.parametrize("end", ["#m", "#", ""])
@pytest.mark.parametrize("scheme", ["http", "HTTPS"])
def test_a_password_in_an_address_is_refused_and_not_shown(scheme: str, end: str) -> None:
    with pytest.raises(ConfigError, match="user name or password") as caught:
        known.resolve(f"{scheme}://utente:{PASSWORD}@host.example/v1{end}")
    assert PASSWORD not in str(caught.value)


@pytest.mark.parametrize(
    "name",
    [
        f"u:{PASSWORD}@host:8000/v1#m",
        f"u:{PASSWORD}@host",
        f"ws://u:{PASSWORD}@host/v1#m",
        f" http://u:{PASSWORD}@host/v1#m",
        f"http:/u:{PASSWORD}@host/v1#m",
        f"http://host/v1#m?api_key={PASSWORD}",
        f"http://host/v1?api_key={PASSWORD}#m",
    ],
)
def test_a_secret_in_what_is_no_address_is_not_shown(name: str) -> None:
    providers = Providers.model_validate({"version": 1})
    for refuse in (providers.find, providers.check_shown):
        with pytest.raises(ConfigError, match=r"/v1#MODEL|behind '\?'") as caught:
            refuse(name)
        assert PASSWORD not in str(caught.value)


def test_a_colon_in_a_name_without_an_address_is_part_of_it() -> None:
    providers = Providers.model_validate({"version": 1})
    providers.check_shown("llama3:8b")
    with pytest.raises(ConfigError, match="'llama3:8b' is not configured"):
        providers.find("llama3:8b")
    providers.check_shown("openrouter/org/m:free")


prefixes = st.sampled_from(["openai/", "gemini/", "http://", "https://h/v1#", "HTTP://", "x/", ""])


@given(prefixes, st.text() | st.text(st.characters(codec=None)))
def test_any_name_is_a_model_or_none_or_refused(prefix: str, rest: str) -> None:
    try:
        found = known.resolve(prefix + rest)
    except ConfigError:
        return
    if found is not None:
        assert found.model
        assert isinstance(known.litellm_name(found), str | None)


def test_an_entry_goes_before_a_direct_name() -> None:
    entry = {"provider": "embedded"}
    providers = Providers.model_validate({"version": 1, "models": {"openai/gpt": entry}})
    assert providers.find("openai/gpt").provider == "embedded"
    assert providers.find("openai/gpt-2").provider == "openai-compatible"
    with pytest.raises(ConfigError, match="'nobody' is not configured"):
        providers.find("nobody")


def test_several_addresses_of_one_provider_have_its_name() -> None:
    urls = [PLAIN["groq"].base_url, "https://api.groq.com/openai/v1/"]
    found = OpenAICompatible(provider="openai-compatible", base_url=urls, model="m")
    assert known.litellm_name(found) == "groq/m"
    mixed = OpenAICompatible(
        provider="openai-compatible", base_url=[urls[0], "http://127.0.0.1:1/v1"], model="m"
    )
    assert known.litellm_name(mixed) is None


# --- whose a model is --------------------------------------------------------------------------


def at_home(**more: object) -> OpenAICompatible:
    plain = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:4000/v1", "model": "m"}
    return OpenAICompatible.model_validate({**plain, **more})


@pytest.mark.parametrize(
    "model",
    [
        *(
            at_home(model=each)
            for each in ("gpt-4o", "openai/gpt-5.5", "o3", "o4-mini", "chatgpt-4o")
        ),
        *(at_home(model=each) for each in ("claude-opus-5", "vertex_ai/claude-x", "gemini-4-neon")),
        at_home(model="xai/grok-4"),
        at_home(api_key_env="OPENAI_API_KEY"),
        at_home(api_key_env="LITELLM_MASTER_KEY"),
        at_home(headers_env={"X-Key": "MY_GATEWAY_KEY"}),
        Hosted(provider="litellm", model="anthropic/claude-x", api_base="http://127.0.0.1:4000"),
    ],
    ids=lambda model: model.model,
)
def test_what_a_gateway_may_hand_on_to_somebody_else(model: OpenAICompatible | Hosted) -> None:
    assert known.may_be_paid(model)


@pytest.mark.parametrize(
    "model",
    [
        *(
            at_home(model=each)
            for each in ("openai/gpt-oss-120b", "gpt-oss:20b", "EleutherAI/gpt-j-6b")
        ),
        *(at_home(model=each) for each in ("meta-llama/Llama-3.1-8B", "google/gemma-3-4b", "olmo")),
        *(at_home(model=each) for each in ("mistralai/Mistral-7B", "gpt2", "xai-org/grok-1")),
        at_home(api_key_env="VLLM_API_KEY"),
        at_home(api_key_env="HF_TOKEN"),
        Hosted(provider="litellm", model="ollama/llama3", api_base="http://127.0.0.1:11434"),
    ],
    ids=lambda model: model.model,
)
def test_what_people_run_themselves(model: OpenAICompatible | Hosted) -> None:
    assert not known.may_be_paid(model)
