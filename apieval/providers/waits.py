"""How long a server asks to wait, in every form servers ask it.

Read in this order, the first that says something counts: `retry-after-ms` and `Retry-After`
(seconds or an HTTP date), also as litellm's proxy hands them on; the body (Google's RetryInfo; "try again in 1m2.5s" as OpenAI and Groq
write it, "retry after 12 seconds" as Azure does); the reset headers of rate limits (`1m30s`, a
date, seconds, a moment since 1970), the longest of those that say nothing remains, or of all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, Final

_UNITS: Final[Mapping[str, float]] = {"d": 86400, "h": 3600, "m": 60, "s": 1, "ms": 0.001}
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(ms|[dhms])")
_DURATION: Final = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[dhms]))+")
_SAID: Final = re.compile(
    r"(?:try again|retry) (?:in|after) (?:about )?"
    r"(?:(?P<duration>(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[dhms]))+)|(?P<seconds>\d{1,9}(?:\.\d{1,9})?) ?sec)",
    re.IGNORECASE,
)
_RESET: Final = re.compile(r"(?P<bucket>.*ratelimit.*)reset(?P<what>.*)")
BEHIND: Final = "llm_provider-"
"""What litellm's proxy puts before the headers of the server behind it."""
LONGEST_S: Final = 366 * 86400.0
"""No limit is lifted later: what asks for more is no wait but a fault."""
_LEAST_EPOCH: Final = 1e9
"""A number of seconds above this is a moment since 1970, not a wait of thirty years."""


def retry_after_s(
    headers: Mapping[str, str], error: Mapping[str, Any], now: datetime, *, limited: bool = True
) -> float | None:
    """Return the seconds a server asks to wait, None where it asks for nothing sensible.

    `error` is the object in the body that describes the error. The reset headers, which many
    servers send with every reply, count only where a rate limit was the cause (`limited`).
    """
    for wait in (_header(headers, now), _header(headers, now, BEHIND), _body(error)):
        if wait is not None:
            return _sensible(wait)
    return _sensible(_resets(headers, now)) if limited else None


def moment_of(headers: Mapping[str, str]) -> datetime:
    """Return when a reply was sent, by the server's own clock where it says so.

    Moments in its other headers are by that clock too, and this machine's may be hours off.
    """
    return _date(headers.get("date", "")) or datetime.now(UTC)


@lru_cache(maxsize=64)  # replies of one second say the same, and each is looked at
def _date(value: str) -> datetime | None:
    """Return the moment of an HTTP date, None for anything else."""
    try:
        found = parsedate_to_datetime(value)
    except (ValueError, OverflowError):
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _sensible(wait: float | None) -> float | None:
    return None if wait is None or wait > LONGEST_S else wait


def _header(headers: Mapping[str, str], now: datetime, prefix: str = "") -> float | None:
    milliseconds = number(headers.get(f"{prefix}retry-after-ms", ""))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get(f"{prefix}retry-after", "").strip()
    seconds = number(value)
    if seconds is not None or not value:
        return seconds
    named = _date(value)
    sent = _date(headers.get(f"{prefix}date", "")) or now
    return None if named is None else _until(named, sent)


def _body(error: Mapping[str, Any]) -> float | None:
    details = error.get("details")
    for detail in details if isinstance(details, list) else []:
        delay = detail.get("retryDelay") if isinstance(detail, dict) else None
        if isinstance(delay, str) and (wait := _duration(delay)) is not None:
            return wait
    said = error.get("message")
    found = _SAID.search(said) if isinstance(said, str) else None
    if found is None:
        return None
    return number(found["seconds"]) if found["seconds"] else _duration(found["duration"])


def _resets(headers: Mapping[str, str], now: datetime) -> float | None:
    waits = list(_each_reset(headers, now))
    used_up = [wait for wait, nothing_remains in waits if nothing_remains]
    return max(used_up or [wait for wait, _ in waits], default=None)


def _each_reset(headers: Mapping[str, str], now: datetime) -> Iterator[tuple[float, bool]]:
    for name, value in headers.items():
        found = _RESET.fullmatch(name.lower())
        wait = moment(value.strip(), now) if found else None
        if found and wait is not None:
            remaining = headers.get(f"{found['bucket']}remaining{found['what']}", "")
            yield wait, remaining.strip() == "0"


def moment(value: str, now: datetime) -> float | None:
    """Return the seconds until a reset: a duration, seconds, a moment since 1970, or a date."""
    amount = number(value)
    if amount is None:
        return _duration(value) if _DURATION.fullmatch(value) else _iso(value, now)
    if amount < _LEAST_EPOCH:
        return amount
    seconds = amount / 1000 if amount >= _LEAST_EPOCH * 1000 else amount
    return max(0.0, seconds - now.timestamp())


def _iso(value: str, now: datetime) -> float | None:
    try:
        return _until(datetime.fromisoformat(value), now)
    except ValueError:
        return None


def _until(moment: datetime, now: datetime) -> float:
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - now).total_seconds())


def _duration(value: str) -> float | None:
    """Return the seconds of `1m30s`, `7.66s`, `34s` or `12ms`; None for anything else."""
    if not _DURATION.fullmatch(value):
        return None
    return sum(float(amount) * _UNITS[unit] for amount, unit in _PART.findall(value))


def number(value: str) -> float | None:
    """Return a number that is not negative, None for anything else."""
    try:
        amount = float(value)
    except ValueError:
        return None
    return amount if math.isfinite(amount) and amount >= 0 else None
