"""A reply's bytes as the document they hold, however a server, or what stands before it, bent them.

What was generated is paid, so a body is read as long as it says one thing: half a letter, a line
break that nobody escaped, text behind the JSON, another encoding, an event stream. Each repair is
named beside the document. What cannot be read is told, and nothing is made up.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from email.message import Message
from itertools import pairwise
from typing import Any, Final, NamedTuple

from apieval.providers.json_repair import decoded

NO_UTF8: Final = "bytes that are no UTF-8, read as U+FFFD"
AROUND: Final = "text around its JSON, left out"
STREAMED: Final = "an event stream, though none was asked for, put together"
OTHER_STREAM: Final = (
    "an event stream that holds no chunks of an answer; say extra_body: {stream: false}"
)
_REPLACED: Final = "\ufffd"
_BLANK: Final = " \t\r\n\ufeff"
_BLANKS: Final = re.compile(r"[ \t\r\n\ufeff]*")
_STREAM: Final = re.compile(r"[\s\ufeff]*(?:(?:data|event|id|retry)\s*:|:)")
_LINES: Final = re.compile(r"\r\n|\r|\n")  # of an event stream no other character ends a line
_DONE: Final = "[DONE]"
_WIDER: Final = {"iso8859-1": "cp1252", "ascii": "cp1252"}
"""Who declares Latin-1 means Windows' form of it (WHATWG, Encoding, names and labels)."""
_OBJECT: Final = re.compile(r'\{\s*"')
_ENVELOPES: Final = ("data", "result", "response", "body")
"""Where gateways put a completion inside an answer of their own."""
_TRIES: Final = 20


class Document(NamedTuple):
    """What a body says; `repaired` names what had to be mended, `begun` that an answer had begun."""

    value: Any
    repaired: tuple[str, ...] = ()
    begun: bool = False


class UnreadableBody(Exception):  # told as a failure by who knows the address
    """Report a body in which there is no document.

    `begun` says that some of an answer is there, `always` that every reply will be so.
    """

    def __init__(self, why: str, *, begun: bool = False, always: bool = False) -> None:
        super().__init__(why)
        self.begun, self.always = begun, always


def document(content: bytes, headers: Mapping[str, str]) -> Document:
    """Return the document in a body.

    Raises:
        UnreadableBody: where there is none, or only the first part of one.
    """
    try:
        value = json.loads(content)  # UTF-8, -16 or -32, with a mark in front or without
    except (ValueError, RecursionError):
        return _mended(content, headers)
    value = _unwrapped(value)
    return _put_together([value], (STREAMED,), done=False) if _is_chunk(value) else Document(value)


def _unwrapped(value: object) -> object:
    """Return the completion that a list of one, a text or a gateway's envelope holds."""
    if isinstance(value, list):
        inner: Sequence[object] = value if len(value) == 1 else ()
    elif isinstance(value, str) and value.lstrip(_BLANK).startswith("{"):
        try:
            inner = [json.loads(value)]
        except (ValueError, RecursionError):
            return value
    elif isinstance(value, dict) and "choices" not in value:
        inner = [value.get(name) for name in _ENVELOPES]
    else:
        return value
    return next((each for each in inner if isinstance(each, dict) and each.get("choices")), value)


def _mended(content: bytes, headers: Mapping[str, str]) -> Document:
    text, repaired = _text(content, headers)
    if _STREAM.match(text):
        return _streamed(text, repaired)
    values, around = _values(text)
    chosen = [each for each in values if isinstance(each, dict) and each.get("choices")]
    if chosen and _is_chunk(chosen[0]):
        return _put_together(values, (*repaired, STREAMED), done=False)
    if not chosen and sum(isinstance(each, dict) and "done" in each for each in values) > 1:
        raise UnreadableBody(OTHER_STREAM, begun=True, always=True)  # Ollama's own
    return Document(next(iter(chosen), _unwrapped(values[0])), (*repaired, *around))


