"""Secrets taken out of what is shown, logged and kept: errors, names, a request as it is sent.

A secret is known as it is and as an address, JSON or HTML quotes it, also where a text was cut in the
middle of it. Answers are never altered: of one that holds a key it is only said that it does.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from apieval.config.secrets import names_a_secret
from apieval.patterns import regex
from apieval.providers.base import Wire

if TYPE_CHECKING:
    import httpx

    from apieval.errors import AttemptFailed
    from apieval.records import Reply

MASKED: Final = "***"
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
_CUT: Final = "…"
_SCHEMES: Final = frozenset({"apikey", "basic", "bearer", "digest", "key", "token"})
"""What stands before a secret in a header; any other first word may be a part of it."""


class Mask:
    """Take secrets out of failures, texts and requests; with None there is nothing to take out.

    What stands in for a key where a server wants none (`EMPTY`, `8`, a word of the prompt) is left
    alone, since it would take ordinary words out of every text.
    """

    def __init__(self, *secrets: str | None, passwords: Iterable[str] = ()) -> None:
        """Take out `secrets`, and `passwords`, which are such whatever word they are."""
        given = [*passwords, *(each for each in secrets if each and not is_ordinary(each))]
        long = sorted((each for each in given if len(each) >= _LEAST_SECRET), key=len, reverse=True)
        self._forms = tuple(dict.fromkeys(form for each in long for form in _quoted(each)))
        self._starts = regex("|".join(re.escape(form[: _LEAST_SHOWN + 1]) for form in self._forms))
        short = "|".join(re.escape(each) for each in given if each not in long)
        self._words = regex(rf"(?<!\w)(?:{short})(?!\w)") if short else None

    def reply(self, reply: Reply) -> Reply:
        """Return a reply that says whether it holds a key.

        The answer stays as it came; names, which are printed wherever the run is spoken of, do not.
        """
        if not any(self._in(getattr(reply, name)) for name in (*_SPOKEN, *_NAMES)):
            return reply
        names = {name: getattr(reply, name) for name in _NAMES}
        masked = {name: self.text(said) if self._in(said) else said for name, said in names.items()}
        return reply.model_copy(update={**masked, "holds_key": True})

    def _in(self, text: str | None) -> bool:
        return text is not None and any(form in text for form in self._forms)

    def failure(self, failure: AttemptFailed) -> AttemptFailed:
        """Return the same failure, its message without the key."""
        failure.args = (self.text(str(failure)),)
        return failure

    def text(self, text: str) -> str:
        """Return a text without the key: whole, cut by us, or at least half of it.

        Half of a short one may be a word (`token-` of `token-abc123`).
        """
        shown, done, at = "", 0, 0
        while self._forms and (begin := self._starts.search(text, at)):
            at = begin.start()
            ahead = ((form, text[at : at + len(form)]) for form in self._forms)
            length, form = max((len(commonprefix(pair)), pair[0]) for pair in ahead)  # noqa: RUF071
            enough = max((len(form) + 1) // 2, _LEAST_SECRET)
            if length >= enough or text.startswith(_CUT, at + length):
                shown, done = shown + text[done:at] + MASKED, at + length
            at = max(at + 1, done)
        shown += text[done:]
        return self._words.sub(MASKED, shown) if self._words else shown

    def value(self, value: Any) -> Any:  # noqa: ANN401 # any JSON
        """Return JSON without the key in any text of it, names included."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list | tuple):
            return [self.value(each) for each in value]
        if isinstance(value, Mapping):
            return {self.text(name): self.value(each) for name, each in value.items()}
        return value

    def wire(
        self, request: httpx.Request, added: Mapping[str, str], configured: Collection[str]
    ) -> Wire:
        """Return a request that is ready to be sent, without what must not be seen.

        `added` are headers that the transport adds to a request that lacks them. Of headers that the
        user `configured` the name alone is shown. Secrets are known by the key itself and by the
        names of headers and query fields: a cloud's token or signature is made on the way, and is no
        key that anybody configured.
        """
        hidden = {name.lower() for name in configured}
        lacking = {name: each for name, each in added.items() if name not in request.headers}
        headers = {
            name: self._header(name, value, hidden)
            for name, value in {**request.headers, **lacking}.items()
        }
        parts = urlsplit(str(request.url))
        fields = [
            (name, MASKED if names_a_secret(name) else self.text(value))
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
        ]
        url = parts._replace(query=urlencode(fields, safe="*"), path=self.text(parts.path))
        try:
            body = self.value(json.loads(request.content))
        except ValueError:
            body = self.text(request.content.decode("utf-8", "replace"))
        return Wire(request.method, url.geturl(), headers, body)

    def _header(self, name: str, value: str, hidden: Collection[str]) -> str:
        """Return what is shown of a header's value: of an authorization its scheme, as `Bearer ***`."""
        if names_a_secret(name):
            scheme, blank, _ = value.partition(" ")
            return f"{scheme} {MASKED}" if blank and scheme.lower() in _SCHEMES else MASKED
        return MASKED if name in hidden else self.text(value)


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


def _quoted(secret: str) -> Iterator[str]:
    """Yield a secret as it is, and as it stands in an address, in JSON and in HTML."""
    yield secret
    for safe in ("", "/"):
        yield (in_address := quote(secret, safe=safe))
        yield re.sub("%..", lambda found: found[0].lower(), in_address)
    for ascii_alone in (True, False):
        yield (in_json := json.dumps(secret, ensure_ascii=ascii_alone)[1:-1])
        yield in_json.replace("/", "\\/")
    yield html.escape(secret)
