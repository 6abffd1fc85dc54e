from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.config import file
from apieval.config.fields import is_loopback
from apieval.config.file import Providers
from apieval.config.models import Embedded, OpenAICompatible, Params
from apieval.errors import ConfigError
from tests.records import REPOSITORY

SERVER: dict[str, Any] = {
    "provider": "openai-compatible",
    "base_url": "http://127.0.0.1:8000/v1",
    "model": "llama",
}


def load(folder: Path, text: str) -> Providers:
    path = folder / "providers.yaml"
    path.write_text(text, encoding="utf-8")
    return file.load(path)


def refusal(folder: Path, text: str) -> str:
    with pytest.raises(ConfigError) as caught:
        load(folder, text)
    message = str(caught.value)
    assert message.startswith(str(folder / "providers.yaml"))
    assert caught.value.exit_code == 2
    assert caught.value.__suppress_context__
    return message


def of_model(**changes: object) -> str:
    return json.dumps({"version": 1, "models": {"mine": {**SERVER, **changes}}})


def one(folder: Path, **changes: object) -> OpenAICompatible:
    model = load(folder, of_model(**changes)).find("mine")
    assert isinstance(model, OpenAICompatible)
    return model


KEY = "sk-finta-000111"
SECRET_VALUES = [
    *(
        KEY,
        "sk-ant-api03-finta-000",
        "nvapi-fintafinta0001",
        "hf_fintafintafinta",
        "gsk_finta0001111",
    ),
    *("xai-finta0001111", "r8_finta00011122", "pplx-finta0001112", "AKIAFINTAFINTA0001"),
    *("ASIAFINTAFINTA0001", "github_pat_11FINTA0finta", "ghp_fintafintafinta", "AIzaSyFinta-00011"),
    *("eyJmaW50YTEx.eyJzdWIiOiJ1.c2ln", "Bearer qualunquecosa"),
]
LOCAL = "http://127.0.0.1:8000/v1"


@pytest.mark.parametrize(
    ("given_url", "base"),
    [
        ("http://127.0.0.1:8000", LOCAL),
        ("http://127.0.0.1:8000/", LOCAL),
        ("http://127.0.0.1:8000/v1", LOCAL),
        ("http://127.0.0.1:8000/v1/", LOCAL),
        ("http://127.0.0.1:8000/v1/chat/completions", LOCAL),
        ("http://127.0.0.1:8000/v1/chat/completions/", LOCAL),
        (" http://127.0.0.1:8000/v1\n", LOCAL),
        ("HTTP://127.0.0.1:8000/v1", LOCAL),
        ("http://LocalHost:8000/v1", "http://localhost:8000/v1"),
        ("http://[::1]:8000", "http://[::1]:8000/v1"),
        ("https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1"),
        ("https://example.org/v10", "https://example.org/v10"),
        ("https://example.org/API/v1", "https://example.org/API/v1"),
        ("http://h/v1/chat/completions?a=1&b=%20", "http://h/v1?a=1&b=%20"),
        ("http://H/?api-version=2024-10-21", "http://h/v1?api-version=2024-10-21"),
        ("http://h/v1/?", "http://h/v1"),
        (
            "https://generativelanguage.googleapis.com/v1beta/openai/",
            "https://generativelanguage.googleapis.com/v1beta/openai",
        ),
    ],
)
def test_an_address_has_one_normal_form(tmp_path: Path, given_url: str, base: str) -> None:
    assert one(tmp_path, base_url=given_url).base_url == [base]
    assert one(tmp_path, base_url=base).base_url == [base]


def test_several_addresses(tmp_path: Path) -> None:
    urls = ["http://a:1", "http://b:2/v1/"]
    assert one(tmp_path, base_url=urls).base_url == ["http://a:1/v1", "http://b:2/v1"]


ADDRESS = "not an address: write it as http://HOST:PORT/v1"


