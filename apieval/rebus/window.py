"""Answers that a server cuts before the limit that was sent: its window is full, or it has its own limit.

Prompt and answer share a window. A server that clamps an answer to what is left of it (vLLM, SGLang)
or stops where it ends (llama.cpp, Ollama) gives `length` as the reason, as for any other limit; a
larger `max_tokens` would make another run with the same cuts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from apieval.config.models import TOKEN_LIMITS
from apieval.records import Usage
from apieval.wording import counted

LARGER: Final = (
    "start it with a larger --max-model-len (SGLang: --context-length, llama.cpp: -c, Ollama: "
    "OLLAMA_CONTEXT_LENGTH)"
)
"""What helps against a window that is too small."""
SLACK: Final = 2
"""Tokens by which counts differ: servers count the token that ends an answer, or do not."""
SEVERAL: Final = 3
"""So many cuts tell a window, whose sums are equal, from a limit of the server's own."""
_MOST_SUMS: Final = 64


@dataclass(slots=True)
class Cuts:
    """The answers cut before their limit, counted: few numbers, however many answers there are."""

    early: int = 0
    least: int = 0
    most: int = 0
    sums: Counter[int] = field(default_factory=Counter)

    def add(self, limit: int | None, usage: Usage) -> None:
        """Take in a cut answer: the limit that was sent, and its tokens as far as they are known."""
        prompt, answer, thoughts = (
            usage.prompt_tokens,
            usage.completion_tokens,
            usage.reasoning_tokens or 0,
        )
        if limit is None or answer is None:
            return
        answer += thoughts if thoughts > answer else 0  # some count them apart
        if answer + SLACK >= limit:
            return
        self.least = min(self.least, answer) if self.early else answer
        self.most = max(self.most, answer)
        self.early += 1
        if prompt is not None and len(self.sums) < _MOST_SUMS:
            self.sums[prompt + answer] += 1

    def said(self, name: str, limit: int, window: int | None = None) -> str | None:
        """Return what cut them and what helps, None where nothing was cut before its limit.

        `name` is the limit's, `window` the server's own word on how long prompt and answer may be.
        """
        if not self.early:
            return None
        tokens = (
            f"{self.least:,}" if self.least == self.most else f"{self.least:,} to {self.most:,}"
        )
        more = "token" if tokens == "1" else "tokens"
        return f"cut after {tokens} {more} although {name} is {limit:,}: {self._why(window)}"

    def _why(self, window: int | None) -> str:
        sums = [*self.sums, *([window] if window else [])]
        spread = max(sums) - min(sums) if self.sums else None
        if spread is None or (spread > SLACK and self.least != self.most):
            return "the server ends answers earlier, by a limit or a window of its own; raise that"
        if spread <= SLACK and (window or self.early >= SEVERAL):
            return f"the server's window ({max(sums):,}) is full; {LARGER}, then --retry-truncated"
        if self.early >= SEVERAL:
            return f"the server has a limit of its own ({self.most:,}); raise it, then --retry-truncated"
        return (
            f"the server's window ({max(self.sums):,}) is full, or it has a limit of its own; {LARGER}, "
            "then --retry-truncated"
        )


def limit_of(sampling: Mapping[str, Any] | None) -> tuple[str, int] | None:
    """Return the limit of an answer's tokens that was sent, with its name; None where none was."""
    known = sampling or {}
    found = [(name, known[name]) for name in TOKEN_LIMITS if isinstance(known.get(name), int)]
    return found[0] if found else None


def outside(total: int, over: int, limit: int, name: str, window: int) -> str | None:
    """Return that prompts and the limit are too long for a window, in so many requests of a run."""
    if not over:
        return None
    return (
        f"the server's window is {window:,}: in {over:,} of {counted(total, 'request')} it leaves less "
        f"than {name} ({limit:,}) for the answer, which is refused or cut; lower {name}, or {LARGER}"
    )
