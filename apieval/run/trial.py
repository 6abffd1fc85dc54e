"""One attempt of one request, timed and never repeated; its faults, and the duration it forecasts."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass
from math import ceil
from typing import Final, NamedTuple

from apieval.config.models import Limits
from apieval.errors import (
    AttemptFailed,
    ServerDown,
    Unreachable,
)
from apieval.providers.base import Provider
from apieval.rebus import serving
from apieval.rebus.window import Cuts
from apieval.records import Outcome, Reply, Request
from apieval.run.limiter import AUTO_FIRST
from apieval.run.retry import attempt_within, judge, without_reply

MOST_CHARACTERS_A_TOKEN: Final = 8.0
"""No tokenizer packs Italian prose so densely (see `money`): with more, some of it was not read."""
_LATE: Final = " (give more with --timeout, or look into the server's log)"
_SNAPSHOT: Final = re.compile(r"[-@:][0-9]{4}[-0-9]*")
"""What a provider adds to a model's name: the day or month of the version that answers."""


@dataclass(frozen=True, slots=True)
class Trial:
    """How one attempt ended: with a reply or a failure, after so many seconds."""

    reply: Reply | None
    failure: AttemptFailed | None
    latency_s: float

    @property
    def outcome(self) -> Outcome:
        """Return what became of the request."""
        if self.reply is not None:
            return judge(self.reply)
        return without_reply(self.failure)

    @property
    def reached(self) -> bool:
        """Say whether a server answered, whatever it said."""
        return self.reply is not None or (
            self.failure is not None and self.failure.status is not None
        )


async def attempt_once(provider: Provider, request: Request, timeout_s: float) -> Trial:
    """Attempt once under a limit on the whole of it; whatever goes wrong is in the trial."""
    reply: Reply | None = None
    failure: AttemptFailed | None = None
    began = time.monotonic()
    try:
        reply = await attempt_within(timeout_s, provider, request, _LATE)
    except AttemptFailed as error:
        failure = error
    return Trial(reply, failure, time.monotonic() - began)


def told(failure: AttemptFailed) -> str:
    """Return a failure for people: what it says, and what there is to add to it here."""
    unsaid = isinstance(failure, ServerDown) and not isinstance(failure, Unreachable)
    if unsaid and failure.status is None:
        return f"{failure} (is the server running, and is base_url right?)"
    if failure.retry_after_s:
        return f"{failure} (the server asks to wait {failure.retry_after_s:,.0f} s)"
    return str(failure)


def bad_outcome(
    reply: Reply, limit: str, most: int | None = None, window: int | None = None
) -> str | None:
    """Return what is wrong with how a reply ended; `limit` names what bounds its length.

    `most` is that limit, in tokens, `window` what the server says of prompt and answer together.
    """
    outcome, said = judge(reply), f"finish reason {reply.finish_reason!r}"
    if outcome is Outcome.TRUNCATED:
        return _cut(reply, limit, most, window)
    if outcome is Outcome.EMPTY:
        if serving.answered_in_thoughts(reply.text, reply.reasoning):
            return (
                f"the answer is empty ({said}), and its reasoning holds a solution line: the "
                f"server's reasoning parser is not the model's; {serving.REASONING_PARSER}"
            )
        more = f"; all of it went into thoughts: raise {limit}" if thoughts(reply) else ""
        return f"the answer is empty ({said}){more}"
    if outcome is Outcome.REFUSED:
        return f"the answer was refused ({said}): a content filter, or the model itself"
    if outcome is Outcome.FAILED:
        return f"the answer was broken off by the server ({said})"
    return None


def _cut(reply: Reply, limit: str, most: int | None, window: int | None) -> str:
    cuts = Cuts()
    cuts.add(most, reply.usage)
    if most and (early := cuts.said(limit, most, window)):
        return f"the answer was {early}"
    more = "; its thoughts count against the limit" if thoughts(reply) else ""
    return f"the answer was cut at the length limit: raise {limit}{more}"


def thoughts(reply: Reply) -> str | None:
    """Return how much a model thought before its answer, None where nothing shows it did."""
    if reply.usage.reasoning_tokens:
        return f"{reply.usage.reasoning_tokens:,} tokens"
    return f"{len(reply.reasoning):,} characters" if reply.reasoning else None


def cut_prompt(request: Request, reply: Reply) -> str | None:
    """Return what shows that the server did not read all of a prompt, as far as one can tell."""
    counted = reply.usage.prompt_tokens
    characters = request.characters
    if counted is None or plausible(counted, characters):
        return None
    return (
        f"the server counts {counted:,} tokens in a prompt of {characters:,} characters: it cuts "
        "the prompt (raise its context length), or leaves out what it had cached"
    )


def plausible(tokens: int, characters: int) -> bool:
    """Say whether a text of so many characters may have as few tokens as that."""
    return tokens * MOST_CHARACTERS_A_TOKEN >= characters


def other_model(asked: str, served: str | None) -> str | None:
    """Return that another model answered than was asked, as far as the names tell."""
    if not served or _same(_bare(asked), _bare(served)):
        return None
    return f"asked for {asked!r}, but {served!r} answered"


def _bare(name: str) -> str:
    return name.lower().rpartition("/")[2].removesuffix("-latest")


def _same(asked: str, served: str) -> bool:
    """Say whether a name is the other, or a dated snapshot of it, or lacks its host alone."""
    if served in {asked, asked.partition(":")[0]}:
        return True
    return served.startswith(asked) and bool(_SNAPSHOT.fullmatch(served.removeprefix(asked)))


MINUTE_S: Final = 60.0


class Pace(NamedTuple):
    """About how many seconds a run takes, and what holds it back."""

    seconds: float
    bound: str


def pace(requests: int, tokens: int, latency_s: float, limits: Limits) -> Pace:
    """Return the pace of so many requests with so many tokens in all.

    It is that of a server which takes requests at once as quickly as a single one; `auto` is
    counted as the number it begins with.
    """
    slots = AUTO_FIRST if limits.concurrency == "auto" else limits.concurrency
    at_once = max(1, min(slots, requests))
    found = [Pace(ceil(requests / at_once) * latency_s, _if_at_once(at_once))]
    if limits.rpm is not None:
        found.append(Pace(requests / limits.rpm * MINUTE_S, f"at {limits.rpm:,} requests a minute"))
    if limits.tpm is not None:
        found.append(Pace(tokens / limits.tpm * MINUTE_S, f"at {limits.tpm:,} tokens a minute"))
    return max(found)


def _if_at_once(number: int) -> str:
    return f"if {number:,} at once take no longer than this one" if number > 1 else "one by one"