@pytest.mark.parametrize(
    ("given_url", "message"),
    [
        pytest.param("", ADDRESS, id="nothing"),
        pytest.param("127.0.0.1:8000", ADDRESS, id="no scheme"),
        pytest.param("localhost:8000/v1", ADDRESS, id="a host for a scheme"),
        pytest.param("ftp://127.0.0.1/v1", ADDRESS, id="another scheme"),
        pytest.param("http:///v1", ADDRESS, id="no host"),
        pytest.param("http://h:80a/v1", ADDRESS, id="port that is no number"),
        pytest.param("http://h:99999/v1", ADDRESS, id="port too large"),
        pytest.param("http://[::1/v1", ADDRESS, id="unclosed bracket"),
        pytest.param("http://h/v1?sig=1", "has a key behind '?'", id="signed query"),
        *(
            pytest.param(f"http://h/v1?{query}", "has a key behind '?'", id=query)
            for query in ("hmac=ab", "ticket=ST-1", "session=a1", "sid=7", "x=a8f3c1d09b7e6452")
        ),
        *(
            pytest.param(f"http://h/{path}", "path seems to hold a key", id=path)
            for path in ("key/hunter2/v1", "token/abc123def", "v1;key=hunter2", "apikey:h2/v1")
        ),
        pytest.param("http://h/v1?x=1#y", "may follow '?' or '#'", id="query and fragment"),
        pytest.param("http://h/v 1", "a blank", id="blank"),
        pytest.param("http://h/v1#x", "may follow '?' or '#'", id="fragment"),
        pytest.param(8000, "valid list", id="a number"),
        pytest.param([], "at least 1 item", id="an empty list"),
        pytest.param(None, "valid list", id="null"),
    ],
)
def test_what_is_no_address(tmp_path: Path, given_url: object, message: str) -> None:
    found = refusal(tmp_path, of_model(base_url=given_url))
    assert "models.mine.base_url" in found
    assert message in found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "version: 1\ntemprature: 0\nmax_token: 512\n",
            [
                "unknown key 'temprature' (did you mean 'temperature'?)",
                "belongs under defaults",
                "unknown key 'max_token' (did you mean 'max_tokens'",
            ],
            id="misspelt and in the wrong place",
        ),
        pytest.param(
            "version: 1\ndefaults: {temprature: 0}\n",
            ["defaults.temprature: unknown key 'temprature' (did you mean 'temperature'?)"],
            id="misspelt default",
        ),
        pytest.param(
            "version: 1\ndefauts: {temperature: 0}\n",
            ["unknown key 'defauts' (did you mean 'defaults'?)"],
            id="misspelt section",
        ),
        pytest.param("version: 1\nseed: 1\n", ["'seed'; it belongs under defaults"], id="home"),
        pytest.param(
            of_model(temperature=0), ["'temperature'; it belongs under params"], id="of params"
        ),
        pytest.param(
            of_model(temprature=0),
            ["'temprature' (did you mean 'temperature'?)", "belongs under params"],
            id="misspelt, of params",
        ),
        pytest.param(
            of_model(modle="x"), ["models.mine.modle: unknown key 'modle' (did you"], id="model"
        ),
        pytest.param(
            of_model(zzz="x"), ["unknown key 'zzz'; known: model, params, drop"], id="nothing near"
        ),
        pytest.param(
            of_model(params={"zzz": 1}),
            ["unknown key 'zzz'; what only your server knows goes into the model's extra_body"],
            id="a parameter of the server's own",
        ),
        pytest.param(
            of_model(limits={"concurency": 3}),
            ["models.mine.limits.concurency: unknown key 'concurency' (did you mean 'concurrency'"],
            id="limits",
        ),
        pytest.param(
            of_model(price={"input": 1, "output": 1, "outptu": 1}),
            ["models.mine.price.outptu: unknown key 'outptu' (did you mean 'output'"],
            id="price",
        ),
        pytest.param(
            of_model(drop=["seed", "tempratur"]),
            ["models.mine.drop: no parameter 'tempratur' (did you mean 'temperature'?)"],
            id="drop",
        ),
        pytest.param("models: {}\n", ["version: missing"], id="no version"),
        pytest.param("version: 2\n", ["version: must be 1"], id="a later version"),
        pytest.param("version: '1'\n", ["version: "], id="version as text"),
        pytest.param("", ["the file: must hold keys and their values; it is empty"], id="empty"),
        pytest.param("- 1\n", ["the file: must hold keys and their values"], id="a list"),
        pytest.param(
            "version: 1\nmodels:\n", ["models: must hold keys"], id="no models under models"
        ),
        pytest.param("version: 1\nmodels: {a: 1}\n", ["models.a: must hold keys"], id="no model"),
        pytest.param(
            "version: 1\nmodels: {7: {provider: embedded}}\n",
            ["models.7", "must be text; put it in quotes"],
            id="a number for a name",
        ),
        pytest.param(
            "version: 1\nmodels: {a: {}}\n",
            ["models.a: provider: missing; one of openai-compatible, litellm, embedded"],
            id="no provider",
        ),
        pytest.param(
            of_model(provider="openai-compatibel"),
            ["unknown provider 'openai-compatibel' (did you mean 'openai-compatible'?)"],
            id="misspelt provider",
        ),
        pytest.param(of_model(model=""), ["models.mine.model: "], id="no model name"),
        pytest.param(of_model(cache_identity=""), ["models.mine.cache_identity: "], id="identity"),
        pytest.param(
            "version: 1\nmodels: {b: {provider: embedded, model: other}}\n",
            ["models.b.model: must be 'apieval-baseline'"],
            id="another embedded model",
        ),
    ],
)
def test_misspelt_keys_and_shapes(tmp_path: Path, text: str, expected: list[str]) -> None:
    message = refusal(tmp_path, text)
    assert "the configuration cannot be used:\n  " in message
    assert all(part in message for part in expected), message


