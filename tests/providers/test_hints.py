from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.providers.waits import NEAR_S, rate_hints
from apieval.records import RateHints, Room

NOW: Final = datetime(2026, 11, 30, 12, 0, 0, tzinfo=UTC)


def room(remaining: float, reset_s: float, limit: float | None = None) -> Room:
    return Room(remaining=remaining, reset_s=reset_s, limit=limit)


FORMS: Final[Mapping[str, tuple[dict[str, str], RateHints]]] = {
    "OpenAI": (
        {
            "x-ratelimit-limit-requests": "500",
            "x-ratelimit-remaining-requests": "499",
            "x-ratelimit-reset-requests": "120ms",
            "x-ratelimit-limit-tokens": "30000",
            "x-ratelimit-remaining-tokens": "29000",
            "x-ratelimit-reset-tokens": "2s",
        },
        RateHints(requests=room(499, 0.12, 500), tokens=room(29_000, 2, 30_000)),
    ),
    "Groq: requests a day, tokens a minute": (
        {
            "x-ratelimit-limit-requests": "14400",
            "x-ratelimit-remaining-requests": "14370",
            "x-ratelimit-reset-requests": "2m59.56s",
            "x-ratelimit-limit-tokens": "18000",
            "x-ratelimit-remaining-tokens": "17997",
            "x-ratelimit-reset-tokens": "7.66s",
        },
        RateHints(tokens=room(17_997, 7.66, 18_000)),
    ),
    "Anthropic": (
        {
            "anthropic-ratelimit-requests-limit": "50",
            "anthropic-ratelimit-requests-remaining": "3",
            "anthropic-ratelimit-requests-reset": "2026-11-30T12:00:12Z",
            "anthropic-ratelimit-input-tokens-limit": "40000",
            "anthropic-ratelimit-input-tokens-remaining": "39000",
            "anthropic-ratelimit-input-tokens-reset": "2026-11-30T12:00:02Z",
            "anthropic-ratelimit-output-tokens-limit": "8000",
            "anthropic-ratelimit-output-tokens-remaining": "1000",
            "anthropic-ratelimit-output-tokens-reset": "2026-11-30T12:00:52Z",
        },
        RateHints(requests=room(3, 12, 50), tokens=room(1_000, 52, 8_000)),
    ),
    "OpenRouter: milliseconds since 1970": (
        {
            "X-RateLimit-Limit": "20",
            "X-RateLimit-Remaining": "0",
            "X-RateLimit-Reset": str(int(NOW.timestamp() * 1000) + 30_000),
        },
        RateHints(requests=room(0, 30, 20)),
    ),
    "seconds since 1970": (
        {"x-ratelimit-remaining": "7", "x-ratelimit-reset": str(int(NOW.timestamp()) + 9)},
        RateHints(requests=room(7, 9)),
    ),
    "Cerebras": (
        {
            "x-ratelimit-limit-requests-day": "14400",
            "x-ratelimit-remaining-requests-day": "2",
            "x-ratelimit-reset-requests-day": "33011.38",
            "x-ratelimit-limit-tokens-minute": "60000",
            "x-ratelimit-remaining-tokens-minute": "59880",
            "x-ratelimit-reset-tokens-minute": "11.38",
        },
        RateHints(tokens=room(59_880, 11.38, 60_000)),
    ),
    "of two limits the least": (
        {
            "x-ratelimit-remaining-requests": "9",
            "x-ratelimit-reset-requests": "8s",
            "x-ratelimit-remaining-requests-minute": "2",
            "x-ratelimit-reset-requests-minute": "5s",
        },
        RateHints(requests=room(2, 5)),
    ),
    "IETF": (
        {"RateLimit-Limit": "100, 100;w=10", "RateLimit-Remaining": "50", "RateLimit-Reset": "5"},
        RateHints(requests=room(50, 5, 100)),
    ),
    "IETF in one": (
        {"ratelimit": "limit=100, remaining=50, reset=5", "ratelimit-policy": "100;w=10"},
        RateHints(requests=room(50, 5, 100)),
    ),
    "IETF later": (
        {"ratelimit": '"default";r=50;t=30', "ratelimit-policy": '"default";q=100;w=60'},
        RateHints(requests=room(50, 30)),
    ),
    "with litellm's prefix": (
        {
            "llm_provider-x-ratelimit-remaining-requests": "9",
            "llm_provider-x-ratelimit-reset-requests": "8s",
        },
        RateHints(requests=room(9, 8)),
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_read(form: str) -> None:
    headers, hints = FORMS[form]
    for each in (headers, httpx.Headers({"content-type": "application/json", **headers})):
        assert rate_hints(each, NOW) == hints


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "application/json", "x-request-id": "1"},
        {"x-ratelimit-remaining-requests": "0"},  # Azure and Mistral name no reset
        {"x-ratelimit-limit-req-minute": "720", "x-ratelimit-remaining-req-minute": "717"},
        {"x-ratelimit-reset-requests": "1s"},
        {"x-ratelimit-remaining": "-1", "x-ratelimit-reset": "5"},
        {"x-ratelimit-remaining": "5", "x-ratelimit-reset": "-1"},
        {"x-ratelimit-remaining": "none", "x-ratelimit-reset": "5"},
        {"x-ratelimit-remaining": "nan", "x-ratelimit-reset": "5"},
        {"x-ratelimit-remaining": "inf", "x-ratelimit-reset": "5"},
        {"x-ratelimit-remaining": "5", "x-ratelimit-reset": "soon"},
        {"x-ratelimit-remaining": "5", "x-ratelimit-reset": "0"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "86400"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": str(NEAR_S + 1)},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "2026-11-30T11:00:00Z"},
        {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "9" * 400},
        {"x-ratelimit-over-limit": "no"},
        {"ratelimit": ""},
        {"ratelimit": "r=5"},
    ],
)
def test_what_says_nothing_to_pace_by_is_none(headers: dict[str, str]) -> None:
    assert rate_hints(headers, NOW) is None


_NAMES = st.sampled_from([*(name for form in FORMS.values() for name in form[0]), "ratelimit"])
_VALUES = st.text(max_size=40) | st.sampled_from(["-1", "1e999", "9" * 50, "1d2h", "2026-11-30"])


@given(st.dictionaries(_NAMES | st.text(max_size=30), _VALUES, max_size=8))
def test_whatever_a_server_sends_makes_sense_or_is_none(headers: dict[str, str]) -> None:
    hints = rate_hints(headers, NOW)
    for each in (hints.requests, hints.tokens) if hints else ():
        if each:
            assert each.remaining >= 0
            assert 0 < each.reset_s <= NEAR_S
