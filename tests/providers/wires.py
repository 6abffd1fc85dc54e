"""What hosted providers really say over their wires: good replies, and every kind of refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from tests.servers import Answer, completion

TEXT: Final = "Soluzione: Verità nascosta"
THOUGHT: Final = "La santa di Cascia è Rita"

Body = dict[str, Any]


def anthropic(text: str | None = TEXT, reason: str = "end_turn", **changes: object) -> Body:
    parts = [{"type": "thinking", "thinking": THOUGHT, "signature": "sig"}]
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-prova",
        "content": [*parts, {"type": "text", "text": text}] if text is not None else parts,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 412, "output_tokens": 96},
        **changes,
    }


def gemini(text: str | None = TEXT, reason: str = "STOP", **changes: object) -> Body:
    parts = [{"text": THOUGHT, "thought": True}, *([{"text": text}] if text is not None else [])]
    return {
        "candidates": [
            {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
        ],
        "usageMetadata": {
            "promptTokenCount": 412,
            "candidatesTokenCount": 60,
            "thoughtsTokenCount": 36,
            "totalTokenCount": 508,
        },
        "modelVersion": "gemini-prova",
        **changes,
    }


def bedrock(text: str | None = TEXT, reason: str = "end_turn", **changes: object) -> Body:
    parts: list[Body] = [{"reasoningContent": {"reasoningText": {"text": THOUGHT}}}]
    said = [{"text": text}] if text is not None else []
    return {
        "output": {"message": {"role": "assistant", "content": [*parts, *said]}},
        "stopReason": reason,
        "usage": {"inputTokens": 412, "outputTokens": 96, "totalTokens": 508},
        "metrics": {"latencyMs": 12},
        **changes,
    }


def cohere(text: str | None = TEXT, reason: str = "COMPLETE", **changes: object) -> Body:
    parts = [{"type": "thinking", "thinking": THOUGHT}]
    said = [{"type": "text", "text": text}] if text is not None else []
    return {
        "id": "c-1",
        "finish_reason": reason,
        "message": {"role": "assistant", "content": [*parts, *said]},
        "usage": {
            "billed_units": {"input_tokens": 400, "output_tokens": 96},
            "tokens": {"input_tokens": 412, "output_tokens": 96},
        },
        **changes,
    }


def openai(text: str | None = TEXT, reason: str = "stop", **changes: object) -> Body:
    message = {"role": "assistant", "content": text, "reasoning_content": THOUGHT}
    choice = {"index": 0, "message": message, "finish_reason": reason}
    return {**completion(choices=[choice]), **changes}


def _google_error(status: int, message: str, word: str = "UNKNOWN", *details: Body) -> Body:
    return {"error": {"code": status, "message": message, "status": word, "details": list(details)}}


def _anthropic_error(_: int, message: str) -> Body:
    return {"type": "error", "error": {"type": "some_error", "message": message}}


def _openai_error(_: int, message: str) -> Body:
    return {"error": {"message": message, "type": "some_error", "param": None, "code": None}}


def _plain_error(_: int, message: str) -> Body:
    return {"message": message}


@dataclass(frozen=True, slots=True)
class Wire:
    """A provider as litellm reaches it: its model, what it says, where it is asked."""

    model: str
    good: Callable[..., Body]
    path: str
    header: str = "authorization"
    error: Callable[[int, str], Body] = _openai_error
    end: str = "stop"
    cut: str = "length"
    served: str | None = "modello-prova"
    usage: str = "usage"
    thought_tokens: int | None = None
    options: Mapping[str, str] = field(default_factory=dict)

    def refusal(self, status: int, message: str = "guasto", **headers: str) -> Answer:
        """Return an error of this provider's."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return Answer(self.error(status, message), status, named)


WIRES: Final[Mapping[str, Wire]] = {
    "anthropic": Wire(
        "anthropic/claude-sonnet-4-5",
        anthropic,
        "/v1/messages",
        "x-api-key",
        _anthropic_error,
        "end_turn",
        "max_tokens",
        "claude-prova",
    ),
    "gemini": Wire(
        "gemini/gemini-2.5-flash",
        gemini,
        "/models/gemini-2.5-flash:generateContent",
        "x-goog-api-key",
        _google_error,
        "STOP",
        "MAX_TOKENS",
        "gemini-prova",
        "usageMetadata",
        36,
    ),
    "bedrock": Wire(
        "bedrock/anthropic.claude-3-5-sonnet-20240620-v1:0",
        bedrock,
        "/model/anthropic.claude-3-5-sonnet-20240620-v1:0/converse",
        error=_plain_error,
        end="end_turn",
        cut="max_tokens",
        served=None,
        options={"aws_region_name": "us-east-1"},
    ),
    "cohere": Wire(
        "cohere/command-a-03-2025",
        cohere,
        "/",
        error=_plain_error,
        end="COMPLETE",
        cut="MAX_TOKENS",
        served=None,
    ),
    "mistral": Wire("mistral/mistral-large-latest", openai, "/v1/chat/completions"),
    "groq": Wire("groq/llama-3.3-70b-versatile", openai, "/chat/completions"),
    "together": Wire("together_ai/meta-llama/Llama-3", openai, "/chat/completions"),
    "azure": Wire(
        "azure/gpt-4o",
        openai,
        "/openai/deployments/gpt-4o/chat/completions",
        "api-key",
        options={"api_version": "2024-10-21"},
    ),
    "perplexity": Wire("perplexity/sonar", openai, "/chat/completions"),
}