@pytest.mark.parametrize(
    ("params", "place"),
    [
        pytest.param("{temperature: '0'}", "temperature", id="number as text"),
        pytest.param("{temperature: true}", "temperature", id="boolean for a number"),
        pytest.param("{temperature: -1}", "temperature", id="negative"),
        pytest.param("{top_p: 0}", "top_p", id="zero"),
        pytest.param("{top_p: 1.1}", "top_p", id="above one"),
        pytest.param("{max_tokens: 0}", "max_tokens", id="no tokens"),
        pytest.param("{max_tokens: 1e3}", "max_tokens", id="fraction for a whole number"),
        pytest.param("{max_tokens: true}", "max_tokens", id="boolean for a whole number"),
        pytest.param("{seed: 1.0}", "seed", id="fractional seed"),
        pytest.param("{seed: '010'}", "seed", id="seed as text"),
        pytest.param("{stop: [true]}", "stop.0", id="boolean for text"),
        pytest.param("{stop: [1]}", "stop.0", id="number for text"),
        pytest.param("{stop: {a: b}}", "stop", id="section for text"),
    ],
)
def test_no_value_changes_its_type_silently(tmp_path: Path, params: str, place: str) -> None:
    text = f"version: 1\nmodels:\n  m: {{provider: embedded, params: {params}}}\n"
    message = refusal(tmp_path, text)
    assert f"models.m.params.{place}: " in message
    if place.startswith("stop."):
        assert "put it in quotes" in message


def test_yaml_traps_come_out_as_meant(tmp_path: Path) -> None:
    params = "{temperature: 1e-1, seed: 010, stop: [NO, Rebus, 11:2]}"
    text = f"version: 1\nmodels:\n  m: {{provider: embedded, params: {params}}}\n"
    found = load(tmp_path, text).find("m").params
    assert (found.temperature, found.seed) == (0.1, 10)
    assert found.stop == ["NO", "Rebus", "11:2"]


def test_one_stop_text_is_a_list_of_one(tmp_path: Path) -> None:
    assert one(tmp_path, params={"stop": "\n\n"}).params.stop == ["\n\n"]


@pytest.mark.parametrize("value", ["auto", 1, 1000])
def test_concurrency(tmp_path: Path, value: object) -> None:
    assert one(tmp_path, limits={"concurrency": value}).limits.concurrency == value


@pytest.mark.parametrize("value", ["Auto", "8", 0, -1, True, 1.0, None, 10_001])
def test_what_is_no_concurrency(tmp_path: Path, value: object) -> None:
    message = refusal(tmp_path, of_model(limits={"concurrency": value}))
    assert "must be a whole number of requests at once, 1 to 10000, or auto" in message


def test_every_fault_is_named_at_once(tmp_path: Path) -> None:
    text = (
        "version: 1\nmodels:\n"
        "  a: {provider: embedded, modle: x}\n"
        "  b: {provider: embedded, params: {seed: x, tpo_p: 1}}\n"
    )
    assert len(refusal(tmp_path, text).splitlines()) == 1 + 3


