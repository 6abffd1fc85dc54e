"""What a server's headers and errors say of its limits: how long to wait, and what remains.

`retry_after_s` reads in this order, and the first that says something counts: `retry-after-ms` and
`Retry-After` (seconds or an HTTP date), also as litellm's proxy hands them on; the body (Google's
RetryInfo; "try again in 1m2.5s" as OpenAI and Groq write it, "retry after 12 seconds" as Azure does);
the reset headers of rate limits (`1m30s`, a date, seconds, a moment since 1970), the longest of those
that say nothing remains, or of all.

`rate_hints` reads every form in use by its words alone: `x-ratelimit-remaining-requests` (OpenAI,
Groq and many more), `anthropic-ratelimit-requests-remaining`, `x-ratelimit-remaining` (OpenRouter,
Together), `ratelimit-remaining` and `ratelimit` (the IETF's drafts). What has no reset (Azure,
Mistral) or one that is far off (a day's quota) says nothing to pace by; what is negative or no
number, nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from typing import Any, Final

from apieval.records import RateHints, Room

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
NEAR_S: Final = 60.0
"""A reset within a minute is near: no hint holds a run up for longer."""
_WORDS: Final[Mapping[str, str]] = {"q": "limit", "r": "remaining", "t": "reset"}
"""The IETF's later draft shortens them: `"default";r=50;t=30`."""
_NAME: Final = re.compile(
    r".*ratelimit-?(?P<before>.*?)(?P<word>limit|remaining|reset)(?P<after>.*)"
)
_PARAMETER: Final = re.compile(r"(limit|remaining|reset|[qrt])\s*=\s*(\d{1,15})\b")


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
    waits, used_up = [], []
    for name, value in headers.items():
        found = _RESET.fullmatch(name.lower())
        wait = moment(value.strip(), now) if found else None
        if found and wait is not None:
            waits.append(wait)
            if headers.get(f"{found['bucket']}remaining{found['what']}", "").strip() == "0":
                used_up.append(wait)
    return max(used_up or waits, default=None)


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


def rate_hints(headers: Mapping[str, str], now: datetime | None = None) -> RateHints | None:
    """Return what remains of requests and of tokens, None where nothing is said to pace by.

    `now` is the server's, None for when the reply was sent.
    Names may be of any case. Where several limits of one kind are named, the least counts.
    """
    # most replies have none, and every reply comes by here
    if not [name for name in headers if "ratelimit" in name.lower()]:
        return None
    now = now or moment_of(headers)
    said: dict[str, dict[str, str]] = {}
    for name, value in headers.items():
        if named := _named(name):
            what, word = named
            said.setdefault(what, {})[word] = value.partition(",")[0].partition(";")[0].strip()
        elif name.lower() == "ratelimit":
            said.setdefault("", {}).update(_parameters(value))
    rooms = {what: room for what, each in said.items() if (room := _room(each, now))}
    if not rooms:
        return None
    requests = [room for what, room in rooms.items() if "token" not in what]
    tokens = [room for what, room in rooms.items() if "token" in what]
    return RateHints(
        requests=min(requests, key=_remaining, default=None),
        tokens=min(tokens, key=_remaining, default=None),
    )


@lru_cache(maxsize=256)
def _named(name: str) -> tuple[str, str] | None:
    """Return what a header is about, and which word of it: the same few come with every reply."""
    found = _NAME.fullmatch(name.lower())
    return (f"{found['before']}{found['after']}".strip("-"), found["word"]) if found else None


def _parameters(value: str) -> dict[str, str]:
    """Return the words of `limit=100, remaining=50, reset=5` or of the first `"a";r=50;t=30`."""
    first = value.partition(",")[0] if ";" in value else value
    return {_WORDS.get(word, word): amount for word, amount in _PARAMETER.findall(first)}


def _room(said: Mapping[str, str], now: datetime) -> Room | None:
    remaining, reset_s = number(said.get("remaining", "")), moment(said.get("reset", ""), now)
    if remaining is None or reset_s is None or not 0 < reset_s <= NEAR_S:
        return None
    return Room(remaining=remaining, reset_s=reset_s, limit=number(said.get("limit", "")))


def _remaining(room: Room) -> float:
    return room.remaining
