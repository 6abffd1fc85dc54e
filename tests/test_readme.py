"""The README's commands, run as a newcomer would; its configuration and its notebook cell too."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from apieval import config

README: Final = Path(__file__).parents[1] / "README.md"
TEXT: Final = README.read_text(encoding="utf-8")
PROGRAM: Final = Path(sys.executable).with_name("apieval")


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", TEXT, flags=re.DOTALL | re.MULTILINE)


def sessions(block: str) -> list[tuple[str, str]]:
    """Return each command of a console block with the output shown below it."""
    parts = re.split(r"^\$ (.*)\n", block, flags=re.MULTILINE)[1:]
    return list(zip(parts[::2], parts[1::2], strict=True))


@pytest.mark.parametrize("block", blocks("console"))
def test_every_command_works_and_says_what_is_shown(block: str) -> None:
    for command, shown in sessions(block):
        program, *words = shlex.split(command)
        assert program == "apieval"
        done = subprocess.run([PROGRAM, *words], capture_output=True, encoding="utf-8", check=False)
        assert done.returncode == 0, done.stderr
        for line in filter(None, map(str.rstrip, shown.splitlines())):
            assert line in map(str.rstrip, done.stdout.splitlines())


def test_the_configuration_shown_can_be_loaded(tmp_path: Path) -> None:
    path = tmp_path / config.FILE_NAME
    path.write_text("".join(blocks("yaml")), encoding="utf-8")
    assert config.load(path).names() == ("baseline", "my-llama", "hosted", "gateway")


def test_the_notebook_cell_works(capsys: pytest.CaptureFixture[str]) -> None:
    [cell] = blocks("python")
    exec(compile(cell, str(README), "exec"), {})  # noqa: S102 # our own README
    assert "'value':" in capsys.readouterr().out


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\((?!https?:)([^)#]+)\)", TEXT))))
def test_every_file_linked_is_there(link: str) -> None:
    assert (README.parent / link).exists()
