"""What the headers of a good reply say of the requests and tokens that remain until a reset.

Every form in use, by its words alone: `x-ratelimit-remaining-requests` (OpenAI, Groq and many
more), `anthropic-ratelimit-requests-remaining`, `x-ratelimit-remaining` (OpenRouter, Together),
`ratelimit-remaining` and `ratelimit` (the IETF's drafts). What has no reset (Azure, Mistral) or one
that is far off (a day's quota) says nothing to pace by; what is negative or no number, nothing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Final

from apieval.providers.waits import moment, moment_of, number
from apieval.schema import RateHints, Room

NEAR_S: Final = 60.0
"""A reset within a minute is near: no hint holds a run up for longer."""
_WORDS: Final[Mapping[str, str]] = {"q": "limit", "r": "remaining", "t": "reset"}
"""The IETF's later draft shortens them: `"default";r=50;t=30`."""
_NAME: Final = re.compile(
    r".*ratelimit-?(?P<before>.*?)(?P<word>limit|remaining|reset)(?P<after>.*)"
)
_PARAMETER: Final = re.compile(r"(limit|remaining|reset|[qrt])\s*=\s*(\d{1,15})\b")


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
