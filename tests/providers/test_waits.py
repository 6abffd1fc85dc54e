"""Waits that servers ask for, and what they say remains, in every form in use."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any, Final

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.providers.failures import failure
from apieval.providers.waits import NEAR_S, moment_of, rate_hints, retry_after_s
from apieval.records import RateHints, Room

NOW = datetime(2026, 9, 30, 10, 0, 0, tzinfo=UTC)


def heads(form: str, said: str) -> dict[str, str]:
    """Return headers, each of a name and a value, the name in a form of the provider's."""
    pairs = (each.split("=", 1) for each in said.split())
    return {form.format(name): value for name, value in pairs}


def wait(
    headers: Mapping[str, str], error: Mapping[str, Any] | None = None, *, limited: bool = True
) -> float | None:
    return retry_after_s(headers, error or {}, NOW, limited=limited)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("2", 2),
        ("75", 75),
        ("0.5", 0.5),
        (" 7 ", 7),
        ("0", 0),
        ("86400", 86400),
        ("Wed, 30 Sep 2026 10:00:30 GMT", 30),
        ("Wed, 30 Sep 2026 12:00:30 +0200", 30),
        ("Wed, 30 Sep 2026 10:00:30 -0000", 30),
        ("Tue, 29 Sep 2026 10:00:00 GMT", 0),
        ("-5", None),
        ("presto", None),
        ("NaN", None),
        ("inf", None),
        ("1e999", None),
        ("1e300", None),
        ("Fri, 31 Dec 9999 23:59:59 GMT", None),
        ("Thu, 30 Sep 2027 10:00:00 GMT", 365 * 86400),
        ("Fri, 31 Dec 99999 23:59:59 GMT", None),
        ("", None),
        (",", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert wait({"retry-after": value}) == seconds


@pytest.mark.parametrize("reset", ["1e308", "99999999999999999999", "9999-12-31T23:59:59Z"])
def test_a_reset_in_years_is_none(reset: str) -> None:
    assert wait({"x-ratelimit-reset-requests": reset}) is None
    assert wait({}, {"details": [{"retryDelay": "999999999h"}]}) is None


def http_date(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


@pytest.mark.parametrize("off_s", [3600, -3600, 86400 * 400, 0.0])
def test_a_date_counts_from_the_replys_own(off_s: float) -> None:  # C10
    theirs = NOW + timedelta(seconds=off_s)
    sent = {"date": http_date(theirs), "retry-after": http_date(theirs + timedelta(seconds=2))}
    assert retry_after_s(sent, {}, moment_of(sent)) == 2
    reset = {"date": http_date(theirs), "x-ratelimit-reset": str(theirs.timestamp() + 7)}
    assert retry_after_s(reset, {}, moment_of(reset)) == 7
    end = failure(429, b"{}", sent, "http://s/v1")
    assert end.retry_after_s == 2


def test_the_date_behind_a_proxy_counts_for_what_comes_from_there() -> None:
    theirs = NOW - timedelta(hours=5)
    behind = {"date": http_date(theirs), "retry-after": http_date(theirs + timedelta(seconds=3))}
    headers = {"date": http_date(NOW), **{f"llm_provider-{k}": v for k, v in behind.items()}}
    assert retry_after_s(headers, {}, moment_of(headers)) == 3


@pytest.mark.parametrize("said", ["", "ieri", "Thu, 99 Foo 2026"])
def test_without_a_date_this_machines_clock_counts(said: str) -> None:
    assert abs((moment_of({"date": said}) - datetime.now(UTC)).total_seconds()) < 60


def test_hints_count_from_the_replys_own_date() -> None:
    theirs = NOW + timedelta(hours=1)
    reset = int(theirs.timestamp()) + 20
    said = heads("x-ratelimit-{}", f"remaining=5 reset={reset}")
    hints = rate_hints({"date": http_date(theirs), **said})
    assert hints == RateHints(requests=room(5, 20))


def test_milliseconds_come_first() -> None:
    assert wait({"retry-after-ms": "1500"}) == 1.5
    assert wait({"retry-after-ms": "1500", "retry-after": "2"}) == 1.5
    assert wait({"retry-after-ms": "-1", "retry-after": "2"}) == 2


@given(st.text() | st.text("0123456789,:+-. GMTadFriSepJ"))
def test_no_header_raises(value: str) -> None:
    for name in ("retry-after", "retry-after-ms", "x-ratelimit-reset", "ratelimit-reset-tokens"):
        found = wait({name: value})
        assert found is None or found >= 0


@given(st.integers(0, 10**7))
def test_any_date_is_read_to_the_second(seconds: int) -> None:
    moment = NOW + timedelta(seconds=seconds)
    assert wait({"retry-after": format_datetime(moment, usegmt=True)}) == seconds
    assert wait({"x-ratelimit-reset-requests": moment.isoformat()}) == seconds
    assert wait({"x-ratelimit-reset": str(moment.timestamp())}) == pytest.approx(seconds)
    assert wait({"x-ratelimit-reset": str(int(moment.timestamp() * 1000))}) == seconds


@pytest.mark.parametrize(
    ("said", "seconds"),
    [
        ("Rate limit reached. Please try again in 7.66s. Visit", 7.66),
        ("Please try again in 1m2.5s.", 62.5),
        ("please TRY AGAIN IN 12ms", 0.012),
        ("Try again in 2h3m4s", 7384),
        ("Please retry after 12 seconds.", 12),
        ("retry after 1 sec", 1),
        ("try again in about 5 seconds", 5),
        ("try again in a while", None),
        ("retry the request", None),
        ("", None),
    ],
)
def test_a_wait_named_in_the_message(said: str, seconds: float | None) -> None:
    assert wait({}, {"message": said}) == (None if seconds is None else pytest.approx(seconds))


@pytest.mark.parametrize(
    ("details", "seconds"),
    [
        ([{"@type": "x"}, {"@type": "RetryInfo", "retryDelay": "34s"}], 34),
        ([{"retryDelay": "34.07s"}], 34.07),
        ([{"retryDelay": 34}], None),
        ([{"retryDelay": "presto"}], None),
        (["34s", None], None),
        ({"retryDelay": "34s"}, None),
        (None, None),
    ],
)
def test_googles_retry_info(details: object, seconds: float | None) -> None:
    assert wait({}, {"details": details}) == seconds


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"x-ratelimit-reset-requests": "1m30s"}, 90),
        ({"x-ratelimit-reset-tokens": "6ms"}, 0.006),
        ({"X-RateLimit-Reset-Requests": "1s", "X-RateLimit-Reset-Tokens": "1m"}, 60),
        ({"anthropic-ratelimit-tokens-reset": "2026-09-30T10:00:20Z"}, 20),
        ({"ratelimit-reset": "12"}, 12),
        ({"x-ratelimit-reset": "boh"}, None),
        (heads("x-ratelimit-{}", "reset-a=2s remaining-a=0 reset-b=50s remaining-b=9000"), 2),
        ({"x-ratelimit-limit-requests": "500"}, None),
    ],
)
def test_reset_headers(headers: dict[str, str], seconds: float | None) -> None:
    assert wait(headers) == seconds


