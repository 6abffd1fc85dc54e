"""A check for people, step by step, in 80 columns and without colour.

Whatever a server says is hostile text; it goes through `visible`, here where lines are made of it
and again where they are printed.
"""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from apieval.report.terminal import visible
from apieval.run.steps import Check, Mark, Step

WIDTH: Final = 80
_INDENT: Final = " " * 9
_LABEL: Final = 12
_OWN: Final = "0 (local server)"
_LONG: Final = 160
_LONG_ANSWER: Final = 4_000
"""Characters of a text in a request, and of an answer, above which the middle is left out."""
_CENT: Final = 0.01
_BASES: Final = {
    "characters": "by their characters",
    "this answer": "by their characters, corrected by this answer's counts",
}
_UNITS: Final = ((172_800, 86_400, "days"), (7_200, 3_600, "h"), (120, 60, "min"))

Facts = Mapping[str, Any]


def step(found: Step, *, full: bool = False) -> Iterator[str]:
    """Yield the lines of a step; `full` leaves nothing out."""
    yield f"{found.mark:<8} {found.name}{_in_brief(found)}"
    show = _DETAILS.get(found.name)
    if show and found.facts:
        yield from show(found.facts) if full else _folded(show(_in_short(found)))
    for mark, remarks in ((Mark.FAILED, found.faults), (Mark.WARNING, found.warnings)):
        for each in remarks:
            yield from _wrapped(f"{mark}: {visible(each)}", _INDENT)


