from __future__ import annotations

import json
import subprocess
import sys
from datetime import UTC, date, datetime
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.config import known as directory
from apieval.config.models import AnyModel, Embedded, Hosted, OpenAICompatible, Price
from apieval.run import cost
from apieval.run.cost import price_of

LITELLM = f"litellm {version('litellm')}"
GPT = {"input_cost_per_token": 2e-6, "output_cost_per_token": 8e-6, "litellm_provider": "openai"}


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a table of our own in the place of litellm's, to be filled by the test."""
    spec = SimpleNamespace(submodule_search_locations=[str(tmp_path)])
    monkeypatch.setattr(cost, "find_spec", lambda _: spec)
    monkeypatch.setattr(cost, "_table", cost._table.__wrapped__)
    return tmp_path / "model_prices_and_context_window_backup.json"


def named(name: str, **more: object) -> AnyModel:
    found = directory.resolve(name)
    assert found is not None
    return found.model_copy(update=more)


def test_an_entrys_own_price_goes_first() -> None:
    price = Price(input=1, output=2, as_of="2026-11-30")
    known = price_of(named("openai/gpt-4o", price=price))
    assert known is not None
    assert known.as_json() == {
        "input": 1,
        "cached_input": None,
        "output": 2,
        "source": "providers.yaml",
        "as_of": "2026-11-30",
    }


def test_without_a_day_a_price_is_todays() -> None:
    known = price_of(named("openai/gpt-4o", price=Price(input=1, output=2)))
    assert known is not None
    assert date.fromisoformat(known.as_of) <= datetime.now(UTC).date()


def test_litellms_bundled_table_knows_the_rest() -> None:
    known = price_of(named("openai/gpt-4o"))
    assert known is not None
    assert known.price == Price(input=2.5, cached_input=1.25, output=10.0)
    assert known.source == LITELLM
    assert date.fromisoformat(known.as_of) <= datetime.now(UTC).date()


@pytest.mark.parametrize(
    "model",
    [
        pytest.param(Embedded(provider="embedded"), id="the embedded solver"),
        pytest.param(named("http://127.0.0.1:1/v1#gpt-4o"), id="a server of one's own"),
        pytest.param(named("openai/nessuno"), id="a model nobody knows"),
        pytest.param(named("deepseek/gpt-4o"), id="another provider's model"),
    ],
)
def test_what_nobody_knows_is_unknown(model: AnyModel) -> None:
    assert price_of(model) is None


@pytest.mark.parametrize(
    ("name", "key", "provider"),
    [
        ("openai/gpt-x", "gpt-x", "openai"),
        ("groq/org/m", "groq/org/m", "groq"),
        ("anthropic/claude-x", "claude-x", "anthropic"),
        ("gemini/gemini-x", "gemini/gemini-x", "gemini"),
    ],
)
def test_names_with_and_without_their_provider(
    table: Path, name: str, key: str, provider: str
) -> None:
    table.write_text(json.dumps({key: {**GPT, "litellm_provider": provider}}))
    known = price_of(named(name))
    assert known is not None
    assert known.price == Price(input=2.0, output=8.0)


def test_a_cloud_of_several_names_is_one_provider(table: Path) -> None:
    name = "eu.anthropic.claude-x"
    table.write_text(json.dumps({name: {**GPT, "litellm_provider": "bedrock_converse"}}))
    assert price_of(Hosted(provider="litellm", model=f"bedrock/{name}")) is not None


@pytest.mark.parametrize(
    "changes",
    [
        {"input_cost_per_token": None},
        {"output_cost_per_token": None},
        {"input_cost_per_token": -1},
        {"input_cost_per_token": "2e-6"},
        {"output_cost_per_token": True},
        {"litellm_provider": "azure"},
        {"litellm_provider": None},
    ],
)
def test_half_a_price_is_none(table: Path, changes: dict[str, Any]) -> None:
    table.write_text(json.dumps({"gpt-x": {**GPT, **changes}}))
    assert price_of(named("openai/gpt-x")) is None


@pytest.mark.parametrize("cached", [None, -1, "1", False])
def test_a_cached_price_that_is_none_is_left_out(table: Path, cached: object) -> None:
    table.write_text(json.dumps({"gpt-x": {**GPT, "cache_read_input_token_cost": cached}}))
    known = price_of(named("openai/gpt-x"))
    assert known is not None
    assert known.price.cached_input is None


@pytest.mark.parametrize(
    "content", [b"", b"[]", b"null", b"{", b"\xff", b'{"gpt-x": 5}', b'{"gpt-x": {}}', None]
)
def test_a_table_that_cannot_be_read_knows_nothing(table: Path, content: bytes | None) -> None:
    if content is not None:
        table.write_bytes(content)
    assert price_of(named("openai/gpt-x")) is None


@pytest.mark.parametrize("spec", [None, SimpleNamespace(submodule_search_locations=None)])
def test_without_litellm_there_is_no_table(
    spec: object, table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cost, "find_spec", lambda _: spec)
    assert price_of(named("openai/gpt-4o")) is None


@given(st.integers(0, 10**9))
def test_no_digit_of_a_price_is_a_floats_own(millionths: int) -> None:
    """A price a million of 0.1 is 1e-7 a token, and a million times that is 0.09999999999999999."""
    price = millionths / 1e6
    assert cost._per_million(price / 1e6) == price


def test_the_table_is_read_without_litellm_and_without_a_socket() -> None:
    spec = find_spec("litellm")
    assert spec is not None
    program = """
import socket, sys
def refuse(*args, **more): raise AssertionError("a socket was opened")
socket.socket = refuse
from apieval.config import known
from apieval.run.cost import price_of
print(price_of(known.resolve("openai/gpt-4o")).price.input, "litellm" in sys.modules)
"""
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("2.5 False\n", 0), done.stderr


def test_a_server_with_a_providers_address_costs_what_it_does() -> None:
    url = "https://api.openai.com/v1/"
    model = OpenAICompatible(provider="openai-compatible", base_url=[url], model="gpt-4o")
    known = price_of(model)
    assert known is not None
    assert known.price.input == 2.5
