from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from apieval.config.file import Providers, chosen_params
from apieval.config.models import Params
from apieval.errors import ConfigError, DataError
from apieval.rebus import conversation, prompts
from apieval.rebus.baseline.solver import MODEL as SOLVER
from apieval.rebus.conversation import Conversation
from apieval.records import Message, Request
from apieval.run.model import Prepared, connected, prepare, without_key
from tests.records import rebus
from tests.servers import Answer, Scripted

KEY = "sk-finta-000111"


def providers(**model: object) -> Providers:
    defaults = model.pop("defaults", {"temperature": 0.0})
    plain = {"provider": "openai-compatible", "base_url": "http://127.0.0.1:1/v1", "model": "m"}
    return Providers.model_validate(
        {
            "version": 1,
            "defaults": defaults,
            "models": {"mine": {**plain, **model}},
        }
    )


def prepared(environ: Mapping[str, str] = MappingProxyType({}), **model: object) -> Prepared:
    return prepare("mine", providers(**model), environ)


def request() -> Request:
    return next(conversation.requests([rebus()], ["regular"]))


def test_the_body_is_model_defaults_and_parameters() -> None:
    found = prepared(
        defaults={"temperature": 0.0, "max_tokens": 9, "extra_body": {"a": 1, "b": 1}},
        params={"seed": 1, "temperature": 0.5},
        extra_body={"b": 2},
        drop=["max_tokens"],
    )
    assert found.body == {"model": "m", "temperature": 0.5, "seed": 1, "a": 1, "b": 2}
    assert found.identity["body"] == found.body


def test_the_keys_of_answers_paid_for_before_hold() -> None:
    """Computed at commit 04f2327, before there were hosted models, system prompts or `api`."""
    made = Providers.model_validate(
        {
            "version": 1,
            "defaults": {"temperature": 0, "max_tokens": 1024, "extra_body": {"top_a": 1}},
            "models": {
                "mine": {
                    "provider": "openai-compatible",
                    "base_url": ["http://b.example:8000", "http://a.example/v1/"],
                    "model": "org/model-8b",
                    "params": {"seed": 1, "stop": ["\n\n"], "max_tokens": None},
                    "extra_body": {"min_tokens": 5},
                    "headers": {"x-title": "t"},
                    "drop": ["top_p"],
                }
            },
        }
    )
    found = prepare("mine", made, {})
    assert list(found.identity) == ["provider", "endpoint", "api", "body", "headers"]
    (asked,) = conversation.requests([rebus()], ["hints"], 1, found.identity)
    known = "f19407c2e8f30ee2fba8ac79f11ecf072d7a45e16c558995ec33b19254a973b9"
    assert asked.key == f"sha256:{known}"


def hosted(chosen: Params | None = None, **model: object) -> Prepared:
    plain = {"provider": "litellm", "model": "anthropic/claude-x", **model}
    made = Providers.model_validate({"version": 1, "models": {"mine": plain}})
    return prepare("mine", made, {"MY_KEY": KEY}, chosen=chosen)


def test_the_identity_of_a_hosted_model() -> None:
    found = hosted(extra_body={"top_a": 1}, headers={"x-title": "t"}, api_key_env="MY_KEY")
    assert found.identity == {
        "provider": "litellm",
        "endpoint": "litellm",
        "api": "chat",
        "body": {
            "model": "anthropic/claude-x",
            "temperature": 0,
            "max_tokens": 1024,
            "top_a": 1,
        },
        "headers": {"x-title": "t"},
    }
    assert (found.key, found.own) == (KEY, False)


def keys(*made: Prepared) -> set[str]:
    return {
        next(
            conversation.requests(
                [rebus()],
                ["regular"],
                1,
                each.identity,
                (),
                Conversation(system=each.system_prompt),
            )
        ).key
        for each in made
    }


def test_what_can_change_a_hosted_answer_changes_its_key() -> None:
    base = "http://127.0.0.1:1"
    made = (
        hosted(),
        hosted(model="anthropic/claude-y"),
        hosted(model="bedrock/claude-x"),
        hosted(api_base=base),
        hosted(options={"aws_region_name": "eu-central-1"}),
        hosted(options={"vertex_location": "eu-central-1"}),
        hosted(params={"temperature": 1}),
        hosted(drop=["temperature"]),
        hosted(system_prompt="Sii breve."),
        hosted(cache_identity="mine"),
        prepared(model="anthropic/claude-x"),
    )
    assert len(keys(*made)) == len(made)


