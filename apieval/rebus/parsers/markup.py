"""One line of an answer without its decoration: bullets, headings, quotes, tables, emphasis, LaTeX."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from apieval.patterns import regex

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
