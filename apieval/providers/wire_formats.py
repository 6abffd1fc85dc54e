"""Wire formats: how a request says its question, and each reply as an OpenAI chat completion.

A format that a server is asked in is a row of `WIRE_FORMATS`, the form of a reply a row of `FORMS`.
Of replies only the form changes: names of finish reasons and models stay the provider's own, and a
count that the provider did not report is not there. A form that is none of these is left to litellm.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from apieval.records import Message


class WireFormat(NamedTuple):
    """How a question is sent: where to, and the fields of the body that hold it."""

    path: str
    question: Callable[[Sequence[Message]], Mapping[str, Any]]


WIRE_FORMATS: Final[Mapping[str, WireFormat]] = {
    "chat": WireFormat(
        "/chat/completions", lambda messages: {"messages": [each.wire() for each in messages]}
    ),
    "completions": WireFormat(
        "/completions", lambda messages: {"prompt": "".join(each.content for each in messages)}
    ),
}
"""By what an entry says as `api`."""

Form = Callable[[Mapping[str, Any]], Mapping[str, Any]]

_NAMELESS: Final = frozenset({"OTHER", "BLOCK_REASON_UNSPECIFIED"})
"""Google's reasons for blocking a question which, by themselves, do not say that it was one."""


class UnknownForm(Exception):  # no error: litellm may know it
    """Report a reply of a form that is not known here."""


def as_completion(value: object) -> object:
    """Return a reply in the form of a chat completion; what is no object stays as it is.

    Raises:
        UnknownForm: for an object of none of the forms here.
        LookupError, TypeError, AttributeError: for what only begins like one of them.
    """
    if not isinstance(value, dict) or "choices" in value:
        return value
    for marks, form in FORMS:
        if marks <= value.keys():
            return form(value)
    raise UnknownForm


def _completion(
    text: object, thought: object, reason: object, usage: Mapping[str, Any], model: object = None
) -> Mapping[str, Any]:
    message = {"content": text, "reasoning_content": thought}
    return {
        "choices": [{"message": message, "finish_reason": reason}],
        "usage": usage,
        "model": model,
    }


def _anthropic(value: Mapping[str, Any]) -> Mapping[str, Any]:
    parts, usage = value["content"], value.get("usage") or {}
    written, cached = (usage.get(f"cache_{name}_input_tokens") for name in ("creation", "read"))
    thought = (usage.get("output_tokens_details") or {}).get("thinking_tokens")
    counts = _usage(
        _sum(usage.get("input_tokens"), written, cached), usage.get("output_tokens"), cached
    )
    return _completion(
        _texts(parts, "text"),
        _texts(parts, "thinking"),
        value["stop_reason"],
        {**counts, "reasoning_tokens": thought},
        value.get("model"),
    )


def _gemini(value: Mapping[str, Any]) -> Mapping[str, Any]:
    usage = value.get("usageMetadata") or {}
    thought = usage.get("thoughtsTokenCount")
    said = _sum(usage.get("candidatesTokenCount", 0 if thought else None), thought)
    counts = _usage(usage.get("promptTokenCount"), said, usage.get("cachedContentTokenCount"))
    counts |= {"total_tokens": usage.get("totalTokenCount"), "reasoning_tokens": thought}
    blocked = (value.get("promptFeedback") or {}).get("blockReason")
    if blocked and not value.get("candidates"):
        reason = "content_filter" if blocked in _NAMELESS else blocked
        return _completion("", None, reason, counts, value.get("modelVersion"))
    candidate = value["candidates"][0]
    parts = (candidate.get("content") or {}).get("parts") or []
    return _completion(
        _texts([part for part in parts if not part.get("thought")], "text"),
        _texts([part for part in parts if part.get("thought")], "text"),
        candidate.get("finishReason"),
        counts,
        value.get("modelVersion"),
    )


def _bedrock(value: Mapping[str, Any]) -> Mapping[str, Any]:
    parts, usage = value["output"]["message"]["content"], value.get("usage") or {}
    cached = usage.get("cacheReadInputTokens")
    asked = _sum(usage.get("inputTokens"), usage.get("cacheWriteInputTokens"), cached)
    thoughts = [(part.get("reasoningContent") or {}).get("reasoningText") or {} for part in parts]
    return _completion(
        _texts(parts, "text"),
        _texts(thoughts, "text"),
        value["stopReason"],
        _usage(asked, usage.get("outputTokens"), cached),
    )


def _cohere(value: Mapping[str, Any]) -> Mapping[str, Any]:
    parts, usage = value["message"].get("content") or [], value.get("usage") or {}
    tokens = usage.get("tokens") or {}
    return _completion(
        _texts(parts, "text"),
        _texts(parts, "thinking"),
        value["finish_reason"],
        _usage(tokens.get("input_tokens"), tokens.get("output_tokens"), usage.get("cached_tokens")),
    )


def _ollama(value: Mapping[str, Any]) -> Mapping[str, Any]:
    message = value["message"]
    return _completion(
        message.get("content"),
        message.get("thinking"),
        value.get("done_reason"),
        _usage(value.get("prompt_eval_count"), value.get("eval_count"), None),
        value.get("model"),
    )


def _responses(value: Mapping[str, Any]) -> Mapping[str, Any]:
    said = [item for item in value["output"] if item.get("type") == "message"]
    thoughts = [item for item in value["output"] if item.get("type") == "reasoning"]
    usage = value.get("usage") or {}
    asked, answered = (usage.get(f"{kind}_tokens_details") or {} for kind in ("input", "output"))
    counts = _usage(
        usage.get("input_tokens"), usage.get("output_tokens"), asked.get("cached_tokens")
    )
    cut = (value.get("incomplete_details") or {}).get("reason")
    return _completion(
        [part for item in said for part in item["content"]],
        thoughts,
        cut or ("stop" if value.get("status") == "completed" else value.get("status")),
        {**counts, "reasoning_tokens": answered.get("reasoning_tokens")},
        value.get("model"),
    )


FORMS: Final[tuple[tuple[frozenset[str], Form], ...]] = (
    (frozenset({"content", "stop_reason"}), _anthropic),
    (frozenset({"candidates"}), _gemini),
    (frozenset({"promptFeedback"}), _gemini),
    (frozenset({"output", "stopReason"}), _bedrock),
    (frozenset({"output", "object"}), _responses),
    (frozenset({"message", "finish_reason"}), _cohere),
    (frozenset({"message", "done"}), _ollama),
)
"""What a reply of each form always holds, and who reads it."""


def _texts(parts: list[Mapping[str, Any]], field: str) -> str:
    return "".join(part.get(field) or "" for part in parts)


def _usage(asked: object, said: object, cached: object) -> dict[str, Any]:
    return {
        "prompt_tokens": asked,
        "completion_tokens": said,
        "total_tokens": None if said is None else _sum(asked, said),
        "prompt_tokens_details": {"cached_tokens": cached},
    }


def _sum(first: object, *more: object) -> object:
    """Return a count together with those reported beside it, None where it is not there itself."""
    counts = [each for each in (first, *more) if type(each) is int]  # a bool is none
    return sum(counts) if type(first) is int else None
