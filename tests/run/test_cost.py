from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.config.models import Price
from apieval.records import Message, Request, Usage
from apieval.run.cost import Forecast, Scale, Spent, cost_usd, forecast, in_all, prompt_tokens

PRICE = Price(input=0.15, cached_input=0.075, output=0.6)


def request(text: str = "x" * 2_999) -> Request:
    message = Message(role="user", content=text)
    return Request(
        id=0, setting="regular", sample=0, messages=(message,), identity="{}", key="sha256:0"
    )


def usage(prompt: int | None, completion: int | None, cached: int | None = None) -> Usage:
    return Usage(prompt_tokens=prompt, completion_tokens=completion, cached_tokens=cached)


# --- costs -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tokens", "cost"),
    [
        (usage(1_000_000, 0), 0.15),
        (usage(0, 1_000_000), 0.6),
        (usage(1_000_000, 1_000_000), 0.75),
        (usage(1_000_000, 0, cached=400_000), 0.6 * 0.15 + 0.4 * 0.075),
        (usage(100, 0, cached=500), 100 * 0.075 / 1e6),  # a server that counts too many
        (usage(0, 0), 0.0),
    ],
)
def test_costs_what_its_tokens_cost(tokens: Usage, cost: float) -> None:
    assert cost_usd(tokens, PRICE) == pytest.approx(cost)


def test_without_a_price_for_cached_tokens_they_cost_what_others_cost() -> None:
    plain = Price(input=2.0, output=1.0)
    assert cost_usd(usage(1_000_000, 0, cached=999), plain) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "tokens", [usage(None, 96), usage(412, None), usage(None, None), Usage(total_tokens=508)]
)
def test_unknown_tokens_make_an_unknown_cost(tokens: Usage) -> None:
    assert cost_usd(tokens, PRICE) is None


def test_an_unknown_price_makes_an_unknown_cost() -> None:
    assert cost_usd(usage(412, 96), None) is None


def test_a_price_of_nothing_is_nothing() -> None:
    assert cost_usd(usage(412, 96), Price(input=0.0, output=0.0)) == 0.0


@given(st.text(max_size=50))
def test_a_prompt_has_at_least_one_token_and_a_third_of_its_characters(text: str) -> None:
    assert prompt_tokens(request(text)) == len(text) // 3 + 1


# --- forecast --------------------------------------------------------------------------------


def test_a_forecast_is_corrected_by_what_was_measured() -> None:
    found = forecast([(2_999, 299)] * 10, PRICE, 150, scale=Scale(0.5, 2.0))
    assert (found.prompt_tokens, found.answer_tokens) == (5_000, 1_500)
    assert "1,500 answer tokens by the answers so far; about" in str(found)


@pytest.mark.parametrize(
    ("spent", "said"),
    [
        pytest.param(Spent(), "0.0000 USD", id="nothing, as all from the cache"),
        pytest.param(Spent(1234.5), "1,234.5000 USD", id="known"),
        pytest.param(
            Spent(0.02, 0.01, 1),
            "at most 0.0300 USD (0.0100 of it reserved for 1 request whose cost is not known)",
            id="at most",
        ),
        pytest.param(Spent(unknown=3), "unknown", id="unknown is never 0"),
        pytest.param(Spent(0.5, unknown=3), "0.5000 USD, and unknown for 3 requests", id="in part"),
    ],
)
def test_what_a_run_cost_in_words(spent: Spent, said: str) -> None:
    assert str(spent) == said


def test_a_forecast_adds_up_what_is_to_be_asked() -> None:
    found = forecast([(2_999, 299)] * 1_000, PRICE, 1_024)
    assert (found.requests, found.prompt_tokens, found.answer_tokens) == (1_000, 10**6, 10**5)
    assert found.usd == pytest.approx(0.15 + 0.06)
    assert found.most_usd == pytest.approx(0.15 + 0.6 * 1.024)
    assert str(found) == (
        "1,000 requests, about 1,000,000 prompt and 100,000 answer tokens; "
        "about 0.21 USD, at most 0.76"
    )


def test_a_forecast_of_nothing_names_no_zeros() -> None:
    nothing = forecast([], PRICE, 1_024)
    assert (
        str(nothing) == in_all([nothing, nothing]) == "nothing left to ask: every answer is there"
    )
    one = forecast([(30, 30)], PRICE, None)
    assert in_all([nothing, one]) == str(one)


def test_a_forecast_without_price_or_bound_says_what_it_can() -> None:
    assert forecast([], None, None) == Forecast(0, 0, 0, None, None)
    assert str(forecast([(30, 30)], None, 5)).endswith("tokens; cost: unknown")
    assert str(forecast([(30, 30)], None, 5, own=True)).endswith("; cost: 0 (local server)")
    unbounded = forecast([(30, 30)], PRICE, None)
    assert unbounded.most_usd is None
    assert str(unbounded).endswith("; about 0.00 USD")


@pytest.mark.parametrize(
    ("price", "own", "at_stake"),
    [
        pytest.param(PRICE, False, True, id="a price"),
        pytest.param(PRICE, True, True, id="a price, here"),
        pytest.param(None, False, True, id="no price, somebody else's server"),
        pytest.param(None, True, False, id="no price, one's own server"),
        pytest.param(Price(input=0, output=0), False, False, id="free"),
    ],
)
def test_what_is_asked_about(price: Price | None, own: bool, at_stake: bool) -> None:
    assert forecast([(100, 100)], price, 10, own=own).at_stake is at_stake
    assert not forecast([], price, 10, own=own).at_stake


def test_no_answer_is_forecast_longer_than_it_may_be() -> None:
    assert forecast([(300, 3000)], PRICE, 5).answer_tokens == 5


def test_a_forecast_says_what_else_is_in_the_cache() -> None:
    assert str(replace(PRICED, cached=24)).startswith(
        "10 requests, about 100 prompt and 50 answer tokens (24 more are in the cache); about 0.25"
    )


def test_a_forecast_says_that_the_cache_was_not_looked_through() -> None:
    unseen = replace(FREE, before_cache=True)
    told = "10 prompt and 5 answer tokens before the cache; cost: 0"
    assert told in str(unseen)
    assert "tokens before the cache; about" in in_all([PRICED, unseen])


PRICED = Forecast(10, 100, 50, 0.25, 1.0)
FREE = Forecast(5, 10, 5, None, None, paid=False)


@pytest.mark.parametrize(
    ("forecasts", "end"),
    [
        ([PRICED, PRICED], "; about 0.50 USD, at most 2.00"),
        ([PRICED, Forecast(1, 1, 1, 0.0, None)], "; about 0.25 USD"),
        ([PRICED, FREE], "15 requests, about 110 prompt and 55 answer tokens; about 0.25 USD, at most 1.00"),
        ([FREE, FREE], "; cost: 0 (local server)"),
        ([PRICED, Forecast(1, 1, 1, None, None)], "; about 0.25 USD, and 1 model of unknown cost"),
        ([Forecast(1, 1, 1, None, None)] * 2, "; cost: unknown"),
    ],
)  # fmt: skip
def test_all_forecasts_are_added_up_and_the_unknown_stays_unknown(
    forecasts: list[Forecast], end: str
) -> None:
    assert in_all(forecasts).endswith(end)
