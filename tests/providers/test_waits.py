from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from apieval.providers.failures import failure
from apieval.providers.waits import moment_of, rate_hints, retry_after_s

NOW = datetime(2026, 9, 30, 10, 0, 0, tzinfo=UTC)


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
    headers = {
        "date": http_date(theirs),
        "x-ratelimit-remaining": "5",
        "x-ratelimit-reset": str(int(theirs.timestamp()) + 20),
    }
    hints = rate_hints(headers)
    assert hints is not None
    assert hints.requests is not None
    assert hints.requests.reset_s == 20


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
        (
            {
                "x-ratelimit-reset-requests": "2s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "50s",
                "x-ratelimit-remaining-tokens": "9000",
            },
            2,
        ),
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
