"""What there is to say at each step of a check, made of what was found there; it asks nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from apieval.config.models import Embedded
from apieval.rebus import scoring
from apieval.rebus.conversation import joined
from apieval.rebus.metrics import HEADLINE, told
from apieval.rebus.parsers import official
from apieval.rebus.parsers.thoughts import parted
from apieval.rebus.window import limit_of, outside
from apieval.records import Given, Outcome, Rebus, Reply, Request, Setting, Tally
from apieval.run import trial
from apieval.run.cost import AS_ESTIMATED, Scale, cost_usd, forecast, through, tokens_of
from apieval.run.model import Prepared
from apieval.run.steps import Step
from apieval.run.trial import Trial, pace

_NEARLY: Final = re.compile("soluzione", re.IGNORECASE)


def configuration(prepared: Prepared) -> Step:
    """Return what is known of a model before anybody is asked."""
    model, price = prepared.model, prepared.known_price
    remote = None if isinstance(model, Embedded) else model
    facts = {
        "provider": model.provider,
        "where": list(remote.addresses) if remote else [],
        "model": model.model,
        "params": {name: value for name, value in prepared.body.items() if name != "model"},
        "dropped": list(prepared.dropped),
        "system_prompt": prepared.system_prompt,
        "price": price.as_json() if price else None,
        "own": prepared.free,
        "limits": model.limits.model_dump(include={"concurrency", "rpm", "tpm"}),
    }
    return Step("configuration", facts)


def reply(
    prepared: Prepared,
    request: Request,
    found: Trial,
    more: str = "",
    window: int | None = None,
) -> Step:
    """Return how the one attempt ended; `more` is the remedy found elsewhere for a failure.

    `window` is what the server says of the tokens of prompt and answer together.
    """
    facts: dict[str, Any] = {
        "latency_s": round(found.latency_s, 3),
        "outcome": found.outcome.value,
        "reached": found.reached,
    }
    if found.failure is not None:
        facts |= {"status": found.failure.status, "retry_after_s": found.failure.retry_after_s}
        fault = trial.told(found.failure) + more
        return Step("reply", facts, (fault,), fault_code=found.failure.exit_code)
    got = found.reply or Reply(text="")
    facts |= {
        "served_model": got.served_model,
        "finish_reason": got.finish_reason,
        "system_fingerprint": got.system_fingerprint,
        "usage": got.usage.model_dump(),
        "cost_usd": cost_usd(got.usage, prepared.price),
        "own": prepared.free and not got.via,
        "gateway": got.via,
    }
    warnings = (
        gateway(prepared, got),
        trial.cut_prompt(request, got),
        trial.other_model(str(prepared.body["model"]), got.served_model),
        _thinks(got),
        _thinks_aloud(got),
        _mended(got),
    )
    limit = limit_of(prepared.body)
    name, most = limit or ("max_tokens", None)
    bad = trial.bad_outcome(got, name, most, window)
    return Step("reply", facts, _there([bad]), _there(warnings))


def gateway(prepared: Prepared, got: Reply) -> str | None:
    """Return that what seemed one's own server hands on to others, who may be paid for it."""
    return through(got.via) if got.via and prepared.free else None


