"""A key taken out of everything that comes back: a server may put it into its message."""

from __future__ import annotations

from typing import Final

from apieval.errors import AttemptFailed
from apieval.schema import Reply

_LEAST_SHOWN: Final = 4
_TEXTS: Final = ("text", "reasoning", "finish_reason", "served_model", "system_fingerprint")


class Mask:
    """Take one key out of replies, failures and texts; None has nothing to take out."""

    def __init__(self, key: str | None) -> None:
        self._key = key

    def reply(self, reply: Reply) -> Reply:
        """Return a reply whose texts do not hold the key."""
        texts = {
            name: value.replace(self._key, "***")
            for name in _TEXTS
            if self._key and (value := getattr(reply, name)) and self._key in value
        }
        return reply.model_copy(update=texts) if texts else reply

    def failure(self, failure: AttemptFailed) -> AttemptFailed:
        """Return the same failure, its message without the key."""
        failure.args = (self.text(str(failure)),)
        return failure

    def text(self, text: str) -> str:
        """Return a text without the key, also where the text was cut in the middle of it."""
        if not self._key:
            return text
        text = text.replace(self._key, "***")
        for length in range(len(self._key) - 1, _LEAST_SHOWN, -1):
            text = text.replace(f"{self._key[:length]}…", "***…")
        return text
