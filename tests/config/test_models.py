"""The grammar of a model's entry: hosted models, options, presets and chosen parameters."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.config import file
from apieval.config.file import Providers, chosen_params
from apieval.config.models import PRESETS, Hosted, OpenAICompatible, Params
from apieval.errors import ConfigError

KEY = "sk-finta-000111"
SERVER: dict[str, Any] = {
    "provider": "openai-compatible",
    "base_url": "http://127.0.0.1:8000/v1",
    "model": "llama",
}
HOSTED: dict[str, Any] = {"provider": "litellm", "model": "anthropic/claude-x"}


def load(folder: Path, defaults: Mapping[str, Any] | None = None, **entry: Any) -> Providers:  # noqa: ANN401 # any JSON
    path = folder / "providers.yaml"
    whole: dict[str, Any] = {"version": 1, "models": {"mine": entry}}
    whole |= {} if defaults is None else {"defaults": defaults}
    path.write_text(json.dumps(whole), encoding="utf-8")
    return file.load(path)


def refusal(folder: Path, **entry: Any) -> str:  # noqa: ANN401 # any JSON
    with pytest.raises(ConfigError) as caught:
        load(folder, **entry)
    return str(caught.value)


# --- hosted models ---------------------------------------------------------------------------


def test_a_hosted_entry_in_full(tmp_path: Path) -> None:
    found = load(
        tmp_path,
        **HOSTED,
        api_key_env="MY_KEY",
        api_base="https://gateway.example/anthropic/",
        options={"api_version": "1", "vertex_project": "p", "aws_region_name": "eu-central-1"},
        system_prompt="Sii breve.",
        headers={"x-title": "t"},
        extra_body={"a": 1},
        cache_identity="c",
    ).find("mine")
    assert isinstance(found, Hosted)
    assert found.addresses == ["https://gateway.example/anthropic"]  # no /v1 is put behind it
    assert found.options.vertex_project == "p"


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        pytest.param({"model": "claude-x"}, "model: with litellm its provider", id="no prefix"),
        pytest.param({"model": "Anthropic/x"}, "write PROVIDER/MODEL", id="capitals"),
        pytest.param({"model": "anthropic/"}, "write PROVIDER/MODEL", id="no name"),
        pytest.param({"api_base": "gateway.example"}, "not an address", id="no scheme"),
        pytest.param({"api_base": f"https://u:{KEY}@h/"}, "user name or password", id="password"),
        pytest.param({"base_url": "https://h/v1"}, "unknown key 'base_url'", id="of a server"),
        pytest.param({"api": "completions"}, "unknown key 'api'", id="plain completions"),
        pytest.param({"api_key_env": KEY}, "never the key itself", id="a key for a name"),
        pytest.param({"api_key": KEY}, "api_key_env", id="a key"),
        pytest.param({"options": {"api_key": KEY}}, "api_key_env", id="a key among options"),
        pytest.param(
            {"options": {"aws_region": "eu"}}, "did you mean 'aws_region_name'", id="near"
        ),
        pytest.param(
            {"options": {"zzz": "eu"}}, "known: api_version, vertex_project", id="not near"
        ),
        pytest.param({"options": {"vertex_project": 5}}, "put it in quotes", id="a number"),
        pytest.param({"system_prompt": ""}, "at least 1 character", id="an empty prompt"),
        pytest.param({"extra_body": {"a": [[{"token": 1, "api_key": "x"}]]}}, "'api_key'", id="in"),
        pytest.param({"extra_body": {"a": [["x", KEY]]}}, "'a' seems to be a key", id="value"),
    ],
)
def test_what_a_hosted_entry_may_not_hold(tmp_path: Path, entry: dict[str, Any], said: str) -> None:
    message = refusal(tmp_path, **{**HOSTED, **entry})
    assert "models.mine." in message
    assert said in message
    assert KEY not in message


def test_plain_completions_take_no_system_prompt(tmp_path: Path) -> None:
    found = load(tmp_path, **SERVER, api="completions").find("mine")
    assert isinstance(found, OpenAICompatible)
    assert found.api == "completions"
    said = refusal(tmp_path, **SERVER, api="completions", system_prompt="x")
    assert "models.mine: api: completions takes the prompt as plain text" in said
    assert "models.mine.api" in refusal(tmp_path, **SERVER, api="risposte")


@pytest.mark.parametrize("name", ["X-Author", "Author", "X-Monkey", "X-Tokenizer", "X-Authors-Of"])
def test_a_header_that_only_sounds_like_a_key_is_taken(tmp_path: Path, name: str) -> None:
    found = load(tmp_path, **SERVER, headers={name: "rebus"}).find("mine")
    assert isinstance(found, OpenAICompatible)
    assert found.headers == {name: "rebus"}


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        *(
            (each, "leave it out")
            for each in ("Content-Length", "transfer-encoding", "TE", "Upgrade")
        ),
        *((each, "leave it out") for each in ("Connection", "Content-Type", "Accept-Encoding")),
        ("HOST", "it follows from base_url"),
    ],
)
@pytest.mark.parametrize("where", ["headers", "headers_env"])
@pytest.mark.parametrize("entry", [SERVER, HOSTED], ids=["server", "hosted"])
def test_a_header_of_the_request_itself_is_refused(
    tmp_path: Path, entry: dict[str, Any], where: str, name: str, remedy: str
) -> None:
    said = refusal(tmp_path, **{**entry, where: {name: "X_1"}})
    assert f"models.mine.{where}: {name!r} is set by the request itself: {remedy}" in said


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"headers_env": {"X-Key": KEY}}, "headers_env.X-Key: must be the name of a variable"),
        ({"headers_env": {"X-A": "A"}, "headers": {"x-a": "b"}}, "in headers and in headers_env"),
        ({"headers_env": {"X-A": "A", "x-a": "B"}}, "'x-a' appears twice"),
        ({"headers_env": {"X A": "A"}}, "'X A' holds a character"),
        ({"headers_env": {"authorization": "A"}, "api_key_env": "B"}, "both set Authorization"),
    ],
)
@pytest.mark.parametrize("entry", [SERVER, HOSTED], ids=["server", "hosted"])
def test_secret_headers_that_cannot_be_used(
    tmp_path: Path, entry: dict[str, Any], more: dict[str, Any], said: str
) -> None:
    message = refusal(tmp_path, **{**entry, **more})
    assert said in message
    assert KEY not in message


@pytest.mark.parametrize(
    ("body", "remedy"),
    [
        *(({name: 2}, "--samples") for name in ("n", "best_of", "num_return_sequences")),
        *(({name: 3}, "--samples") for name in ("candidateCount", "candidate_count")),
        ({"generationConfig": {"candidateCount": 2}}, "--samples"),
        ({"sampling_params": {"n": 4}}, "--samples"),
        ({"n": "2"}, "--samples"),
        ({"stream": True}, "leave it out"),
        ({"stream_options": {"include_usage": True}}, "leave it out"),
        ({"model": "altro"}, "name it as model"),
        ({"messages": []}, "--prompt"),
        ({"prompt": "x"}, "--prompt"),
    ],
)
@pytest.mark.parametrize("where", ["server", "hosted", "defaults"])
def test_a_field_that_makes_another_request_is_refused(
    tmp_path: Path, where: str, body: dict[str, Any], remedy: str
) -> None:
    name = next(iter(body.values())) if "onfig" in str(body) or "params" in str(body) else body
    if where == "defaults":
        with pytest.raises(ConfigError) as caught:
            load(tmp_path, {"extra_body": body}, **SERVER)
        said = str(caught.value)
    else:
        said = refusal(tmp_path, **{"server": SERVER, "hosted": HOSTED}[where], extra_body=body)
    assert f"extra_body: {next(iter(name))!r} is set by apieval itself: " in said
    assert remedy in said


@pytest.mark.parametrize(
    ("name", "remedy"), [("n", "--samples"), ("best_of", "--samples"), ("stream", "leave it out")]
)
def test_a_parameter_that_makes_another_request_is_refused(
    tmp_path: Path, name: str, remedy: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        chosen_params(None, {name: 2}, ())
    for said in (str(caught.value), refusal(tmp_path, **SERVER, params={name: 2})):
        assert f"unknown key {name!r}; it is set by apieval itself: " in said
        assert remedy in said
        assert "extra_body" not in said


@pytest.mark.parametrize(
    "body",
    [
        {"n": 1, "stream": False},
        {"options": {"num_ctx": 8192}},
        {"response_format": {"json_schema": {"properties": {"n": 2, "model": "x"}}}},
    ],
)
def test_a_field_that_says_what_is_so_anyway_is_taken(tmp_path: Path, body: dict[str, Any]) -> None:
    assert load(tmp_path, **SERVER, extra_body=body).names() == ("baseline", "mine")


@pytest.mark.parametrize("name", ["mock_response", "fallbacks", "base_url", "timeout"])
def test_litellms_own_arguments_are_no_fields_of_a_body(tmp_path: Path, name: str) -> None:
    said = refusal(tmp_path, **HOSTED, extra_body={name: "x"})
    assert f"extra_body: {name!r} is litellm's own argument" in said
    load(tmp_path, **SERVER, extra_body={name: "x"})


@pytest.mark.parametrize("headers", [{"x-title": "è"}, {"x\n": "t"}, {"x-title": "a\r\nb: c"}])
def test_a_header_no_request_can_carry_is_refused(tmp_path: Path, headers: dict[str, str]) -> None:
    assert "no HTTP header can carry" in refusal(tmp_path, **SERVER, headers=headers)


@pytest.mark.parametrize(
    "entry",
    [
        {"model": "m\ud83d"},
        {"system_prompt": "x\ud83d"},
        {"params": {"stop": ["\ud83d"]}},
        {"params": {"reasoning_effort": "\ud83d"}},
        {"extra_body": {"a": ["\ud83d"]}},
        {"extra_body": {"\ud83d": 1}},
    ],
)
def test_half_a_character_is_refused_wherever_it_stands(
    tmp_path: Path, entry: dict[str, Any]
) -> None:
    message = refusal(tmp_path, **{**SERVER, **entry})
    assert "holds half a character" in message
    message.encode()


# --- parameters ------------------------------------------------------------------------------


def test_the_challenges_preset() -> None:
    sent = PRESETS["calamita"].model_dump(exclude_unset=True)
    assert sent == {"temperature": 0, "max_tokens": 256, "stop": ["\n\n"]}


@pytest.mark.parametrize(
    ("preset", "params", "drop", "expected"),
    [
        (None, {}, [], {}),
        ("calamita", {}, [], {"temperature": 0, "max_tokens": 256, "stop": ["\n\n"]}),
        (
            "calamita",
            {"max_tokens": 9},
            ["stop"],
            {"temperature": 0, "max_tokens": 9, "stop": None},
        ),
        (None, {"temperature": 1, "stop": "x"}, [], {"temperature": 1, "stop": ["x"]}),
        (None, {"seed": 1}, ["seed"], {"seed": None}),
    ],
)
def test_chosen_parameters(
    preset: str | None, params: dict[str, Any], drop: list[str], expected: dict[str, Any]
) -> None:
    assert chosen_params(preset, params, drop).model_dump(exclude_unset=True) == expected


@pytest.mark.parametrize(
    ("preset", "params", "drop", "said"),
    [
        ("calamit", {}, [], "no preset 'calamit' (did you mean 'calamita'?); known: calamita."),
        (None, {"temprature": 1}, [], "unknown key 'temprature' (did you mean 'temperature'?)."),
        (None, {}, ["tempratur"], "unknown key 'tempratur' (did you mean 'temperature'?)."),
        (None, {"zzz": 1}, [], "unknown key 'zzz'; what only your server knows goes into"),
        (None, {"temperature": "hot"}, [], "temperature: must be a valid number"),
        (None, {"temperature": -1}, [], "temperature: "),
        (None, {"max_tokens": float("inf")}, [], "max_tokens: "),
        (None, {"top_p": float("nan")}, [], "top_p: "),
        (None, {"stop": [5]}, [], "stop.0: must be text; put it in quotes"),
        (None, {"stop": ["\ud83d"]}, [], "stop.0: holds half a character"),
        (None, {"api_key": KEY}, [], "api_key_env"),
        (None, {"": 1}, [], "unknown key ''"),
    ],
)
def test_parameters_that_cannot_be_chosen(
    preset: str | None, params: dict[str, Any], drop: list[str], said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        chosen_params(preset, params, drop)
    assert said in str(caught.value)
    assert KEY not in str(caught.value)
    assert "belongs under" not in str(caught.value)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=4,
)


@given(st.dictionaries(st.sampled_from(sorted(Params.model_fields)) | st.text(), values))
def test_any_parameter_can_be_sent_and_written_down_or_is_refused(params: dict[str, Any]) -> None:
    try:
        chosen = chosen_params(None, params, [])
    except ConfigError:
        return
    text = json.dumps(chosen.model_dump(exclude_unset=True), allow_nan=False, ensure_ascii=False)
    assert text.encode()


LIMIT = "max_completion_tokens"


@pytest.mark.parametrize(
    ("entry", "chosen", "sent"),
    [
        pytest.param({}, {"max_tokens": 9}, {"max_tokens": 9}, id="a usual model"),
        pytest.param(
            {"params": {LIMIT: 50}, "drop": ["max_tokens"]},
            {"max_tokens": 9},
            {LIMIT: 9},
            id="a model of the other limit",
        ),
        pytest.param(
            {"params": {LIMIT: 50}, "drop": ["max_tokens"]},
            {"max_tokens": 9, LIMIT: 7},
            {LIMIT: 7},
            id="both chosen",
        ),
        pytest.param(
            {"params": {LIMIT: 50}, "drop": ["max_tokens"]},
            {"max_tokens": None},
            {LIMIT: 50},
            id="the unsent limit left out",
        ),
        pytest.param(
            {"params": {LIMIT: 50}, "drop": ["max_tokens"]}, {LIMIT: None}, {}, id="no limit"
        ),
        pytest.param({"params": {LIMIT: None}}, {"max_tokens": 9}, {"max_tokens": 9}, id="null"),
    ],
)
def test_a_chosen_limit_goes_by_the_models_own_name(
    tmp_path: Path, entry: dict[str, Any], chosen: dict[str, Any], sent: dict[str, Any]
) -> None:
    providers = load(tmp_path, {"max_tokens": 1024}, **SERVER, **entry)
    picked = chosen_params(None, chosen, [])
    assert providers.params(providers.find("mine"), picked) == sent


def test_a_default_limit_of_the_other_name_is_one_too(tmp_path: Path) -> None:
    providers = load(tmp_path, {LIMIT: 50}, **SERVER)
    picked = chosen_params("calamita", {}, [])
    found = providers.params(providers.find("mine"), picked)
    assert found == {"temperature": 0, LIMIT: 256, "stop": ["\n\n"]}


def test_a_chosen_parameter_goes_over_the_entrys_and_under_its_drop(tmp_path: Path) -> None:
    entry = {"params": {"temperature": 1, "seed": 5}, "drop": ["temperature"]}
    providers = load(tmp_path, {"top_p": 0.5}, **SERVER, **entry)
    picked = chosen_params(None, {"temperature": 0, "seed": 6, "top_p": 1}, [])
    assert providers.params(providers.find("mine"), picked) == {"seed": 6, "top_p": 1}