class TestSecrets:
    """A key that stands in the file by mistake is in no message, and in no configuration."""

    @pytest.mark.parametrize(
        ("text", "remedy"),
        [
            pytest.param(f"api_key: {KEY}\n", "api_key_env", id="top"),
            pytest.param(f"version: 1\nkey: {KEY}\n", "api_key_env", id="key"),
            pytest.param(
                f"version: 1\ndefaults: {{openai_key: {KEY}}}\n", "api_key_env", id="defaults"
            ),
            pytest.param(of_model(api_key=KEY), "api_key_env", id="model"),
            pytest.param(of_model(apikey=KEY), "api_key_env", id="apikey"),
            pytest.param(of_model(token=KEY), "api_key_env", id="token"),
            pytest.param(of_model(params={"api_key": KEY}), "api_key_env", id="params"),
            pytest.param(of_model(api_key_env=KEY), "never the key itself", id="pasted as a name"),
            pytest.param(
                of_model(api_key_env=f"${{{KEY}}}"), "never the key itself", id="shell's form"
            ),
            pytest.param(of_model(api_key=[KEY]), "api_key_env", id="in a list"),
            pytest.param(of_model(params=KEY), "params", id="in a wrong place"),
            pytest.param(of_model(price={"input": KEY, "output": 1}), "price.input", id="price"),
            pytest.param(of_model(headers=[KEY]), "headers", id="list of headers"),
            pytest.param(
                of_model(provider="openai-compatible", model=[KEY]), "model", id="model's"
            ),
            pytest.param(
                of_model(base_url=f"http://utente:{KEY}@127.0.0.1/v1"), "api_key_env", id="user"
            ),
            pytest.param(
                of_model(base_url=f"http://{KEY}@127.0.0.1/v1"), "api_key_env", id="user alone"
            ),
            pytest.param(
                of_model(base_url=f"http://utente:{KEY}:8000/v1"), ADDRESS, id="no at sign"
            ),
            pytest.param(of_model(base_url=f"http://utente:{KEY}@h℀/v1"), ADDRESS, id="odd host"),
            pytest.param(
                of_model(base_url=f"http://h/v1?key={KEY}"), "behind '?'", id="key in the URL"
            ),
            pytest.param(
                of_model(base_url=f"http://h/v1#{KEY}"), "'?' or '#'", id="in the fragment"
            ),
            pytest.param(
                of_model(headers={"Authorization": f"Bearer {KEY}"}), "api_key_env", id="auth"
            ),
            pytest.param(of_model(headers={"x-API-key": KEY}), "api_key_env", id="x-api-key"),
        ],
    )
    def test_in_no_message(self, tmp_path: Path, text: str, remedy: str) -> None:
        message = refusal(tmp_path, text)
        assert remedy in message
        assert KEY not in message
        assert "finta" not in message

    @pytest.mark.parametrize(
        "name",
        [
            *("authorization", "Proxy-Authorization", "api-key", "X-API-Key", "x-goog-api-key"),
            *("Ocp-Apim-Subscription-Key", "X-Auth-Token", "x-access-token", "cookie", "apikey"),
            *("X-ClientSecret", "X-AccessKey", "X-Gateway-Pass", "Set-Cookie", "xclientsecret"),
            *("X_Api_Key", "X-JWT", "PRIVATE-TOKEN", "X-Hub-Signature", "X-Functions-Key", "X-PAT"),
            *("X-Gateway-Password", "Helicone-Auth", "XAccessKey", "X-CSRFToken", "X-Credentials"),
        ],
    )
    def test_no_header_carries_one(self, tmp_path: Path, name: str) -> None:
        message = refusal(tmp_path, of_model(headers={"X-Title": "rebus", name: KEY}))
        assert f"models.mine.headers: {name!r} carries a key: name its variable" in message
        assert KEY not in message

    @pytest.mark.parametrize("value", SECRET_VALUES)
    @pytest.mark.parametrize(
        "place",
        [
            *(
                "headers",
                "extra_body",
                "nested",
                "system_prompt",
                "stop",
                "model",
                "cache_identity",
            ),
            *("path", "query", "api_base"),
        ],
    )
    def test_no_value_is_one(self, tmp_path: Path, place: str, value: str) -> None:
        inside: dict[str, dict[str, Any]] = {
            "headers": {"headers": {"X-Gateway": value}},
            "extra_body": {"extra_body": {"a": value}},
            "nested": {"extra_body": {"a": [{"b": [value]}]}},
            "stop": {"params": {"stop": value}},
            "path": {"base_url": f"http://h/{quote(value, safe='')}/v1"},
            "query": {"base_url": f"http://h/v1?a={quote(value, safe='')}"},
            "api_base": {
                "provider": "litellm",
                "model": "a/b",
                "base_url": None,
                "api_base": f"http://h/{quote(value, safe='')}",
            },
        }
        entry = {**SERVER, **inside.get(place, {place: value})}
        entry = {name: each for name, each in entry.items() if each is not None}
        message = refusal(tmp_path, json.dumps({"version": 1, "models": {"mine": entry}}))
        assert "key" in message
        assert value[6:] not in message

    @pytest.mark.parametrize(
        "body",
        [
            {
                "data_sources": [
                    {"parameters": {"authentication": {"type": "api_key", "key": "a8"}}}
                ]
            },
            {"tools": [{"type": "mcp", "headers": {"X-Token": "hunter2"}}]},
            {"auth": {"user": "me", "pass": "hunter2"}},
            {"webhook": "https://h/done?code=hunter2"},
            {"store": "Endpoint=sb://h/;SharedAccessKey=hunter2="},
            {"sk-abcdefghijklmnop1234": True},
            {"a": "esecret_aB3dE5fG7hJ9kL1mN3pQ5rS7"},
        ],
        ids=lambda body: next(iter(body)),
    )
    def test_a_secret_of_another_service_in_the_body_is_refused(
        self, tmp_path: Path, body: dict[str, Any]
    ) -> None:
        said = refusal(tmp_path, of_model(extra_body=body))
        assert "seems to be a key: name its variable in api_key_env" in said
        assert not any(each in said for each in ("hunter2", "abcdefgh", "aB3dE5"))

    @pytest.mark.parametrize(
        "body",
        [
            {"data_sources": [{"authentication": {"type": "system_assigned_managed_identity"}}]},
            {"tools": [{"type": "mcp", "server_url": "https://h/mcp?version=2"}]},
            {"response_format": {"json_schema": {"properties": {"key": {"type": "string"}}}}},
            {"guided_regex": "[A-Z]{3}[a-z0-9]{12}", "session_id": "rebus-20261201T101500"},
        ],
        ids=lambda body: next(iter(body)),
    )
    def test_what_only_sounds_like_a_secret_in_the_body_is_taken(
        self, tmp_path: Path, body: dict[str, Any]
    ) -> None:
        assert one(tmp_path, extra_body=body).extra_body == body

    @pytest.mark.parametrize(
        "path",
        ["keys/v1", "openai/deployments/gpt-4o-2024-08-06", "api/paas/v4", "models/llama3:8b/v1"],
    )
    def test_a_path_that_only_sounds_like_a_secret_is_taken(
        self, tmp_path: Path, path: str
    ) -> None:
        assert one(tmp_path, base_url=f"https://h/{path}").base_url == [f"https://h/{path}"]

    def test_what_is_no_key_is_taken(self, tmp_path: Path) -> None:
        url = "https://gateway.ai.example/v1/0123456789abcdef0123456789abcdef/casa?api-version=2024-10-21"
        model = one(
            tmp_path,
            base_url=url,
            headers={"X-Trace": "123e4567-e89b-12d3-a456-426614174000", "X-Plan": "Basic tier"},
            extra_body={
                "stop_token_ids": [1],
                "prompt_cache_key": "rebus",
                "n": 1,
                "stream": False,
            },
            system_prompt="Sii breve: sk-learn-compatible, come il bearer di notizie.",
        )
        assert model.base_url == [url]

    @pytest.mark.parametrize(
        "name",
        [
            *("X-Title", "HTTP-Referer", "OpenAI-Organization", "X-Monkey", "X-Bypass-Cache"),
            *("X-Pass-Through", "X-Keyword", "anthropic-version", "User-Agent", "X-Max-Tokens"),
        ],
    )
    def test_other_headers_are_taken(self, tmp_path: Path, name: str) -> None:
        assert one(tmp_path, headers={name: "rebus"}).headers == {name: "rebus"}


