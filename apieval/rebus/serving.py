"""What a text shows of the server that sent it: faults that are not the model's.

A broken detokenizer leaves its vocabulary's marks where blanks and line ends belong, a gateway
escapes a text for a page, a reasoning parser of another model takes the whole answer for thoughts.
All of it counts wrong, and none of it says anything about the model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from apieval.patterns import regex

REASONING_PARSER: Final = (
    "start the server with the model's own (vLLM, SGLang: --reasoning-parser; llama.cpp: "
    "--reasoning-format) or with none"
)
"""What helps where thoughts and answer are not told apart."""
_LINE: Final = regex(
    r"^[^\w\n]*(?:la )?(?:soluzione|solution)(?: finale)?[^\w\n]*:[^\w\n]*\w",
    re.IGNORECASE | re.MULTILINE,
)
_JSON: Final = regex(r"\s*(?:```\w*\s*)?[\[{]")
_NEEDLES: Final = ("Ġ", "Ċ", "▁", "<0x", "\\n", "\\u00", "<|", "</s>", "<end_of", "<eos>", "&", "Ã")
"""One of them is in every text that one of the patterns below finds something in."""


def _found(pattern: str) -> Callable[[str], Iterator[str]]:
    find = regex(pattern)

    def found(text: str) -> Iterator[str]:
        if match := find.search(text):
            yield match[0]

    return found


def _escaped(text: str) -> Iterator[str]:
    r"""Yield `\n` and `\u00e8` as they stand; a JSON object may hold them by right."""
    if _JSON.match(text):
        return
    ends = text.count("\\n")
    if ends > 1 and ends > text.count("\n"):
        yield "literal \\n"
    yield from _UNICODE(text)


_UNICODE: Final = _found(r"\\u00[0-9a-f]{2}")
_KINDS: Final[tuple[tuple[str, Callable[[str], Iterator[str]]], ...]] = (
    ("tokenizer_marks", _found("Ġ")),
    ("tokenizer_marks", _found("Ċ")),
    ("tokenizer_marks", _found("▁")),
    ("tokenizer_marks", _found("<0x[0-9A-F]{2}>")),
    ("tokenizer_marks", _escaped),
    ("special_tokens", _found(r"<\|[^|<>\s]{1,40}\|>|</s>|<end_of_(?:turn|text)>|<eos>")),
    (
        "html_entities",
        _found("&(?:#x?[0-9a-fA-F]{2,5}|amp|lt|gt|quot|apos|nbsp|[a-zA-Z](?:grave|acute));"),
    ),
    ("wrong_encoding", _found("Ã[\u0080-\u00bf\u0152-\u2122]")),
)
"""By kind of fault, what finds its marks; sources: the vocabularies of byte-level BPE (GPT-2) and of
SentencePiece, and what a text is that was escaped, or decoded as Latin-1, once too often."""
SAID: Final = {
    "tokenizer_marks": "a tokenizer's marks ({}): the server's tokenizer is at fault, not the model; "
    "update the server or its tokenizer files",
    "special_tokens": "special tokens ({}): the server does not take them out; let it skip them "
    "(vLLM: skip_special_tokens), or name the model's end of turn in `stop`",
    "html_entities": "HTML entities ({}): the server or a gateway escapes them, not the model",
    "wrong_encoding": "UTF-8 read as Latin-1 ({}): the server or a gateway is at fault, not the model",
}
"""By kind of fault what is said of a text, with the marks found in it."""


def marks(text: str) -> dict[str, list[str]]:
    """Return by kind of fault which marks stand in a text, each as it first does."""
    found: dict[str, list[str]] = {}
    if any(needle in text for needle in _NEEDLES):
        for kind, find in _KINDS:
            for mark in find(text):
                found.setdefault(kind, []).append(mark)
    return found


def answered_in_thoughts(text: str, reasoning: str | None) -> bool:
    """Say whether nothing was said, and what was thought has a line with a solution."""
    return not text.strip() and bool(reasoning) and _LINE.search(reasoning or "") is not None
