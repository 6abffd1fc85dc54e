"""The pages that tell people what to do, taken apart: blocks of code, commands, links, headings.

A block says by its language what a test does with it:

    console    every `$ apieval ...` is run, and must end with 0 (or the `# exit code N` behind it) and
               say every line shown below it
    sh         needs a key, a server or a graphics card: every command is held against the program
    yaml       joins the page's providers.yaml and is read as strictly as by the program
    python     is run
    text, ...  is shown; a command in it would be seen by no test, and so fails

`title="NAME"` makes a block of whatever language a file of that name, there for what follows it. All
that is run on one page is run in its order, in one folder.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.records import REPOSITORY

DOCS: Final = REPOSITORY / "docs"
GENERATED: Final = ("cli.md", "configuration.md")
"""Made out of the program, so that no command in them can be wrong."""
PAGES: Final = (
    *(REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md"),
    *sorted(DOCS.glob("*.md")),
)
RUN: Final = ("console", "python")
SHOWN: Final = ("", "text", "json", "csv", "ebnf", "jinja")
LANGUAGES: Final = (*RUN, *SHOWN, "sh", "yaml")

_FENCE: Final = re.compile(r"^(?P<indent> *)```(?P<info>.*)$")
_TITLE: Final = re.compile(r'title="([^"]+)"')
_INLINE: Final = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_LINK: Final = re.compile(r"(?<!!)\[(?:[^\[\]]|\[[^\]]*\])*\]\(([^)\s]+)\)")
_CODE_COMMAND: Final = re.compile(r"^\s*(?:\$ )?(?:[A-Z_]+=\S+ )*(?:\S*/)?apieval(?: [a-z-]|$)")
_EXIT_CODE: Final = re.compile(r"# exit code (\d+)$")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: the line it begins in, its language, the file it stands for, its text."""

    line: int
    language: str
    title: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Session:
    """A command that is run, the exit code it ends with, and what is shown below it."""

    words: tuple[str, ...]
    code: int
    shown: tuple[str, ...]


def name(page: Path) -> str:
    return str(page.relative_to(REPOSITORY))


def take_apart(text: str) -> tuple[list[Block], str]:
    """Return a page's fenced blocks, and what is left of it, with its lines in their places."""
    blocks, prose, inside = list[Block](), list[str](), list[str]()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        fence = _FENCE.match(line)
        prose.append("" if fence or opened else line)
        if fence and opened is None:
            opened, inside = (number, fence["info"].strip()), []
        elif fence and opened:
            info = opened[1]
            titled = _TITLE.search(info)
            language = info.partition(" ")[0]
            body = "".join(f"{each}\n" for each in inside)
            blocks.append(Block(opened[0], language, titled[1] if titled else None, body))
            opened = None
        elif opened:
            inside.append(line)
    assert opened is None, "a block is not closed"
    return blocks, "\n".join(prose)


def sessions(block: Block) -> Iterator[Session]:
    """Yield each command of a console block with what it is to say."""
    before, *parts = re.split(r"^\$ (.*)\n", block.text, flags=re.MULTILINE)
    assert not before, f"line {block.line}: a console block begins with a command"
    for command, shown in zip(parts[::2], parts[1::2], strict=True):
        expected = _EXIT_CODE.search(command)
        lines = [line.rstrip() for line in shown.split("\n")]
        yield Session(
            tuple(shlex.split(command, comments=True)),
            int(expected[1]) if expected else 0,
            tuple(line for line in lines if line and line != "..."),
        )


def commands(block: Block) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command of a shell block, lines that go on joined."""
    for line in block.text.replace("\\\n", " ").split("\n"):
        words = shlex.split(line, comments=True)
        while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
            words = words[1:]
        if words:
            yield tuple(words)


def spoken(prose: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command and option that a sentence names."""
    for code in _INLINE.findall(prose):
        text = " ".join(code.split())
        if text.startswith(("apieval ", "--")):
            yield tuple(text.replace("...", " ").split())


def unseen(blocks: list[Block], prose: str) -> list[str]:
    """Return the lines that look like a command where no test looks for one."""
    shown = [block.text for block in blocks if block.language in SHOWN]
    indented = [line for line in prose.split("\n") if line.startswith(("    ", "$ ", "\t"))]
    lines = [line for text in shown for line in text.split("\n")] + indented
    return [line for line in lines if _CODE_COMMAND.match(line)]


def links(prose: str) -> set[str]:
    """Return where a page's links lead."""
    return set(_LINK.findall(prose))


def headings(prose: str) -> list[str]:
    """Return the plain text of a page's headings, backquotes and links taken out."""
    found = re.findall(r"^#{1,6} +(.*?) *#*$", prose, flags=re.MULTILINE)
    return [re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", each).replace("`", "") for each in found]


def anchor_on_host(heading: str) -> str:
    """Return the anchor that a code host makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def anchor_on_site(heading: str) -> str:
    """Return the anchor that the built site has for it, where it is plain ASCII."""
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", heading).strip().lower())