def _text(content: bytes, headers: Mapping[str, str]) -> tuple[str, tuple[str, ...]]:
    """Return a body as text: in UTF-8 where most of it is, else as its headers declare it."""
    found = json.detect_encoding(content)
    if not found.startswith("utf-8"):
        return content.decode(found, "replace"), ()
    text = content.decode(found, "replace")
    wrong = text.count(_REPLACED) - content.count(_REPLACED.encode())
    if not wrong:
        return text, ()
    right = sum(not each.isascii() for each in text) - wrong
    declared = None if right > wrong else _declared(content, headers)
    return (text, (NO_UTF8,)) if declared is None else (declared, ())


def _declared(content: bytes, headers: Mapping[str, str]) -> str | None:
    said = Message()
    said["content-type"] = headers.get("content-type", "")
    try:
        name = codecs.lookup(said.get_content_charset() or "utf-8").name
        return content.decode(_WIDER.get(name, name))
    except (LookupError, ValueError):
        return None


def _values(text: str) -> tuple[list[Any], tuple[str, ...]]:
    """Return the documents a text holds one after the other, and what is to be said of that."""
    repaired: list[str] = []
    page = text.lstrip(_BLANK).startswith("<")
    end = 0
    for tried in range(_TRIES):
        if not (found := _OBJECT.search(text, end)):
            break
        start = found.start()
        values, end = _in_a_row(text, start, repaired)
        end = max(end, start + 1)
        if not values or ((page or tried) and not any("choices" in each for each in values)):
            continue  # a remark in braces, a page's script, or a part of what is cut
        if text[:start].strip(_BLANK) or text[end:].strip(_BLANK) or len(values) > 1:
            repaired.append(AROUND)
        return values, tuple(repaired)
    begun = not page and ("{" in text or text.lstrip(_BLANK).startswith("["))
    raise UnreadableBody("not JSON", begun=begun)


def _in_a_row(text: str, start: int, repaired: list[str]) -> tuple[list[Any], int]:
    """Return the objects that stand one behind the other, and where the last of them ends."""
    values: list[Any] = []
    end = start
    while text[end : end + 1] == "{":
        try:
            value, end = decoded(text, end, repaired)
        except (ValueError, RecursionError):
            break
        values.append(value)
        end = _BLANKS.match(text, end).end()  # type: ignore[union-attr] # blanks or none
    return values, end


def _streamed(text: str, repaired: Sequence[str]) -> Document:
    """Return what an event stream says, its chunks put together."""
    mended = list(repaired)
    events: list[Any] = []
    done = False
    for data in _events(text):
        if data == _DONE:
            done = True
            break
        if not data.startswith(("{", "[{")):
            continue  # another word for the beginning, the end or a sign of life
        try:
            value, _ = decoded(data, 0, mended)
        except (ValueError, RecursionError):
            break  # of a stream that broke off; in the middle of one nothing behind it counts
        events.append(value)
    return _put_together(events, (*mended, STREAMED), done=done)


def _events(text: str) -> Iterator[str]:
    """Yield the data of each event.

    Some servers leave out the blank line between two, some break one event into several lines.
    """
    lines: list[str] = []
    for line in (*_LINES.split(text), ""):
        name, colon, value = line.lstrip("\ufeff").partition(":")
        if colon and name.strip() == "data" and value.strip():
            lines.append(value.strip())
        elif line.lstrip().startswith("{"):  # behind remarks that keep the connection open
            lines.append(line.strip())
        elif not line.strip():
            whole = not lines or lines[0].endswith(("}", "]")) or not lines[0].startswith("{")
            yield from lines if whole else ["\n".join(lines)]
            lines = []