def test_defaults_are_merged_under_the_models_own(tmp_path: Path) -> None:
    providers = load(
        tmp_path,
        "version: 1\n"
        "defaults: {temperature: 0, max_tokens: 1024, seed: 7, extra_body: {top_a: 1}}\n"
        "models:\n"
        "  plain: {provider: embedded}\n"
        "  own: {provider: embedded, params: {temperature: 0.7, top_p: 0.9}}\n"
        "  null: {provider: embedded, params: {temperature: null, seed: ~}}\n".replace(
            "  null:", "  none:"
        )
        + "  drop: {provider: embedded, params: {top_p: 0.9}, drop: [max_tokens, top_p, stop]}\n",
    )
    sent = {name: providers.params(providers.find(name)) for name in providers.models}
    assert sent == {
        "plain": {"temperature": 0, "max_tokens": 1024, "seed": 7},
        "own": {"temperature": 0.7, "max_tokens": 1024, "seed": 7, "top_p": 0.9},
        "none": {"max_tokens": 1024},
        "drop": {"temperature": 0, "seed": 7},
    }


def test_without_defaults_the_usual_ones_hold(tmp_path: Path) -> None:
    providers = load(tmp_path, "version: 1\n")
    assert providers.params(providers.find("baseline")) == {"temperature": 0, "max_tokens": 1024}
    bare = load(tmp_path, "version: 1\ndefaults: {}\n")
    assert bare.params(bare.find("baseline")) == {}


