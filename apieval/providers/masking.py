"""A key taken out of what is shown, logged and kept of errors: a server may put it into its message.

It may come in another dress: as in an address, in JSON or in HTML, as base64 (alone or behind
`user:`) or hexadecimal digits, broken over lines, or cut. Answers are never altered: of one that
holds a key it is only said that it does.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from apieval.errors import AttemptFailed
from apieval.patterns import regex
from apieval.schema import Reply

_LEAST_SHOWN: Final = 4
_LEAST_SECRET: Final = 8
"""What is shorter is looked for as a word of its own alone."""
_LONGEST_WORDS: Final = 20
"""From this length on letters alone are a key or a password, no word of Italian."""
_MOST_WORDS: Final = 3
"""`OpenAI` and `NotNeeded` are words; letters that change their case more often are a key."""
_WORDS: Final = regex(r"[A-Z]+[a-z]*|[a-z]+")
_JOINTS: Final = regex(r"[-_. ]")
_BETWEEN: Final = regex(r"[\s;,=]+")
_SPOKEN: Final = ("text", "reasoning")
_NAMES: Final = ("finish_reason", "served_model", "system_fingerprint")
_MASKED: Final = "***"
_CUT: Final = "…"
_IN_ADDRESSES: Final = str.maketrans("+/", "-_")
"""What base64 writes instead where it is to stand in an address."""
_GAP: Final = r"[\s\u200b-\u200f\u2060\ufeff]*"


class _Form(NamedTuple):
    """One form of a key: how it begins, and each of its characters as it may be written."""

    start: re.Pattern[str]
    steps: tuple[re.Pattern[str], ...]

    def end(self, text: str, begin: re.Match[str]) -> int | None:
        """Return where the form ends that begins there: whole, cut, or at least half of it.

        Half of a short one may be a word (`token-` of `token-abc123`).
        """
        length, at = _LEAST_SHOWN + 1, begin.end()
        while length < len(self.steps) and (step := self.steps[length].match(text, at)):
            length, at = length + 1, step.end()
        enough = max((len(self.steps) + 1) // 2, _LEAST_SECRET)
        is_it = length >= enough or text.startswith(_CUT, at)
        return at if is_it else None

    def taken_out(self, text: str) -> str:
        """Return a text without this form of the key."""
        parts, done, at = [], 0, 0
        while begin := self.start.search(text, at):
            end = self.end(text, begin)
            at = begin.start() + 1 if end is None else end
            if end is not None:
                parts += [text[done : begin.start()], _MASKED]
                done = end
        return "".join([*parts, text[done:]])


class Mask:
    """Take secrets out of failures and texts; with None there is nothing to take out.

    What stands in for a key where a server wants none (`EMPTY`, `8`, a word of the prompt) is left
    alone, since it would take ordinary words out of every text.
    """

    def __init__(self, *secrets: str | None, passwords: Iterable[str] = ()) -> None:
        """Take out `secrets`, and `passwords`, which are such whatever word they are."""
        given = [*passwords, *(each for each in secrets if each and not is_ordinary(each))]
        long = [each for each in given if len(each) >= _LEAST_SECRET]
        encoded = [form for each in long for form in _encoded(each)]
        in_addresses = (each.translate(_IN_ADDRESSES) for each in encoded)
        quoted = (quote(each, safe="") for each in long)
        self._exact = (*long, *quoted, *encoded, *in_addresses)
        self._forms = tuple(map(_form, (*long, *encoded)))
        short = "|".join(re.escape(each) for each in given if each not in long)
        self._words = regex(rf"(?<!\w)(?:{short})(?!\w)") if short else None

    def reply(self, reply: Reply) -> Reply:
        """Return a reply that says whether it holds a key.

        The answer stays as it came; names, which are printed wherever the run is spoken of, do not.
        """
        if not any(self._in(getattr(reply, name)) for name in (*_SPOKEN, *_NAMES)):
            return reply
        names = {name: self._without(getattr(reply, name)) for name in _NAMES}
        return reply.model_copy(update={**names, "holds_key": True})

    def _in(self, text: str | None) -> bool:
        return text is not None and any(form in text for form in self._exact)

    def _without(self, text: str | None) -> str | None:
        return self.text(text) if self._in(text) and text else text

    def failure(self, failure: AttemptFailed) -> AttemptFailed:
        """Return the same failure, its message without the key."""
        failure.args = (self.text(str(failure)),)
        return failure

    def text(self, text: str) -> str:
        """Return a text without the key, also where the text was cut in the middle of it."""
        for form in self._forms:
            text = form.taken_out(text)
        if self._words:
            text = self._words.sub(_MASKED, text)
        return text

    def value(self, value: Any) -> Any:  # noqa: ANN401 # any JSON
        """Return JSON without the key in any text of it, names included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        if isinstance(value, Mapping):
            return {self.text(name): self.value(each) for name, each in value.items()}
        return value


def secrets_in(headers: Mapping[str, str]) -> Iterator[str]:
    """Yield what nobody may see of headers: their values, and the parts of them (`Bearer KEY`)."""
    for value in headers.values():
        yield value
        yield from _BETWEEN.split(value)


def is_ordinary(secret: str) -> bool:
    """Say whether what is given for a key is a word or two, or a short number, and so no secret."""
    if len(secret) < _LEAST_SHOWN or secret.isdecimal():
        return len(secret) < _LEAST_SECRET
    parts = _JOINTS.split(secret)
    if len(secret) >= _LONGEST_WORDS or not all(each.isalpha() for each in parts):
        return False
    return all(len(_WORDS.findall(each)) <= _MOST_WORDS for each in parts)


def _form(text: str) -> _Form:
    first, *rest = (_written(each) for each in text)
    start = first + "".join(_GAP + each for each in rest[:_LEAST_SHOWN])
    return _Form(regex(start, re.IGNORECASE), tuple(map(_step, text)))


def _written(character: str) -> str:
    """Return how a character may be written: itself, or as in an address, in JSON or in HTML."""
    code = ord(character)
    also = re.escape(character.translate(_IN_ADDRESSES))
    return (
        rf"(?:\\?{re.escape(character)}|{also}|%{code:02x}|\\u{code:04x}|\\x{code:02x}"
        rf"|&\#0*{code};|&\#x0*{code:x};)"
    )


@lru_cache(maxsize=256)
def _step(character: str) -> re.Pattern[str]:
    return regex(_GAP + _written(character), re.IGNORECASE)


def _encoded(key: str) -> Iterator[str]:
    """Yield what is always there of a key's base64, wherever in a longer text it begins, and its hex.

    Characters that are made of its neighbours too are left out.
    """
    content = key.encode()
    for before in range(3):
        text = b64encode(bytes(before) + content).decode().rstrip("=")
        shared = (before + len(content)) % 3 > 0
        yield text[(0, 2, 3)[before] : len(text) - shared]
    yield content.hex()