def _folded(lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        yield from [line] if len(line) <= WIDTH else _wrapped(line.lstrip(), indent)


def _in_short(found: Step) -> Facts:
    """Return a step's facts without the middle of what is long in them."""
    short: Facts = _shortened(found.facts, _LONG_ANSWER if found.name == "answer" else _LONG)
    return short


def verdict(check: Check) -> str:
    """Return how a check ended, in one line."""
    worst = ", ".join(each.name for each in check.steps if each.mark is check.mark)
    if check.mark is Mark.FAILED:
        return f"{check.model}: FAILED ({worst})"
    return f"{check.model}: all is well" + (
        f", but see: {worst}" if check.mark is not Mark.OK else ""
    )


def _in_brief(found: Step) -> str:
    facts = found.facts
    if found.name == "key" and facts:
        return f": {_key(facts)}"
    if found.name == "request" and facts:
        asked = facts["question"]
        return visible(f": row {asked['id']} of {asked['data']}, {asked['setting']}")
    if found.name == "reply" and facts:
        return f": {facts['outcome']}, after {facts['latency_s']:.2f} s"
    if found.name == "parse":
        return f" ({facts['parser']}): the solution is {'right' if facts['right'] else 'wrong'}"
    if found.name == "forecast":
        return " of the whole run, nothing of it answered before; an estimate"
    return ""


def _key(facts: Facts) -> str:
    if facts["variable"] is None:
        return "none is configured, none is sent"
    if not facts["set"]:
        return f"{facts['variable']} is not set"
    if facts["sent"]:
        return f"{facts['variable']} is set"
    return f"{facts['variable']} holds none, none is sent"


def _configuration(facts: Facts) -> Iterator[str]:
    yield from _fact("provider", facts["provider"])
    yield from _fact("where", ", ".join(facts["where"]) or _nowhere(facts["provider"]))
    yield from _fact("model", facts["model"])
    yield from _fact("parameters", _pairs(facts["params"]) or "none")
    yield from _fact("dropped", ", ".join(facts["dropped"]) or "none")
    if facts["system_prompt"] is not None:
        yield from _fact("system", facts["system_prompt"])
    yield from _fact("price", _price(facts))
    yield from _fact("limits", _pairs({k: v for k, v in facts["limits"].items() if v is not None}))


def _nowhere(provider: str) -> str:
    return "this program, on loopback" if provider == "embedded" else "where litellm knows it"


def _pairs(values: Facts) -> str:
    return ", ".join(f"{name} {_plain(value)}" for name, value in values.items())


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _price(facts: Facts) -> str:
    price = facts["price"]
    if price is None:
        return _OWN if facts["own"] else "unknown"
    cached = price["cached_input"]
    apart = "" if cached is None else f"{cached:g} cached, "
    return (
        f"{price['input']:g} in, {apart}{price['output']:g} out, USD per million tokens "
        f"({price['source']}, {price['as_of']})"
    )


def _request(facts: Facts) -> Iterator[str]:
    sent = facts["sent"]
    if sent is None:
        yield f"{_INDENT}not known before it is sent: litellm goes its own ways"
        return
    yield f"{_INDENT}{sent['method']} {visible(sent['url'])}"
    for name, value in sent["headers"].items():
        yield f"{_INDENT}{name}: {visible(value)}"
    for line in json.dumps(sent["body"], indent=2, ensure_ascii=False).split("\n"):
        yield _INDENT + visible(line)


def _shortened(value: Any, most: int) -> Any:  # noqa: ANN401 # any JSON
    """Return JSON with the middle of every text left out that is longer than `most`."""
    if isinstance(value, list):
        return [_shortened(each, most) for each in value]
    if isinstance(value, Mapping):
        return {name: _shortened(each, most) for name, each in value.items()}
    if not isinstance(value, str) or len(value) <= most:
        return value
    left = f"[... {len(value) - most:,} more characters, see --full ...]"
    return f"{value[: most // 2]} {left} {value[-most // 2 :]}"


def _reply(facts: Facts) -> Iterator[str]:
    if "usage" not in facts:
        return
    yield from _fact("finish", facts["finish_reason"] or "unknown")
    yield from _fact("served by", facts["served_model"] or "unknown")
    yield from _fact("tokens", _tokens(facts["usage"]))
    yield from _fact("cost", _OWN if facts["own"] else _usd(facts["cost_usd"]))


def _tokens(usage: Facts) -> str:
    parts = []
    for name, inner, what in (
        ("prompt", "cached_tokens", "cached"),
        ("completion", "reasoning_tokens", "thoughts"),
    ):
        count, part = usage[f"{name}_tokens"], usage[inner]
        within = "" if part is None else f" ({part:,} {what})"
        parts.append(f"{_count(count)} {'answer' if inner[0] == 'r' else name}{within}")
    return ", ".join(parts)


def _count(count: int | None) -> str:
    return "unknown" if count is None else f"{count:,}"


def _usd(usd: float | None) -> str:
    if usd is None:
        return "unknown"
    return f"{usd:.6f} USD" if usd < _CENT else f"{usd:,.2f} USD"


def _servers(facts: Facts) -> Iterator[str]:
    for each in facts["servers"]:
        yield f"{_INDENT}{visible(each['url'])}: {each['outcome']}, after {each['latency_s']:.2f} s"


def _answer(facts: Facts) -> Iterator[str]:
    width = WIDTH - len(_INDENT) - 2
    for line in visible(facts["text"]).expandtabs(4).split("\n"):
        for part in textwrap.wrap(line, width, replace_whitespace=False) or [""]:
            yield f"{_INDENT}| {part}".rstrip()


def _parse(facts: Facts) -> Iterator[str]:
    for name, gold in facts["gold"].items():
        yield from _fact("read", _joined(facts["read"][name]) or "nothing", name)
        yield from _fact("gold", _joined(gold))
    if facts["metrics"] is None:
        yield f"{_INDENT}no score: the request failed, which is not the model's doing"
        return
    for name, tally in facts["metrics"].items():
        yield f"{_INDENT}{name:<30} {tally['right']:>3} of {tally['total']}"


def _joined(value: str | Sequence[str]) -> str:
    return value if isinstance(value, str) else "; ".join(value)


def _forecast(facts: Facts) -> Iterator[str]:
    yield from _fact("requests", f"{facts['requests']:,}")
    basis = _BASES[facts["basis"]]
    tokens = f"about {facts['prompt_tokens']:,} prompt, {facts['answer_tokens']:,} answer ({basis})"
    yield from _fact("tokens", tokens)
    yield from _fact("cost", _cost(facts))
    yield from _fact("time", f"{_time(facts['seconds'])}, {facts['bound']}")


def _cost(facts: Facts) -> str:
    if facts["usd"] is None:
        return "unknown: no price" if facts["paid"] else _OWN
    most = facts["most_usd"]
    return f"about {_usd(facts['usd'])}" + ("" if most is None else f", at most {_usd(most)}")


def _time(seconds: float) -> str:
    for least, unit, name in _UNITS:
        if seconds >= least:
            return f"about {seconds / unit:,.1f} {name}"
    return "less than a second" if seconds < 1 else f"about {seconds:,.0f} s"


def _fact(label: str, value: str, title: str | None = None) -> Iterator[str]:
    if title:
        yield f"{_INDENT}{title}"
    text = f"{label:<{_LABEL}}{visible(value)}"
    yield from _wrapped(text, _INDENT + ("  " if title or label == "gold" else ""), _LABEL)


def _wrapped(text: str, indent: str, hanging: int = 2) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + " " * hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


_DETAILS: Final[Mapping[str, Callable[[Facts], Iterator[str]]]] = {
    "configuration": _configuration,
    "request": _request,
    "reply": _reply,
    "other servers": _servers,
    "answer": _answer,
    "parse": _parse,
    "forecast": _forecast,
}