def test_what_cannot_does_not() -> None:
    made = (
        hosted(),
        hosted(api_key_env="MY_KEY"),
        hosted(options={}),
        hosted(drop=["seed"]),
        hosted(limits={"rpm": 5}),
        hosted(price=PRICE),
    )
    assert len(keys(*made)) == 1
    moved = (hosted(cache_identity="c", api_base=f"http://h:{port}") for port in (1, 2))
    assert len(keys(*moved)) == 1


def test_a_local_address_is_ones_own_whoever_speaks_to_it() -> None:
    assert hosted(api_base="http://localhost:1").own
    assert prepared().own
    assert not prepared(base_url=["http://127.0.0.1:1", "http://h.example"]).own
    assert prepare("baseline", providers(), {}).own


def test_a_system_prompt_goes_before_the_question() -> None:
    found = prepared(system_prompt="Sii breve.")
    (asked,) = conversation.requests(
        [rebus()], ["hints"], 1, found.identity, (), Conversation(system=found.system_prompt)
    )
    before, question = asked.messages
    assert before == Message(role="system", content="Sii breve.")
    assert question == Message(role="user", content=prompts.build(rebus(), "hints"))
    assert keys(found) != keys(prepared())
    assert prepare("baseline", providers(), {}).system_prompt is None


def test_what_is_left_out_is_known() -> None:
    chosen = chosen_params("calamita", {"seed": 1}, ["temperature", "top_p"])
    found = prepare("mine", providers(drop=["seed"]), {}, chosen=chosen)
    assert found.dropped == ("seed", "temperature", "top_p")
    assert found.body == {"model": "m", "max_tokens": 256, "stop": ["\n\n"]}
    assert prepared().dropped == ()


def test_a_price_is_known_by_its_source() -> None:
    own = prepared(price=PRICE)
    assert own.known_price is not None
    assert own.known_price.source == "providers.yaml"
    assert own.price is own.known_price.price
    assert prepared().price is None
    from_table = prepare("openai/gpt-4o", providers(), {"OPENAI_API_KEY": KEY})
    assert from_table.known_price is not None
    assert from_table.known_price.source.startswith("litellm ")
    assert prepare("baseline", providers(), {}).price is None


def test_the_key_is_held_and_shown_nowhere() -> None:
    found = prepared({"MY_KEY": KEY}, api_key_env="MY_KEY")
    assert found.key == KEY
    assert repr(found) == "Prepared('mine')"
    assert KEY not in json.dumps([found.body, found.identity])


def test_a_key_that_is_not_there_stops_before_anything() -> None:
    with pytest.raises(ConfigError, match="MY_KEY is not set"):
        prepared(api_key_env="MY_KEY")


def test_without_its_key_a_model_is_ready_but_for_that() -> None:
    found = without_key("mine", providers(api_key_env="MY_KEY"))
    assert found.key is None
    whole = found.with_key({"MY_KEY": KEY})
    assert (whole.key, whole.identity, whole.body) == (KEY, found.identity, found.body)
    embedded = without_key("baseline", providers())
    assert embedded.with_key({}) is embedded


def test_a_key_with_a_line_end_of_another_system_works() -> None:
    assert prepared({"MY_KEY": f"{KEY}\r\n"}, api_key_env="MY_KEY").key == KEY


def test_an_empty_key_of_a_local_server_is_none() -> None:
    assert prepared({"MY_KEY": ""}, api_key_env="MY_KEY").key is None


def test_a_key_with_an_accent_is_refused_and_not_shown() -> None:
    with pytest.raises(ConfigError) as caught:
        prepared({"MY_KEY": "sk-fintà"}, api_key_env="MY_KEY")
    assert "fint" not in str(caught.value)


def test_an_unknown_model_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'mine'"):
        prepare("mien", providers(), {})


# --- the budget ------------------------------------------------------------------------------

PRICE = {"input": 0.1, "output": 0.2}


def test_without_a_bound_none_is_refused() -> None:
    prepared().check_bound(None)


