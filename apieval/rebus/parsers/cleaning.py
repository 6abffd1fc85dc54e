"""The text of an answer without odd characters and a model's own tokens; a line without its markup.

Every pattern here takes linear time on any text, as everything under `tolerant` must.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from apieval.patterns import regex
from apieval.rebus.characters import APOSTROPHES, composed

_CHANGES: Final = (
    ("crlf", regex("\r\n?"), "\n"),
    ("line_break", regex("[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]|<br ?/?>"), "\n"),
    (
        "invisible",
        regex(
            "[\x00-\x08\x0e-\x1b\x7f\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e"
            "\u2060-\u206f\ufe00-\ufe0f\ufeff]"
        ),
        "",
    ),
    ("blank", regex("[\t\x1f\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]"), " "),
    ("apostrophe", APOSTROPHES, "'"),
    ("apostrophe", regex(r"(?<=[^\W\d_])`(?=[^\W\d_])"), "'"),
)
_ODD: Final = regex(
    "[\x00-\x08\x0b-\x1f\t\x7f\x85\u00a0\u00ad\u00b4\u02b0-\u036f\u055a\u061c\u1680\u180e"
    "\u2000-\u200f\u2018-\u201b\u2028-\u202f\u2032\u205f-\u206f\u3000\ua78c\ufe00-\ufe0f\ufeff"
    "\uff00-\uffef`<]"
)
"""At least what the patterns above change."""
_WIDE: Final = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_WIDE_FORM: Final = regex("[\uff01-\uff5e]")
_TOKEN: Final = regex(
    r"<\|[^|<>\n]{1,40}+\|>|</?s>|\[/?INST\]"
    "|<(?:end_of_turn|start_of_turn|end_of_text|eos|bos|pad|EOT)>"
)


_STRUCK: Final = regex(
    r"(?<!~)~~(?!~)[^~\n]{1,1000}+~~(?!~)|(?:[^\n][\u0335\u0336])++"
    r"|<(del|strike)>[^<]{0,4000}+</\1>|(?<=[^\s>] )<s>[^<\n]{1,1000}+</s>|\\(?:sout|st|cancel)\{[^{}\n]{0,1000}+\}",
    re.IGNORECASE,
)
"""Text that was struck out: by tildes, tags, LaTeX, or a stroke through every letter."""
_BYTES: Final = regex("(?:<0x[0-9A-Fa-f]{2}>)++")
_ESCAPES: Final = regex(r"(?:\\u[0-9A-Fa-f]{4})++")
_ESCAPED_BREAK: Final = regex(r"(?:\\++r)?\\++n")
_SURE_BREAK: Final = regex(r"\\n(?![a-z])")
"""One that is no command of LaTeX (`\\neq`)."""
_ENTITY: Final = regex("&(?:amp;)?(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_VISIBLE: Final = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
_HIDDEN: Final = [byte for byte in range(0x100) if byte not in _VISIBLE]
_BYTE_OF: Final = {
    **{chr(byte): byte for byte in _VISIBLE},
    **{chr(0x100 + at): byte for at, byte in enumerate(_HIDDEN)},
}
"""The characters that a byte-level tokenizer (GPT-2's, and most since) writes bytes in: G with a
dot is a blank, C with a dot a line feed."""


def _of_bytes(text: str) -> str:
    """Return the text that a byte-level tokenizer's characters stand for."""
    try:
        return b"".join(
            bytes([_BYTE_OF[char]]) if char in _BYTE_OF else char.encode("utf-8", "replace")
            for char in text
        ).decode("utf-8")
    except UnicodeDecodeError:  # some of it was put back into letters already
        return text.replace("\u0120", " ").replace("\u010a", "\n")


def _of_pieces(text: str) -> str:
    """Return the text that a SentencePiece tokenizer's pieces and bytes stand for."""
    without = _BYTES.sub(
        lambda found: bytes.fromhex(found[0].replace("<0x", "").replace(">", "")).decode(
            "utf-8", "replace"
        ),
        text,
    )
    return _TOKEN.sub("\n", without).replace("\u2581", " ")


_BLANK_OF_A: Final = regex(r"\u00c3 (?=[\s.,;:!?)]|\Z)")


def _of_latin(text: str) -> str:
    """Return a text in UTF-8 that was read as if every byte were a letter.

    Of an `à` the second byte is a blank there that does not break, and often was made one that does.
    """
    text = _BLANK_OF_A.sub("\u00c3\u00a0", text)
    for encoding in ("cp1252", "latin-1"):
        try:
            return text.encode(encoding).decode("utf-8")
        except UnicodeError:
            continue
    return text


def _unescaped(text: str) -> str:
    r"""Return a text whose line breaks came as `\n`, two characters, and its quotation marks as `\"`."""
    if "\n" in text.strip() or not _SURE_BREAK.search(text):
        return text
    return _ESCAPED_BREAK.sub("\n", text).replace('\\"', '"').replace("\\t", " ").strip('"')


def _unicode_escapes(text: str) -> str:
    return _ESCAPES.sub(
        lambda found: bytes.fromhex(found[0].replace("\\u", "")).decode("utf-16-be", "replace"),
        text,
    )


MENDS: Final[tuple[tuple[str, tuple[str, ...], Callable[[str], str]], ...]] = (
    ("tokenizer", ("\u0120", "\u010a"), _of_bytes),
    ("tokenizer", ("\u2581", "<0x"), _of_pieces),
    ("encoding", ("\u00c3", "\u00c2", "\u00e2\u20ac"), _of_latin),
    ("escapes", ("\\u",), _unicode_escapes),
    ("escapes", ("\\n",), _unescaped),
    (
        "entities",
        ("&",),
        lambda text: _ENTITY.sub(lambda each: html.unescape(html.unescape(each[0])), text),
    ),
)
"""What a broken detokenizer or serializer leaves, by what shows it, and what makes it a text again.

No Italian text has any of it. It is the server's fault, not the model's, and so it is counted."""


def mended(text: str) -> tuple[str, set[str]]:
    """Return a text without what a server's tokenizer or serializer left in it, and what that was."""
    seen: set[str] = set()
    for kind, signs, mend in MENDS:
        if any(sign in text for sign in signs):
            better = mend(text)
            if better != text:
                seen.add(kind)
                text = better
    return text, seen


def clean(text: str) -> tuple[str, set[str]]:
    r"""Return a text whose lines end in `\n` and whose characters are plain, and what was changed."""
    text, seen = mended(text)
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


def without_struck(text: str, kinds: set[str]) -> str:
    """Return a text without what was struck out in it, which is a correction."""
    if not any(sign in text for sign in _STRIKES):
        return text
    left, count = _STRUCK.subn("", text)
    if count:
        kinds.add("struck")
    return left


_STRIKES: Final = ("~~", "<", "\u0335", "\u0336", "\\sout", "\\st{", "\\cancel")


_BOXES: Final = (
    ("<|begin_of_box|>", "<answer>"),
    ("<|end_of_box|>", "</answer>"),
    ("<|begin_of_solution|>", "<|begin_of_solution|><answer>"),
    ("<|end_of_solution|>", "</answer>"),
)
"""The tokens that GLM's vision models, OpenThinker and Sky-T1 put their answer into, and its tag."""


def tagged(text: str) -> str:
    """Return a text with the tokens around its answer as tags; what ends thoughts stays."""
    if "|>" in text:
        for token, tag in _BOXES:
            text = text.replace(token, tag)
    return text


_USERS_TURN: Final = regex(
    r"(?:<\|(?:im_start|start|start_header_id)\|> ?|<start_of_turn>)(?:user|human|utente)\b|<\|(?:user|human)\|>"
    r"|\[INST\]|^(?:human|user|utente): ",
    re.IGNORECASE | re.MULTILINE,
)
_SYSTEM: Final = 64
"""So near to its beginning a text that echoes its whole prompt says `system`."""


def own_turn(text: str, kinds: set[str]) -> str:
    """Return a text up to where its writer goes on as the user; one that begins so is an echo."""
    found = _USERS_TURN.search(text)
    if found is None or "system" in text[:_SYSTEM].lower():
        return text
    before = text[: found.start()]
    if not any(map(str.isalnum, _TOKEN.sub("", before))):
        return text
    kinds.add("run_on")
    return before


def without_tokens(text: str) -> str:
    """Return a text without a model's own tokens, which are line ends of their own."""
    return _TOKEN.sub("\n", text) if "<" in text or "[" in text else text


_DECORATED: Final = regex(
    r"[*_`~\\$|<#>+•\u2010-\u2015\u2022-\u2043\u2190-\u2bff\U0001f000-\U0010ffff]"
)
_NUMBERED: Final = regex(r"(?:[0-9]{1,3}[.)\u20e3]|\([0-9]{1,3}\)|[a-z]\)) (?![=:|>\u2192-])")
_QUOTE: Final = regex("(?:> ?)++")
_HEADING: Final = regex("#++ *+")
_BULLET: Final = regex(r"""[^\w\s\["'(«“„\\$*_`|<.~]++ *+|[*.•] ++""")
_BOLD: Final = regex(r"\*\*\*?+([^*\n]++)\*\*|__([^_\n]++)__|`([^`\n]++)`")
_SPANS: Final = 4
"""How many spans are kept of a line: one may be its label, the next its value."""
_EMPHASIS: Final = regex(r"\*++|~~|`++|(?<!\w)_++|_++(?!\w)")
_LATEX: Final = regex(
    r"\\(?:boxed|text(?:bf|it|rm|tt)?|math(?:bf|it|rm)|bf|emph|underline|fbox)\b ?|\\[()\[\] ,;!]|[{}$]"
)
_LATEX_SIGNS: Final = (
    (regex(r"\\(?:rightarrow|Rightarrow|to|implies)\b"), "->"),
    (regex(r"\\quad\b|~"), " "),
)
_ESCAPED: Final = regex(r"\\([\\`*_{}\[\]()#+\-.!|>~])")
_HTML: Final = regex("</?(?:b|i|em|strong|u|p|code|li|ul|ol|h[1-6]|span|div) ?/?>")


@dataclass(slots=True)
class Line:
    """A line's text without decoration, the kinds of it, and the spans that were set apart in it."""

    text: str
    kinds: set[str] = field(default_factory=set)
    spans: tuple[str, ...] = ()
    cells: tuple[str, ...] = ()
    boxed: bool = False


def undecorated(raw: str) -> Line:
    """Return a line without decoration; of a table's row the cells, too."""
    text = raw.strip()
    line = Line(text)
    if "  " in text or raw[-1].isspace():
        line.kinds.add("blank")
        line.text = text = " ".join(text.split())
    # the template's own bullet is no decoration
    core = text.removeprefix("- ")
    if not (_DECORATED.search(core) or _NUMBERED.match(core)):
        line.text = core
        return line
    _begin(line)
    if "\\" in line.text or "$" in line.text:
        _latex(line)
    _emphasis(line)
    if "|" in line.text:
        _table(line)
    else:
        line.text = _bullets(line.text, line.kinds)
    return line


def _begin(line: Line) -> None:
    """Take off what stands at the beginning of a line: signs of quotation, bullets, a heading's."""
    for kind, pattern in (("quote", _QUOTE), ("heading", _HEADING)):
        if found := pattern.match(line.text):
            line.kinds.add(kind)
            line.text = line.text[found.end() :]
    line.text = _bullets(line.text, line.kinds)


def _bullets(text: str, kinds: set[str]) -> str:
    """Take off bullets and numbers, as many as there may be; only the template's is no decoration."""
    for _ in range(3):
        found = _BULLET.match(text) or _NUMBERED.match(text)
        if found is None:
            break
        if found[0] != "- ":
            kinds.add("bullet")
        text = text[found.end() :]
    return text


def _latex(line: Line) -> None:
    text = line.text
    if "\\boxed" in text or "\\fbox" in text:
        line.boxed = True
    elif not (
        "arrow" in text or "\\text" in text or "\\math" in text or "$" in text or "\\(" in text
    ):
        line.text = _ESCAPED.sub(r"\1", text)
        if line.text != text:
            line.kinds.add("escape")
        return
    for pattern, plain in _LATEX_SIGNS:
        text = pattern.sub(plain, text)
    line.text = " ".join(_LATEX.sub(" ", text).split())
    line.kinds.add("latex")


def _emphasis(line: Line) -> None:
    text = line.text
    found = islice(_BOLD.finditer(text), _SPANS)
    line.spans = tuple(next(filter(None, each.groups())).strip() for each in found)
    if "<" in text:
        text = _HTML.sub("", text)
    text = _EMPHASIS.sub("", text)
    if text != line.text:
        line.kinds.add("bold")
        line.text = " ".join(text.split())


def _table(line: Line) -> None:
    cells = [cell.strip() for cell in line.text.strip("| ").split("|")]
    line.kinds.add("table")
    if len(cells) == 1:
        line.text = _bullets(cells[0], line.kinds)
    else:
        line.cells = (*(_bullets(cell, line.kinds) for cell in cells[:-1]), cells[-1])
