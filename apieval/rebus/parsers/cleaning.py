"""The text of an answer without what a reader does not see: odd characters, a model's own tokens.

Every pattern here takes linear time on any text, as everything under `tolerant` must.
"""

from __future__ import annotations

import re
from typing import Final

from apieval.rebus.characters import APOSTROPHES, composed

_CHANGES: Final = (
    ("crlf", re.compile("\r\n?"), "\n"),
    ("line_break", re.compile("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|<br ?/?>"), "\n"),
    (
        "invisible",
        re.compile(
            "[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
            "\u2060-\u206f\ufe00-\ufe0f\ufeff]"
        ),
        "",
    ),
    ("blank", re.compile("[\t\x1f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"), " "),
    ("apostrophe", APOSTROPHES, "'"),
    ("apostrophe", re.compile(r"(?<=[^\W\d_])`(?=[^\W\d_])"), "'"),
)
_ODD: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\t\x7f\x85\u00a0\u00ad\u00b4\u02b0-\u036f\u055a\u061c\u1680\u180e"
    "\u2000-\u200f\u2018-\u201b\u2028-\u202f\u2032\u205f-\u206f\u3000\ua78c\ufe00-\ufe0f\ufeff"
    "\uff00-\uffef`<]"
)
"""At least what the patterns above change."""
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE_FORM: Final = re.compile("[\uff01-\uff5e]")
_TOKEN: Final = re.compile(
    r"<\|[^|<>\n]{1,40}+\|>|</?s>|\[/?INST\]"
    "|<(?:end_of_turn|start_of_turn|end_of_text|eos|bos|pad|EOT)>"
)


def clean(text: str) -> tuple[str, set[str]]:
    r"""Return a text whose lines end in `\n` and whose characters are plain, and what was changed."""
    seen: set[str] = set()
    if _WIDE_FORM.search(text):
        seen.add("full_width")
        text = text.translate(_WIDE)
    if _ODD.search(text):
        for kind, pattern, plain in _CHANGES:
            text, count = pattern.subn(plain, text)
            if count:
                seen.add(kind)
    whole = composed(text)
    if whole != text:
        seen.add("unicode_form")
    return whole, seen


def without_tokens(text: str) -> str:
    """Return a text without a model's own tokens, which are line ends of their own."""
    return _TOKEN.sub("\n", text) if "<" in text or "[" in text else text
