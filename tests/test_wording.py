from __future__ import annotations

import errno
import re
import tomllib

import pytest

from apieval.wording import counted, in_words, install
from tests.records import REPOSITORY


@pytest.mark.parametrize(
    ("count", "nouns", "text"),
    [
        (0, ("request",), "0 requests"),
        (1, ("request",), "1 request"),
        (2_000, ("request",), "2,000 requests"),
        (1, ("rebus", "rebuses"), "1 rebus"),
        (3, ("rebus", "rebuses"), "3 rebuses"),
    ],
)
def test_one_is_no_plural(count: int, nouns: tuple[str, ...], text: str) -> None:
    assert counted(count, *nouns) == text


def test_every_extra_that_is_missed_is_one_that_can_be_installed() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text("utf-8"))["project"]
    sources = (REPOSITORY / "apieval").rglob("*.py")
    named = {
        name
        for each in sources
        for name in re.findall(r"install\('(\w+)'\)", each.read_text("utf-8"))
    }
    assert named == set(project["optional-dependencies"])
    assert install("parquet") == "`pip install '.[parquet]'` in the checkout"
    texts = [*(REPOSITORY / "apieval").rglob("*.py"), *(REPOSITORY / "docs").glob("*.md")]
    assert not [each for each in texts if "install 'apieval[" in each.read_text("utf-8")]


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ConnectionResetError(errno.ECONNRESET, "x"), "the other side closed the connection"),
        (OSError(errno.ENETUNREACH, "x"), "the network cannot be reached"),
        (PermissionError(errno.EACCES, "Permission denied", "a/b"), "Permission denied: 'a/b'"),
        (ValueError("no number"), "no number"),
        (RuntimeError("Cannot connect [[Errno -2] Name not known]"), "Cannot connect [Name not known]"),
        (ConnectionError(), "ConnectionError"),
    ],
)  # fmt: skip
def test_an_error_is_said_in_words(error: Exception, said: str) -> None:
    assert in_words(error) == said