def _is_chunk(value: object) -> bool:
    """Say whether a document is a part of an answer rather than a whole one."""
    choices = value.get("choices") if isinstance(value, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(first, dict) and "delta" in first and "message" not in first


def _put_together(values: Sequence[Any], repaired: tuple[str, ...], *, done: bool) -> Document:
    """Return the completion that the chunks of an answer make.

    Raises:
        UnreadableBody: where the end is missing.
    """
    answer = _Answer()
    for value in values:
        if not isinstance(value, dict):
            continue
        if _is_error(value):
            if answer.whole:
                break  # what failed behind a whole answer is not the answer
            return Document(value, repaired, begun=answer.begun)
        answer.add(value)
    other = any(values) and not any("choices" in each for each in values if isinstance(each, dict))
    if not answer.begun and (done or other):
        raise UnreadableBody(OTHER_STREAM, begun=True, always=True)
    if answer.reason is None and not done:
        raise UnreadableBody("its event stream broke off", begun=bool(values))
    return Document(answer.completion(), repaired, begun=answer.begun)


def _is_error(event: Mapping[str, Any]) -> bool:
    """Say whether an event tells of an error, in an object of its own or by itself."""
    said = [event.get(name) for name in ("message", "detail")]
    return bool(event.get("error")) or (
        "choices" not in event and any(isinstance(each, str) for each in said)
    )


class _Answer:
    """An answer on its way: the texts of its chunks, and what the last of them say."""

    def __init__(self) -> None:
        self.begun = False
        self.reason: object = None
        self._texts: dict[str, list[Any]] = {}
        self._messages: list[Mapping[str, Any]] = []
        self._top: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}

    @property
    def whole(self) -> bool:
        """Say whether its text came, and its end."""
        return self.reason is not None and bool(self._texts.get("content") or self._messages)

    def add(self, chunk: Mapping[str, Any]) -> None:
        """Take a chunk in; of several answers only the first is read."""
        groq = chunk.get("x_groq")
        usage = chunk.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
        said = {
            **{name: chunk.get(name) for name in ("model", "system_fingerprint")},
            "usage": usage,
        }
        self._top |= {name: value for name, value in said.items() if value}
        for choice in chunk.get("choices") or []:
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                self._add_choice(choice)

    def _add_choice(self, choice: Mapping[str, Any]) -> None:
        self.begun = True
        if choice.get("finish_reason") is not None:
            self.reason = choice["finish_reason"]
        if isinstance(choice.get("message"), dict):
            self._messages.append(choice["message"])
        self._choice |= {k: v for k, v in choice.items() if k not in {"delta", "message", "text"}}
        delta = choice.get("delta")
        said = delta if isinstance(delta, dict) else {"content": choice.get("text")}
        for name, piece in said.items():
            if isinstance(piece, str | list) and name != "role":
                self._texts.setdefault(name, []).append(piece)

    def completion(self) -> dict[str, Any]:
        """Return all that came as one whole answer."""
        if not self.begun:
            return {**self._top, "choices": []}
        message = {name: _joined(pieces) for name, pieces in self._texts.items()}
        if self._messages and not message.get("content"):
            message |= _of_messages(self._messages)
        choice = {**self._choice, "message": message, "finish_reason": self.reason}
        return {**self._top, "choices": [choice]}


def _of_messages(messages: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the message of chunks that say `message` for `delta`: pieces, or ever more of one."""
    texts = [each["content"] for each in messages if isinstance(each.get("content"), str)]
    longer = all(new.startswith(old) for old, new in pairwise(texts))
    if longer or len(texts) < len(messages):
        return messages[-1]
    return {**messages[-1], "content": "".join(texts)}


def _joined(pieces: Sequence[str | list[Any]]) -> str | list[Any]:
    """Return the pieces of a field as one: a text, or where some are lists of parts, their list."""
    texts = [piece for piece in pieces if isinstance(piece, str)]
    if len(texts) == len(pieces):
        return "".join(texts)
    as_parts = [
        [{"type": "text", "text": each}] if isinstance(each, str) else each for each in pieces
    ]
    return [part for parts in as_parts for part in parts]