def test_the_baseline_always_exists(tmp_path: Path) -> None:
    providers = load(tmp_path, "version: 1\n")
    assert providers.names() == ("baseline",)
    assert providers.find("baseline") == Embedded(provider="embedded")


def test_a_baseline_of_the_files_own_goes_first(tmp_path: Path) -> None:
    models = {"a": SERVER, "baseline": {"provider": "embedded", "lexicon": "mine.csv"}}
    providers = load(tmp_path, json.dumps({"version": 1, "models": models}))
    found = providers.find("baseline")
    assert isinstance(found, Embedded)
    assert found.lexicon == "mine.csv"
    assert providers.names() == ("a", "baseline")


def test_json_is_as_good_as_yaml(tmp_path: Path) -> None:
    text = f"version: 1\nmodels:\n  mine: {json.dumps(SERVER)}\n"
    assert load(tmp_path, text) == load(tmp_path, of_model())


def test_an_unknown_model_is_offered_its_near_names(tmp_path: Path) -> None:
    providers = load(tmp_path, of_model())
    with pytest.raises(ConfigError) as caught:
        providers.find("mime")
    message = str(caught.value)
    assert message.startswith("model 'mime' is not configured (did you mean 'mine'?).")
    assert "Configured: baseline, mine." in message
    assert "--config" in message
    assert f"The file read is {tmp_path / 'providers.yaml'}." in message
    with pytest.raises(ConfigError, match=r"'zzz' is not configured\. Configured"):
        providers.find("zzz")


def test_many_configured_names_are_counted() -> None:
    providers = file.load(file.packaged_file())
    with pytest.raises(ConfigError) as caught:
        providers.find("gpt-4o")
    message = str(caught.value)
    assert f"Configured: {len(providers.names())} (`apieval models`)" in message
    assert "openai/gpt-4o, or as http://HOST:PORT/v1#gpt-4o" in message
    assert len(message) < 500


