"""What README, CONTRIBUTING and docs/ tell people to do is done, or held against the program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

import pytest

from apieval.config import file
from tests.docs import pages, program
from tests.docs.pages import GENERATED, PAGES, Block, name, sessions, take_apart
from tests.e2e.conftest import Inside, inside, nothing_left_running

__all__ = ["inside", "nothing_left_running"]

WRITTEN: Final = [page for page in PAGES if page.name not in GENERATED]


def contents(page: Path) -> tuple[list[Block], str]:
    return take_apart(page.read_text(encoding="utf-8"))


class Reader:
    """Does on one page what it says, in order: each kind of block has its method."""

    def __init__(self, inside: Inside, capture: pytest.CaptureFixture[str]) -> None:
        self.inside, self.capture = inside, capture
        self.cell: dict[str, Any] = {"__name__": "__main__"}

    def follow(self, block: Block) -> None:
        if block.title is not None:
            Path(block.title).write_text(block.text, encoding="utf-8")
        if block.language in {"console", "yaml", "python", "sh"}:
            getattr(self, block.language)(block)

    def console(self, block: Block) -> None:
        for session in sessions(block):
            assert session.words[0] == "apieval"
            done = self.inside(*session.words[1:])
            assert done.code == session.code, done.out + done.err
            said = {line.rstrip() for line in f"{done.out}\n{done.err}".split("\n")}
            assert [line for line in session.shown if line not in said] == []

    def python(self, block: Block) -> None:
        code = compile(block.text, f"line {block.line}", "exec")
        exec(code, self.cell)  # noqa: S102 # our own documents
        shown = re.findall(r"^# (.*)", block.text, flags=re.MULTILINE)
        said = self.capture.readouterr().out.split("\n")
        assert [line for line in shown if line not in said] == []

    def yaml(self, block: Block) -> None:
        """Join the file: a block with a version begins it, an indented one is of more models."""
        path = Path(file.FILE_NAME)
        begins = block.text.startswith("version:")
        before = "" if begins else path.read_text("utf-8") if path.exists() else "version: 1\n"
        under = "models:\n" if block.text.startswith("  ") and "models:" not in before else ""
        path.write_text(before + under + block.text, encoding="utf-8")
        file.load(path)

    def sh(self, block: Block) -> None:
        providers = file.load(file.find_file(None, Path.cwd()))
        for words in pages.commands(block):
            program.check_command(words, providers)


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_every_block_does_what_it_shows(
    page: Path, inside: Inside, capsys: pytest.CaptureFixture[str]
) -> None:
    reader = Reader(inside, capsys)
    for block in contents(page)[0]:
        try:
            reader.follow(block)
        except Exception as error:
            error.add_note(f"{name(page)}, the block of line {block.line}")
            raise


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_every_command_and_option_a_sentence_names_is_there(page: Path) -> None:
    for words in pages.spoken(contents(page)[1]):
        program.check_spoken(words)


@pytest.mark.parametrize("page", WRITTEN, ids=name)
def test_no_command_stands_where_no_test_sees_it(page: Path) -> None:
    blocks, prose = contents(page)
    assert {block.language for block in blocks} <= set(pages.LANGUAGES)
    assert pages.unseen(blocks, prose) == []


def test_the_front_door_is_among_the_pages() -> None:
    assert {"README.md", "CONTRIBUTING.md", "docs/index.md"} <= set(map(name, PAGES))
    assert [block for block in contents(PAGES[0])[0] if block.language in pages.RUN]
