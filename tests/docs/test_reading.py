"""The reading of pages: a page that says what is not so, or what nobody tries, is told."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer._click.exceptions import UsageError

from apieval.config import file
from apieval.errors import ConfigError
from tests.docs import pages, program
from tests.docs.pages import Session, take_apart
from tests.docs.test_pages import Reader
from tests.e2e.conftest import Inside, inside, nothing_left_running

__all__ = ["inside", "nothing_left_running"]

PROVIDERS = file.load(file.packaged_file())


@pytest.mark.parametrize(
    "text",
    [
        "```\napieval run baseline\n```",
        "```text\n$ apieval run baseline\n```",
        "```json\n$ OPENAI_API_KEY=x .venv/bin/apieval models\n```",
        "so:\n\n    apieval run baseline\n",
        "$ apieval run baseline",
    ],
)
def test_a_command_that_no_test_sees_is_told(text: str) -> None:
    assert len(pages.unseen(*take_apart(text))) == 1


@pytest.mark.parametrize(
    "command",
    [
        ("apieval", "evaluate", "baseline"),
        ("apieval", "run", "baseline", "--no-such-option"),
        ("apieval", "run", "baseline", "--limit", "many"),
        ("apieval", "run", "baseline", "--setting", "hint"),
        ("apieval", "compare"),
        ("apieval", "run", "no-such-model"),
        ("make", "nothing"),
        ("python", "tools/nothing.py"),
        ("pip", "install", "apieval[nothing]"),
        ("curl", "http://example.org"),
    ],
)
def test_a_command_that_the_program_would_refuse_is_told(command: tuple[str, ...]) -> None:
    with pytest.raises((AssertionError, UsageError, ConfigError)):
        program.check_command(command, PROVIDERS)


@pytest.mark.parametrize(
    "command",
    [
        ("apieval", "run", "openai/gpt-4o", "vllm", "--limit", "3"),
        ("apieval", "data", "verify", "FILE"),
        ("make", "test", "ARGS=-k retry"),
        ("python", "tools/make_docs.py", "--write"),
        ("pip", "install", ".[parquet]"),
        ("export", "OPENAI_API_KEY=..."),
    ],
)
def test_a_command_that_needs_more_than_a_test_has_is_parsed(command: tuple[str, ...]) -> None:
    program.check_command(command, PROVIDERS)


@pytest.mark.parametrize("text", ["`apieval scores`", "`apieval score --limits 3`", "`--no-such`"])
def test_a_sentence_that_names_what_is_not_there_is_told(text: str) -> None:
    [words] = pages.spoken(text)
    with pytest.raises(AssertionError):
        program.check_spoken(words)


@pytest.mark.parametrize(
    "text",
    [
        "```console\n$ apieval models\nno such line\n```",
        "```console\n$ apieval models # exit code 1\n```",
        "```console\n$ apieval score nowhere\n```",
        "```console\n$ rm x\n```",
        "```python\nimport apieval\nprint(1)\n# 2\n```",
        "```python\nimport apieval.gone\n```",
        "```yaml\nversion: 1\nmodels:\n  a: {provider: litellm}\n```",
        "```yaml\n  a: {provider: embedded, modle: x}\n```",
        "```sh\napieval run no-such-model\n```",
    ],
)
def test_a_block_that_does_not_what_it_shows_is_told(
    text: str, inside: Inside, capsys: pytest.CaptureFixture[str]
) -> None:
    [block], _ = take_apart(text)
    with pytest.raises((AssertionError, ImportError, ConfigError)):
        Reader(inside, capsys).follow(block)


def test_blocks_build_on_each_other(inside: Inside, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "```yaml\nversion: 1\nmodels:\n  one: {provider: embedded}\n```\n"
        "```yaml\n  two: {provider: embedded}\n```\n"
        '```csv title="x.csv"\na,b\n```\n'
        "```python\nfrom pathlib import Path\nn = len(Path('x.csv').read_text())\nprint(n)\n# 4\n```\n"
        "```sh\napieval run one two\n```\n"
    )
    reader = Reader(inside, capsys)
    for block in take_apart(text)[0]:
        reader.follow(block)
    assert file.load(Path(file.FILE_NAME)).names() == ("baseline", "one", "two")
    assert reader.cell["n"] == 4


def test_a_session_is_a_command_its_code_and_its_lines() -> None:
    [block], prose = take_apart(
        "a\n```console\n$ apieval x 'y z' # exit code 1\none\n...\n\n```\nb"
    )
    assert list(pages.sessions(block)) == [Session(("apieval", "x", "y z"), 1, ("one",))]
    assert (block.line, block.title, prose) == (2, None, "a\n\n\n\n\n\n\nb")