@pytest.mark.parametrize(
    ("name", "by_provider"),
    [
        ("claude-opus-4", "anthropic/claude-opus-4"),
        ("Gemini-3", "gemini/Gemini-3"),
        ("o3", "openai/o3"),
        ("mistral-large", "mistral/mistral-large"),
        ("grok-4", "xai/grok-4"),
        ("llama3:8b", "PROVIDER/MODEL (as openai/gpt-4o)"),
        ("gptq-mine", "PROVIDER/MODEL"),
    ],
)
def test_a_name_is_offered_with_who_makes_it(name: str, by_provider: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Providers.model_validate({"version": 1}).find(name)
    assert f"as {by_provider}" in str(caught.value)
    assert f"http://HOST:PORT/v1#{name}" in str(caught.value)


@pytest.mark.parametrize("name", [KEY, f"openai/{KEY}", f"zzz/{KEY}", f"http://h/v1#{KEY}"])
def test_a_key_given_for_a_name_is_not_repeated(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Providers.model_validate({"version": 1}).find(name)
    assert KEY not in str(caught.value)


def test_which_file_is_read(tmp_path: Path) -> None:
    packaged = file.packaged_file()
    assert file.find_file(None, tmp_path) == packaged
    here = tmp_path / "providers.yaml"
    here.mkdir()
    assert file.find_file(None, tmp_path) == packaged
    here.rmdir()
    here.write_text("version: 1\n", encoding="utf-8")
    assert file.find_file(None, tmp_path) == here
    assert file.find_file(tmp_path / "none.yaml", tmp_path) == tmp_path / "none.yaml"


def test_the_packages_own_file_is_the_repositorys_and_loads() -> None:
    assert file.packaged_file() == REPOSITORY / "providers.yaml"
    providers = file.load(file.packaged_file())
    assert "baseline" in providers.names()
    for name in providers.names():
        model = providers.find(name)
        assert providers.params(model)
        if isinstance(model, OpenAICompatible):
            assert model.api_key_env is None or file.api_key(name, model, {model.api_key_env: "k"})


def described(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    name = node["$ref"].removeprefix("#/$defs/") if "$ref" in node else None
    found: dict[str, Any] = schema["$defs"][name] if name else node
    return found


def test_the_json_schema_has_the_files_shape() -> None:
    schema = file.json_schema()
    assert json.loads(json.dumps(schema, allow_nan=False)) == schema
    assert schema["required"] == ["version"]
    sections = [schema, *(each for each in schema["$defs"].values() if "properties" in each)]
    assert all(each["additionalProperties"] is False for each in sections)
    models = described(schema, schema["properties"]["models"])["additionalProperties"]
    kinds = models["discriminator"]["mapping"]
    assert set(kinds) == {"openai-compatible", "litellm", "embedded"}
    server = described(schema, {"$ref": kinds["openai-compatible"]})
    assert set(server["required"]) == {"provider", "base_url", "model"}
    one_or_list = server["properties"]["base_url"]["anyOf"]
    assert [each["type"] for each in one_or_list] == ["string", "array"]
    limits = described(schema, server["properties"]["limits"])
    assert {"const": "auto", "type": "string"} in limits["properties"]["concurrency"]["anyOf"]
    params = described(schema, server["properties"]["params"])
    assert set(params["properties"]) == set(Params.model_fields)


@pytest.mark.parametrize(
    ("url", "loopback"),
    [
        ("http://127.0.0.1:8000/v1", True),
        ("http://127.8.9.1/v1", True),
        ("http://[::1]:8000/v1", True),
        ("http://localhost/v1", True),
        ("http://gpu.localhost/v1", True),
        ("http://10.0.0.1/v1", False),
        ("http://0.0.0.0/v1", False),
        ("http://localhost.example.org/v1", False),
        ("http://127.0.0.1.example.org/v1", False),
        ("https://api.openai.com/v1", False),
        ("nonsense", False),
    ],
)
def test_is_loopback(url: str, loopback: bool) -> None:
    assert is_loopback(url) is loopback


class TestApiKey:
    REMOTE = "https://api.example.org/v1"

    def key(self, value: str | None, *urls: str, env: str | None = "MY_API_KEY") -> str | None:
        model = OpenAICompatible(
            provider="openai-compatible",
            base_url=list(urls or (self.REMOTE,)),
            model="m",
            api_key_env=env,
        )
        environ = {"OTHER": "x"} if value is None else {"MY_API_KEY": value}
        return file.api_key("mine", model, environ)

    @pytest.mark.parametrize(
        "value",
        ["sk-finta-000111", "sk-finta-000111\r\n", " sk-finta-000111\n", "\tsk-finta-000111\r"],
    )
    def test_blanks_around_it_are_taken_off(self, value: str) -> None:
        assert self.key(value) == "sk-finta-000111"

    def test_a_model_that_names_none_has_none(self) -> None:
        assert self.key("sk-finta-000111", env=None) is None

    def test_a_variable_that_is_not_set_is_named(self) -> None:
        message = (
            r"model 'mine': the environment variable MY_API_KEY is not set.*remove api_key_env"
        )
        for url in (self.REMOTE, LOCAL):
            with pytest.raises(ConfigError, match=message):
                self.key(None, url)

    def test_a_model_named_directly_has_no_entry_to_mend(self) -> None:
        name = "openai/gpt-4o"
        model = file.load(file.packaged_file()).find(name)
        assert isinstance(model, OpenAICompatible)
        with pytest.raises(ConfigError, match=r"OPENAI_API_KEY is not set\. Set it to the key\.$"):
            file.api_key(name, model, {})

    @pytest.mark.parametrize("value", ["", " ", "\r\n"])
    def test_an_empty_one_is_none_for_a_server_of_ones_own(self, value: str) -> None:
        assert self.key(value, LOCAL) is None
        assert self.key(value, LOCAL, "http://localhost:1/v1") is None

    @pytest.mark.parametrize("value", ["", " ", "\r\n"])
    def test_an_empty_one_is_a_fault_for_any_other(self, value: str) -> None:
        for urls in ([self.REMOTE], [LOCAL, self.REMOTE]):
            with pytest.raises(ConfigError, match=r"variable MY_API_KEY is empty"):
                self.key(value, *urls)

    @pytest.mark.parametrize(
        "value",
        [
            "sk-fintà",
            "sk finta",
            "sk-finta\nX-Injected: 1",
            "sk\x00finta",
            "sk\x7ffinta",
            "sk\u00a0finta",
        ],
        ids=["accent", "blank", "line feed", "NUL", "delete", "NBSP"],
    )
    def test_what_no_header_can_carry_is_a_fault_that_is_not_shown(self, value: str) -> None:
        with pytest.raises(
            ConfigError, match=r"MY_API_KEY holds a character that no key"
        ) as caught:
            self.key(value)
        assert "fint" not in str(caught.value)

    @given(st.text(st.characters(exclude_categories=["Cs"])))
    def test_whatever_is_returned_fits_into_a_header(self, value: str) -> None:
        try:
            found = self.key(value)
        except ConfigError:
            return
        assert found
        assert f"Bearer {found}".encode("ascii").split() == [b"Bearer", found.encode("ascii")]


@pytest.mark.parametrize("name", ["OPENAI_API_KEY", "_KEY", "A1"])
def test_a_variables_name(tmp_path: Path, name: str) -> None:
    assert one(tmp_path, api_key_env=name).api_key_env == name


@pytest.mark.parametrize("name", ["", "openai_api_key", "1A", "A B", "A-B", "A\n", "$A", "${A}"])
def test_what_is_no_variables_name(tmp_path: Path, name: str) -> None:
    message = refusal(tmp_path, of_model(api_key_env=name))
    assert "models.mine.api_key_env: must be the name of a variable in capitals" in message


def test_the_configuration_cannot_be_changed(tmp_path: Path) -> None:
    model: Any = one(tmp_path)
    with pytest.raises(ValueError, match="frozen"):
        model.model = "other"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param({"api_key": "x"}, id="by its name"),
        pytest.param({"options": {"Authorization": "x"}}, id="inside"),
        pytest.param({"list": [{"access_token": "x"}]}, id="in a list"),
        pytest.param({"custom": "sk-finta-000111222"}, id="by its value"),
    ],
)
def test_a_key_in_the_body_is_refused_and_not_shown(tmp_path: Path, body: object) -> None:
    entry = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:9", "model": "m"}
    path = tmp_path / "providers.yaml"
    path.write_text(json.dumps({"version": 1, "models": {"m": {**entry, "extra_body": body}}}))
    with pytest.raises(ConfigError, match="name its variable in api_key_env") as caught:
        file.load(path)
    assert "finta" not in str(caught.value)


def test_what_only_sounds_like_a_key_is_sent(tmp_path: Path) -> None:
    body = {"stop_token_ids": [1], "min_tokens": 5, "chat_template_kwargs": {"keyword": "skill"}}
    entry = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:9", "model": "m"}
    path = tmp_path / "providers.yaml"
    path.write_text(json.dumps({"version": 1, "models": {"m": {**entry, "extra_body": body}}}))
    found = file.load(path).find("m")
    assert isinstance(found, OpenAICompatible)
    assert found.extra_body == body
