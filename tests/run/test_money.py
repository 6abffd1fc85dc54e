from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.errors import RunFailure
from apieval.run.budget import Budget
from apieval.run.money import Forecast, Scale, cost_usd, forecast, in_all, prompt_tokens
from apieval.schema import Message, Request, Usage
from apieval.sections import Price

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
    assert str(forecast([(30, 30)], None, 5)).endswith("tokens; price unknown")
    unbounded = forecast([(30, 30)], PRICE, None)
    assert unbounded.most_usd is None
    assert str(unbounded).endswith("; about 0.00 USD")


# --- the budget ------------------------------------------------------------------------------

ONE_EACH = Price(input=0.0, output=1_000_000.0)
"""One USD a token, so that a request may cost its `most_tokens` in USD."""


def budget(max_usd: float, most_tokens: int = 1, spent_usd: float = 0.0) -> Budget:
    return Budget(max_usd, ONE_EACH, most_tokens, spent_usd)


def test_what_is_reserved_is_not_given_twice_and_waits_for_settlement() -> None:
    async def work() -> None:
        purse = budget(2.0)
        first, second = await purse.reserve(request()), await purse.reserve(request())
        third = asyncio.create_task(purse.reserve(request()))
        await asyncio.sleep(0)
        assert not third.done()
        purse.settle(first, 1.0)  # as dear as it might have been: no room yet
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not third.done()
        purse.settle(second, 0.0)
        assert await third == 1.0
        assert purse.spent_usd == 1.0

    asyncio.run(work())


def test_a_used_up_budget_ends_the_run_and_says_how_much() -> None:
    async def work() -> None:
        purse = budget(3.0, spent_usd=2.5)
        with pytest.raises(
            RunFailure, match=r"--max-cost 3 USD is reached: 2\.5000 spent.* 1\.0000"
        ):
            await purse.reserve(request())

    asyncio.run(work())


def test_all_who_wait_learn_that_nothing_is_left() -> None:
    async def work() -> None:
        purse = budget(1.0)
        reserved = await purse.reserve(request())
        waiting = [asyncio.create_task(purse.reserve(request())) for _ in range(5)]
        await asyncio.sleep(0)
        purse.settle(reserved, 1.0)
        ends = await asyncio.gather(*waiting, return_exceptions=True)
        assert [type(end) for end in ends] == [RunFailure] * 5

    asyncio.run(work())


def test_an_unknown_cost_is_taken_to_be_all_that_was_reserved() -> None:
    async def work() -> None:
        purse = budget(10.0, most_tokens=4)
        purse.settle(await purse.reserve(request()), None)
        assert purse.spent_usd == 4.0

    asyncio.run(work())


def test_free_requests_are_not_held_up() -> None:
    async def work() -> None:
        purse = Budget(0.0, Price(input=0.0, output=0.0), 100)
        for _ in range(3):
            assert await purse.reserve(request()) == 0.0

    asyncio.run(work())


@given(
    st.lists(st.floats(1e-9, 1e6), min_size=1, max_size=60),
    st.floats(0, 1),
)
def test_rounding_never_leaves_anybody_waiting(prices: list[float], share: float) -> None:
    """Sums of floats leave crumbs behind; with nothing on its way, none may be waited for."""

    async def work() -> None:
        purse = budget(1e12)
        reserved = []
        for price in prices:
            purse.price = Price(input=0.0, output=price * 1e6)
            reserved.append(await purse.reserve(request()))
        for amount in sorted(reserved):
            purse.settle(amount, amount * share)
        purse.max_usd = 0.0
        with pytest.raises(RunFailure):
            await asyncio.wait_for(purse.reserve(request()), 5)

    asyncio.run(work())


def test_spending_never_exceeds_the_budget_where_no_answer_costs_more_than_reserved() -> None:
    async def work() -> None:
        purse = budget(50.0, most_tokens=7)
        answered = 0

        async def one() -> None:
            nonlocal answered
            reserved = await purse.reserve(request())
            await asyncio.sleep(0)
            purse.settle(reserved, reserved * (0.2 + answered % 5 / 5))
            answered += 1

        ends = await asyncio.gather(*(one() for _ in range(100)), return_exceptions=True)
        assert {type(end) for end in ends} == {type(None), RunFailure}
        assert 50 - 7 < purse.spent_usd <= 50

    asyncio.run(work())


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


PRICED = Forecast(10, 100, 50, 0.25, 1.0)
FREE = Forecast(5, 10, 5, None, None, paid=False)


@pytest.mark.parametrize(
    ("forecasts", "end"),
    [
        ([PRICED, PRICED], "; about 0.50 USD, at most 2.00"),
        ([PRICED, Forecast(1, 1, 1, 0.0, None)], "; about 0.25 USD"),
        ([PRICED, FREE], "15 requests, about 110 prompt and 55 answer tokens; about 0.25 USD, at most 1.00"),
        ([FREE, FREE], "; price unknown"),
        ([PRICED, Forecast(1, 1, 1, None, None)], "; about 0.25 USD, and 1 model of unknown price"),
        ([Forecast(1, 1, 1, None, None)] * 2, "; price unknown"),
    ],
)  # fmt: skip
def test_all_forecasts_are_added_up_and_the_unknown_stays_unknown(
    forecasts: list[Forecast], end: str
) -> None:
    assert in_all(forecasts).endswith(end)