def test_reset_headers_count_only_where_a_limit_was_the_cause() -> None:
    """Many servers send them with every reply, a 500 among them."""
    assert wait({"x-ratelimit-reset": "9"}, limited=False) is None
    assert wait({"retry-after": "4", "x-ratelimit-reset": "9"}, limited=False) == 4


@pytest.mark.parametrize("odd", [None, 5, ["try again in 5s"], {}])
def test_a_message_that_is_no_text_says_nothing(odd: object) -> None:
    assert wait({}, {"message": odd}) is None


def test_the_most_direct_word_counts() -> None:
    headers = {"retry-after": "1", "x-ratelimit-reset": "9"}
    said = {"message": "try again in 5s"}
    assert wait(headers, said) == 1
    assert wait({"x-ratelimit-reset": "9"}, said) == 5
    assert wait({"retry-after": "presto", "x-ratelimit-reset": "9"}) == 9


# --- what remains ----------------------------------------------------------------------------


def room(remaining: float, reset_s: float, limit: float | None = None) -> Room:
    return Room(remaining=remaining, reset_s=reset_s, limit=limit)


_OPENAI = (
    "limit-requests=500 remaining-requests=499 reset-requests=120ms "
    "limit-tokens=30000 remaining-tokens=29000 reset-tokens=2s"
)
_GROQ = (
    "limit-requests=14400 remaining-requests=14370 reset-requests=2m59.56s "
    "limit-tokens=18000 remaining-tokens=17997 reset-tokens=7.66s"
)
_ANTHROPIC = (
    "requests-limit=50 requests-remaining=3 requests-reset=2026-09-30T10:00:12Z "
    "input-tokens-limit=40000 input-tokens-remaining=39000 "
    "input-tokens-reset=2026-09-30T10:00:02Z output-tokens-limit=8000 "
    "output-tokens-remaining=1000 output-tokens-reset=2026-09-30T10:00:52Z"
)
_CEREBRAS = (
    "limit-requests-day=14400 remaining-requests-day=2 reset-requests-day=33011.38 "
    "limit-tokens-minute=60000 remaining-tokens-minute=59880 reset-tokens-minute=11.38"
)
_TWO = "remaining-requests=9 reset-requests=8s remaining-requests-minute=2 reset-requests-minute=5s"
_OURS, _EPOCH = "x-ratelimit-{}", int(NOW.timestamp())
FORMS: Final[Mapping[str, tuple[dict[str, str], RateHints]]] = {
    "OpenAI": (
        heads(_OURS, _OPENAI),
        RateHints(requests=room(499, 0.12, 500), tokens=room(29_000, 2, 30_000)),
    ),
    "Groq: requests a day, tokens a minute": (
        heads(_OURS, _GROQ),
        RateHints(tokens=room(17_997, 7.66, 18_000)),
    ),
    "Anthropic": (
        heads("anthropic-ratelimit-{}", _ANTHROPIC),
        RateHints(requests=room(3, 12, 50), tokens=room(1_000, 52, 8_000)),
    ),
    "OpenRouter: milliseconds since 1970": (
        heads("X-RateLimit-{}", f"Limit=20 Remaining=0 Reset={_EPOCH * 1000 + 30_000}"),
        RateHints(requests=room(0, 30, 20)),
    ),
    "seconds since 1970": (
        heads(_OURS, f"remaining=7 reset={_EPOCH + 9}"),
        RateHints(requests=room(7, 9)),
    ),
    "Cerebras": (heads(_OURS, _CEREBRAS), RateHints(tokens=room(59_880, 11.38, 60_000))),
    "of two limits the least": (heads(_OURS, _TWO), RateHints(requests=room(2, 5))),
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
        heads("llm_provider-x-ratelimit-{}", "remaining-requests=9 reset-requests=8s"),
        RateHints(requests=room(9, 8)),
    ),
}


