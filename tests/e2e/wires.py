"""The fault server's answers in the form of the wire they were asked over."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

ROOT: Final = "/v1"
HOSTED: Final[Mapping[str, tuple[str, str]]] = {
    "anthropic": ("anthropic/claude-sonnet-4-5", ""),
    "gemini": ("gemini/gemini-2.5-flash", ""),
    "mistral": ("mistral/mistral-large-latest", ROOT),
    "openai": ("openai/modello-prova", ROOT),
}
"""litellm's name of a model on each wire, and what follows the server's address there."""
_REASONS: Final = {
    "claude": {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"},
    "gemini": {"stop": "STOP", "length": "MAX_TOKENS", "content_filter": "SAFETY"},
}


def hosted(wire: str, url: str, **more: Any) -> dict[str, Any]:  # noqa: ANN401 # any JSON
    """Return the entry of a model behind litellm, at a server's `/v1` address."""
    model, path = HOSTED[wire]
    api_base = url.removesuffix(ROOT) + path
    limits = {"concurrency": 8, **more.pop("limits", {})}
    return {"provider": "litellm", "model": model, "api_base": api_base, "limits": limits, **more}


def question(body: Mapping[str, Any]) -> str:
    """Return the text of the user's last message, wherever a wire has it."""
    if "prompt" in body:
        return str(body["prompt"])
    messages = body.get("messages") or body["contents"]
    last = next(each for each in reversed(messages) if each["role"] == "user")
    said = last.get("content", last.get("parts"))
    return said if isinstance(said, str) else "".join(part["text"] for part in said)


def spoken(path: str, body: bytes) -> bytes:
    """Return a chat completion in the form of the wire of a path; all else as it is."""
    form = _claude if path.endswith("/messages") else _gemini if "generateContent" in path else None
    try:
        choice = json.loads(body)["choices"][0]
        usage = json.loads(body)["usage"]
        return json.dumps(form(choice, usage)).encode() if form else body
    except (ValueError, LookupError, TypeError):
        return body


def _claude(choice: Mapping[str, Any], usage: Mapping[str, int] | None) -> dict[str, Any]:
    message, parts = choice["message"], []
    if thought := message.get("reasoning_content"):
        parts += [{"type": "thinking", "thinking": thought, "signature": "x"}]
    if (text := message["content"]) is not None:
        parts += [{"type": "text", "text": text}]
    counts = usage and {
        "input_tokens": usage["prompt_tokens"],
        "output_tokens": usage["completion_tokens"],
    }
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-prova",
        "content": parts,
        "stop_reason": _REASONS["claude"].get(choice["finish_reason"]),
        "stop_sequence": None,
        "usage": counts,
    }


def _gemini(choice: Mapping[str, Any], usage: Mapping[str, int] | None) -> dict[str, Any]:
    message, parts = choice["message"], []
    if thought := message.get("reasoning_content"):
        parts += [{"text": thought, "thought": True}]
    if (text := message["content"]) is not None:
        parts += [{"text": text}]
    counts = usage and {
        "promptTokenCount": usage["prompt_tokens"],
        "candidatesTokenCount": usage["completion_tokens"],
        "totalTokenCount": usage["total_tokens"],
    }
    reason = _REASONS["gemini"].get(choice["finish_reason"])
    content = {"role": "model", "parts": parts}
    return {
        "candidates": [{"content": content, "finishReason": reason, "index": 0}],
        "usageMetadata": counts,
        "modelVersion": "gemini-prova",
    }
