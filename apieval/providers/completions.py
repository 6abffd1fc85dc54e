"""OpenAI's chat completion, or a plain one, as every server bends it, read as a `Reply`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from apieval.providers.reasons import Meaning, meaning_of_finish
from apieval.records import RateHints, Reply, Usage, well_formed

MOST_TOKENS: Final = 100_000_000
"""No text is longer: a count above it is a fault, and unknown."""
LONGEST_NAME: Final = 200
REASONING: Final = ("reasoning_content", "reasoning", "thinking", "reasoning_details")
"""What servers call the field of a message that holds its thoughts."""
THOUGHTS: Final = ("thinking", "reasoning", "text", "summary", "content")
"""Where a part that is a thought holds it; of Mistral, OpenAI and those who follow them."""
SAID: Final = ("text", "value", "parts")
"""Where a part holds what is said; `value` in OpenAI's Assistants, `parts` in Google's."""
_DEEPEST: Final = 6
_KINDS: Final = ("prompt", "completion")
_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


def reply_of(value: Any, hints: RateHints | None = None) -> Reply:  # noqa: ANN401 # any JSON
    """Return the reply in a chat completion, or a plain one, that is well-formed.

    Raises:
        LookupError, TypeError, AttributeError: for what is none.
    """
    choice = value["choices"][0]
    # /v1/completions says its text beside the finish reason
    message = choice.get("message") or {"content": choice["text"]}
    said, thought = _content(message.get("content"))
    apart = next(filter(None, (_reasoning(message.get(name)) for name in REASONING)), None)
    # OpenAI says a refusal in a field of its own, and "stop" as the reason
    refusal = None if said else message.get("refusal") or _refusal(message.get("content"))
    # some servers leave content out where all tokens went into reasoning
    text = said or _word(refusal) or ""
    reasoning = "\n\n".join(filter(None, (apart, thought))) or None
    return Reply(
        text=text,
        reasoning=reasoning,
        finish_reason="refusal" if refusal else _name(_finish(choice, value, said)),
        served_model=_name(value.get("model")),
        system_fingerprint=_name(value.get("system_fingerprint")),
        usage=_usage(value.get("usage"), silent=not (text or reasoning)),
        hints=hints,
    )


def _finish(choice: Mapping[str, Any], value: Mapping[str, Any], said: str) -> object:
    """Return why an answer ended; a gateway may say beside its own word the provider's.

    MiniMax says "stop" and beside the choices that its filter emptied them.
    """
    if not said and any(value.get(f"{side}_sensitive") is True for side in ("input", "output")):
        return "sensitive"
    native = choice.get("native_finish_reason")
    refused = isinstance(native, str) and meaning_of_finish(native) is Meaning.REFUSED
    return native if refused else choice.get("finish_reason")


def _content(content: object) -> tuple[str, str]:
    """Return what a message says, as it came, and what it thinks in parts of their own.

    Thoughts that a server leaves in the text stay there: how they are read is the parsers' matter.
    """
    if content is None:
        return "", ""
    if isinstance(content, str):
        return well_formed(content), ""
    if not isinstance(content, list | dict):
        raise TypeError(f"content is {type(content).__name__}")
    parts = content if isinstance(content, list) else [content]
    said = [part for part in parts if not _is_thought(part)]
    thought = [part for part in parts if _is_thought(part)]
    return _joined(said, SAID), _joined(thought, THOUGHTS)


def _refusal(content: object) -> object:
    """Return what a part of a message refuses with, as OpenAI's Responses say it."""
    parts = content if isinstance(content, list) else [content]
    return next(
        (each["refusal"] for each in parts if isinstance(each, dict) and each.get("refusal")), None
    )


def _is_thought(part: object) -> bool:
    """Say whether a part of a message is a thought: by its type, or by its only field."""
    if not isinstance(part, dict):
        return False
    kind = part.get("type")
    named = isinstance(kind, str) and any(word in kind for word in ("think", "reason", "thought"))
    return named or part.get("thought") is True or bool(part.get("thinking"))


def _joined(parts: Sequence[object], fields: Sequence[str]) -> str:
    """Return the texts of parts, each by the first field it has; some hold parts again."""
    return well_formed("".join(_texts(parts, fields, _DEEPEST)))


def _texts(part: object, fields: Sequence[str], deeper: int) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, list) and deeper:
        for each in part:
            yield from _texts(each, fields, deeper - 1)
    elif isinstance(part, dict) and deeper:
        found = next((part[name] for name in fields if part.get(name)), None)
        yield from _texts(found, (*fields, "text"), deeper - 1)


def _reasoning(value: object) -> str | None:
    """Return the text of a reasoning field; one of another kind costs no answer."""
    if isinstance(value, list):
        return "".join(_content(value))
    return _word(value)


def _word(value: object) -> str | None:
    return well_formed(value) if isinstance(value, str) else None


def _name(value: object) -> str | None:
    """Return a word that is kept with every answer, and so not of any length."""
    word = _word(value)
    return word if word is None or len(word) <= LONGEST_NAME else f"{word[:LONGEST_NAME]}…"


def _usage(value: object, *, silent: bool) -> Usage:
    """Return the token counts that are there; what is missing, null or no number is unknown.

    So is a 0 where something was asked, or, unless the model was `silent`, said: a server that does
    not count must not pass for one that costs nothing.
    """
    top = value if isinstance(value, dict) else {}
    prompt, completion = (_section(top, f"{kind}_tokens_details") for kind in _KINDS)
    counts = {name: _count(top.get(name)) for name in _COUNTS}
    for name in _COUNTS:
        if counts[name] == 0 and not (silent and name == "completion_tokens"):
            counts[name] = None
    reasoning = _first(completion.get("reasoning_tokens"), top.get("reasoning_tokens"))
    # DeepSeek's name, then Moonshot's place
    elsewhere = top.get("prompt_cache_hit_tokens"), top.get("cached_tokens")
    cached = _first(prompt.get("cached_tokens"), *elsewhere)
    if _thought_apart(counts, reasoning, cached):
        counts["completion_tokens"] = (counts["total_tokens"] or 0) - (counts["prompt_tokens"] or 0)
    return Usage(**counts, reasoning_tokens=reasoning, cached_tokens=cached)


def _thought_apart(
    counts: Mapping[str, int | None], reasoning: int | None, cached: int | None
) -> bool:
    """Say whether what was thought, and is billed as the completion is, is no part of its count.

    xAI, and Google over OpenAI's wire, count it in the total alone. Where cached tokens make the
    difference, the prompt's count lacks them.
    """
    asked, said, total = (counts[name] for name in _COUNTS)
    if asked is None or said is None or total is None:
        return False
    apart = total - asked - said
    return apart > 0 and (reasoning == apart or (reasoning is None and cached != apart))


def _section(top: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = top.get(name)
    return value if isinstance(value, dict) else {}


def _first(*values: object) -> int | None:
    return next((count for count in map(_count, values) if count is not None), None)


def _count(value: object) -> int | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if 0 <= value <= MOST_TOKENS else None