def _there(remarks: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(filter(None, remarks))


def _thinks(got: Reply) -> str | None:
    much = trial.thoughts(got)
    return much and f"the model thinks before it answers ({much}), which counts as output"


def _thinks_aloud(got: Reply) -> str | None:
    if not parted(got.text).thoughts:
        return None
    return (
        "the answer holds the model's thoughts in its text, which the official parser reads too: start "
        "the server with the model's reasoning parser (vLLM, SGLang: --reasoning-parser)"
    )


def other_servers(found: Mapping[str, Trial]) -> Step:
    """Return how the other servers of one model took the same question."""
    facts, faults = [], []
    for url, each in found.items():
        got = each.reply
        facts.append(
            {
                "url": url,
                "latency_s": round(each.latency_s, 3),
                "outcome": each.outcome.value,
                "served_model": got.served_model if got else None,
            }
        )
        if each.failure:
            faults.append(trial.told(each.failure))
        elif each.outcome is not Outcome.OK:
            faults.append(f"{url}: the answer is {each.outcome.value}")
    return Step("other servers", {"servers": facts}, tuple(faults))


def _mended(got: Reply) -> str | None:
    """Return what a reply had that it should not have, though it could be read."""
    return f"the reply had {'; '.join(got.repaired)}" if got.repaired else None


def answer(got: Reply) -> Step:
    """Return what the model said."""
    return Step("answer", {"text": got.text, "reasoning": got.reasoning})


def parse(
    got: Reply, outcome: Outcome, rebus: Rebus, setting: Setting, given: Given | None = None
) -> Step:
    """Return what the official parser reads in an answer, beside what is right."""
    parser = scoring.PARSERS[official.NAME]
    text = joined(rebus, given, got.text)
    read = official.parse(text)
    score = scoring.of_prediction(read, rebus, parser=parser.name, setting=setting, outcome=outcome)
    facts = {
        "parser": f"{parser.name}@{parser.version}",
        "read": {name: _plain(value) for name, value in read},
        "gold": {name: _plain(getattr(rebus, name)) for name in type(read).model_fields},
        "metrics": _counts(score.tallies, told(given)),
        "right": bool(score.tallies and score.tallies[HEADLINE].right),
    }
    return Step("parse", facts, _there([_unread(text)]) if got.text.strip() else ())


def _counts(
    tallies: Mapping[str, Tally] | None, hidden: frozenset[str]
) -> dict[str, dict[str, int]] | None:
    if tallies is None:
        return None
    return {name: each._asdict() for name, each in tallies.items() if name not in hidden}


def _plain(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _unread(text: str) -> str | None:
    """Return that an answer holds no solution as the challenge's parser reads one."""
    if official.SOLUTION.search(text):
        return None
    form = ", though the word is there: not in the prompt's form" if _NEARLY.search(text) else ""
    return f"no line 'Soluzione: ...' in the answer{form}; it counts wrong, whatever it says"


def outlook(
    prepared: Prepared,
    lengths: Iterable[tuple[int, int]],
    asked: tuple[int, int],
    found: Trial,
    window: int | None = None,
) -> Step:
    """Return what the whole run would take, by characters and by what this answer has shown.

    `lengths` are those of all its prompts and answers, `asked` of the one that was asked (see
    `conversation.lengths`); `window` is the server's, in tokens, None where it does not say.
    """
    scale, lengths = _scale(asked, found), list(lengths)
    own = prepared.free and not (found.reply and found.reply.via)
    whole = forecast(lengths, prepared.price, prepared.most_tokens, own=own, scale=scale)
    tokens = whole.prompt_tokens + whole.answer_tokens
    taken = pace(whole.requests, tokens, found.latency_s, prepared.model.limits)
    facts = {
        "requests": whole.requests,
        "prompt_tokens": whole.prompt_tokens,
        "answer_tokens": whole.answer_tokens,
        "usd": whole.usd,
        "most_usd": whole.most_usd,
        "paid": whole.paid,
        "seconds": round(taken.seconds, 1),
        "bound": taken.bound,
        "basis": "characters" if scale == AS_ESTIMATED else "this answer",
    }
    return Step("forecast", facts, warnings=_there([_outside(prepared, lengths, scale, window)]))


def _outside(
    prepared: Prepared, lengths: Sequence[tuple[int, int]], scale: Scale, window: int | None
) -> str | None:
    """Return that a window has no room for prompts and limit, in so many requests of the run."""
    limit = limit_of(prepared.body)
    if window is None or limit is None:
        return None
    name, most = limit
    over = sum(round(tokens_of(each) * scale.prompt) + most > window for each, _ in lengths)
    return outside(len(lengths), over, most, name, window)


def _scale(asked: tuple[int, int], found: Trial) -> Scale:
    """Return how this answer's tokens compare with their estimate; what is unknown is as estimated.

    An empty or refused answer says nothing about the length of others, nor does a count of a part
    of the prompt.
    """
    usage = (found.reply or Reply(text="")).usage
    prompt, answer = asked
    asked_for, said = usage.prompt_tokens or 0, usage.completion_tokens or 0
    usual = found.outcome in {Outcome.OK, Outcome.TRUNCATED}
    return Scale(
        asked_for / tokens_of(prompt) if trial.plausible(asked_for, prompt) else 1.0,
        said / tokens_of(answer) if said and usual else 1.0,
    )