@pytest.mark.parametrize(("headers", "hints"), FORMS.values(), ids=FORMS)
def test_every_form_is_read(headers: dict[str, str], hints: RateHints) -> None:
    for each in (headers, httpx.Headers({"content-type": "application/json", **headers})):
        assert rate_hints(each, NOW) == hints


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"content-type": "application/json", "x-request-id": "1"},
        heads(_OURS, "remaining-requests=0"),  # Azure and Mistral name no reset
        heads(_OURS, "limit-req-minute=720 remaining-req-minute=717"),
        heads(_OURS, "reset-requests=1s"),
        heads(_OURS, "remaining=-1 reset=5"),
        heads(_OURS, "remaining=5 reset=-1"),
        heads(_OURS, "remaining=none reset=5"),
        heads(_OURS, "remaining=nan reset=5"),
        heads(_OURS, "remaining=inf reset=5"),
        heads(_OURS, "remaining=5 reset=soon"),
        heads(_OURS, "remaining=5 reset=0"),
        heads(_OURS, "remaining=0 reset=86400"),
        heads(_OURS, f"remaining=0 reset={NEAR_S + 1}"),
        heads(_OURS, "remaining=0 reset=2026-09-30T09:00:00Z"),
        heads(_OURS, f"remaining=0 reset={'9' * 400}"),
        heads(_OURS, "over-limit=no"),
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