@pytest.mark.parametrize("name", ["max_tokens", "max_completion_tokens"])
def test_the_longest_answer_is_what_the_request_allows(name: str) -> None:
    made = prepared(price=PRICE, params={name: 77})
    made.check_bound(5.0)
    assert made.most_tokens == 77


@pytest.mark.parametrize(
    ("model", "lacks"),
    [
        ({"params": {"max_tokens": 9}}, "its price is not known"),
        ({"price": PRICE}, "its max_tokens are not known"),
    ],
)
def test_a_bound_that_cannot_be_kept_is_refused(model: dict[str, Any], lacks: str) -> None:
    with pytest.raises(ConfigError, match=lacks):
        prepared(**model).check_bound(5.0)


# --- connections -----------------------------------------------------------------------------


def test_a_configured_model_is_reached_with_its_key_and_headers() -> None:
    async def work() -> None:
        async with Scripted() as server:
            model = {"base_url": server.url, "api_key_env": "K", "headers": {"x-title": "t"}}
            found = prepared({"K": KEY}, **model)
            async with connected(found) as provider:
                await provider.attempt(request())
            (seen,) = server.seen
            assert seen.headers["authorization"] == f"Bearer {KEY}"
            assert seen.headers["x-title"] == "t"
            assert seen.json["model"] == "m"

    asyncio.run(work())


def test_a_base_model_is_asked_with_plain_text() -> None:
    async def work() -> None:
        plain = {"choices": [{"text": "Soluzione: x", "finish_reason": "stop"}], "model": "m"}
        async with Scripted([Answer(plain)]) as server:
            found = prepared(base_url=server.url, api="completions")
            async with connected(found) as provider:
                reply = await provider.attempt(request())
            (seen,) = server.seen
            assert seen.path == "/v1/completions"
            assert seen.json == {
                "stream": False,
                "model": "m",
                "temperature": 0.0,
                "prompt": prompts.build(rebus(), "regular"),
            }
            assert (reply.text, reply.finish_reason) == ("Soluzione: x", "stop")

    asyncio.run(work())
    assert "stream" not in prepared().identity["body"]  # sent with every request, in no key
    assert keys(prepared(api="completions")) != keys(prepared(api="chat")) == keys(prepared())


def test_the_embedded_model_answers_through_its_own_server(tmp_path: Path) -> None:
    async def work() -> None:
        found = prepare("baseline", providers(), {})
        async with connected(found) as provider:
            reply = await provider.attempt(request())
        assert reply.served_model == SOLVER
        assert "Soluzione:" in reply.text

    asyncio.run(work())


def test_another_lexicon_makes_other_answers(tmp_path: Path) -> None:
    path = tmp_path / "lexicon.csv"
    path.write_text("Santa di Cascia,Rita\n", encoding="utf-8")
    own, given = prepare("baseline", providers(), {}), prepare("baseline", providers(), {}, path)
    assert own.identity["endpoint"] != given.identity["endpoint"]
    configured = Providers.model_validate(
        {"version": 1, "models": {"mine": {"provider": "embedded", "lexicon": str(path)}}}
    )
    assert prepare("mine", configured, {}).identity["endpoint"] == given.identity["endpoint"]


def test_a_word_list_makes_other_answers(tmp_path: Path) -> None:
    path = tmp_path / "words.txt"
    path.write_text("casa\n", encoding="utf-8")
    own = prepare("baseline", providers(), {})
    told = prepare("baseline", providers(), {}, words=path)
    assert told.identity["endpoint"].startswith(f"{own.identity['endpoint']}+")
    entry = {"provider": "embedded", "words": str(path)}
    configured = Providers.model_validate({"version": 1, "models": {"mine": entry}})
    assert prepare("mine", configured, {}).identity["endpoint"] == told.identity["endpoint"]


def test_a_lexicon_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError):
        prepare("baseline", providers(), {}, tmp_path / "none.csv")


def test_a_connection_is_closed_however_it_ends() -> None:
    async def work() -> None:
        with pytest.raises(RuntimeError, match="nel mezzo"):
            async with connected(prepared()):
                raise RuntimeError("nel mezzo")

    asyncio.run(work())  # an open session would warn, and a warning is an error


def test_messages_go_as_they_are() -> None:
    assert request().messages == (Message(role="user", content=prompts.build(rebus(), "regular")),)
